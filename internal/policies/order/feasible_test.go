package order_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// room is a scheduler under edf(feasible) that is told of events.
type room struct {
	policy *compose.Policy
	book   *ledger.Ledger
	plan   sched.Plan
	now    units.Time
	round  int64
}

func newRoom(t interface{ Fatal(...any) }) *room {
	p, err := catalog.New("edf(feasible)", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &room{policy: p, book: ledger.New(sched.Capabilities{World: "w", Bind: true}, p.About().Order)}
}

func (r *room) tell(events ...sched.Event) {
	r.round++
	slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	all := r.book.Apply(r.now, r.round, events)
	r.book.Begin(&r.plan)
	r.policy.Decide(r.book, all, &r.plan)
	r.book.Check(&r.plan)
}

// line is the jobs with work of the stage, in order.
func (r *room) line(s sched.Stage) (names []string) {
	for j := r.book.Waiting(s, 0); j != 0; j = r.book.Waiting(s, j) {
		names = append(names, r.book.Job(j).Spec.ID)
	}
	return names
}

func up(n sched.NodeID, slots int) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(slots, 1)}
	return sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: class}}}
}

func arrives(j sched.JobID, id, class string, maps, reduces int, deadline units.Time) sched.Event {
	spec := &workload.Job{ID: id, Class: class, Weight: 1, Soft: units.Never, Deadline: deadline, SlowStart: 1,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}}
	if reduces > 0 {
		spec.Stages = append(spec.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)})
	}
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: spec}}
}

func taught(class string, maps, reduces []int, shuffle int) sched.Event {
	c := profile.New(class)
	for _, s := range maps {
		c.Attempt(workload.Map, "c", 0, units.Duration(s)*units.Second, 0)
	}
	for _, s := range reduces {
		c.Attempt(workload.Reduce, "c", 0, units.Duration(s)*units.Second, units.Duration(shuffle)*units.Second)
	}
	return sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}}
}

const second = units.Time(units.Second)

// The clock alone brings a job behind others, and a cluster that grows brings it back.
func TestTimeRunsOut(t *testing.T) {
	r := newRoom(t)
	// 10 maps of 10 s on 2 slots take 50 s.
	r.tell(up(1, 2), taught("c", []int{10}, nil, 0), arrives(1, "long", "c", 10, 0, 100*second), arrives(2, "short", "c", 4, 0, 200*second),
		arrives(3, "whenever", "c", 1, 0, units.Never))
	want := func(at units.Time, names ...string) {
		t.Helper()
		if got := r.line(sched.Map); !slices.Equal(got, names) {
			t.Errorf("at %v: %v, want %v", at, got, names)
		}
		if j, _ := r.book.Misranked(); j != 0 {
			t.Errorf("at %v: job %d has another key than it is ranked by", at, j)
		}
	}
	want(r.now, "long", "short", "whenever")
	for _, c := range []struct {
		at   units.Time
		what []sched.Event
		want []string
	}{
		{50 * second, nil, []string{"long", "short", "whenever"}}, // just in time
		{51 * second, nil, []string{"short", "long", "whenever"}},
		{52 * second, []sched.Event{up(2, 2)}, []string{"long", "short", "whenever"}}, // 25 s on 4 slots
		{76 * second, nil, []string{"short", "long", "whenever"}},
		{191 * second, nil, []string{"short", "long", "whenever"}}, // both late: 4 tasks before 10
	} {
		r.now = c.at
		r.tell(append(c.what, sched.Event{Kind: sched.Progress}, sched.Event{Kind: sched.SupplyChanged}, sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Map})...)
		want(c.at, c.want...)
	}
}

