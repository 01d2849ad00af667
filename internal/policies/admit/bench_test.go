package admit

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// rule is an admission that reads the order.
type rule interface {
	compose.Step
	Follow(sched.Order) error
}

// counting is a view that counts how often a job was looked at.
type counting struct {
	sched.View
	looks int
}

func (c *counting) Job(j sched.JobID) *sched.Job {
	c.looks++
	return c.View.Job(j)
}

// crowd is a book in which few jobs run and many wait, and in which at each turn one of those that
// run ends and another comes.
type crowd struct {
	book  *ledger.Ledger
	rule  rule
	view  counting
	plan  sched.Plan
	runs  []sched.JobID
	free  sched.JobID // its handle can be used again
	turns int64
}

var crowds = map[string]func() rule{
	"masters": func() rule { return NewAll(queues.Config{}) },
	"running": func() rule { return NewLimit(queues.Config{MaxRunning: 40}) },
	"users":   func() rule { return NewLimit(queues.Config{MaxRunningPerUser: 4}) },
}

func newCrowd(rule rule, wait int) *crowd {
	o := order.NewFair(order.FairConfig{})
	c := &crowd{book: ledger.New(sched.Capabilities{Bind: true}, o), rule: rule}
	c.view.View = c.book
	if err := rule.Follow(o); err != nil {
		panic(err)
	}
	batch := []sched.Event{{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1,
		Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Vector{units.Memory: int64(320 * units.GB)}}}}}}
	for j := range wait + 40 {
		batch = append(batch, c.arrival(sched.JobID(j+1)))
	}
	c.free = sched.JobID(wait + 41)
	c.told(batch...)
	return c
}

func (c *crowd) arrival(j sched.JobID) sched.Event {
	c.turns++
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint("j", c.turns), User: fmt.Sprint("u", c.turns%10), Weight: 1,
		Soft: units.Never, Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1),
			Containers: []cluster.Container{{Name: "m", Needs: units.Vector{units.Memory: int64(4 * units.GB)}}}}, {Kind: workload.Map, Tasks: make([]workload.Task, 1)}}}}}
}

func (c *crowd) told(batch ...sched.Event) {
	events := c.book.Apply(units.Time(c.turns), c.turns, batch)
	c.book.Begin(&c.plan)
	c.rule.Decide(&c.view, events, &c.plan)
	c.book.Check(&c.plan)
	for i := range c.plan.Items {
		if it := &c.plan.Items[i]; it.Verb == sched.Admit {
			c.runs = append(c.runs, it.Job)
		}
	}
}

func (c *crowd) turn() {
	ends := c.runs[0]
	c.runs = c.runs[1:]
	c.told(sched.Event{Kind: sched.JobEnded, Job: ends, Outcome: sched.Committed}, c.arrival(c.free))
	c.free = ends
}

// How many jobs are looked at when one ends and one comes does not depend on how many wait.
func TestFewJobsAreLookedAt(t *testing.T) {
	for name, fresh := range crowds {
		for _, wait := range []int{50, 5000} {
			c := newCrowd(fresh(), wait)
			c.turn()
			c.view.looks = 0
			for range 100 {
				c.turn()
			}
			if len(c.runs) == 0 || len(c.runs) > 41 {
				t.Errorf("%s: %d run: this tests nothing", name, len(c.runs))
			}
			if c.view.looks > 100*8 {
				t.Errorf("%s: with %d jobs that wait, %d were looked at in 100 turns", name, wait, c.view.looks)
			}
		}
	}
}

// When nodes come and change, and no job has a master, nobody is looked at, but once: all of them, to learn that.
func TestNodesConcernNobodyWithoutMasters(t *testing.T) {
	c := newCrowd(NewAll(queues.Config{}), -40)
	for range 5000 {
		e := c.arrival(c.free)
		e.Detail.Job.Stages = e.Detail.Job.Stages[1:]
		c.told(e)
		c.free++
	}
	node := func(kind sched.EventKind) sched.Event {
		return sched.Event{Kind: kind, Node: 1, X: 0.5, Detail: &sched.Detail{Node: c.book.Node(1).Spec}}
	}
	c.told(node(sched.NodeChanged))
	c.view.looks = 0
	for range 100 {
		c.told(node(sched.NodeUp))
		c.told(node(sched.NodeChanged))
	}
	if c.view.looks > 0 || len(c.runs) != 5000 {
		t.Errorf("%d run, and %d were looked at", len(c.runs), c.view.looks)
	}
}

// BenchmarkTurn is one job's end and another one's arrival, with so many that wait: book and decision.
func BenchmarkTurn(b *testing.B) {
	for _, name := range []string{"masters", "running", "users"} {
		for _, wait := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, wait), func(b *testing.B) {
				c := newCrowd(crowds[name](), wait)
				for b.Loop() {
					c.turn()
				}
			})
		}
	}
}
