package ledger

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// scanLocal is FirstLocal without an index: it looks at every job.
func (l *Ledger) scanLocal(n sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	nb, from := l.node(n), l.job(after)
	if nb == nil || l.yielded || !nb.Serves() {
		return 0
	}
	var best *jobBook
	for j := range l.jobs {
		b := &l.jobs[j]
		if b.Ranked&(1<<s) == 0 || (from != nil && !l.before(from, b, s)) || (best != nil && !l.before(b, best, s)) {
			continue
		}
		if _, locality := l.nearest(nb, b.ID, s); (locality == sched.NodeLocal || locality == sched.Anywhere) && l.suits(nb, b, s, -1) && l.open(b.Queue, s) {
			best = b
		}
	}
	if best == nil {
		return 0
	}
	return best.ID
}

// steady is an order whose keys no start and no end changes.
type steady struct{ testOrder }

func (o steady) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{int64(j.Due()) + o.back[j.ID]}
}

// someOrder is one whose keys rise and fall with each task, or one whose keys do not.
func someOrder(t *rapid.T, back map[sched.JobID]int64) sched.Order {
	o := testOrder{ceiling: int32(rapid.IntRange(1, 9).Draw(t, "ceiling")), back: back}
	if rapid.Bool().Draw(t, "steady") {
		return steady{o}
	}
	return o
}

// ask walks all jobs with work local to a node, and compares each step with the scan.
func (l *Ledger) ask(t *rapid.T, n sched.NodeID, s sched.Stage) {
	for after := sched.JobID(0); ; {
		got, want := l.FirstLocal(n, s, after), l.scanLocal(n, s, after)
		if got != want {
			t.Fatalf("first with %v tasks local to node %d behind job %d: %d, want %d", s, n, after, got, want)
		}
		if after = got; got == 0 {
			return
		}
	}
}

// bounded checks that the index holds no more than a few entries for each job.
func (l *Ledger) bounded(t *rapid.T) {
	for n := range l.localJobs {
		for s := range l.localJobs[n] {
			for i := range l.localJobs[n][s].lines {
				if li := &l.localJobs[n][s].lines[i]; li.n > li.sweep {
					t.Fatalf("node %d, %v: %d entries, bound %d, of %d jobs", n, sched.Stage(s), li.n, li.sweep, len(l.jobs))
				}
			}
		}
	}
}

// Nodes are asked about now and then, so that much has changed since the index was last looked at.
func TestLocalIndexAgainstAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, jobs: make(map[sched.JobID]*mJob), tries: make(map[sched.AttemptID]*mTry)}
		m.order.back = make(map[sched.JobID]int64)
		m.l = New(sched.Capabilities{Bind: true, Kill: true, Speculate: true}, someOrder(t, m.order.back))
		m.nodes = make([]*mNode, 5)
		for n := range m.nodes {
			m.nodes[n] = &mNode{}
		}
		for n := 1; n < 4; n++ {
			m.turn(sched.NodeID(n))
		}
		patience := rapid.IntRange(1, 8).Draw(t, "patience")
		ask := func() {
			if m.pick("ask", patience) == 0 {
				m.l.ask(t, m.someNode(), stages[m.pick("stage", 2)])
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "batches") {
			m.events()
			m.round++
			m.l.Apply(units.Time(m.round), m.round, m.out)
			m.out = m.out[:0]
			ask()
			m.l.Begin(&m.plan)
			m.due()
			for range m.pick("items", 4) {
				m.decide()
				ask()
			}
			m.l.Check(&m.plan)
			m.enacted()
		}
		for n := range m.nodes {
			for _, s := range stages {
				m.l.ask(t, sched.NodeID(n), s)
			}
		}
		m.l.bounded(t)
	})
}

