// Package worker runs attempts in processes of the user's own program, so that a panic, an os.Exit,
// a leak or an endless loop ends an attempt and not the engine. Such a process is this module's
// data plane (package task) with the user's mapper and reducer in it: it reads, maps, combines and
// spills itself. What passes between it and the engine is small.
//
//	message.go  the protocol
//	serve.go    the worker's side: package mapreduce/run calls it
//	peer.go     the engine's side of one worker
//	executor.go the workers of a job, one for each attempt that runs at a time
//
// # Protocol, version 1
//
// The engine starts the program with SLACKLINE_WORKER=1 and talks over its standard input and
// output. Whatever the program prints before it calls run.Main is passed over, as the worker begins
// with a line of its own; then its standard output is its standard error. Messages are JSON, each
// behind its length in four bytes, the highest first.
//
//	worker → engine   hello (version, programs) once, then in an attempt: beat (progress), fetch (which map), ended (output, statistics
//	                  and counters, or what went wrong)
//	engine → worker   open (program, parameters) once, answered by ready or ended; then map, reduce (the attempt's configuration), and
//	                  output (of a map that was fetched)
//
// An attempt that is to stop is not asked: its worker is killed. So is one whose attempt failed,
// whatever state it is in. When the engine goes, the worker reads the end of its input and exits.
package worker
