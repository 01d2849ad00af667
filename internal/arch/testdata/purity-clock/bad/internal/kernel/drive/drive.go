// Package drive looks at the clock.
package drive

import (
	. "time"
	clock "time"
)

var started = clock.Now() // want purity-clock

var stopwatch = clock.Now // want purity-clock

func wait() {
	clock.Sleep(1)                    // want purity-clock
	_ = clock.Since(started)          // want purity-clock
	_ = clock.Until(started)          // want purity-clock
	_ = clock.After(1)                // want purity-clock
	_ = clock.Tick(1)                 // want purity-clock
	_ = clock.NewTimer(1)             // want purity-clock
	_ = clock.NewTicker(1)            // want purity-clock
	_ = clock.AfterFunc(1, func() {}) // want purity-clock
	_ = Now()                         // want purity-clock
	_ = started.In(clock.Local)       // want purity-clock
	_ = started.Local()               // want purity-clock
}
