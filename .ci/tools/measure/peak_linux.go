package main

import (
	"os"
	"syscall"
)

// peak is the most memory that the process held, in MB.
func peak(s *os.ProcessState) float64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) / 1024
	}
	return 0
}