// It looks again when a job may have become late, with nothing but beats.
func TestTimeRunsOutBetweenBeats(t *testing.T) {
	r := newRoom(t)
	long, short := arrives(1, "long", "c", 10, 0, 100*second), arrives(2, "short", "c", 4, 0, 200*second)
	for _, e := range []sched.Event{long, short} {
		e.Detail.Job.Labels = []string{"nowhere"} // so that none of their maps starts
	}
	r.tell(up(1, 2), taught("c", []int{10}, nil, 0), long, short)
	for _, c := range []struct {
		at    units.Time
		first string
	}{{10 * second, "long"}, {50 * second, "long"}, {51 * second, "short"}} {
		r.now = c.at
		r.tell(sched.Event{Kind: sched.Heartbeat, Node: 1})
		if got := r.line(sched.Map); got[0] != c.first {
			t.Errorf("at %v: %v, want %s first", c.at, got, c.first)
		}
	}
}

// A virtual deadline goes before a job's own.
func TestFeasibleByVirtualDeadlines(t *testing.T) {
	r := newRoom(t)
	second := arrives(2, "second", "c", 1, 0, 200*second)
	second.Detail.Job.Virtual = 50e9
	r.tell(up(1, 2), taught("c", []int{10}, nil, 0), arrives(1, "first", "c", 1, 0, 100e9), second)
	if got := r.line(sched.Map); !slices.Equal(got, []string{"second", "first"}) {
		t.Errorf("in time: %v", got)
	}
	r.now = 45e9
	r.tell(sched.Event{Kind: sched.NodeChanged, Node: 1, X: 1})
	if got := r.line(sched.Map); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("when one is late: %v", got)
	}
}

// The clock of the keys moves once a second; late jobs go by what is not done, whether it runs or not.
func TestLateJobs(t *testing.T) {
	r := newRoom(t)
	r.tell(up(1, 4), taught("c", []int{10}, nil, 0), arrives(1, "first", "c", 3, 0, 2*second), arrives(2, "second", "c", 2, 0, 60*second),
		arrives(3, "third", "c", 1, 0, 70*second))
	running := func(attempt sched.AttemptID, job sched.JobID, task sched.TaskID) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: attempt, Job: job, Stage: sched.Map, Task: task, Node: 1}
	}
	r.now = 3 * second
	r.tell(running(1, 1, 1), running(2, 1, 2), sched.Event{Kind: sched.NodeChanged, Node: 1, X: 1})
	if got := r.line(sched.Map); !slices.Equal(got, []string{"second", "third", "first"}) {
		t.Errorf("while the others can be in time: %v", got)
	}
	r.now = 60 * second
	r.tell(sched.Event{Kind: sched.NodeChanged, Node: 1, X: 1})
	r.now += second / 2
	r.tell(sched.Event{Kind: sched.NodeChanged, Node: 1, X: 1})
	if got := r.line(sched.Map); !slices.Equal(got, []string{"third", "second", "first"}) {
		t.Errorf("late ones by work left: %v", got)
	}
	r.now = 60*second + second*6/10
	r.tell(arrives(4, "new", "c", 1, 0, r.now+20*second))
	if got := r.line(sched.Map); got[0] != "third" || got[1] != "new" {
		t.Errorf("half a second after a look there is another one: %v", got)
	}
	r.now = 61 * second
	r.tell(sched.Event{Kind: sched.NodeChanged, Node: 1, X: 1})
	if got := r.line(sched.Map); got[0] != "new" {
		t.Errorf("a second after a look there is none: %v", got)
	}
}

