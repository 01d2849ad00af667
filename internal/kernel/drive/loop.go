package drive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Loop joins a world and a policy. All fields but Sinks and Stopwatch are needed.
type Loop struct {
	World     World
	Ledger    *ledger.Ledger // made with the world's capabilities and the policy's order
	Policy    sched.Policy
	Sinks     []Sink                // called in this order
	Stopwatch func() units.Duration // nil: Spent stays 0
	Round     int64                 // of the last batch; 0 before the first
	Spent     units.Duration        // by the scheduler: book, policy and sinks, without the world
	Decided   int64                 // how often the policy was asked

	plan sched.Plan
}

// New returns a loop with an empty book.
func New(w World, p sched.Policy, sinks ...Sink) *Loop {
	var order sched.Order
	if r, ok := p.(sched.Ranker); ok {
		order = r.Order()
	}
	return &Loop{World: w, Ledger: ledger.New(w.Can(), order), Policy: p, Sinks: sinks}
}

// Run drives the world until it has nothing more to say. It returns nil at the end of the run, else the first error of the
// world or of a sink, or the context's.
func (l *Loop) Run(ctx context.Context) error {
	for {
		switch err := l.Step(ctx); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// Step takes in one batch and answers it. io.EOF is the end of the run.
func (l *Loop) Step(ctx context.Context) error {
	batch, err := l.World.Next(ctx)
	if err != nil {
		return err
	}
	began := l.clock()
	l.Round++
	events := l.Ledger.Apply(batch.At, l.Round, batch.Events)
	for _, s := range l.Sinks {
		if err := s.Batch(l.Round, batch.At, events); err != nil {
			return fmt.Errorf("round %d: %w", l.Round, err)
		}
	}
	if confirms(events) {
		l.Spent += l.clock() - began
		l.World.WakeAt(l.Ledger.Due())
		return nil
	}
	l.Ledger.Begin(&l.plan)
	l.Policy.Decide(l.Ledger, events, &l.plan)
	l.Ledger.Check(&l.plan)
	l.Decided++
	for _, s := range l.Sinks {
		if err := s.Plan(l.Round, batch.At, &l.plan); err != nil {
			return fmt.Errorf("round %d: %w", l.Round, err)
		}
	}
	l.Spent += l.clock() - began
	if err := l.World.Enact(&l.plan); err != nil {
		return fmt.Errorf("round %d: %w", l.Round, err)
	}
	l.World.WakeAt(l.Ledger.Due())
	return nil
}

func (l *Loop) clock() units.Duration {
	if l.Stopwatch == nil {
		return 0
	}
	return l.Stopwatch()
}

// confirms tells whether the batch has nothing for the policy to decide upon.
func confirms(events []sched.Event) bool {
	for i := range events {
		if !events[i].Kind.Confirms() {
			return false
		}
	}
	return true
}
