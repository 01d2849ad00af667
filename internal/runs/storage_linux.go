package runs

import "syscall"

// fetched is how many bytes came from storage for this process and for those it has waited for:
// pages of files that lay in memory already are not counted.
func fetched() (bytes int64, ok bool) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return 0, false
		}
		bytes += u.Inblock * 512
	}
	return bytes, true
}
