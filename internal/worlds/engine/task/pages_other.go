//go:build !linux

package task

// largePages is advice that only Linux takes.
func largePages([]byte) {}
