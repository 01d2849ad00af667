// Package input finds the files that a job reads, and cuts them into splits, one for each map task.
// What an attempt does with its split is told in package task.
//
//	input.go    which files a job reads
//	split.go    how they are cut into splits
//	plan.go     where each may be cut: by its format, and by what it is compressed with
//	foreign.go  what is not read: formats and compressions that would be taken for text
//	outputs.go  whether output of a job that is read is all there
//	path.go     paths and pieces of files in JSON
//
// Other than in Hadoop, files smaller than a block share a split with their neighbours (as with
// CombineTextInputFormat), so that a tree of small sources is not a task for each file. The last
// split of a file may be short; there is no slop of 10 %.
package input
