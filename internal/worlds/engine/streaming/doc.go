// Package streaming runs the attempts of jobs whose mapper, combiner and reducer are commands, as
// Hadoop Streaming does: lines in on standard input, lines out on standard output, counters and
// status on standard error.
//
//	streaming.go  a job of commands, and its attempts
//	command.go    one command at work: feeding it and hearing it without ever waiting for each other
//	stderr.go     reporter:counter:, reporter:status:, and the last words
//	mapper.go     a map command, one for each file that a task reads; reducer.go a reduce command
//	combine.go    a combine command, over what a map emitted so far
//	env.go        the environment that Hadoop's tool gives
//	words.go      words of a command line
//	files.go      side files, and the programs that commands name
//
// # The contract
//
// A mapper gets the lines of its input, without a key. What it writes is split at the first TAB
// into key and value (at the n-th with key_fields: n); a line without one is a key with an empty
// value. A reducer gets key TAB value lines sorted by key, byte by byte. A command that ends with
// an exit code other than 0 fails its attempt; one that ends well need not have read all its input.
//
// As in Hadoop a record with an empty value is written as key TAB: a line that has no TAB gains one at its end.
//
// This was held against the tool of Hadoop 3.4.2 with its local runner: its environment, the TAB at the end,
// and examples/streaming/join.yaml; slackline stream and examples/words ran there.
//
// # Differences from Hadoop
//
// A job with a combine command and without a reduce command reduces by the former. In Hadoop each
// map's own sums would be the result, and how many there are would depend on how the input is cut.
//
// A task may read several small files (see package task). Each gets a command of its own, so that
// mapreduce_map_input_file is true, unless the job asks for one command for all of them. A mapper
// that closes its input early and ends well has not failed, however much input was left. Once a
// command has ended, what it started may hold its output open for two seconds; then the attempt
// fails, where Hadoop would wait for ever. A line of output may take half of the memory of its task
// and no more than 64 MB; at its longest it is there three times, as what was read, as a line, and
// as a record to be sorted or combined. Merging holds one record of each run that was spilled.
// Lines of input go to the command as they come, however long they are. A command that ends with
// exit code 126 or 127, which shells use for one that cannot be run or is not there, is not tried
// again.
package streaming
