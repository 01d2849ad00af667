// Package follow is for whoever watches a run. A Follower takes in what the loop shows its sinks,
// finds out which job and which attempt each event is about, and hands that on, once for all sinks
// of the run.
//
//	sink.go     what a sink is
//	record.go   what it is given
//	follow.go   how events are resolved
//	resync.go   and how that goes on when the world has told everything again
package follow

import (
	"errors"
	"sync/atomic"

	"github.com/slackline/slackline/units"
)

// Sink watches one run: a report, a page, a learner. It embeds a Single and implements Batch.
//
// One cell is one run of one world under one policy (lab.Cell), and cells run at once on all cores.
// So a sink serves one cell and needs no lock against others; who watches several cells gives each
// a sink of its own. A sink that is given to a second one ends that one with ErrShared.
//
// What a sink is given is the follower's memory: records and decisions are good during the call, a
// *Job or *Attempt until the call that tells of its end. An error ends the run.
type Sink interface {
	// Batch shows what happened up to a time, in order, what the ledger derived from it included,
	// before the policy decides. Beats of nodes are not among it; Single counts them.
	Batch(at units.Time, records []Record) error
	// Plan shows what the policy decided besides starts and the ledger let pass, before the world
	// is asked to do it. Single's does nothing.
	Plan(at units.Time, decisions []Decision) error

	attach() bool
	beat(n int64)
}

// ErrShared is the error of a run that was given a sink of another one.
var ErrShared = errors.New("a sink already watches another run; each cell needs its own sinks")

var _ interface {
	attach() bool
	beat(n int64)
} = (*Single)(nil)

// Single makes a struct that embeds it a sink of one run.
type Single struct {
	attached atomic.Bool
	beats    int64
}

// Beats is how many beats of nodes there were.
func (s *Single) Beats() int64 { return s.beats }

func (s *Single) beat(n int64) { s.beats += n }

// attach tells whether this is the sink's first run. It may be called from any goroutine.
func (s *Single) attach() bool { return s.attached.CompareAndSwap(false, true) }

// Plan does nothing.
func (*Single) Plan(units.Time, []Decision) error { return nil }
