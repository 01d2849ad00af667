package input

import (
	"io/fs"
	"syscall"
)

// inode is what the system knows of a file beside its size and time.
func inode(info fs.FileInfo) (node uint64, changed int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino, s.Ctim.Nano()
	}
	return 0, 0
}
