package conform

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// renumbered is a world in which jobs have other handles from each resync on, in the same order.
type renumbered struct {
	drive.World
	by      sched.JobID // so much above what the world calls them
	resyncs int
	plan    sched.Plan
}

func (w *renumbered) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	if len(b.Events) > 0 && b.Events[0].Kind == sched.Resync {
		w.resyncs++
		w.by = (5*w.by + 3) % 7
	}
	b.Events = slices.Clone(b.Events)
	for i := range b.Events {
		if e := &b.Events[i]; e.Job != 0 {
			e.Job += w.by
		}
	}
	return b, nil
}

func (w *renumbered) Enact(p *sched.Plan) error {
	w.plan.Items = append(w.plan.Items[:0], p.Items...)
	w.plan.Bound, w.plan.Victims, w.plan.Evidence = p.Bound, p.Victims, p.Evidence
	for i := range w.plan.Items {
		if it := &w.plan.Items[i]; it.Job != 0 {
			it.Job -= w.by
		}
	}
	return w.World.Enact(&w.plan)
}

// named is a sink that keeps what starts when, by the names of jobs.
type named struct {
	ids  map[sched.JobID]string
	list []string
}

func (n *named) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.JobArrived {
			n.ids[e.Job] = e.Detail.Job.ID
		}
	}
	for i := range events {
		if e := &events[i]; e.Kind == sched.Started {
			n.list = append(n.list, fmt.Sprintln(at.Add(-e.Age), n.ids[e.Job], e.Stage, e.Task, e.Node))
		}
	}
	return nil
}

func (n *named) Plan(int64, units.Time, *sched.Plan) error { return nil }

// What a policy remembers across a resync it finds again, whatever jobs are called now: the same starts as in
// a run in which they keep their handles, on the unkind world and on the simulator.
func TestHandlesChange(t *testing.T) {
	t.Parallel()
	for _, text := range everyone() {
		t.Run(text, func(t *testing.T) {
			fresh, resyncs := fromCatalogue(t, text), 0
			for seed := range uint64(runs(30)) {
				play := func(unkind, others bool) []string {
					var w drive.World = &school{World: adverse.New(twinned(seed)), early: seed%2 == 0}
					if !unkind {
						w = NewRetold(&taught{World: pressed(1).New(t, seed), told: seed%2 > 0}, seed)
					}
					again := &renumbered{World: w}
					if others {
						w = again
					}
					n := &named{ids: make(map[sched.JobID]string)}
					if err := drive.New(w, fresh(), n).Run(t.Context()); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					resyncs += again.resyncs
					return n.list
				}
				for _, unkind := range []bool{true, false} {
					if !slices.Equal(play(unkind, false), play(unkind, true)) {
						t.Errorf("seed %d, unkind: %v: a policy that meets other handles after a resync decides otherwise", seed, unkind)
					}
				}
			}
			if resyncs == 0 {
				t.Error("there was no resync: this tests nothing")
			}
		})
	}
}
