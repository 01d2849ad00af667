#!/bin/sh
# A mapper of Hadoop Streaming: each word on a line of its own, which is a key without a value.
tr -s '[:space:]' '\n' | grep .
test $? -le 1 # that there is no word at all is no failure
