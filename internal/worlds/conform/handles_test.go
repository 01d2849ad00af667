package conform

import (
	"context"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
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

// What a policy remembers across a resync it finds again, whatever jobs are called now: every attempt is the
// same as in a run in which they keep their handles.
func TestHandlesChange(t *testing.T) {
	for _, text := range everyone() {
		t.Run(text, func(t *testing.T) {
			fresh, resyncs := fromCatalogue(t, text), 0
			for seed := range uint64(runs(30)) {
				play := func(others bool) []*adverse.Life {
					truth := adverse.New(twinned(seed))
					w := &renumbered{World: &school{World: truth, early: seed%2 == 0}}
					world := w.World
					if others {
						world = w
					}
					if err := drive.New(world, fresh()).Run(t.Context()); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					resyncs += w.resyncs
					return truth.Lives
				}
				if !slices.EqualFunc(play(false), play(true), func(a, b *adverse.Life) bool { return *a == *b }) {
					t.Errorf("seed %d: a policy that meets other handles after a resync decides otherwise", seed)
				}
			}
			if resyncs == 0 {
				t.Error("there was no resync: this tests nothing")
			}
		})
	}
}
