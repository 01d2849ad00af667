//go:build !unix

package task

// readable tells nothing here: whoever reads the file finds out.
func readable(string) error { return nil }
