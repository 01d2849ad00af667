// Package files is the one place where a command opens what it reads and makes what it writes.
//
//	text.go     any text: unpacked, without a byte order mark, its lines ended by LF
//	foreign.go  formats that are not text, by their first bytes or their name, each with its cure
//	table.go    CSV, each row held against its heading
//	number.go   numbers of a table, and what stands for none
//	create.go   files that appear whole or not at all
//	desk.go     what the command has opened and makes: no output takes the place of an input
//
// A process is one command. So what it has opened, and that it may replace files of others, is kept
// once for all of it: a new command is protected without doing anything for it.
package files
