package lab

import (
	"context"
	"fmt"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// later is the sink of a run in virtual time, where nobody can tell when sinks are shown something:
// it keeps rounds in a block, and shows them to others, in the same order, when the block is full. So
// the code of book and policy on the one hand, and of the sinks on the other, need not take turns in
// the processor's cache for instructions at each beat. Where nobody else needs a processor, blocks are
// shown on that, and the run does not wait. An error of a sink ends the run a little later than it
// would have, and is the same.
type later struct {
	follower *follow.Follower
	journal  *recorder // nil: none is written, or by somebody else
	block    *block
	size     int
	full     chan *block // nil: blocks are shown at once
	empty    chan *block
	ended    chan struct{} // when it is closed all blocks were shown
	cancel   context.CancelFunc
	err      error // of a sink; none is shown anything any more
}

// block is some rounds. What belongs to one of them ends where its entry says.
type block struct {
	rounds []blockRound
	events []sched.Event
	plan   sched.Plan // of all rounds, in a row
	plans  []blockPlan
	beats  int64 // that are not among the events
}

// blockRound is a batch, or a plan.
type blockRound struct {
	round  int64
	at     units.Time
	events int // below 0: it is the plan -1-events
}

type blockPlan struct{ items, bound, victims, evidence int }

// So many rounds, events or items a block holds. One that is shown at once stays in the processor's
// second cache: 60 KB. To wake another processor takes as long as a hundred events or more do, so one
// that is shown there is larger, and there are so many, so that neither side waits for the other's
// longer turns. Sinks are shown so many events at once, or some more, which stay in the first cache.
const (
	atOnce = 512
	apart  = 2048
	blocks = 4
	enough = 32
)

// newLater returns a sink that shows the follower what it is shown.
func newLater(f *follow.Follower) *later {
	return &later{follower: f, block: new(block), size: atOnce}
}

// aside has another processor show the blocks, to the journal too, if there is one. It returns the
// context of the run, which ends when a sink has failed.
func (l *later) aside(ctx context.Context, journal *recorder) context.Context {
	ctx, l.cancel = context.WithCancel(ctx)
	l.journal, l.size = journal, apart
	l.full, l.empty, l.ended = make(chan *block, blocks), make(chan *block, blocks), make(chan struct{})
	for range blocks - 1 {
		l.empty <- new(block)
	}
	go func() {
		for b := range l.full {
			if l.show(b) != nil {
				l.cancel()
			}
			l.empty <- b
		}
		close(l.ended)
	}()
	return ctx
}

// Batch keeps what happened. Beats are counted, but for a journal, which tells of each.
func (l *later) Batch(round int64, at units.Time, events []sched.Event) error {
	b, n := l.block, len(events)
	if l.journal == nil {
		for n > 0 && events[n-1].Kind == sched.Heartbeat {
			n--
		}
		if b.beats += int64(len(events) - n); n == 0 {
			return nil
		}
	}
	b.events = append(b.events, events[:n]...)
	return l.keep(blockRound{round, at, len(b.events)})
}

// Plan keeps what was decided. Only a journal tells of starts.
func (l *later) Plan(round int64, at units.Time, p *sched.Plan) error {
	if l.journal == nil && onlyStarts(p) {
		return nil
	}
	b := l.block
	all := &b.plan
	all.Items, all.Bound = append(all.Items, p.Items...), append(all.Bound, p.Bound...)
	all.Victims, all.Evidence = append(all.Victims, p.Victims...), append(all.Evidence, p.Evidence...)
	b.plans = append(b.plans, blockPlan{len(all.Items), len(all.Bound), len(all.Victims), len(all.Evidence)})
	return l.keep(blockRound{round, at, -len(b.plans)})
}

func onlyStarts(p *sched.Plan) bool {
	for i := range p.Items {
		if p.Items[i].Verb != sched.Start {
			return false
		}
	}
	return true
}

func (l *later) keep(r blockRound) error {
	b := l.block
	b.rounds = append(b.rounds, r)
	if len(b.rounds) < l.size && len(b.events) < l.size && len(b.plan.Items) < l.size {
		return nil
	}
	if l.full == nil {
		return l.show(b)
	}
	l.full <- b
	l.block = <-l.empty
	return nil
}

// flush shows what there is, where blocks are shown at once.
func (l *later) flush() error { return l.show(l.block) }

// close shows what is left, and returns the first error of a sink.
func (l *later) close() error {
	if l.full == nil {
		return l.flush()
	}
	l.full <- l.block
	close(l.full)
	<-l.ended
	l.cancel()
	return l.err
}

// show shows a block, and empties it.
func (l *later) show(b *block) error {
	if l.err == nil {
		l.follower.Beat(b.beats)
		l.err = b.show(l.follower, l.journal)
	}
	b.rounds, b.events, b.plans, b.beats = b.rounds[:0], b.events[:0], b.plans[:0], 0
	b.plan.Reset(nil)
	return l.err
}

func (b *block) show(f *follow.Follower, journal *recorder) (err error) {
	told, shown := 0, 0
	for i := range b.rounds {
		r := &b.rounds[i]
		if r.events < 0 {
			plan := b.planAt(-1 - r.events)
			if err = f.Plan(r.round, r.at, &plan); err == nil && journal != nil {
				err = journal.Plan(r.round, r.at, &plan)
			}
		} else {
			events := b.events[told:r.events]
			told = r.events
			if waits := f.Gather(r.at, events); !waits || told-shown >= enough {
				err, shown = f.Flush(), told
			}
			if err == nil && journal != nil {
				err = journal.Batch(r.round, r.at, events)
			}
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", r.round, err)
		}
	}
	return f.Flush()
}

func (b *block) planAt(i int) sched.Plan {
	var from blockPlan
	if i > 0 {
		from = b.plans[i-1]
	}
	to := b.plans[i]
	return sched.Plan{Items: b.plan.Items[from.items:to.items], Bound: b.plan.Bound[from.bound:to.bound],
		Victims: b.plan.Victims[from.victims:to.victims], Evidence: b.plan.Evidence[from.evidence:to.evidence]}
}
