package lab

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func unknown(string) *profile.Class { return nil }

// What a job waits for by the book holds against what the world has said: who is named holds slots, and the first
// of them is free by what is stated; who has a place in line has tasks to start.
func TestStanding(t *testing.T) {
	compared, causes := 0, map[account.Cause]int{}
	for seed := range uint64(scenarios(80, 1000)) {
		p := randomRun(seed+1, plain)
		w, err := sim.New(p.cfg)
		if err != nil {
			t.Fatal(err)
		}
		base, err := catalog.New(p.policy, NoQueues)
		if err != nil {
			t.Fatal(err)
		}
		r := newRecount(&p)
		loop := drive.New(w, base, r)
		for err == nil && loop.Round < 300 {
			err = loop.Step(context.Background())
			together := account.Standing(loop.Ledger, 0, unknown, r.order...)
			for i, name := range r.order {
				wait := account.Standing(loop.Ledger, 0, unknown, name)[0]
				if d := cmp.Diff(wait, together[i]); d != "" {
					t.Fatalf("seed %d: %q alone and with others: %s", seed+1, name, d)
				}
				if (wait == nil) != (loop.Ledger.Find(name) == 0) {
					t.Fatalf("seed %d: %q: %+v", seed+1, name, wait)
				}
				if wait == nil {
					continue
				}
				if mistake := r.stands(loop, name, wait); mistake != nil {
					t.Fatalf("seed %d, %s, round %d: job %q: %v\n%+v", seed+1, p.policy, loop.Round, name, mistake, wait)
				}
				causes[wait.Cause]++
				compared++
			}
		}
	}
	t.Logf("%d waits, by %v", compared, causes)
	for _, c := range []account.Cause{"", account.Predecessors, account.Held, account.Slots, account.Limit, account.Beat, account.NoNode} {
		if causes[c] == 0 {
			t.Errorf("no job waited by %q: that is not tested", c)
		}
	}
}

// stands holds what a job waits for against what the world said.
func (r *recount) stands(loop *drive.Loop, name string, w *account.Wait) error {
	v := loop.Ledger
	holds, first := map[string]int{}, units.Never
	spec := r.specs[name]
	plain := len(spec.Stages[0].Containers) == 0
	for _, l := range r.lives {
		if l.ended == units.Never && w.Stage != nil && (l.stage == sched.Reduce) == (*w.Stage == sched.Reduce) {
			holds[l.job]++
			t := r.specs[l.job].Stage(l.stage).Tasks[l.task-1]
			if t.Work+t.Shuffle > 0 {
				first = min(first, max(w.At, l.began.Add(t.Work+t.Shuffle)))
			}
		}
	}
	for _, h := range w.Jobs {
		switch {
		case w.Cause == account.Slots && plain && holds[h.Job] != h.Slots:
			return fmt.Errorf("%q holds %d slots, it says %d", h.Job, holds[h.Job], h.Slots)
		case w.Cause == account.Predecessors && !strings.Contains(strings.Join(spec.After, " "), h.Job):
			return fmt.Errorf("it does not come after %q", h.Job)
		}
	}
	if w.Cause == account.Slots && plain && len(holds) > 0 {
		if len(w.Jobs)+w.More != len(holds) {
			return fmt.Errorf("%v hold slots", holds)
		}
		if first == units.Never != (w.Next == nil) || w.Next != nil && w.Next.Free != first {
			return fmt.Errorf("the first slot is free at %v", first)
		}
	}
	if (w.Place > 0) && (w.Place > w.Among || v.Job(v.Find(name)).State != sched.Admitted) {
		return fmt.Errorf("it stands nowhere")
	}
	before := 0 // jobs of which the order says that they go first
	for j := sched.JobID(1); w.Place > 0 && j <= v.Jobs(); j++ {
		if o := v.Job(j); o != nil && o.State == sched.Admitted && o.Stages[*w.Stage].Open > 0 && o.Stages[*w.Stage].Ready {
			before++
		}
	}
	if w.Place > before {
		return fmt.Errorf("only %d jobs have tasks to start", before)
	}
	return nil
}

// Of 10,000 jobs that wait in one line each is told its place.
func TestPlacesInLine(t *testing.T) {
	loop := lineOf(t, 10_000)
	for _, i := range []int{1, 2, 5000, 9999} {
		if w := account.Standing(loop.Ledger, 0, unknown, fmt.Sprintf("j-%d", i+1))[0]; w == nil || w.Place != i || w.Among != 9999 || w.Cause != account.Slots || w.Next == nil || w.Next.Job != "j-1" {
			t.Errorf("%d: %+v", i, w)
		}
	}
}

// lineOf is a run in which so many jobs have come, and the first holds the only slot.
func lineOf(t testing.TB, jobs int) *drive.Loop {
	s, err := scenario.Read("s.yaml", fmt.Appendf(nil, `cluster: {nodes: 1, map_slots: 1, reduce_slots: 1}
workload:
  streams: [{id: j, class: c, arrivals: {every: 1ms}, count: %d, maps: 1, map_time: 1h}]
`, jobs))
	if err != nil {
		t.Fatal(err)
	}
	w, err := Cells(s, []string{"fifo"}, []uint64{1})[0].World(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New("fifo", NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	loop := drive.New(w, p)
	for int(loop.Ledger.Jobs()) < jobs {
		if err := loop.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return loop
}

func BenchmarkStanding(b *testing.B) {
	loop := lineOf(b, 10_000)
	for b.Loop() {
		account.Standing(loop.Ledger, 0, unknown, "j-10000")
	}
}
