package schemes_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// ask is a job of twenty one-minute maps that is there from the start.
type ask struct {
	queue, user string
	weight      float64     // 0 = 1
	priority    int         //
	memory      units.Bytes // of a map's container, 0 = it takes a slot
}

// dealt plays the jobs on one node without heartbeats and returns what each of them holds after the
// first instant: "8 8 4 0".
func dealt(t *testing.T, policy string, q queues.Config, offer units.Vector, asks ...ask) string {
	t.Helper()
	var jobs []*workload.Job
	for i, a := range asks {
		maps := workload.StageSpec{Kind: workload.Map, Tasks: slices.Repeat([]workload.Task{{Work: units.Minute}}, 20)}
		if a.memory > 0 {
			needs := units.Vector{}
			needs[units.Memory] = int64(a.memory)
			maps.Containers = []cluster.Container{{Name: "m", Needs: needs}}
		}
		jobs = append(jobs, &workload.Job{ID: fmt.Sprint(i + 1), Class: "c", Queue: a.queue, User: a.user, Weight: max(a.weight, 1), Priority: a.priority,
			Soft: units.Never, Deadline: units.Never, Stages: []workload.StageSpec{maps}})
	}
	w, err := sim.New(sim.Config{Cluster: cluster.Uniform(1, 1, cluster.Class{Name: "c", Speed: 1, Capacity: offer}),
		Workload: &workload.Workload{Jobs: jobs}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, q)
	if err != nil {
		t.Fatal(err)
	}
	holds := map[sched.JobID]string{}
	s := &probe{look: func(v sched.View) {
		for j := sched.JobID(1); v.Now() == 0 && j <= v.Jobs(); j++ {
			holds[j] = fmt.Sprint(v.Job(j).Stages[sched.Map].Occupied)
		}
	}}
	l := drive.New(w, p, s)
	s.view = l.Ledger
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, j := range slices.Sorted(maps.Keys(holds)) {
		list = append(list, holds[j])
	}
	return strings.Join(list, " ")
}

// A queue's maximum is one of its parent's (YARN, CapacityScheduler: the absolute maximum capacity
// is the product along the path).
func TestCapacityMaximumOfAParent(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{
		{Name: "prod", Capacity: 60},
		{Name: "dev", Capacity: 40, Maximum: 50, Queues: []queues.Queue{
			{Name: "ui", Capacity: 50, Maximum: 80, UserLimitFactor: -1},
			{Name: "db", Capacity: 50, UserLimitFactor: -1},
		}}}}
	slots := units.Slots(20, 0)
	if got := dealt(t, "capacity", q, slots, ask{queue: "ui", user: "u"}); got != "8" {
		t.Errorf("ui has %s of 20 slots alone, its maximum is 80 %% of 50 %%", got)
	}
	if got := dealt(t, "capacity", q, slots, ask{queue: "db", user: "u"}); got != "10" {
		t.Errorf("db has %s of 20 slots alone, its parent's maximum is 50 %%", got)
	}
	if got := dealt(t, "capacity", q, slots, ask{queue: "ui", user: "u"}, ask{queue: "db", user: "u"}); got != "5 5" {
		t.Errorf("ui and db have %s of 20 slots, their parent's maximum is 50 %%", got)
	}
}

// One user has at most user_limit_factor times what the queue is guaranteed, whatever is idle
// (Hadoop 1.2.1, Capacity Scheduler guide: user-limit-factor, by default 1).
func TestCapacityUserLimitFactor(t *testing.T) {
	for factor, want := range map[float64]string{0: "5", 1: "5", 2: "10", 2.5: "12", -1: "20"} {
		q := queues.Config{Queues: []queues.Queue{{Name: "p", Capacity: 25, UserLimitFactor: factor}, {Name: "idle", Capacity: 75}}}
		if got := dealt(t, "capacity", q, units.Slots(20, 0), ask{queue: "p", user: "u"}); got != want {
			t.Errorf("user_limit_factor %v: a user has %s slots beyond the queue's 5 of 20, want %s", factor, got, want)
		}
	}
	nested := queues.Config{Queues: []queues.Queue{{Name: "dev", Capacity: 40, Queues: []queues.Queue{{Name: "ui", Capacity: 50}}}, {Name: "idle", Capacity: 60}}}
	if got := dealt(t, "capacity", nested, units.Slots(20, 0), ask{queue: "ui", user: "u"}); got != "4" {
		t.Errorf("a user of ui has %s of 20 slots, 50 %% of 40 %% are guaranteed to it", got)
	}
	// A job without a user is nobody's, so no user limit holds it back.
	q := queues.Config{Queues: []queues.Queue{{Name: "p", Capacity: 25}, {Name: "idle", Capacity: 75}}}
	if got := dealt(t, "capacity", q, units.Slots(20, 0), ask{queue: "p"}); got != "20" {
		t.Errorf("a job without a user has %s of 20 slots", got)
	}
}

// A queue without a guarantee is served when no other has work: alone it has everything, beside another nothing.
func TestCapacityWithoutAGuarantee(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "a", Capacity: 100, UserLimitFactor: -1}, {Name: "spare"}}}
	for _, queue := range []string{"spare", "stranger"} {
		if got := dealt(t, "capacity", q, units.Slots(20, 0), ask{queue: queue, user: "u"}, ask{queue: "a", user: "u"}); got != "0 20" {
			t.Errorf("%s and a have %s of 20 slots", queue, got)
		}
		if got := dealt(t, "capacity", q, units.Slots(20, 0), ask{queue: queue, user: "u"}); got != "20" {
			t.Errorf("%s has %s of 20 slots alone", queue, got)
		}
	}
}

