//go:build unix

package runs

import "syscall"

// cpuSeconds is the processor time of this process and of those it has waited for.
func cpuSeconds() float64 {
	sum := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return sum
}
