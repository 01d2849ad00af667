// Package task is what one attempt of a map or reduce task does with bytes, and nothing else. Package
// input finds and cuts what a job reads; whoever calls decides what runs where and when; package
// outdir decides what counts of it.
//
// What stands where:
//
//	lines.go    the lines of a piece of a file
//	records.go  the records of a piece in another format
//	attempt.go  what all attempts share: stopping, progress, statistics, errors of user code
//	map.go      a map attempt; collect.go chooses its buffer
//	sorted.go   a buffer that sorts what was emitted, and combines it; radix.go sorts
//	folded.go   a buffer that keeps one number for each key, by the hash table of table.go; pages_*.go ask for large pages
//	sample.go   the keys at which a total order is cut
//	run.go      sorted runs on disk or in memory, by partition, in blocks with CRC32C
//	merge.go    k-way merge of runs by a tree of losers, and its groups
//	spill.go    from spills to one map output
//	reduce.go   a reduce attempt: shuffle, merge, reduce
//	text.go     part files: key TAB value LF, or in another format, compressed or not
//
// # Order
//
// Runs are sorted by partition, then key, and keep the order of emission for equal keys. A merge
// takes equal keys from the earlier run first, and runs are merged with neighbours only. So a
// reducer sees the values of a key by map task and record, whatever the number of workers, the size
// of the buffers, or the order in which maps end.
//
// # Speed
//
// What is done for every record decides. No allocation, no lock, no look at the clock; keys of up
// to 16 bytes are two machine words in one cache line; records go to the hash table in batches of
// 64, so that their cache misses overlap; sorting moves entries of 16 bytes and looks at keys only
// where 8 bytes are equal; a reduce merges map output where it lies. Map output is not compressed:
// it mostly stays in the page cache, to which 4.9 GB pass in a second of CPU time, and s2 makes
// 0.35 GB of text in it.
//
// Memory: the buffers of a map count records and what sorting them takes, and spill before they go
// beyond Config.Buffer. A reduce holds one block of each run that it merges, at most mergeFactor.
//
// # Checksums
//
// Every block of map output has a CRC32C, which whoever reads it checks before user code sees a
// byte; a map whose output is damaged runs again. Of every part file the sum of what was written is
// kept: see package outdir.
//
// # Differences from Hadoop
//
// A line ends at LF alone; a CR before it is part of the line. No key or value may be larger than
// 1 GB.
package task
