package sim

import (
	"github.com/slackline/slackline/units"
)

// Failures are what breaks by chance. Spans to a failure and to its repair are exponential, drawn
// for each node and rack by itself; what is written down instead stands in Config.Outages. Rented nodes
// are also taken away as often as their class is interrupted (cluster.Class).
type Failures struct {
	MTBF, MTTR         units.Duration // of a node: mean time between failures and to repair; 0 = none
	RackMTBF, RackMTTR units.Duration // of a rack: its switch takes all its nodes away

	Rate       float64 // probability that an attempt fails by itself, in [0,1)
	Faulty     float64 // part of the nodes that are faulty, drawn for each
	FaultyRate float64 // probability that an attempt fails there

	Blacklist Blacklist
}

// failureRate is the probability that an attempt on the node fails.
func (w *World) failureRate(n int32) float64 {
	f := &w.cfg.Failures
	if f.Faulty > 0 && unit(w.bits(forFault, 0, uint64(n), 0, 0)) < f.Faulty {
		return f.FaultyRate
	}
	return f.Rate
}

// expectBreakdown draws how long a node that has come up stays so.
func (w *World) expectBreakdown(n int32) {
	mean := w.cfg.Failures.MTBF
	if q := w.nodes[n].Spec.Class.Interruptions; q > 0 && mean > 0 { // whichever comes first
		mean = units.FromSeconds(1 / (q/3600 + 1/mean.Seconds()))
	} else if q > 0 {
		mean = units.FromSeconds(3600 / q)
	}
	if mean > 0 {
		lives := w.nodes[n].lives
		w.queue.push(w.now.Add(exponential(w.bits(forBreakdown, 0, uint64(n), uint64(lives), 0), mean)), breakdown, n, lives)
	}
}

// breakDown fails a node, unless it went down otherwise before.
func (w *World) breakDown(n int32, lives uint32) {
	nd := &w.nodes[n]
	if nd.state == nodeDown || nd.lives != lives {
		return
	}
	nd.away++
	w.touch(n)
	w.queue.push(w.now.Add(exponential(w.bits(forRepair, 0, uint64(n), uint64(lives), 0), w.cfg.Failures.MTTR)), repair, n, 0)
}

// repaired lets a node come back.
func (w *World) repaired(n int32) {
	w.nodes[n].away--
	w.touch(n)
}

// expectRackBreakdown draws how long a rack that is well stays so; times counts its failures so far.
func (w *World) expectRackBreakdown(rack int32, times uint32) {
	if mean := w.cfg.Failures.RackMTBF; mean > 0 {
		w.queue.push(w.now.Add(exponential(w.bits(forRackBreakdown, 0, uint64(rack), uint64(times), 0), mean)), rackBreakdown, rack, times)
	}
}

// rackChanges takes all nodes of a rack away, or lets them come back.
func (w *World) rackChanges(rack int32, times uint32, down bool) {
	by := int32(-1)
	if down {
		by = 1
		w.queue.push(w.now.Add(exponential(w.bits(forRackRepair, 0, uint64(rack), uint64(times), 0), w.cfg.Failures.RackMTTR)), rackRepair, rack, times)
	} else {
		w.expectRackBreakdown(rack, times+1)
	}
	for _, at := range w.racks.order[w.racks.start[rack]:w.racks.start[rack+1]] {
		w.nodes[at+1].away += by
		w.touch(at + 1)
	}
}
