#!/bin/sh
# A mapper of Hadoop Streaming: each word on a line of its own, which is a key without a value.
tr -s '[:space:]' '\n' | sed '/^$/d'
