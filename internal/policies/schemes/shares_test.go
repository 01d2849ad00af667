package schemes_test

import (
	"context"
	"fmt"
	"math"
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

// probe looks at the queues after every plan.
type probe struct {
	view sched.View
	look func(v sched.View)
}

func (p *probe) Batch(int64, units.Time, []sched.Event) error { return nil }
func (p *probe) Plan(int64, units.Time, *sched.Plan) error    { p.look(p.view); return nil }

// busy returns jobs of so many one-minute maps for each queue and user ("queue/user"), all there from the start.
func busy(maps int, places ...string) []*workload.Job {
	var jobs []*workload.Job
	for i, place := range places {
		j := &workload.Job{ID: fmt.Sprint(place, i), Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never,
			Stages: []workload.StageSpec{{Kind: workload.Map}}}
		for k, c := range place {
			if c == '/' {
				j.Queue, j.User = place[:k], place[k+1:]
			}
		}
		for range maps {
			j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: units.Minute})
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// play runs jobs on so many map slots and looks after every plan.
func play(t *testing.T, policy string, q queues.Config, slots int, jobs []*workload.Job, look func(v sched.View)) {
	t.Helper()
	w, err := sim.New(sim.Config{Cluster: cluster.Uniform(slots/2, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 0)}),
		Workload: &workload.Workload{Jobs: jobs}, Times: sim.Times{Law: sim.Uniform, CV: 0.3}, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, q)
	if err != nil {
		t.Fatal(err)
	}
	s := &probe{look: look}
	l := drive.New(w, p, s)
	s.view = l.Ledger
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// occupied returns the map slots that a queue has, by its path.
func occupied(v sched.View, path ...string) int32 {
	at := sched.Root
next:
	for _, name := range path {
		for q := sched.Root + 1; q <= v.Queues(); q++ {
			if p := v.Queue(q); p != nil && p.Parent == at && p.Name == name {
				at = q
				continue next
			}
		}
		return 0
	}
	return v.Queue(at).Stages[sched.Map].Occupied
}

// full tells whether work waits in all of the queues and no slot is free: then shares must be exact.
func full(v sched.View, slots int32, names ...string) bool {
	if v.Queue(sched.Root).Stages[sched.Map].Occupied < slots {
		return false
	}
	for _, n := range names {
		found := false
		for q := sched.Root + 1; q <= v.Queues(); q++ {
			p := v.Queue(q)
			found = found || p != nil && p.Name == n && p.Stages[sched.Map].Open > 0
		}
		if !found {
			return false
		}
	}
	return true
}

func TestFairSharesByWeightAndMinimum(t *testing.T) {
	seen := 0
	play(t, "fair", queues.Config{Queues: []queues.Queue{{Name: "a", Weight: 2}, {Name: "b"}, {Name: "c", MinMaps: 12}}}, 30,
		busy(200, "a/u", "b/u", "c/u"), func(v sched.View) {
			if !full(v, 30, "a", "b", "c") {
				return
			}
			seen++
			// c's minimum share of 12 is above its part by weight; the rest goes 2:1.
			if a, b, c := occupied(v, "a"), occupied(v, "b"), occupied(v, "c"); math.Abs(float64(a-12)) > 1 || math.Abs(float64(b-6)) > 1 || math.Abs(float64(c-12)) > 1 {
				t.Fatalf("at %v pools have %d, %d, %d; their shares are 12, 6, 12", v.Now(), a, b, c)
			}
		})
	if seen < 100 {
		t.Errorf("only %d looks", seen)
	}
}

func TestFairUsersInAPool(t *testing.T) {
	seen := 0
	play(t, "fair(users=true)", queues.Config{}, 20, busy(100, "p/ann", "p/ann", "p/ann", "p/bob"), func(v sched.View) {
		if !full(v, 20, "p", "ann", "bob") {
			return
		}
		seen++
		if a, b := occupied(v, "p", "ann"), occupied(v, "p", "bob"); math.Abs(float64(a-b)) > 1 {
			t.Fatalf("at %v ann has %d and bob %d", v.Now(), a, b)
		}
	})
	if seen < 100 {
		t.Errorf("only %d looks", seen)
	}
}

func TestCapacityGuaranteesAndMaximums(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{
		{Name: "prod", Capacity: 60, UserLimitFactor: -1},
		{Name: "dev", Capacity: 40, Maximum: 50, Queues: []queues.Queue{
			{Name: "ui", Capacity: 25, UserLimitFactor: -1}, {Name: "db", Capacity: 75, UserLimitFactor: -1}}}}}
	for _, c := range []struct {
		policy string
		jobs   []string
		check  func(v sched.View) (string, bool)
	}{
		{"capacity", []string{"prod/u", "ui/u", "db/u"}, func(v sched.View) (string, bool) {
			p, u, d := occupied(v, "prod"), occupied(v, "dev", "ui"), occupied(v, "dev", "db")
			return fmt.Sprintf("prod %d, ui %d, db %d of 40; guaranteed are 24, 4, 12", p, u, d),
				!full(v, 40, "prod", "ui", "db") || math.Abs(float64(p-24)) <= 1 && math.Abs(float64(u-4)) <= 1 && math.Abs(float64(d-12)) <= 1
		}},
		// Alone, a queue grows to its maximum of the cluster and no further; rigid, to its guarantee.
		{"capacity", []string{"db/u"}, func(v sched.View) (string, bool) {
			return fmt.Sprintf("db has %d alone, at most 20", occupied(v, "dev", "db")), occupied(v, "dev", "db") <= 20
		}},
		{"capacity(elastic=false)", []string{"prod/u"}, func(v sched.View) (string, bool) {
			return fmt.Sprintf("prod has %d alone, at most 24", occupied(v, "prod")), occupied(v, "prod") <= 24
		}},
	} {
		most := int32(0)
		play(t, c.policy, q, 40, busy(300, c.jobs...), func(v sched.View) {
			most = max(most, v.Queue(sched.Root).Stages[sched.Map].Occupied)
			if text, ok := c.check(v); !ok {
				t.Fatalf("%s %v at %v: %s", c.policy, c.jobs, v.Now(), text)
			}
		})
		if want := map[int]int32{3: 40, 1: 20}[len(c.jobs)]; most < want {
			t.Errorf("%s %v: at most %d slots were ever used, %d can be", c.policy, c.jobs, most, want)
		}
	}
}

func TestCapacityUserLimit(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "p", Capacity: 100, MinimumUserLimit: 25}}}
	play(t, "capacity", q, 40, busy(100, "p/a", "p/b", "p/c", "p/d", "p/e"), func(v sched.View) {
		for _, u := range []string{"a", "b", "c", "d", "e"} {
			if n := occupied(v, "p", u); full(v, 40, "a", "b", "c", "d", "e") && n > 11 {
				t.Fatalf("at %v user %s has %d of 40 beside four others; the limit is a quarter", v.Now(), u, n)
			}
		}
	})
}

