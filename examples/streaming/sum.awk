# A reducer, or combiner, of Hadoop Streaming: adds up the counts of each word. Equal words come one behind the other.
BEGIN { FS = "\t" }
NR > 1 && $1 "" != word { print word "\t" n; n = 0 }
{ word = $1 ""; n += $2 }
END { if (NR > 0) print word "\t" n }
