// Package fault makes the engine's world break where a test wants it: operations on files that
// fail, a disk that is full, bits that flip on their way to the disk, a process that dies between
// two operations.
//
// The engine does its I/O through the functions here, which are those of package os as long as no
// test is on. Then each asks the active Schedule first. What that costs when it is off is one load
// of a pointer for each operation, and operations on data are of blocks, not of records:
// BenchmarkWrite cannot tell a File from an os.File, so there is no build tag, and what is tested
// is what runs.
//
// # Dying
//
// A process that dies is simulated: from that moment on every operation fails with ErrDead and
// nothing more reaches the disk, not even what would clean up. Who sees Dead throws away what it
// knows, as a process does that is gone. What the disk has then is what a kill -9 would have left.
// A process of its own that a test has started, such as a worker, dies in earnest: Exit ends it.
//
// # Replay
//
// What strikes is drawn by seed, operation, the path below the schedule's root, and how often that
// operation met that path. So equal seeds strike at equal places, however goroutines take turns;
// only what attempts there are may differ from run to run.
package fault