// At each look the order is that of the rule, written down once more with a list of what is known:
// random jobs, ends, profiles, nodes and times.
func TestFeasibleByTheRule(t *testing.T) {
	type job struct {
		id       string
		seq      int
		class    string
		deadline units.Time
		arrived  units.Time
		left     [2]int // tasks that no attempt has taken
	}
	rapid.Check(t, func(t *rapid.T) {
		r := newRoom(t)
		slots := 0
		var jobs []*job
		costs := map[string][2][]int{}
		shuffles := map[string]int{}
		r.tell()
		for n := range rapid.IntRange(1, 25).Draw(t, "rounds") {
			r.now += units.Time(rapid.IntRange(1000, 20_000).Draw(t, "ms")) * units.Time(units.Millisecond)
			var events []sched.Event
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				more := rapid.IntRange(1, 4).Draw(t, "slots")
				slots += more
				node := up(sched.NodeID(n+1), more)
				node.Detail.Node.Labels = nil
				events = append(events, node)
			case 1:
				class := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "class")
				// Of as many tasks the mean is exact. A rounded one may put a job before another with
				// the same work left.
				tasks := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "tasks")
				ints := rapid.SliceOfN(rapid.IntRange(1, 30), tasks, tasks)
				costs[class] = [2][]int{ints.Draw(t, "maps"), ints.Draw(t, "reduces")}
				shuffles[class] = rapid.IntRange(0, 5).Draw(t, "shuffle")
				events = append(events, taught(class, costs[class][0], costs[class][1], shuffles[class]))
			default:
				j := &job{id: fmt.Sprint("j", n), seq: n, class: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "class"), arrived: r.now,
					left: [2]int{rapid.IntRange(1, 30).Draw(t, "maps"), rapid.IntRange(0, 5).Draw(t, "reduces")}}
				j.deadline = r.now + second*units.Time(rapid.IntRange(1, 200).Draw(t, "due"))
				if rapid.IntRange(0, 5).Draw(t, "none") == 0 {
					j.deadline = units.Never
				}
				jobs = append(jobs, j)
				ready := arrives(sched.JobID(len(jobs)), j.id, j.class, j.left[0], j.left[1], j.deadline)
				ready.Detail.Job.Labels = []string{"nowhere"} // nothing starts, so that only the clock changes it
				events = append(events, ready)
			}
			r.tell(events...)

			// The rule.
			mean := func(list []int) (m float64) {
				for _, x := range list {
					m += float64(x) / float64(len(list))
				}
				return m
			}
			class := func(j *job) (kind int, number float64) {
				known, ok := costs[j.class]
				work, alone := 0.0, 0.0
				for s, tasks := range j.left {
					if tasks == 0 || !ok {
						continue
					}
					one, least := mean(known[s]), float64(slices.Min(known[s]))
					if s == 1 {
						one, least = one+float64(shuffles[j.class]), least+float64(shuffles[j.class])
					}
					have := float64(max(1, slots))
					if s == 1 {
						have = float64(max(1, int(r.book.Capacity()[units.ReduceSlots])))
					}
					work += one * float64(tasks)
					alone += max(least, one*float64(tasks)/have)
				}
				switch {
				case j.deadline == units.Never:
					return 3, 0
				case r.now.Seconds()+alone <= j.deadline.Seconds()+1e-6:
					return 0, j.deadline.Seconds()
				case ok:
					return 1, work
				}
				return 2, float64(j.left[0] + j.left[1])
			}
			want := slices.Clone(jobs)
			slices.SortStableFunc(want, func(x, y *job) int {
				kx, nx := class(x)
				ky, ny := class(y)
				near := cmp.Compare(nx, ny)
				if d := nx - ny; d < 1e-6 && d > -1e-6 {
					near = 0
				}
				return cmp.Or(cmp.Compare(kx, ky), near, cmp.Compare(x.arrived, y.arrived), cmp.Compare(x.seq, y.seq))
			})
			var names []string
			for _, j := range want {
				names = append(names, j.id)
			}
			if got := r.line(sched.Map); !slices.Equal(got, names) {
				t.Fatalf("at %v: %v, want %v", r.now, got, names)
			}
		}
	})
}

// Keys and looks allocate nothing.
func TestFeasibleAllocatesNothing(t *testing.T) {
	r := newRoom(t)
	events := []sched.Event{up(1, 2), taught("c", []int{10, 12}, []int{3}, 1)}
	for j := range 50 {
		events = append(events, arrives(sched.JobID(j+1), fmt.Sprint("j", j), "c", 10, 2, units.Never-1))
	}
	r.tell(events...)
	batch := []sched.Event{{Kind: sched.NodeChanged}}
	look := r.policy.Recipe().Steps[compose.KindPlan]
	r.plan.Reset(nil)
	order := r.policy.About().Order
	if n := testing.AllocsPerRun(100, func() {
		r.now += second
		r.book.Apply(r.now, r.round, nil)
		order.JobKey(r.book, r.book.Job(1), sched.Map)
		look.Decide(r.book, batch, &r.plan)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
