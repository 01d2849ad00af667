//go:build !linux

package lab

// fetched is not known: other systems count operations, or nothing.
func fetched() (bytes int64, ok bool) { return 0, false }
