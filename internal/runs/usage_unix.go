//go:build unix

package runs

import "syscall"

// usage is the processor time of this process and of those it has waited for, and how many bytes came
// from storage for them: pages of files that lay in memory already are not counted.
func usage() (cpu float64, fetched int64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			cpu += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
			fetched += int64(u.Inblock) * 512
		}
	}
	return cpu, fetched
}
