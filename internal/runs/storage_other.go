//go:build !linux

package runs

// fetched is not known: other systems count operations, or nothing.
func fetched() (bytes int64, ok bool) { return 0, false }
