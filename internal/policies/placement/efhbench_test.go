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

// BenchmarkEFH measures what one task that ends costs where all nodes are full and jobs of ten maps wait, each for data
// on thirty nodes.
func BenchmarkEFH(b *testing.B) {
	for _, size := range [][2]int{{100, 100}, {10_000, 1000}} {
		b.Run(fmt.Sprintf("%d nodes, %d jobs", size[0], size[1]), func(b *testing.B) {
			p, err := catalog.New("fifo+efh", queues.Config{})
			if err != nil {
				b.Fatal(err)
			}
			l := ledger.New(sched.Capabilities{Bind: true, Kill: true, Heartbeat: units.Second}, p.About().Order)
			var plan sched.Plan
			var out []sched.Event
			now, round := units.Time(0), int64(0)
			var running []sched.AttemptID
			step := func() {
				now, round = now+1000, round+1
				events := l.Apply(now, round, out)
				l.Begin(&plan)
				p.Decide(l, events, &plan)
				l.Check(&plan)
				out = out[:0]
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
			}
			cpu := &cluster.Class{Name: "cpu", Speed: 1, Capacity: units.Vector{units.VCores: 8}, Idle: 100, Dynamic: 100}
			gpu := &cluster.Class{Name: "gpu", Speed: 1, Capacity: units.Vector{units.VCores: 8, units.Named0: 2}, Idle: 100, Dynamic: 100, Rates: []cluster.Rate{{Container: "gpu", Speed: 6, Watts: 90}}}
			for n := range size[0] {
				class := cpu
				if n%4 == 0 {
					class = gpu
				}
				out = append(out, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class}}})
			}
			kinds := []cluster.Container{{Name: "gpu", Needs: units.Vector{units.VCores: 1, units.Named0: 1}}, {Name: "cpu", Needs: units.Vector{units.VCores: 1}}}
			job := func(j, maps int) {
				st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, maps), Containers: kinds[j%2:]}
				for i := range st.Tasks {
					st.Tasks[i].Input = 1 << 27
					st.Hosts.Set(i, cluster.NodeID((j*31+i)%size[0]+1), cluster.NodeID((j*17+7*i+3)%size[0]+1), cluster.NodeID((j*13+11*i+5)%size[0]+1))
				}
				out = append(out, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(j),
					Class: fmt.Sprint(j % 8), Weight: 1, Deadline: units.Never, Soft: units.Never, Stages: []workload.StageSpec{st}}}})
			}
			job(1, 8*size[0])
			step()
			for j := range size[1] {
				job(j+2, 10)
			}
			step()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				out = append(out, sched.Event{Kind: sched.Ended, Attempt: running[i%len(running)], Outcome: sched.Killed})
				running[i%len(running)] = running[len(running)-1]
				running = running[:len(running)-1]
				step()
			}
		})
	}
}
