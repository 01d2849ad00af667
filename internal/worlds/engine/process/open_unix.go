//go:build unix

package process

import (
	"math"
	"syscall"
)

// OpenFiles is how many files this process may have open at once; a great number where there is no bound.
func OpenFiles() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return math.MaxInt32
	}
	return int(min(uint64(r.Cur), math.MaxInt32))
}
