package conform

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/rtmr"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// full is a run of many jobs on nodes with ten map slots and two reduce slots each, after its first
// rounds: mix is one of those of BenchmarkAsk.
func full(b *testing.B, policy, mix string, jobs, nodes int, rounds int64) (l *drive.Loop, job func(id string) *workload.Job) {
	b.Helper()
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(10, 2)}
	c := &cluster.Cluster{Racks: 1, Classes: []*cluster.Class{class}}
	for n := range nodes {
		c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: class})
	}
	maps, times := 20, sim.Times{}
	switch mix {
	case "low":
		maps = 1
	case "late":
		times = sim.Times{Law: sim.LogNormal, CV: 1}
	}
	dice := rand.New(rand.NewPCG(1, 2))
	work := &workload.Workload{}
	job = func(id string) *workload.Job {
		j := &workload.Job{ID: id, Class: "c", User: "u" + id[:2], Soft: units.Never, Weight: 1, SlowStart: 1,
			Deadline: units.Time(0).Add(units.Duration(1400+dice.IntN(1600)) * units.Second)}
		m, r := workload.StageSpec{Kind: workload.Map}, workload.StageSpec{Kind: workload.Reduce, Tasks: []workload.Task{{Work: 30 * units.Second}}}
		for range maps {
			m.Tasks = append(m.Tasks, workload.Task{Work: units.Duration(40+dice.IntN(20)) * units.Second})
		}
		j.Stages = []workload.StageSpec{m, r}
		return j
	}
	for i := range jobs {
		work.Jobs = append(work.Jobs, job(fmt.Sprint("job", i)))
	}
	known := profile.New("c")
	known.Attempt(workload.Map, "c", 0, 60*units.Second, 0)
	known.Attempt(workload.Reduce, "c", 0, 30*units.Second, 0)
	for i, fixed := range []float64{50, 30} {
		known.Models = append(known.Models, &profile.Model{Key: profile.Key{Stage: workload.Map + workload.Stage(i), Part: profile.Run}, Fixed: fixed,
			Own: profile.LogNormal(0.2), Shared: profile.LogNormal(0.1), Total: profile.LogNormal(0.25), Tasks: 1000, Jobs: 100})
	}
	w, err := sim.New(sim.Config{Cluster: c, Workload: work, Heartbeat: 3 * units.Second, Profiles: []*profile.Class{known}, Times: times})
	if err != nil {
		b.Fatal(err)
	}
	p, err := catalog.New(policy, pools())
	if err != nil {
		b.Fatal(err)
	}
	l = drive.New(w, p)
	for l.Round < rounds {
		if err := l.Step(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	return l, job
}

// BenchmarkClone copies book and policy of a run with 10,000 jobs in the system on 1,000 nodes,
// 10,000 of whose slots are taken.
func BenchmarkClone(b *testing.B) {
	for _, policy := range []string{"fifo", "fair(users=true)", "rtmr", "dc"} {
		b.Run(policy, func(b *testing.B) {
			l, _ := full(b, policy, "full", 10_000, 1000, 2000)
			b.ReportAllocs()
			for b.Loop() {
				p, err := l.Policy.(sched.Cloner).Clone()
				if err != nil {
					b.Fatal(err)
				}
				order := p.About().Order
				l.Ledger.Clone(order)
			}
		})
	}
}

// BenchmarkAsk asks about a job after each batch of a run with 10,000 jobs in the system on 1,000
// nodes: one question for each state of the book, and then one more about the same.
//
//	full   jobs of 20 maps: few run, all others wait
//	low    jobs of one map: there is a slot for each
//	late   as full, but tasks take longer than was known, and promises are broken
//
// A question costs, under rtmr: O(jobs) comparisons and some hundred estimates, more if jobs have to be
// estimated again since something changed; promise: O(jobs) estimates for the first one after a decision, some
// hundred for each of the next, more where one would put promises at risk; dc: O(accepted jobs) without an
// allocation for each; rds: O(jobs), as it plays on a copy of all members.
func BenchmarkAsk(b *testing.B) {
	const jobs, nodes = 10_000, 1000
	for _, policy := range []string{"rtmr", "promise", "dc", "fair+limit(running=100,per_user=2)",
		"rds"} {
		for _, mix := range []string{"full", "low", "late"} {
			b.Run(policy+"/"+mix, func(b *testing.B) {
				l, job := full(b, policy, mix, jobs, nodes, 2000)
				// A policy that lacks a model of the class answers at once, and shows nothing.
				if a := l.Policy.(sched.Asker).Ask(l.Ledger, l.Ledger.Now(), job("new")); a.Reason.Cause == rtmr.ClassUnknown {
					b.Fatal("nothing is known of the class")
				}
				var first, again []time.Duration
				b.ResetTimer()
				for b.Loop() {
					b.StopTimer()
					err := l.Step(context.Background())
					if err == io.EOF {
						l, job = full(b, policy, mix, jobs, nodes, 2000)
					} else if err != nil {
						b.Fatal(err)
					}
					p := l.Policy.(sched.Asker)
					j, k := job("new"), job("new")
					b.StartTimer()
					began := time.Now()
					p.Ask(l.Ledger, l.Ledger.Now(), j)
					between := time.Now()
					p.Ask(l.Ledger, l.Ledger.Now(), k)
					first, again = append(first, between.Sub(began)), append(again, time.Since(between))
				}
				for name, list := range map[string][]time.Duration{"first": first, "again": again} {
					slices.Sort(list)
					b.ReportMetric(float64(list[len(list)/2].Microseconds()), name+"-µs-p50")
					b.ReportMetric(float64(list[len(list)*99/100].Microseconds()), name+"-µs-p99")
				}
			})
		}
	}
}
