package drive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
)

// Loop joins a world and a policy. All fields but Sinks and MaxItems are needed.
type Loop struct {
	World  World
	Ledger *ledger.Ledger // made with the world's capabilities and the policy's order
	Policy sched.Policy
	Sinks  []Sink // called in this order
	// MaxItems is how many items the next plan may have, 0 = any number; replay knows it.
	MaxItems int
	Round    int64 // of the last batch; 0 before the first
	Decided  int64 // how often the policy was asked

	heeds     sched.Events // what the policy heeds
	patient   Patient      // the world, if it is
	plan      sched.Plan
	redecided bool // refusals alone have woken the policy, and nothing else since
}

// New returns a loop with an empty book.
func New(w World, p sched.Policy, sinks ...Sink) *Loop {
	is := p.About()
	if is.Heeds == 0 {
		is.Heeds = sched.AnyEvent
	}
	patient, _ := w.(Patient)
	return &Loop{World: w, Ledger: ledger.New(w.Can(), is.Order), Policy: p, Sinks: sinks, heeds: is.Heeds, patient: patient}
}

// Run drives the world until it has nothing more to say. It returns nil at the end of the run, else
// the first error of the world or of a sink, or the context's.
func (l *Loop) Run(ctx context.Context) (err error) {
	defer l.undeclared(&err)
	for err == nil {
		err = l.step(ctx)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Step takes in one batch and answers it. io.EOF is the end of the run.
//
// The policy is not asked about a batch of confirmations, nor about one without an event that it
// heeds (sched.About) while the book holds no item. About refusals, and nothing else that it heeds,
// it is asked once until something else wakes it: a policy that asks again for what was just refused
// would keep a simulator's time from passing, and a real world busy with it. What was refused since
// is in the book, and the policy sees it with whatever wakes it next.
func (l *Loop) Step(ctx context.Context) (err error) {
	defer l.undeclared(&err)
	return l.step(ctx)
}

func (l *Loop) step(ctx context.Context) error {
	batch, err := l.World.Next(ctx)
	if err != nil {
		return err
	}
	l.Round++
	events := l.Ledger.Apply(batch.At, l.Round, batch.Events)
	for _, s := range l.Sinks {
		if err := s.Batch(l.Round, batch.At, events); err != nil {
			return fmt.Errorf("round %d: %w", l.Round, err)
		}
	}
	if !l.wakes(events) {
		l.rest()
		return nil
	}
	if l.MaxItems > 0 {
		l.plan.AtMost(l.MaxItems, func() { l.decide(events) })
	} else {
		l.decide(events)
	}
	l.Ledger.Check(&l.plan)
	l.Decided++
	for _, s := range l.Sinks {
		if err := s.Plan(l.Round, batch.At, &l.plan); err != nil {
			return fmt.Errorf("round %d: %w", l.Round, err)
		}
	}
	if err := l.World.Enact(&l.plan); err != nil {
		return fmt.Errorf("round %d: %w", l.Round, err)
	}
	l.rest()
	return nil
}

// rest says what the world has to wake the policy for. What the book has refused rides in the next
// batch, and items that it holds wait for theirs: then any batch may.
func (l *Loop) rest() {
	l.World.WakeAt(l.Ledger.Due())
	if l.patient != nil {
		heeds := l.heeded()
		if l.Ledger.Refuses() {
			heeds = sched.AnyEvent
		}
		l.patient.Heed(heeds)
	}
}

// heeded is what the policy heeds as the book stands.
func (l *Loop) heeded() sched.Events {
	if l.Ledger.Holds() {
		return sched.AnyEvent
	}
	return l.heeds
}

// undeclared makes an error of what the policy, or its order, did without having declared it.
func (l *Loop) undeclared(err *error) {
	switch r := recover().(type) {
	case nil:
	case *sched.Undeclared:
		*err = fmt.Errorf("round %d: %w", l.Round, r)
	default:
		panic(r)
	}
}

func (l *Loop) decide(events []sched.Event) {
	l.Ledger.Begin(&l.plan)
	l.Policy.Decide(l.Ledger, events, &l.plan)
}

// wakes tells whether the batch has something for the policy to decide on.
func (l *Loop) wakes(events []sched.Event) bool {
	refused, heeds := false, l.heeded()
	for i := len(events) - 1; i >= 0; i-- { // what wakes most often stands last: heartbeats
		switch k := events[i].Kind; {
		case !heeds.Has(k):
		case k == sched.Refused:
			refused = true
		case !k.Confirms():
			l.redecided = false
			return true
		}
	}
	refused = refused && !l.redecided
	l.redecided = l.redecided || refused
	return refused
}

// Fork copies the loop's book and policy between two steps, to continue in another world, which begins
// where the book stands: to see what would come of it. The loop itself continues as if nothing had
// been.
func (l *Loop) Fork(begin func(book *ledger.Ledger) (World, error), sinks ...Sink) (*Loop, error) {
	c, ok := l.Policy.(sched.Cloner)
	if !ok {
		return nil, fmt.Errorf("policy %T cannot be copied", l.Policy)
	}
	policy, err := c.Clone()
	if err != nil {
		return nil, err
	}
	book := l.Ledger.Clone(policy.About().Order)
	w, err := begin(book)
	if err != nil {
		return nil, err
	}
	fork := &Loop{World: w, Ledger: book, Policy: policy, Sinks: sinks, heeds: l.heeds, Round: l.Round, redecided: l.redecided}
	fork.patient, _ = w.(Patient)
	fork.rest()
	return fork, nil
}
