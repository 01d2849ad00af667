//go:build !unix

package input

// readable tells nothing here: whoever reads the file finds out.
func readable(string) error { return nil }
