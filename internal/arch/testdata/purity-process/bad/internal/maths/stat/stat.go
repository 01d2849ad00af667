// Package stat asks the machine.
package stat

import "runtime"

var width = runtime.NumCPU() // want purity-process

func used() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // want purity-process
	return m.Alloc
}
