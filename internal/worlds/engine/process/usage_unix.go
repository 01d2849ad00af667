//go:build unix

package process

import (
	"os"
	"runtime"
	"syscall"

	"github.com/slackline/slackline/units"
)

// largest is the memory of the largest process among a command and those below it that were waited
// for, 0 where that is not known: until it becomes the command, a new process counts as one of
// ours, with our memory, so that only what is more can be its own.
func largest(state *os.ProcessState) units.Bytes {
	var self syscall.Rusage
	if state == nil || syscall.Getrusage(syscall.RUSAGE_SELF, &self) != nil {
		return 0
	}
	child, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || child.Maxrss <= self.Maxrss {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return units.Bytes(child.Maxrss)
	}
	return units.Bytes(child.Maxrss) * units.KB
}
