// Package task is the data plane of the engine: what one attempt of a map or reduce task does with
// bytes. It knows no scheduler, no slot and no output directory of a job; who calls it decides what
// runs where and when, and package outdir what counts of it.
//
// What stands where:
//
//	input.go    which files a job reads
//	split.go    how they are cut into splits
//	plan.go     where each may be cut: by its format, and by what it is compressed with
//	lines.go    the lines of a piece of a file
//	records.go  the records of a piece in another format
//	attempt.go  what all attempts share: stopping, progress, statistics, errors of user code
//	failure.go  which errors are worth another attempt
//	map.go      a map attempt; collect.go chooses its buffer
//	sorted.go   a buffer that sorts what was emitted; radix.go sorts
//	hashed.go   a buffer that combines at emit, by the hash table of table.go
//	folded.go   a buffer that keeps one number for each key; pages_*.go ask for large pages
//	queue.go    what waits on its way to either table
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
// to 16 bytes are two machine words in one cache line; records go to the hash tables in batches of
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
// Files smaller than a block share a split with their neighbours (as with CombineTextInputFormat),
// so that a tree of small sources is not a task for each file. A line ends at LF alone; a CR before
// it is part of the line. The last split of a file may be short; there is no slop of 10 %. No key
// or value may be larger than 1 GB.
package task
