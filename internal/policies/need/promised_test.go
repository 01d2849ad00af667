package need

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// knows is what some other part knows of the only job.
type knows estimate.Left

func (k knows) Asked()                                            {}
func (k knows) Left(sched.View, *sched.Job) (estimate.Left, bool) { return estimate.Left(k), true }
func (k knows) Looks() int                                        { return 1 }

// A job of four maps of a minute has two slots, and two more on a rented node on which nothing runs: so it is done in
// one minute with that node, and in two without it.
func TestNoNodeGoesThatAPromiseCountsOn(t *testing.T) {
	for _, c := range []struct {
		why       string
		due, sure int // seconds from now, and sooner than that
		promised  bool
		goes      bool
	}{
		{"it is in time without the node, and sure enough", 200, 0, true, true},
		{"without it it is less sure than it was promised to be", 200, 100, true, false},
		{"it is less sure even with it", 200, 150, true, false},
		{"that was no promise, and it has an even chance without it", 200, 150, false, true},
		{"without it it is late", 100, 0, false, false},
		{"it is late anyway", 30, 0, false, true},
		{"it is late anyway, promise or not", 30, 0, true, true},
		{"its promise is broken", -30, 0, true, true},
	} {
		book, plan := ledger.New(sched.Capabilities{World: "desk", Bind: true, Power: true}, nil), &sched.Plan{}
		events := []sched.Event{{Kind: sched.Resync}}
		for n, most := range []int{0, 3} {
			class := &cluster.Class{Name: []string{"own", "cloud"}[n], Speed: 1, Capacity: units.Slots(2, 1), Most: most, Price: 1, WakeTime: units.Minute}
			events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: class.Name, Rack: 1, Class: class}}})
		}
		now := units.Time(10 * units.Minute)
		job := &workload.Job{ID: "j", Class: "c", Weight: 1, Deadline: now + units.Time(c.due)*1e9, Soft: units.Never,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 4)}}}
		book.Apply(0, 1, append(events, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}))
		n := New(Config{})
		n.By(knows{Open: [2]int64{4}, Mean: [2]int64{60_000}, Sure: int64(c.sure) * 1000, Promised: c.promised})
		batch := book.Apply(now, 2, []sched.Event{{Kind: sched.Tick}})
		book.Begin(plan)
		n.Wake = compose.Alarm(now)
		n.Decide(book, batch, plan)
		gone := false
		for _, it := range plan.Items {
			gone = gone || it.Verb == sched.Sleep && it.Refused == sched.OK
		}
		if gone != c.goes {
			t.Errorf("%s: the node goes: %v", c.why, gone)
		}
	}
}

// surer knows of a job that has to be the surer the more often it is looked at.
type surer struct {
	knows
	looks int64
}

func (s *surer) Left(sched.View, *sched.Job) (estimate.Left, bool) {
	left := estimate.Left(s.knows)
	left.Sure += min(s.looks, 2) * 100_000
	return left, true
}

func (s *surer) Looks() int { return int(s.looks) }

// What a request changes for who knows of jobs is no reason for another one at the same instant.
func TestOneRequestAnInstant(t *testing.T) {
	book, plan := ledger.New(sched.Capabilities{World: "desk", Bind: true, Power: true}, nil), &sched.Plan{}
	events := []sched.Event{{Kind: sched.Resync}}
	for n := range 12 {
		e := sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1)}
		class := &cluster.Class{Name: "own", Speed: 1, Capacity: units.Slots(2, 1)}
		if n > 0 {
			e.Kind, e.State = sched.NodeChanged, sched.Offered
			class = &cluster.Class{Name: "cloud", Speed: 1, Capacity: units.Slots(2, 1), Most: 11, Price: 1, WakeTime: units.Minute}
		}
		e.Detail = &sched.Detail{Node: &cluster.Node{Name: class.Name, Rack: 1, Class: class}}
		events = append(events, e)
	}
	job := &workload.Job{ID: "j", Class: "c", Weight: 1, Deadline: 400e9, Soft: units.Never,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 20)}}}
	book.Apply(0, 1, append(events, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}))
	n, by := New(Config{}), &surer{knows: knows{Open: [2]int64{20}, Mean: [2]int64{60_000}}}
	n.By(by)
	asks := func(round int64, at units.Time) (nodes int) {
		by.looks++
		batch := book.Apply(at, round, []sched.Event{{Kind: sched.NodeChanged, Node: 1, State: sched.Awake}})
		book.Begin(plan)
		n.Decide(book, batch, plan)
		for _, it := range plan.Items {
			if it.Verb == sched.Wake && it.Refused == sched.OK {
				nodes++
			}
		}
		return nodes
	}
	if first, again, later := asks(2, 1e9), asks(3, 1e9), asks(4, 2e9); first == 0 || again > 0 || later == 0 {
		t.Errorf("it asks for %d nodes, %d more at the same instant, and %d later; want some, none and some", first, again, later)
	}
}
