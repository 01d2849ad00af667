// Package trace reads what is open.
package trace

import "io"

// Read reads.
func Read(in io.Reader) ([]byte, error) { return io.ReadAll(in) }
