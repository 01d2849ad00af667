package workflow_test

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// BenchmarkBeat is a decision of deets, book and all, with 10,000 machines of four classes and jobs that wait: a task
// of the node is killed, so that it waits again, and starts again where it costs least.
func BenchmarkBeat(b *testing.B) {
	const nodes = 10_000
	for _, jobs := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("jobs=", jobs), func(b *testing.B) {
			p, err := catalog.New("edf+deets", queues.Config{})
			if err != nil {
				b.Fatal(err)
			}
			l := ledger.New(sched.Capabilities{Bind: true, Kill: true, Heartbeat: units.Second}, p.About().Order)
			var plan sched.Plan
			var out []sched.Event
			now, round := units.Time(0), int64(0)
			step := func() {
				now, round = now+1, round+1
				batch := l.Apply(now, round, out)
				l.Begin(&plan)
				p.Decide(l, batch, &plan)
				l.Check(&plan)
				out = out[:0]
			}
			for k := range 4 {
				class := &cluster.Class{Name: fmt.Sprint("c", k), Speed: 1 + float64(k)/4, Capacity: units.Slots(2, 0), Dynamic: units.Watts(40 + 100*k)}
				for n := k; n < nodes; n += 4 {
					out = append(out, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class}}})
				}
			}
			for j := range jobs {
				st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 4*nodes/jobs), MinTasks: 4 * nodes / jobs, MaxTasks: 4 * nodes / jobs, Works: []units.Duration{units.Minute}}
				out = append(out, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(j),
					Weight: 1, Deadline: units.Time(units.Hour).Add(units.Duration(j)), Soft: units.Never, Stages: []workload.StageSpec{st}}}})
			}
			step()
			var running []sched.AttemptID
			last := sched.AttemptID(0)
			beat := func(n sched.NodeID) (started int) {
				out = append(out, sched.Event{Kind: sched.Heartbeat, Node: n})
				step()
				running = running[:0]
				for i := range plan.Items {
					if it := &plan.Items[i]; it.Verb == sched.Start && it.Refused == sched.OK {
						last++
						running = append(running, last)
						out = append(out, sched.Event{Kind: sched.Started, Attempt: last, Item: it.ID, Job: it.Job, Stage: it.Stage, Task: plan.Bound[it.Tasks.From].Task, Node: n})
					}
				}
				now, round = now+1, round+1
				l.Apply(now, round, out)
				out = out[:0]
				return len(running)
			}
			if beat(1) == 0 || beat(2) != 0 {
				b.Fatal("tasks start elsewhere than where they cost least")
			}
			beat(1 + 4)
			b.Run("start", func(b *testing.B) {
				for b.Loop() {
					for _, a := range running {
						out = append(out, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Killed})
					}
					if beat(1+4) == 0 {
						b.Fatal("nothing started")
					}
				}
			})
			b.Run("wait", func(b *testing.B) { // a node of a class for which nobody waits
				for b.Loop() {
					beat(2)
				}
			})
		})
	}
}
