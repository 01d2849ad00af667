//go:build !linux

package input

import "io/fs"

// inode is not asked for here.
func inode(fs.FileInfo) (node uint64, changed int64) { return 0, 0 }
