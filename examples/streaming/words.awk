# A mapper of Hadoop Streaming: each word with a 1.
{ gsub(/[\r\v\f]/, " "); for (i = 1; i <= NF; i++) print $i "\t1" }
