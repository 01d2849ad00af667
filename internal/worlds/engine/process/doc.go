// Package process runs commands that are not trusted to behave: each with all that it starts in a
// family of its own, which is bounded, and which ends as a whole.
//
//	process.go       what all systems share: limits, the first cause of a death
//	family_linux.go  who belongs to a family: a cgroup (cgroup_linux.go) where this process may make one, else process group,
//	                 descent and a mark in the environment
//	files_unix.go    the limit on open files
//	family_unix.go   process groups, on other Unix systems
//	family_other.go  single processes, where there is nothing better
//	usage.go         what families took that have ended (usage_unix.go)
//
// # What holds a family together
//
// On Linux a cgroup (version 2) is best: nothing leaves it, and the kernel ends it with one write.
// It is used where this process may make one below its own, as root may and as systemd's delegation
// lets others. Elsewhere a process group is made, and this process becomes the reaper of orphans,
// so that a daemon that leaves its group and its parent becomes a child of ours and can be found.
// Its kin is told by descent, group, session, and a mark in its environment; one that cleared its
// environment and forked away before it was seen goes when the last family does.
//
// When this process itself is killed, the command dies with it; what the command had started stays
// in its cgroup, and the next process like us ends it.
//
// Memory is bounded by the cgroup if that has the controller. Otherwise /proc is looked at ten
// times a second: a process that takes a gigabyte between two looks gets it for that long. Memory
// that forks still share is counted for each.
//
// # What a family took
//
// A Tally sums up what families took, for reports. Memory: the cgroup's peak where the kernel tells
// one; else what the looks saw, which come less often where there is no bound; and for what is over
// before anybody looked, the largest process, if it had more than we (Linux counts a new process as
// large as its parent until it becomes the command, so less says nothing). Processor time: what we
// waited for is in the system's sum of our children; what was a daemon's is not, and follows from
// the cgroup's own count.
package process
