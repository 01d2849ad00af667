package conform

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
)

// barring admits jobs, and forbids their maps to start.
type barring struct {
	Friendly
	by sched.Verb
}

func (b barring) Decide(_ sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived {
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
			p.Add(sched.Item{Verb: b.by, Job: e.Job, Stage: sched.Map, Reason: sched.Because(sched.AdmitAll)})
		}
	}
}

// A simulation that begins from a book refuses what the book's policy has forbidden before.
func TestForksKeepBounds(t *testing.T) {
	for by, why := range map[sched.Verb]sched.Code{sched.Withhold: sched.Withheld, sched.SetSlots: sched.AtLimit} {
		cfg := forkable(1, false, false)
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		l := drive.New(w, barring{by: by})
		for l.Ledger.Job(1) == nil {
			if err := l.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		fork, err := sim.From(cfg, l.Ledger)
		if err != nil {
			t.Fatal(err)
		}
		m := &meddler{}
		m.start(1, sched.Map, 1, 0, 1, 1)
		m.plan.Items[0].ID = 1 << 24
		if err := fork.Enact(&m.plan); err != nil {
			t.Fatal(err)
		}
		b, err := fork.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := sched.OK
		for _, e := range b.Events {
			if e.Kind == sched.Refused {
				got = e.Why
			}
		}
		if got != why {
			t.Errorf("after %v a start is refused as %v, want %v", by, got, why)
		}
	}
}
