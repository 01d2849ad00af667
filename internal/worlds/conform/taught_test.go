package conform

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// taught is a world that knows from its first batch on what the jobs' class costs: so little that
// their deadlines are far.
type taught struct {
	drive.World
	told bool
}

func (w *taught) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if w.told || err != nil {
		return b, err
	}
	w.told = true
	c := profile.New("c")
	c.Attempt(workload.Map, "small", 0, units.Second, 0)
	c.Attempt(workload.Reduce, "small", 0, units.Second, 0)
	c.Attempt(workload.Master, "small", 0, units.Second, 0)
	c.At(workload.Master, "small").Start.Add(4)
	at := 0
	for at < len(b.Events) && b.Events[at].Kind <= sched.ProfileLearned {
		at++
	}
	events := append([]sched.Event{}, b.Events[:at]...)
	events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	b.Events = append(events, b.Events[at:]...)
	return b, nil
}

// Who lets in only jobs that he can tell the cost of is tested where he can: jobs are let in, and end.
func TestTaughtPolicies(t *testing.T) {
	t.Parallel()
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	done := map[string]*acts{}
	for _, s := range []Subject{simulated(runs(6)), pressed(runs(6)), unkind(max(6, runs(20)))} {
		can := s.New(t, 0).Can()
		if done[can.World] == nil {
			done[can.World] = newActs()
		}
		acts := done[can.World]
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World { return &taught{World: plain(t, seed)} }
		for _, text := range everyone() {
			if !fromCatalogue(t, text)().Studies() {
				continue
			}
			t.Run(s.Name+" "+text, func(t *testing.T) {
				fresh := func() sched.Policy {
					p, err := catalog.New(text, pools())
					if err != nil {
						t.Fatal(err)
					}
					return p
				}
				s.sinks = []drive.Sink{acts.of(fromCatalogue(t, text)())}
				Policy(t, s, fresh)
				refused := 0
				for seed := range s.Seeds { // the unkind world lets a job come so late that its deadline is near
					if s.run(t, uint64(seed), fresh, nil).Rejects > 0 {
						refused++
					}
				}
				// rtmr refuses jobs that ask for labels.
				if text == "dc" && s.Name != "sim, pressed" && 4*refused > s.Seeds {
					t.Errorf("in %d of %d runs jobs were refused: this tests nothing", refused, s.Seeds)
				}
			})
		}
		if s.Name != "sim" { // which has no jobs without a deadline
			var elsewhere []string
			if s.Unkind { // its deadlines are far: TestOrdersLearn lets jobs run out of time there
				elsewhere = append(elsewhere, "out of time")
			}
			acts.check(t, s.Name, can, elsewhere...)
		}
	}
}
