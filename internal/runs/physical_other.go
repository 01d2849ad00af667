//go:build !linux

package runs

import "github.com/slackline/slackline/units"

// PhysicalMemory returns the memory of this machine; 0, as it is only known on Linux.
func PhysicalMemory() units.Bytes { return 0 }
