package yarn

import (
	"slices"
	"time"
)

// longestDelay is the last delay that is told apart, in ms. Longer ones count as that.
const longestDelay = 60_000

// Delays counts how long containers took from the decision to place them until the ResourceManager had allocated them.
type Delays struct {
	counts []int64 // by ms
	total  int64
}

func (d *Delays) add(ms int64) {
	ms = min(max(ms, 0), longestDelay)
	if n := int(ms) + 1 - len(d.counts); n > 0 {
		d.counts = append(d.counts, make([]int64, n)...)
	}
	d.counts[ms]++
	d.total++
}

// Count is how many containers there were.
func (d *Delays) Count() int64 { return d.total }

// Within is how long that share of them took at most; 0 if there were none.
func (d *Delays) Within(share float64) time.Duration {
	n := int64(0)
	i := slices.IndexFunc(d.counts, func(c int64) bool {
		n += c
		return float64(n) >= share*float64(d.total)
	})
	return time.Duration(max(i, 0)) * time.Millisecond
}

// Delays are those of all containers that were placed by plans. It is for the goroutine of the loop, or after its end.
func (w *World) Delays() *Delays { return &w.delays }
