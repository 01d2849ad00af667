package lab

import (
	"context"
	"fmt"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// aside is a sink that shows what it is shown to others, in the same order, on a processor that
// nobody else needs: a run in virtual time does not wait for its report or its journal. It copies
// rounds into blocks, and hands a block over when it is full. An error of a sink ends the run a
// little later than it would have, and is the same.
type aside struct {
	sinks  []drive.Sink
	starts bool // they look at plans that only start tasks
	cancel context.CancelFunc
	block  *block
	full   chan *block
	empty  chan *block
	ended  chan error
}

// block is some rounds. What belongs to one of them ends where its entry says.
type block struct {
	rounds []asideRound
	events []sched.Event
	plan   sched.Plan // of all rounds, in a row
}

// asideRound is a batch, or a plan.
type asideRound struct {
	round                                   int64
	at                                      units.Time
	plan                                    bool
	events, items, bound, victims, evidence int
}

// A block holds so many rounds, events or items, and so many blocks are there: one that is filled,
// one that is shown, and some between, so that neither side waits for the other's longer turns.
const (
	blockSize = 512
	blocks    = 8
)

// newAside returns the sink, and the context of the run, which ends when a sink has failed.
func newAside(ctx context.Context, starts bool, sinks []drive.Sink) (*aside, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	a := &aside{sinks: sinks, starts: starts, cancel: cancel, block: new(block), full: make(chan *block, blocks),
		empty: make(chan *block, blocks), ended: make(chan error, 1)}
	for range blocks - 1 {
		a.empty <- new(block)
	}
	go a.show()
	return a, ctx
}

// Batch keeps what happened.
func (a *aside) Batch(round int64, at units.Time, events []sched.Event) error {
	a.block.events = append(a.block.events, events...)
	a.keep(round, at, false)
	return nil
}

// Plan keeps what was decided.
func (a *aside) Plan(round int64, at units.Time, p *sched.Plan) error {
	if !a.starts && onlyStarts(p) {
		return nil
	}
	all := &a.block.plan
	all.Items, all.Bound = append(all.Items, p.Items...), append(all.Bound, p.Bound...)
	all.Victims, all.Evidence = append(all.Victims, p.Victims...), append(all.Evidence, p.Evidence...)
	a.keep(round, at, true)
	return nil
}

func onlyStarts(p *sched.Plan) bool {
	for i := range p.Items {
		if p.Items[i].Verb != sched.Start {
			return false
		}
	}
	return true
}

func (a *aside) keep(round int64, at units.Time, plan bool) {
	b := a.block
	b.rounds = append(b.rounds, asideRound{round, at, plan, len(b.events), len(b.plan.Items), len(b.plan.Bound), len(b.plan.Victims), len(b.plan.Evidence)})
	if max(len(b.rounds), len(b.events), len(b.plan.Items)) >= blockSize {
		a.full <- b
		a.block = <-a.empty
	}
}

// close shows what is left, and returns the first error of a sink.
func (a *aside) close() error {
	a.full <- a.block
	close(a.full)
	defer a.cancel()
	return <-a.ended
}

// show shows blocks. Once a sink has failed none is shown any more.
func (a *aside) show() {
	var err error
	for b := range a.full {
		if err == nil {
			if err = b.show(a.sinks); err != nil {
				a.cancel()
			}
		}
		b.rounds, b.events = b.rounds[:0], b.events[:0]
		b.plan.Reset(nil)
		a.empty <- b
	}
	a.ended <- err
}

// show shows the rounds of a block.
func (b *block) show(sinks []drive.Sink) error {
	var from asideRound
	for _, to := range b.rounds {
		plan := sched.Plan{Items: b.plan.Items[from.items:to.items], Bound: b.plan.Bound[from.bound:to.bound],
			Victims: b.plan.Victims[from.victims:to.victims], Evidence: b.plan.Evidence[from.evidence:to.evidence]}
		for _, s := range sinks {
			var err error
			if to.plan {
				err = s.Plan(to.round, to.at, &plan)
			} else {
				err = s.Batch(to.round, to.at, b.events[from.events:to.events])
			}
			if err != nil {
				return fmt.Errorf("round %d: %w", to.round, err)
			}
		}
		from = to
	}
	return nil
}
