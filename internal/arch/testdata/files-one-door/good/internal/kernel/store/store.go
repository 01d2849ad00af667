// Package store has files of its own.
package store

import "os"

// Open opens.
func Open(name string) (*os.File, error) { return os.Open(name) }
