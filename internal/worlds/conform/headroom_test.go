package conform

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stingy is Friendly, but that it starts nothing before an instant. Until then it bounds what
// ApplicationMasters may ask for, -1 = it does not.
type stingy struct {
	Friendly
	until    units.Time
	headroom int32
}

func (s stingy) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if v.Now() >= s.until {
		for j := sched.JobID(1); j <= v.Jobs() && s.headroom >= 0; j++ {
			if job := v.Job(j); job != nil && job.Headroom >= 0 {
				p.Add(sched.Item{Verb: sched.CapHeadroom, Job: j, Count: -1, Reason: sched.Because(whim)})
			}
		}
		s.Friendly.Decide(v, batch, p)
		return
	}
	p.WakeMe(s.until, sched.Because(sched.Wakeup, int64(s.until)))
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived {
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
			if s.headroom >= 0 {
				p.Add(sched.Item{Verb: sched.CapHeadroom, Job: e.Job, Count: s.headroom, Reason: sched.Because(whim)})
			}
		}
	}
}

// asked notes how many containers stages that grow ask for: at most before an instant, at most behind it, and
// what they asked for last.
type asked struct {
	until               units.Time
	before, after, last map[stageOf]int32
	rises               []int32 // of demand while the world was kind, before the instant: to how many
	book                func() *ledger.Ledger
}

// kind is when the unkind world becomes kind.
const kind = 15

func (a *asked) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := &events[i]
		if e.Kind != sched.Demand || !a.book().Job(e.Job).Spec.Stage(e.Stage).Grows {
			continue
		}
		k := stageOf{e.Job, e.Stage}
		if at > a.until {
			a.after[k] = max(a.after[k], e.Count)
			continue
		}
		if e.Count > a.last[k] && at > units.Time(0).Add((kind+2)*units.Second) {
			a.rises = append(a.rises, e.Count)
		}
		a.before[k], a.last[k] = max(a.before[k], e.Count), e.Count
	}
	return nil
}

func (a *asked) Plan(int64, units.Time, *sched.Plan) error { return nil }

// An ApplicationMaster that is told how few containers are to be had asks for one or two more than these at
// most, where it would have asked for all; and for more once that is taken back.
func TestHeadroom(t *testing.T) {
	until := units.Time(0).Add(60 * units.Second)
	play := func(seed uint64, headroom int32) *asked {
		cfg := twinned(seed)
		cfg.Calm, cfg.Begin, cfg.Watching = kind, 0, false
		var l *drive.Loop
		a := &asked{until: until, before: make(map[stageOf]int32), after: make(map[stageOf]int32), last: make(map[stageOf]int32),
			book: func() *ledger.Ledger { return l.Ledger }}
		l = drive.New(adverse.New(cfg), stingy{until: until, headroom: headroom}, a)
		for {
			if err := l.Step(context.Background()); errors.Is(err, io.EOF) {
				return a
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	free, bound, later := int32(0), int32(0), int32(0)
	for seed := range uint64(runs(30)) {
		for _, n := range play(seed, -1).before {
			free = max(free, n)
		}
		a := play(seed, 1)
		for _, n := range a.rises {
			bound = max(bound, n)
		}
		for k, n := range a.after {
			later = max(later, n-a.last[k])
		}
	}
	if bound > 1+1 || free <= bound+3 || later <= 0 {
		t.Fatalf("told of one container an ApplicationMaster asks for %d, told of none for %d, and for %d more when that is taken back", bound, free, later)
	}
	said.lock.Lock()
	defer said.lock.Unlock()
	said.verbs[order{adverse.New(twinned(0)).Can().World, sched.CapHeadroom}] = &use{asked: true, answered: true}
}
