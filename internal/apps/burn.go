package apps

import (
	"sync"
	"time"

	"github.com/slackline/slackline/units"
)

// burn computes for so long on an idle core of this machine. It is an amount of work, not a wait:
// with more attempts than cores it takes longer, as real work would.
func burn(d units.Duration) {
	if d > 0 {
		sink(work(int(float64(d) * stepsPerNanosecond())))
	}
}

// stepsPerNanosecond is measured once: the best of some short trials, as a trial is only ever
// slowed down by others.
var stepsPerNanosecond = sync.OnceValue(func() float64 {
	const steps = 200_000
	best := 0.0
	for range 10 {
		from := time.Now()
		sink(work(steps))
		best = max(best, steps/float64(max(time.Since(from), 1)))
	}
	return best
})

// work does so many steps of xorshift, each of which needs the one before.
func work(steps int) uint64 {
	x := uint64(88172645463325252)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// sink keeps the compiler from leaving the work out.
//
//go:noinline
func sink(uint64) {}