func TestLimitsOnRunningJobs(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "a", MaxRunning: new(1)}, {Name: "b"}}, MaxRunningPerUser: 2, MaxRunning: 3}
	jobs := busy(20, "a/u", "a/v", "b/u", "b/u", "b/u", "b/v", "a/w")
	most := 0
	play(t, "fair", q, 10, jobs, func(v sched.View) {
		all, users, inA := 0, map[string]int{}, 0
		for j := sched.JobID(1); j <= v.Jobs(); j++ {
			if b := v.Job(j); b != nil && b.State == sched.Admitted {
				all++
				users[b.Spec.User]++
				if b.Spec.Queue == "a" {
					inA++
				}
			}
		}
		most = max(most, all)
		if all > 3 || inA > 1 || users["u"] > 2 || users["v"] > 2 {
			t.Fatalf("at %v run %d jobs, %d in a, by user %v", v.Now(), all, inA, users)
		}
	})
	if most != 3 {
		t.Errorf("at most %d jobs ran at once, three may", most)
	}
}

// Under EDF no job gets a slot while one with an earlier deadline has work that may start.
func TestEDFIsStrict(t *testing.T) {
	jobs := busy(30, "q/u", "q/u", "q/u", "q/u")
	for i, j := range jobs {
		j.Deadline = units.Time(0).Add(units.Duration(60-i*7) * units.Minute)
		j.Arrive = units.Time(0).Add(units.Duration(i) * units.Minute)
	}
	var before [9]int32
	play(t, "edf-p", queues.Config{}, 10, jobs, func(v sched.View) {
		for j := sched.JobID(1); j <= v.Jobs(); j++ {
			b := v.Job(j)
			if b == nil {
				continue
			}
			started := b.Stages[sched.Map].Total - b.Stages[sched.Map].Open
			for k := sched.JobID(1); k <= v.Jobs() && started > before[j]; k++ {
				if o := v.Job(k); o != nil && o.State == sched.Admitted && o.Deadline < b.Deadline && o.Stages[sched.Map].Open > 0 {
					t.Fatalf("at %v job %d got a slot before job %d, whose deadline is earlier", v.Now(), j, k)
				}
			}
			before[j] = started
		}
	})
}
