// Package task is the data plane of the engine: what one attempt of a map or reduce task does with bytes, and how the results
// of tasks become the output of a job. It knows no scheduler and no slot; who calls it decides what runs where and when.
//
// What stands where:
//
//	input.go    which files a job reads
//	split.go    how they are cut into splits, by their sizes and the block size only
//	lines.go    the lines of a piece of a file
//	attempt.go  what all attempts share: stopping, progress, statistics, errors of user code
//	map.go      a map attempt; collect.go chooses its buffer
//	sorted.go   a buffer that sorts what was emitted
//	hashed.go   a buffer that combines at emit, by a hash table
//	run.go      sorted runs on disk or in memory, by partition, with CRC32C
//	merge.go    k-way merge of runs, and its groups
//	spill.go    from spills to one map output
//	reduce.go   a reduce attempt: shuffle, merge, reduce
//	text.go     part files: key TAB value LF
//	commit.go   the output directory, as Hadoop's FileOutputCommitter keeps it
//
// # Order
//
// Runs are sorted by partition, then key, and keep the order of emission for equal keys. A merge takes equal keys from the
// earlier run first, and runs are merged with neighbours only. So a reducer sees the values of a key by map task and record,
// whatever the number of workers, the size of the buffers, or the order in which maps end.
//
// # Differences from Hadoop
//
// Files smaller than a block share a split with their neighbours (as with CombineTextInputFormat), so that a tree of small
// sources is not a task for each file. A line ends at LF alone; a CR before it is part of the line. The last split of a file
// may be short; there is no slop of 10 %. No key or value may be larger than 1 GB.
package task
