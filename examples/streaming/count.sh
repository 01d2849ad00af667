#!/bin/sh
# A reducer of Hadoop Streaming: counts equal keys. They come one behind the other, each with a TAB and no value.
cut -f 1 | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)$/\2	\1/'
