package placement_test

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

// BenchmarkBeat measures one heartbeat, book and all, while ever more jobs wait: what the node ran
// is killed, so that the same work waits again, and it is filled again. All nodes but the last hold
// input of every job; the last has none, so that it finds no local map.
func BenchmarkBeat(b *testing.B) {
	const nodes = 30
	for _, policy := range []string{"fifo+matchmaking", "fair+matchmaking", "capacity+matchmaking", "fifo+greedy", "fifo+delay(D=1ns)"} {
		for _, where := range []string{"local", "far"} {
			for _, jobs := range []int{10, 100, 1000, 10000} {
				b.Run(fmt.Sprintf("%s/%s/jobs=%d", policy, where, jobs), func(b *testing.B) {
					p, err := catalog.New(policy, queues.Config{})
					if err != nil {
						b.Fatal(err)
					}
					l := ledger.New(sched.Capabilities{Bind: true, Kill: true, Heartbeat: units.Second}, p.About().Order)
					var plan sched.Plan
					var out []sched.Event
					now, round := units.Time(0), int64(0)
					step := func() {
						now, round = now+1000, round+1
						events := l.Apply(now, round, out)
						l.Begin(&plan)
						p.Decide(l, events, &plan)
						l.Check(&plan)
						out = out[:0]
					}
					class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
					for n := sched.NodeID(1); n <= nodes; n++ {
						out = append(out, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class}}})
					}
					for j := range jobs {
						st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 2*nodes)}
						for i := range st.Tasks {
							st.Hosts.Set(i, cluster.NodeID((j+i)%(nodes-1)+1), cluster.NodeID((j+7*i+3)%(nodes-1)+1))
						}
						out = append(out, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(j),
							Queue: fmt.Sprint("q", j%3), Weight: 1, Deadline: units.Never, Soft: units.Never, Stages: []workload.StageSpec{st}}}})
					}
					step()
					on := func(i int) sched.NodeID {
						if where == "far" {
							return nodes
						}
						return sched.NodeID(i%(nodes-1) + 1)
					}
					var running []sched.AttemptID
					beat := func(i int) (started int) {
						for _, a := range running {
							out = append(out, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Killed})
						}
						running = running[:0]
						out = append(out, sched.Event{Kind: sched.Heartbeat, Node: on(i)})
						step()
						for k := range plan.Items {
							it := &plan.Items[k]
							if it.Verb != sched.Start || it.Refused != sched.OK {
								continue
							}
							a := sched.AttemptID(len(running) + 1)
							running = append(running, a)
							out = append(out, sched.Event{Kind: sched.Started, Attempt: a, Item: it.ID, Job: it.Job, Stage: it.Stage, Task: plan.Bound[it.Tasks.From].Task, Node: it.Node})
						}
						now, round = now+1, round+1
						l.Apply(now, round, out)
						out = out[:0]
						return len(running)
					}
					for i := range 3 * nodes { // what came with the jobs is heard once
						beat(i)
					}
					if beat(0) == 0 {
						b.Fatal("nothing was started")
					}
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						beat(i)
					}
				})
			}
		}
	}
}
