package sim

import (
	"fmt"

	"github.com/slackline/slackline/units"
)

// A run may be busy for ever and achieve nothing: nodes fail faster than tasks can finish, a policy kills
// what it has started, or jobs take no time and their users submit the next one at once. There is progress
// when a job ends, or when more tasks of a stage have committed than ever before, which can happen only so
// often. The run counts as stuck when attempts were lost or killed at so many instants since the last
// progress, and at so many for each node, or when so many jobs have come at one instant after others had
// ended at it.
var ordinaryPatience = patience{losses: 100_000, lives: 1000, arrivals: 1_000_000}

// patience bounds how much may happen without progress.
type patience struct{ losses, lives, arrivals int }

// stall counts what happened without progress.
type stall struct {
	most     patience
	since    units.Time // the last progress
	lost     units.Time // when an attempt was last lost or killed
	losses   int        // instants at which one was, since then
	ended    units.Time // when a job last ended
	arrivals int        // of jobs at that instant, behind it
}

// further notes progress: a stage has come further than ever.
func (f *stall) further(now units.Time) { f.since, f.losses = now, 0 }

// lose notes that an attempt was lost or killed.
func (f *stall) lose(now units.Time) {
	if f.losses == 0 || f.lost != now {
		f.lost = now
		f.losses++
	}
}

// end notes that a job has ended.
func (f *stall) end(now units.Time) {
	f.further(now)
	if f.ended != now {
		f.ended, f.arrivals = now, 0
	}
}

// arrive notes that a job has come.
func (f *stall) arrive(now units.Time) {
	if f.ended == now {
		f.arrivals++
	}
}

// stalled returns an error if the run makes no more progress.
func (w *World) stalled() error {
	switch f := &w.stall; {
	case f.arrivals > f.most.arrivals:
		return fmt.Errorf("%w at %v: jobs come and end at this instant, the last of %d is %s; give the jobs time, or their users time to think", ErrStuck, w.now, f.arrivals, w.someJob())
	case f.losses > f.most.losses && f.losses > f.most.lives*len(w.nodes):
		return fmt.Errorf("%w at %v: since %v attempts were lost or killed at %d instants, and nothing made progress, such as %s; look for nodes that fail faster than tasks can finish",
			ErrStuck, w.now, f.since, f.losses, w.someJob())
	}
	return nil
}

// someJob names a job that is there: the last in the list.
func (w *World) someJob() string {
	for h := len(w.jobs) - 1; h > 0; h-- {
		if j := &w.jobs[h]; j.Here {
			return fmt.Sprintf("job %q", j.Spec.ID)
		}
	}
	return "no job"
}
