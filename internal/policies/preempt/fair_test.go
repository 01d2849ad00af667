package preempt_test

import (
	"bytes"
	"context"
	"errors"
	"github.com/slackline/slackline/internal/policies/preempt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func second(s int) units.Time { return units.Time(0).Add(units.Duration(s) * units.Second) }

// job is one of so many one-minute maps.
func job(id, queue string, arrive, maps int) *workload.Job {
	j := &workload.Job{ID: id, Class: "c", Queue: queue, Weight: 1, Arrive: second(arrive), Soft: units.Never, Deadline: units.Never,
		Stages: []workload.StageSpec{{Kind: workload.Map}}}
	for range maps {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: units.Minute})
	}
	return j
}

var pools = queues.Config{Queues: []queues.Queue{{Name: "a"}, {Name: "b", MinMaps: 3}}}

// watch notes kills and what b has, and gives up after so many rounds.
type watch struct {
	view   sched.View
	rounds int
	kills  []kill
	has    map[units.Time]int32 // slots of b after the last plan of an instant
	after  func() error
}

type kill struct {
	at      units.Time
	reason  *sched.Cause
	started units.Time
}

var errEndless = errors.New("it goes on and on")

func (w *watch) Batch(int64, units.Time, []sched.Event) error {
	if w.rounds++; w.rounds > 20000 {
		return errEndless
	}
	return nil
}

func (w *watch) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Kill && it.Refused == sched.OK {
			w.kills = append(w.kills, kill{at, it.Reason.Cause, w.view.Attempt(it.Attempt).Started})
		}
	}
	for q := sched.Root + 1; q <= w.view.Queues(); q++ {
		if queue := w.view.Queue(q); queue != nil && queue.Name == "b" {
			w.has[at] = queue.Stages[sched.Map].Occupied
		}
	}
	if w.after != nil {
		return w.after()
	}
	return nil
}

// play runs the jobs on six map slots without heartbeats.
func play(t *testing.T, policy string, save bool, jobs ...*workload.Job) (*watch, error) {
	t.Helper()
	return playIn(t, pools, policy, save, jobs...)
}

func playIn(t *testing.T, pools queues.Config, policy string, save bool, jobs ...*workload.Job) (*watch, error) {
	t.Helper()
	world, err := sim.New(sim.Config{Cluster: cluster.Uniform(3, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 0)}),
		Workload: &workload.Workload{Jobs: jobs}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, pools)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{has: map[units.Time]int32{}}
	l := drive.New(world, p, w)
	w.view = l.Ledger
	if save {
		w.after = func() error {
			var text, again bytes.Buffer
			if err := p.Save(&text); err != nil {
				return err
			}
			before := text.String()
			if p, err = catalog.New(policy, pools); err != nil {
				return err
			}
			if err := p.Load(&text); err != nil {
				return err
			}
			if err := p.Save(&again); err != nil {
				return err
			}
			if again.String() != before {
				t.Errorf("saved %s, loaded %s", before, again.String())
			}
			l.Policy = p
			return nil
		}
	}
	return w, l.Run(context.Background())
}

// Not before the time-out and at once after it, the pool has its minimum share, taken from the youngest attempts.
func TestMinimumShareAfterTheTimeout(t *testing.T) {
	w, err := play(t, "fair(preemption=true,min_timeout=20s)", false, job("long", "a", 0, 60), job("late", "b", 10, 6))
	if err != nil {
		t.Fatal(err)
	}
	due := second(30) + 1
	if len(w.kills) != 3 {
		t.Fatalf("%d kills, three slots are owed: %+v", len(w.kills), w.kills)
	}
	for _, k := range w.kills {
		if k.at != due || k.reason != preempt.MinShare {
			t.Errorf("killed at %v for %v, due at %v", k.at, k.reason, due)
		}
	}
	if w.has[due] != 3 {
		t.Errorf("b has %d at %v, its minimum share is 3", w.has[due], due)
	}
}

