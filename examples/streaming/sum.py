#!/usr/bin/env python3
"""A reducer, or combiner, of Hadoop Streaming: adds up the counts of each word. Equal words come one behind the other."""
import sys
from itertools import groupby

out = sys.stdout.buffer
pairs = (line.rstrip(b"\n").rsplit(b"\t", 1) for line in sys.stdin.buffer)
for word, group in groupby(pairs, key=lambda pair: pair[0]):
    out.write(b"%s\t%d\n" % (word, sum(int(count) for _, count in group)))
