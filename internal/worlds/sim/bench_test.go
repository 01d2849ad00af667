package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// fifo fills nodes in order of arrival from counters alone, without locality, so that a benchmark measures the world.
type fifo struct {
	w     *World
	order [2][]sched.JobID // jobs with open tasks of the stage, in the order in which it became ready
	jobs  []fifoJob
	need  [2]units.Vector
	free  []units.Vector
	on    []fifoAttempt
	plan  sched.Plan
	items sched.ItemID
	// counts
	arrived, beats, started, ended, changed, batches int
}

type fifoJob struct{ open, next [2]int32 }

type fifoAttempt struct {
	node  sched.NodeID
	stage sched.Stage
}

func (f *fifo) run(b failer) {
	ctx := context.Background()
	f.free = make([]units.Vector, len(f.w.nodes))
	f.need = [2]units.Vector{units.Slots(1, 0), units.Slots(0, 1)}
	for {
		batch, err := f.w.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		f.batches++
		f.plan.Reset(nil)
		for i := range batch.Events {
			f.take(&batch.Events[i])
		}
		if err := f.w.Enact(&f.plan); err != nil {
			b.Fatal(err)
		}
	}
}

func (f *fifo) take(e *sched.Event) {
	switch e.Kind {
	case sched.NodeUp:
		f.free[e.Node] = e.Detail.Node.Class.Capacity
		f.changed++
	case sched.JobArrived:
		f.arrived++
		for int(e.Job) >= len(f.jobs) {
			f.jobs = append(f.jobs, fifoJob{})
		}
		f.jobs[e.Job] = fifoJob{open: [2]int32{int32(e.Detail.Job.Tasks(sched.Map)), int32(e.Detail.Job.Tasks(sched.Reduce))}}
		f.order[0] = append(f.order[0], e.Job)
		f.items++
		f.plan.Items = append(f.plan.Items, sched.Item{ID: f.items, Verb: sched.Admit, Job: e.Job})
	case sched.StageReady:
		f.order[1] = append(f.order[1], e.Job)
	case sched.Started:
		for int(e.Attempt) >= len(f.on) {
			f.on = append(f.on, fifoAttempt{})
		}
		f.on[e.Attempt] = fifoAttempt{e.Node, e.Stage}
		f.started++
	case sched.Ended:
		a := f.on[e.Attempt]
		f.free[a.node].Add(&f.need[a.stage-sched.Map])
		f.ended++
	case sched.Heartbeat:
		f.beats++
		f.serve(e.Node)
	}
}

func (f *fifo) serve(n sched.NodeID) {
	for s := range f.need {
		for len(f.order[s]) > 0 && f.free[n].Fits(&f.need[s]) {
			id := f.order[s][0]
			j := &f.jobs[id]
			if j.open[s] == 0 {
				f.order[s] = f.order[s][1:]
				continue
			}
			j.open[s]--
			j.next[s]++
			f.free[n].Sub(&f.need[s])
			from := int32(len(f.plan.Bound))
			f.plan.Bound = append(f.plan.Bound, sched.Bound{Task: sched.TaskID(j.next[s]), Locality: sched.Anywhere})
			f.items++
			f.plan.Items = append(f.plan.Items, sched.Item{ID: f.items, Verb: sched.Start, Job: id, Stage: sched.Map + sched.Stage(s), Node: n,
				Count: 1, Tasks: sched.Span{From: from, To: from + 1}})
		}
	}
}

// BenchmarkSimulate runs a synthetic trace through the world alone: jobs of 200 maps of about 30 s
// and 10 reduces, at a load of about 0.9. An event is an arrival, a heartbeat that the policy
// answers, a start, an end, a change of a node.
func BenchmarkSimulate(b *testing.B) {
	for _, nodes := range []int{100, 1000, 10000} {
		for _, hb := range []units.Duration{0, 3 * sec} {
			for _, replicas := range []int{0, 3} {
				b.Run(fmt.Sprintf("nodes=%d/heartbeat=%v/replicas=%d", nodes, hb, replicas), func(b *testing.B) {
					const jobs, maps, reduces = 1000, 200, 10
					gap := 30.0 * maps / (0.9 * 2 * float64(nodes)) // two map slots a node
					w := &workload.Workload{}
					for i := range jobs {
						w.Jobs = append(w.Jobs, shape{id: fmt.Sprint("j", i), arrive: float64(i) * gap, maps: maps, reduces: reduces,
							mapS: 30, shufS: 5, reduS: 20, slow: 0.5}.job())
					}
					cfg := Config{Cluster: cluster.Uniform(nodes, 10, cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(2, 1)}),
						Workload: w, Heartbeat: hb, Replicas: replicas, Times: Times{Law: Uniform, CV: 0.3}}
					b.ReportAllocs()
					b.ResetTimer()
					events, tasks := 0, 0
					for range b.N {
						world, err := New(cfg)
						if err != nil {
							b.Fatal(err)
						}
						f := &fifo{w: world}
						f.run(b)
						events += f.arrived + f.beats + f.started + f.ended + f.changed
						tasks += f.ended
					}
					b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
					b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
				})
			}
		}
	}
}

// BenchmarkQueue is one pop and one push at a steady number of entries.
func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var q queue
			for i := range n {
				q.push(units.Time(mix(uint64(i))%1_000_000), attemptEnd, int32(i), 0)
			}
			b.ResetTimer()
			for i := range b.N {
				d := *q.top()
				q.pop()
				q.push(d.at+units.Time(mix(uint64(i))%1_000_000), attemptEnd, d.arg, 0)
			}
		})
	}
}