// The least work is lost: of tasks of several ages, in whatever job, the youngest go.
func TestYoungestGo(t *testing.T) {
	w, err := play(t, "fair(preemption=true,min_timeout=20s)", false, job("old", "a", 0, 3), job("young", "a", 5, 3), job("late", "b", 10, 6))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.kills) != 3 {
		t.Fatalf("%d kills, three slots are owed: %+v", len(w.kills), w.kills)
	}
	for _, k := range w.kills {
		if k.started != second(5) {
			t.Errorf("killed at %v is an attempt of %v; there are such of %v", k.at, k.started, second(5))
		}
	}
}

// For the fair share it is what is missing to all of it that is taken, not to half of it.
func TestFairShareAfterTheTimeout(t *testing.T) {
	w, err := play(t, "fair(preemption=true,fair_timeout=25s)+greedy", false, job("long", "a", 0, 60), job("late", "b", 10, 6))
	if err != nil {
		t.Fatal(err)
	}
	due := second(35) + 1
	if len(w.kills) != 3 || w.kills[0].at != due || w.kills[0].reason != preempt.FairShare || w.has[due] != 3 {
		t.Errorf("b has %d at %v; kills %+v", w.has[due], due, w.kills)
	}
}

// A pool starves for its fair share while it has less than half of it, rounded down, not while it
// has less than all of it (Hadoop 1.2.1, Fair Scheduler guide: fairSharePreemptionTimeout). Here b
// gets the one slot of six that is free when it comes.
func TestHalfOfTheFairShareIsEnough(t *testing.T) {
	for _, c := range []struct {
		weight float64
		kills  int
	}{
		{1, 0}, // its share is 3, the half 1
		{2, 3}, // its share is 4, the half 2: all four are owed to it
		{5, 4}, // its share is 5, the half 2
	} {
		q := queues.Config{Queues: []queues.Queue{{Name: "a"}, {Name: "b", Weight: c.weight}}}
		w, err := playIn(t, q, "fair(preemption=true,fair_timeout=25s)", false, job("long", "a", 0, 5), job("late", "b", 10, 6))
		if err != nil {
			t.Fatal(err)
		}
		if len(w.kills) != c.kills {
			t.Errorf("weight %v: %d kills, want %d: %+v", c.weight, len(w.kills), c.kills, w.kills)
		}
	}
}

// Whoever is served in time is not helped by killing, and without a time-out nobody is killed.
func TestNobodyIsKilledInVain(t *testing.T) {
	for _, policy := range []string{"fair", "fair+preempt", "fair(preemption=true,min_timeout=51s,fair_timeout=51s)"} {
		w, err := play(t, policy, false, job("long", "a", 0, 60), job("late", "b", 10, 6))
		if err != nil || len(w.kills) != 0 {
			t.Errorf("%s: %+v, %v", policy, w.kills, err)
		}
	}
}

// A pool whose tasks fit no node starves for ever; the run must still come to an end, whatever the intervals.
func TestPoolThatCannotBeHelped(t *testing.T) {
	for _, times := range []string{"", ",interval=0s", ",interval=0s,update=0s", ",update=0s"} {
		late := job("late", "b", 10, 6)
		late.Labels = []string{"gpu"}
		w, err := play(t, "fair(preemption=true,min_timeout=20s"+times+")", false, job("long", "a", 0, 12), late)
		if !errors.Is(err, sim.ErrStuck) {
			t.Errorf("%q: %v after %d rounds", times, err, w.rounds)
		}
	}
}

// Saving and loading after every plan changes nothing.
func TestSavedAtAnyTime(t *testing.T) {
	const policy = "fair(preemption=true,min_timeout=20s,fair_timeout=25s)"
	jobs := func() []*workload.Job { return []*workload.Job{job("long", "a", 0, 60), job("late", "b", 10, 6)} }
	plain, err := play(t, policy, false, jobs()...)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := play(t, policy, true, jobs()...)
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.kills) == 0 || len(plain.kills) != len(saved.kills) || plain.rounds != saved.rounds {
		t.Fatalf("%d kills in %d rounds, saved %d in %d", len(plain.kills), plain.rounds, len(saved.kills), saved.rounds)
	}
	for i := range plain.kills {
		if plain.kills[i] != saved.kills[i] {
			t.Errorf("kill %d is %+v, saved %+v", i, plain.kills[i], saved.kills[i])
		}
	}
}
