//go:build !linux

package main

import "os"

// mapFile reads a file into memory.
func mapFile(path string) ([]byte, error) { return os.ReadFile(path) }
