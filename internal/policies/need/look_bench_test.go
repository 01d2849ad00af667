package need

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// crowded is a book of so many nodes of eight map slots, of which a hundred can be rented besides, and jobs of ten maps
// and a reduce each, due from two hours on, but for one of so many maps, if any, that is due sooner.
func crowded(bind bool, nodes, jobs, early int) (*ledger.Ledger, *sched.Plan) {
	book, plan := ledger.New(sched.Capabilities{World: "desk", Bind: bind, Power: true}, nil), &sched.Plan{}
	own := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(8, 4)}
	rent := &cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(8, 4), Most: 1000, Price: 1, WakeTime: units.Minute}
	events := []sched.Event{{Kind: sched.Resync}}
	for n := range nodes + rent.Most {
		e := sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: own}}}
		if n >= nodes {
			e.Kind, e.State, e.Detail.Node.Class = sched.NodeChanged, sched.Offered, rent
		}
		events = append(events, e)
	}
	p := profile.New("c")
	p.At(sched.Map, "c").Task.Add(20)
	p.At(sched.Reduce, "c").Task.Add(20)
	events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	for j := range jobs {
		spec := &workload.Job{ID: fmt.Sprint("j", j), Class: "c", Weight: 1, Deadline: units.Time(2*units.Hour) + units.Time(j*7919%jobs)*1e9, Soft: units.Never,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 10)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 1)}}}
		if j == jobs/2 && early > 0 {
			spec.Deadline, spec.Stages[0].Tasks = units.Time(11*units.Minute), make([]workload.Task, early)
		}
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: spec}})
	}
	book.Apply(0, 1, events)
	book.Begin(plan)
	for j := range jobs {
		plan.Admit(sched.JobID(j+1), sched.Outlook{}, sched.Because(sched.AdmitAll))
	}
	return book, plan
}

// BenchmarkLook is a whole look at 10,000 jobs after one has changed: where all are in time, where nodes lack for a job
// that is due early, with what is asked for it, and where they lack for all.
func BenchmarkLook(b *testing.B) {
	for _, c := range []struct {
		what  string
		nodes int
		early int // maps of a job that is due in ten minutes
	}{{"in time", 100, 0}, {"one lacks", 100, 25_000}, {"all lack", 10, 0}} {
		b.Run(c.what, func(b *testing.B) {
			book, plan := crowded(true, c.nodes, 10_000, c.early)
			n := New(Config{Margin: 20})
			batch := []sched.Event{{Kind: sched.JobAmended, Job: 5000}}
			round := int64(2)
			for b.Loop() {
				round++
				book.Begin(plan)
				n.memory.Nodes, n.memory.Asked = nil, [2]int64{}
				n.Decide(book, batch, plan)
				if wakes := len(plan.Items); (wakes > 0) != (c.what != "in time") {
					b.Fatal(wakes)
				}
				b.StopTimer()
				for h := sched.NodeID(1); h <= book.Nodes(); h++ { // they are offered again
					if nd := book.Node(h); nd.State == sched.Waking {
						book.Apply(0, round, []sched.Event{{Kind: sched.NodeChanged, Node: h, State: sched.Offered}})
					}
				}
				b.StartTimer()
			}
		})
	}
}
