// Package outdir owns what a job keeps on disk: its output directory with lock, log, commits and
// checks, and its map output. It is kept as Hadoop's FileOutputCommitter does:
//
//	OUT/_temporary/0/_temporary/attempt_r_000003_0/part-r-00003   an attempt writes here
//	OUT/_temporary/0/task_r_000003/part-r-00003                   its commit renames the directory
//	OUT/part-r-00003, OUT/_SUCCESS                                the commit of the job
//
// So what two attempts of a task write does not mix, and _SUCCESS is there only if all parts are.
// The number below _temporary counts the processes that have worked on the job, so that what a dead
// one left behind is never in the way of the next. Beside it stand
//
//	OUT/_temporary/log      what has been committed
//	OUT/_temporary/lock     of the process that is at work
//	OUT/_temporary/0/local  map output
//
// So whoever knows the output directory finds all that an interrupted run has left. What changes
// in OUT changes through an os.Root, and links on the way are not followed.
//
//	outdir.go   Dir: taking a directory over and giving it up
//	state.go    what stands at the place of an output directory, for whoever only looks
//	history.go  what a log says: what the job was, and what is done of it
//	commit.go   commits of tasks and of the job
//	overlap.go  what the commit of the job moves into place, beside what others put there
//	verify.go   parts are read once more before the job is committed
//	confine.go  no link on the way leads out of the directory
//	sweep.go    removal of what does not count, or of all
//	discard.go  throwing away what was left; trust_*.go whether it can be by somebody else
//	log.go      the file of the log; lock.go the lock
//
// # The log
//
// A log is a text file of one record a line: the CRC32C of the record in eight hexadecimal digits,
// a space, the record as JSON. It is only ever appended to. A process that dies, or a disk that is
// full, leaves a torn last line; what comes after it begins a line of its own. Whoever reads takes
// in the lines whose checksums match and passes over others: a record that is missing is work that
// is done again, and what a record claims is checked against the disk besides.
//
// # Checksums
//
// Of every part file the sum of what was written is kept. Before a job is committed all its parts
// are read once more, several at once, whether its directories are synced or not: a task of which a
// byte is not what was written runs again, as often as a task may fail. A resumed job checks
// the parts that it takes over in the same way. For 500 MB of output that takes 0.09 s of processor
// time, a twentieth of what sorting them does (0.03 s the sums, the rest the copy out of the page
// cache). It reads what the system holds, which is not always what the disk does: a byte that the
// disk alone has wrong is found if the file was dropped from memory in between. What happens behind
// the commit is nobody's to find.
//
// # What is ours
//
// Only a directory with a log or a lock of ours in _temporary counts as remains of a run, or one with
// an empty _temporary and nothing else. What another tool left is "there already". The lock is held
// through the system, so that of a dead process holds nobody up. Other people's files may stand beside
// ours, under any name (overlap.go): a commit that would overwrite one fails, names it and leaves it,
// unless it is the same byte for byte. A job that fails or is refused removes _temporary, what its
// commit has moved into place, and the directory itself if Slackline made it and nothing else is in it.
//
// Nothing is believed of the disk that was not checked. A log that lost lines, or a file that changed,
// costs work and nothing else. If both befall a part that was already moved, nobody knows whose it is:
// the commit fails and names it. TestFaults (engine) and TestKill (cmd/slackline) hold the engine to
// this. Two things are not noticed. Attempts write by path: if somebody replaces _temporary, or a
// folder in it, by a link while a job runs, they write where it leads; the next commit does not follow
// it, and the job fails. And a file that somebody puts into the directory between the check of its
// place and the rename is lost.
package outdir
