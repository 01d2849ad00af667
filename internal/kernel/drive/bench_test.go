package drive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// treadmill is a world that costs next to nothing: nodes with two map slots each beat in turn, and
// when a node beats, what it ran has just ended. So all that a benchmark measures is the loop:
// ledger, policy, plan and journal. There are always as many jobs as at the start: when one has run
// all its tasks, one like it arrives.
type treadmill struct {
	nodes    int
	at       units.Time
	beat     int
	placed   int
	limit    int
	on       [][]sched.AttemptID // running, by node
	jobOf    []sched.JobID       // by attempt
	left     []int               // tasks to commit, by job
	specs    []*workload.Job
	arrived  int
	news     []sched.Event // to be told with the next batch
	free     []sched.AttemptID
	out, old []sched.Event
}

const tasksPerJob = 400

func newTreadmill(nodes, jobs, limit int) *treadmill {
	w := &treadmill{nodes: nodes, limit: limit, on: make([][]sched.AttemptID, nodes+1), left: make([]int, jobs+1), jobOf: make([]sched.JobID, 1)}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
	for n := 1; n <= nodes; n++ {
		w.news = append(w.news, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n),
			Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: cluster.RackID(n%20 + 1), Class: class}}})
		w.on[n] = make([]sched.AttemptID, 0, 2)
	}
	for j := range jobs {
		st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, tasksPerJob)}
		for i := range st.Tasks {
			at := (j*7919 + i*104729) % nodes
			st.Hosts.Set(i, cluster.NodeID(at+1), cluster.NodeID((at+nodes/3)%nodes+1), cluster.NodeID((at+nodes/2)%nodes+1))
		}
		w.specs = append(w.specs, &workload.Job{ID: fmt.Sprint("job", j), Class: "c", Queue: fmt.Sprint("q", j%10), User: fmt.Sprint("u", j%30), Weight: 1,
			Soft: units.Never, Deadline: units.Time(units.Hour).Add(units.Duration(j*104729%jobs) * units.Second), Stages: []workload.StageSpec{st}})
		w.arrive(sched.JobID(j + 1))
	}
	return w
}

// arrive tells a job. The handle that it has was free in the last batch.
func (w *treadmill) arrive(j sched.JobID) {
	w.arrived++
	spec := *w.specs[int(j)-1]
	spec.ID = fmt.Sprintf("%s-%d", spec.ID, w.arrived)
	w.left[j] = tasksPerJob
	w.news = append(w.news, sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &spec}})
}

func (w *treadmill) Can() sched.Capabilities {
	return sched.Capabilities{World: "treadmill", Bind: true, Kill: true, Heartbeat: units.Second}
}

func (w *treadmill) WakeAt(units.Time) {}

func (w *treadmill) Next(context.Context) (drive.Batch, error) {
	if w.placed >= w.limit {
		return drive.Batch{}, io.EOF
	}
	w.at++
	w.beat = w.beat%w.nodes + 1
	w.old, w.out = w.out, append(w.old[:0], w.news...) // starts of the last plan, arrivals
	w.news = w.news[:0]
	for _, a := range w.on[w.beat] {
		j := w.jobOf[a]
		w.out = append(w.out, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed, Bytes: 64 * units.MB})
		w.free = append(w.free, a)
		if w.left[j]--; w.left[j] == 0 {
			w.out = append(w.out, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed})
			w.arrive(j)
		}
	}
	w.on[w.beat] = w.on[w.beat][:0]
	w.out = append(w.out, sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(w.beat)})
	return drive.Batch{At: w.at, Events: w.out}, nil
}

func (w *treadmill) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.Start || it.Refused != sched.OK || it.Held {
			continue
		}
		for _, b := range p.Bound[it.Tasks.From:it.Tasks.To] {
			var a sched.AttemptID
			if n := len(w.free); n > 0 && w.at > 1 {
				a, w.free = w.free[n-1], w.free[:n-1]
			} else {
				a = sched.AttemptID(len(w.jobOf))
				w.jobOf = append(w.jobOf, 0)
			}
			w.jobOf[a] = it.Job
			w.on[it.Node] = append(w.on[it.Node], a)
			w.news = append(w.news, sched.Event{Kind: sched.Started, Attempt: a, Job: it.Job, Stage: it.Stage, Task: b.Task, Node: it.Node,
				Locality: b.Locality, Item: it.ID})
			w.placed++
		}
	}
	return nil
}

// BenchmarkDecide measures one placement through the whole loop with the journal on: the start is
// decided, checked, booked and recorded; its confirmation and its end are taken in and recorded.
func BenchmarkDecide(b *testing.B) {
	for _, policy := range []string{"fifo+greedy(nonlocal=0)", "edf+greedy(nonlocal=0)", "fair+greedy(nonlocal=0)", "capacity+greedy(nonlocal=0)"} {
		for _, nodes := range []int{100, 1000, 10000} {
			for _, jobs := range []int{10, 100, 1000} {
				b.Run(fmt.Sprintf("%s/nodes=%d/jobs=%d", policy[:4], nodes, jobs), func(b *testing.B) {
					p, err := catalog.New(policy, queues.Config{})
					if err != nil {
						b.Fatal(err)
					}
					w := newTreadmill(nodes, jobs, 1<<62)
					j, err := journal.NewWriter(io.Discard, journal.Header{World: w.Can(), Policy: policy})
					if err != nil {
						b.Fatal(err)
					}
					l := drive.New(w, p, j)
					step := func(until int) {
						w.limit = until
						if err := l.Run(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					step(2*nodes + 1000) // all slots are taken once
					from := w.placed
					b.ReportAllocs()
					b.ResetTimer()
					step(from + b.N)
					b.StopTimer()
					b.ReportMetric(float64(w.placed-from)/b.Elapsed().Seconds(), "placements/s")
					if err := errors.Join(j.Flush()); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}
