package drive

import (
	"context"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// World owns the truth, the clock and all I/O: a simulator, an engine, a cluster.
//
// Next and Enact are called by the loop alone, in turn. Enact reports by later events only, so an
// instant world and an asynchronous one look alike.
type World interface {
	// Can says what the world is able to do. It does not change during a run.
	Can() sched.Capabilities
	// Next blocks until something has happened and returns it, all events as of one time, in the
	// order of their kinds. The slice is the world's and good until the next call. The first batch
	// brings the nodes. io.EOF ends the run: every job has ended and nothing more will come. Any
	// other error is fatal.
	Next(ctx context.Context) (Batch, error)
	// Enact does what the plan says. Items with Refused or Held set are none of its business. An
	// error is fatal; what merely did not work returns as a Refused event.
	Enact(p *sched.Plan) error
	// WakeAt asks for a Tick at t, which replaces the one asked for before. units.Never wants none.
	WakeAt(t units.Time)
}

// Patient is a World that tells of several instants at once where nobody has to know at once. It may
// hold back that attempts started and ended, with the time since then as their Age, until something
// else has happened, or an event of a kind that is heeded: what the book then stands at is the same.
type Patient interface {
	// Heed says which kinds of events must not wait from now on. Until it is called, none may.
	Heed(kinds sched.Events)
}

// Batch is what is told at one time.
type Batch struct {
	At     units.Time
	Events []sched.Event
}
