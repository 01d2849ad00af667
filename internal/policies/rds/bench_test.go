package rds

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// busy is a controller with so many running jobs of ten classes, at the beginning of an interval.
// Their deadlines are one to eleven hours away, and on ten nodes for each hundred of them that is
// about what the slots can do.
func busy(jobs int) (*controller, *ledger.Ledger) {
	set := settings{interval: 600 * units.Second, hp: 3, hc: 3,
		mapPenalty: 0.0107, reducePenalty: 0.0173, hard: 200, fast: true}
	c, book := newController(set), ledger.New(sched.Capabilities{Bind: true}, nil)
	class := &cluster.Class{Name: "c", Capacity: units.Vector{units.MapSlots: 20, units.ReduceSlots: 10}, Speed: 1}
	var events []sched.Event
	for n := range max(1, jobs/10) {
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), X: 1,
			Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Class: class}}})
	}
	dice := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		job := &workload.Job{ID: fmt.Sprint(j), Class: fmt.Sprint(j % 10), Weight: 1, Soft: units.Never, Deadline: units.Time(3600e9 + dice.Int64N(10*3600e9)),
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 100+dice.IntN(1000))}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 1+dice.IntN(100))}}}
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: job}})
	}
	batch := book.Apply(1, 1, events)
	var p sched.Plan
	Admission{c}.Decide(book, batch, &p)
	for j := range jobs {
		job := book.Job(sched.JobID(j + 1))
		job.State = sched.Admitted
		t := &job.Stages[sched.Map]
		t.Occupied, t.Ready = int32(1+dice.IntN(10)), true
		t.Open -= t.Occupied
	}
	return c, book
}

// BenchmarkPlan is a whole decision at the beginning of an interval: models learn, capacity is foreseen, equation 3
// is solved, and slots are given.
func BenchmarkPlan(b *testing.B) {
	for _, jobs := range []int{9, 100, 1000} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			c, book := busy(jobs)
			var p sched.Plan
			at := units.Time(1)
			b.ReportAllocs()
			for b.Loop() {
				at = at.Add(c.set.interval)
				for j := range jobs { // all get on, so that models learn
					t := &book.Job(sched.JobID(j + 1)).Stages[sched.Map]
					t.Done = (t.Done + t.Total/40) % t.Total
				}
				batch := book.Apply(at, book.Round()+1, []sched.Event{{Kind: sched.Tick}})
				p.Items = p.Items[:0]
				Admission{c}.Decide(book, batch, &p)
				Share{c}.Decide(book, batch, &p)
			}
		})
	}
}