// Among several users each has at most an equal part of the queue, but at least minimum_user_limit
// percent of it, so that the last ones wait (Hadoop 1.2.1, Capacity Scheduler guide:
// minimum-user-limit-percent, by default 100).
func TestCapacityMinimumUserLimit(t *testing.T) {
	four := []ask{{queue: "p", user: "a"}, {queue: "p", user: "b"}, {queue: "p", user: "c"}, {queue: "p", user: "d"}}
	for limit, want := range map[float64]string{0: "20 0 0 0", 100: "20 0 0 0", 50: "10 10 0 0", 40: "8 8 4 0", 25: "5 5 5 5", 10: "5 5 5 5"} {
		q := queues.Config{Queues: []queues.Queue{{Name: "p", Capacity: 100, MinimumUserLimit: limit}}}
		if got := dealt(t, "capacity", q, units.Slots(20, 0), four...); got != want {
			t.Errorf("minimum_user_limit %v: four users have %s of 20 slots, want %s", limit, got, want)
		}
	}
}

// Of containers that take memory it is the memory that counts, not their number (YARN,
// DefaultResourceCalculator): of 12 GB two queues of 50 % have 6 GB each.
func TestCapacityCountsMemory(t *testing.T) {
	q := queues.Config{Queues: []queues.Queue{{Name: "a", Capacity: 50, UserLimitFactor: -1}, {Name: "b", Capacity: 50, UserLimitFactor: -1}}}
	memory := units.Vector{}
	memory[units.Memory] = 12 * int64(units.GB)
	if got := dealt(t, "capacity", q, memory, ask{queue: "a", user: "u", memory: 3 * units.GB}, ask{queue: "b", user: "u", memory: units.GB}); got != "2 6" {
		t.Errorf("maps of 3 GB and of 1 GB: %s containers run, want 2 6", got)
	}
	if got := dealt(t, "capacity", q, units.Slots(12, 0), ask{queue: "a", user: "u"}, ask{queue: "b", user: "u"}); got != "6 6" {
		t.Errorf("maps in slots: %s of 12 run, want 6 6", got)
	}
}

// A pool is shared among its jobs, or it is a line by priority and arrival (Hadoop 1.2.1, Fair
// Scheduler guide: schedulingMode, defaultPoolSchedulingMode).
func TestFairPoolThatIsALine(t *testing.T) {
	line, shared := queues.Queue{Name: "p", Jobs: "fifo"}, queues.Queue{Name: "p", Jobs: "fair"}
	two := []ask{{queue: "p"}, {queue: "p"}}
	for _, c := range []struct {
		policy string
		pool   queues.Queue
		asks   []ask
		want   string
	}{
		{"fair", queues.Queue{Name: "p"}, two, "2 2"},
		{"fair", line, two, "4 0"},
		{"fair", line, []ask{{queue: "p"}, {queue: "p", priority: 1}}, "0 4"},
		{"fair(jobs=fifo)", queues.Queue{Name: "p"}, two, "4 0"},
		{"fair(jobs=fifo)", shared, two, "2 2"},
	} {
		if got := dealt(t, c.policy, queues.Config{Queues: []queues.Queue{c.pool}}, units.Slots(4, 0), c.asks...); got != c.want {
			t.Errorf("%s, pool %q: the jobs have %s of 4 slots, want %s", c.policy, c.pool.Jobs, got, c.want)
		}
	}
	// Between pools slots are shared all the same.
	if got := dealt(t, "fair(jobs=fifo)", queues.Config{}, units.Slots(4, 0), ask{queue: "p"}, ask{queue: "p"}, ask{queue: "q"}); got != "2 0 2" {
		t.Errorf("three jobs of two lines have %s of 4 slots", got)
	}
}

// A job's share goes by its weight, doubled for each step of priority (Hadoop 1.2.1, FairScheduler:
// VERY_HIGH 4 … VERY_LOW 1/4).
func TestFairWeightsOfJobs(t *testing.T) {
	if got := dealt(t, "fair", queues.Config{}, units.Slots(12, 0), ask{weight: 3}, ask{}); got != "9 3" {
		t.Errorf("weights 3 and 1: %s of 12", got)
	}
	if got := dealt(t, "fair", queues.Config{}, units.Slots(15, 0), ask{priority: 2}, ask{priority: -1}, ask{priority: -2}); got != "12 2 1" {
		t.Errorf("weights 4, 1/2 and 1/4: %s of 15", got)
	}
}

// By user, the pool of a job is its user's, whatever queue it names (Hadoop 1.2.1, Fair Scheduler
// guide: poolnameproperty).
func TestFairPoolsOfUsers(t *testing.T) {
	jobs := []ask{{queue: "p", user: "ann"}, {queue: "q", user: "ann"}, {queue: "p", user: "bob"}}
	q := queues.Config{Queues: []queues.Queue{{Name: "bob", Weight: 3}}}
	if got := dealt(t, "fair(pool=user)", q, units.Slots(16, 0), jobs...); got != "2 2 12" {
		t.Errorf("ann's jobs and bob's, whose weight is 3, have %s of 16 slots", got)
	}
}
