#!/usr/bin/env python3
"""A mapper of Hadoop Streaming: each word with a 1. Words are what stands between ASCII whitespace."""
import sys

out = sys.stdout.buffer
lines = 0
for line in sys.stdin.buffer:
    lines += 1
    for word in line.split():
        out.write(word + b"\t1\n")
print(f"reporter:counter:words,lines,{lines}", file=sys.stderr)