// The same where the world binds late and speaks in counts, and where it sends all it knows again.
func TestLocalIndexOfDemandAgainstAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes, jobs = 4, 6
		pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
		l := New(sched.Capabilities{Kill: true}, someOrder(t, nil))
		var plan sched.Plan
		var out []sched.Event
		up := func() {
			for n := sched.NodeID(1); n <= nodes; n++ {
				out = append(out, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n),
					Rack: cluster.RackID(n%2 + 1), Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(3, 1)}}}})
			}
		}
		describe := func(j sched.JobID) *workload.Job {
			return &workload.Job{ID: fmt.Sprint(j, len(out)), Queue: []string{"", "a", "x", "y"}[pick("queue", 4)], Deadline: units.Time(pick("deadline", 5) + 1),
				Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, pick("maps", 6)+1)}}}
		}
		var asked [jobs + 1]bool
		up()
		for round := range int64(rapid.IntRange(1, 50).Draw(t, "batches")) {
			for range pick("events", 4) {
				j := sched.JobID(pick("job", jobs) + 1)
				if b := l.job(j); b == nil || b.State == sched.Finished {
					if !asked[j] && b == nil {
						asked[j] = true
						out = append(out, sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: describe(j)}})
					}
					continue
				}
				switch pick("event", 8) {
				case 0:
					out = append(out, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed})
				case 1:
					out = append(out, sched.Event{Kind: sched.JobAmended, Job: j, Detail: &sched.Detail{Job: describe(j)}})
				case 2:
					out = append(out, sched.Event{Kind: sched.Refused, Item: sched.ItemID(1 + pick("item", int(l.lastItem)+1)), Count: int32(pick("count", 3))})
				default:
					e := sched.Event{Kind: sched.Demand, Job: j, Stage: sched.Map, Count: int32(pick("count", 6)), Item: sched.ItemID(pick("item", int(l.lastItem)+1))}
					var places []sched.LocationDemand
					for range pick("places", 4) {
						places = append(places, sched.LocationDemand{Node: sched.NodeID(pick("node", nodes+1)), Rack: cluster.RackID(pick("rack", 3)), Count: int32(pick("containers", 4))})
					}
					e.Detail = &sched.Detail{Demand: places}
					out = append(out, e)
				}
			}
			if pick("resync", 20) == 0 {
				out = append([]sched.Event{{Kind: sched.Resync}}, out...)
				up()
			}
			l.Apply(units.Time(round+1), round+1, out)
			out, asked = out[:0], [jobs + 1]bool{}
			l.Begin(&plan)
			for range pick("items", 4) {
				j := sched.JobID(pick("job", jobs) + 1)
				switch pick("verb", 6) {
				case 0, 1:
					plan.Admit(j, sched.Outlook{}, sched.Reason{})
				case 2:
					plan.Hold(j, sched.Reason{})
				case 3:
					plan.Add(sched.Item{Verb: sched.SetDeadline, Job: j, At: units.Time(pick("to", 5))})
				default:
					plan.Add(sched.Item{Verb: sched.Start, Job: j, Stage: sched.Map, Node: sched.NodeID(pick("on", nodes) + 1), Count: int32(pick("n", 3) + 1), Group: int32(pick("group", 3))})
				}
				if pick("ask", 4) == 0 {
					l.ask(t, sched.NodeID(pick("node", nodes)+1), sched.Map)
				}
			}
			l.Check(&plan)
		}
		for n := range sched.NodeID(nodes + 1) {
			l.ask(t, n, sched.Map)
		}
		l.bounded(t)
	})
}

// A container that the world did not grant is local work again, though the job's place in the order is what it was.
func TestLocalWorkGivenBack(t *testing.T) {
	d := late(t)
	d.told(demand(3, 0, sched.LocationDemand{Node: 1, Count: 1}, sched.LocationDemand{Count: 3}))
	d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(1))
	it := d.one(start(1, sched.Map, 1, 1))
	d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(0))
	d.told(sched.Event{Kind: sched.Refused, Item: it.ID})
	d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(1))
}

// A job whose key falls again and again, behind another that always stands in front, leaves entries
// that nobody comes to look at: they are swept.
func TestLocalIndexIsSwept(t *testing.T) {
	d := open(t, bound, steady{testOrder{ceiling: 9}})
	d.told(nodeUp(1, 1, 9, 0), jobOf(1, "front", maps(1, 1)), jobOf(2, "back", maps(1, 1)))
	d.decide(admit(1), admit(2), sched.Item{Verb: sched.SetDeadline, Job: 1, At: 1})
	for i := range units.Time(5000) {
		d.decide(sched.Item{Verb: sched.SetDeadline, Job: 2, At: 10000 - i})
		d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(1))
		if n := d.localJobs[1][sched.Map].lines[0].n; n > 3*chunkCap {
			t.Fatalf("%d entries of two jobs", n)
		}
	}
	d.is("second", d.FirstLocal(1, sched.Map, 1), sched.JobID(2))
}

// BenchmarkFirstLocal asks about a node for which ever more jobs wait with input on it, and takes
// what it is told: one task of the job starts there, and ends, so that its key rises and falls.
func BenchmarkFirstLocal(b *testing.B) {
	for _, jobs := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			l := New(sched.Capabilities{Bind: true}, testOrder{ceiling: 1 << 30})
			var plan sched.Plan
			var out []sched.Event
			class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
			for n := sched.NodeID(1); n <= 30; n++ {
				out = append(out, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class}}})
			}
			for j := range jobs {
				st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 20)}
				for i := range st.Tasks {
					st.Hosts.Set(i, cluster.NodeID((j+i)%30+1), cluster.NodeID((j+7*i)%30+1))
				}
				out = append(out, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j + 1), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(j), Deadline: units.Never, Stages: []workload.StageSpec{st}}}})
			}
			l.Apply(0, 1, out)
			l.Begin(&plan)
			for j := range jobs {
				plan.Admit(sched.JobID(j+1), sched.Outlook{}, sched.Reason{})
			}
			l.Check(&plan)
			for n := sched.NodeID(1); n <= 30; n++ { // what came with the jobs is heard once
				l.FirstLocal(n, sched.Map, 0)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				n := sched.NodeID(i%30 + 1)
				l.Begin(&plan)
				j := l.FirstLocal(n, sched.Map, 0)
				if !plan.Start(j, sched.Map, n, 1, sched.NodeLocal, sched.Reason{}) {
					b.Fatal("no start")
				}
				id, task := plan.Items[0].ID, plan.Bound[0].Task
				l.Check(&plan)
				at := units.Time(i + 1)
				out = append(out[:0], sched.Event{Kind: sched.Started, Attempt: 1, Item: id, Job: j, Stage: sched.Map, Task: task, Node: n})
				l.Apply(at, int64(2*i), out)
				out = append(out[:0], sched.Event{Kind: sched.Ended, Attempt: 1, Outcome: sched.Killed})
				l.Apply(at, int64(2*i+1), out)
			}
		})
	}
}
