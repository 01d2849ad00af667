package conform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/place"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// laxity is least laxity first (Dertouzos and Mok, 1989): the job with the least time to spare goes first, its deadline less what its
// tasks still take by the profile of its class. Now is the same for all jobs, so no key needs it.
type laxity struct{ sched.Flat }

func (laxity) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	left := units.Duration(0)
	if c := v.Profile(j.Spec.Class); c != nil {
		for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
			known := c.Any(s)
			left += units.FromSeconds(known.Task.Mean) * units.Duration(j.Stages[s].Total-j.Stages[s].Done)
		}
	}
	return sched.Key{int64(j.Due().Add(-left))}
}

// lax is a policy that ranks by an order of these traits; greedy placement, and all jobs are admitted.
func lax(t *testing.T, o sched.Order, traits compose.Traits) func() sched.Policy {
	var again func() (*compose.Policy, error)
	again = func() (*compose.Policy, error) {
		return compose.New(compose.Recipe{Name: "lax", Order: o, Again: again,
			Steps:  map[compose.Kind]compose.Step{compose.KindAdmit: admit.NewAll(pools()), compose.KindPlace: place.Hadoop()},
			Traits: map[compose.Kind]compose.Traits{compose.KindOrder: traits}})
	}
	return func() sched.Policy {
		p, err := again()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

var student = compose.Traits{Reads: compose.Reads{Profiles: true}}

// school is a world in which each job is of a class of its own, and what the classes cost is learned while jobs wait: every few batches
// of one more, and of each more than once. In an early one they are known before the first job comes.
type school struct {
	drive.World
	early bool
	turns int
}

func (w *school) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	w.turns++
	var events []sched.Event
	for _, e := range b.Events {
		if e.Kind == sched.JobArrived {
			spec := *e.Detail.Job
			spec.Class = spec.ID
			e.Detail = &sched.Detail{Job: &spec}
		}
		events = append(events, e)
	}
	if w.turns%7 == 0 && w.turns < 200 {
		c := profile.New(fmt.Sprintf("j%d", w.turns/7*2%5+1))
		c.Attempt(workload.Map, "small", 0, units.Duration(1+w.turns*37%50)*units.Minute, 0)
		events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	for i := 1; w.early && w.turns == 1 && i <= 5; i++ {
		c := profile.New(fmt.Sprint("j", i))
		c.Attempt(workload.Map, "small", 0, 9*units.Second, 0)
		c.Attempt(workload.Reduce, "small", 0, 9*units.Second, 0)
		events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	b.Events = events
	return b, nil
}

// An order that reads profiles ranks jobs anew when one is learned, on the kind world and on the unkind one.
func TestOrdersLearn(t *testing.T) {
	for _, s := range []Subject{simulated(runs(6)), unkind(runs(20))} {
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World { return &school{World: plain(t, seed)} }
		t.Run(s.Name, func(t *testing.T) { Policy(t, s, lax(t, laxity{}, student)) })
	}
}

// fickle is an order whose keys follow the clock, which nothing announces.
type fickle struct{ sched.Flat }

func (fickle) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{(int64(v.Now().Sub(0)/units.Second) + int64(j.ID)) % 3}
}

// An order whose keys follow what nobody announces is found out.
func TestFickleOrdersAreFound(t *testing.T) {
	for _, s := range []Subject{simulated(1), unkind(1)} {
		found := false
		for seed := uint64(0); seed < 20 && !found; seed++ {
			l := drive.New(&school{World: s.New(t, seed)}, lax(t, fickle{}, compose.Traits{})())
			for l.Step(context.Background()) == nil && !found {
				j, _ := l.Ledger.Misranked()
				found = j != 0
			}
		}
		if !found {
			t.Errorf("%s: an order that changes its mind stands as if it did not", s.Name)
		}
	}
}

// An order that reads profiles and does not say so ends the run, with one sentence.
func TestSecretReaders(t *testing.T) {
	l := drive.New(simulated(1).New(t, 1), lax(t, laxity{}, compose.Traits{})())
	err := l.Run(context.Background())
	if want := `round 1: policy "lax": its order part reads profiles without saying so: its catalogue entry needs Reads.Profiles`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
