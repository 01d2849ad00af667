//go:build unix

package page

import (
	"os"
	"syscall"
)

// hold marks a file as being written until it is closed, which the system does when the process
// ends, however it ends. It is false if another process has done so; where the file system knows no
// locks, nobody has.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}

// sweep removes a file that no process holds.
func sweep(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(name)
	}
}
