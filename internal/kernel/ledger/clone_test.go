package ledger

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// large returns a book of so many jobs of 100 maps and 10 reduces, on nodes that ten attempts run on each.
func large(jobs, nodes int) *Ledger {
	l := New(sched.Capabilities{Bind: true, Heartbeat: units.Second}, testOrder{ceiling: 1 << 30})
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(10, 10)}
	var events []sched.Event
	for n := 1; n <= nodes; n++ {
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n),
			Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: cluster.RackID(1 + n%40), Class: class}}})
	}
	for j := 1; j <= jobs; j++ {
		m := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, 100)}
		for t := range m.Tasks {
			m.Tasks[t] = workload.Task{Work: units.Second}
			m.Hosts.Set(t, sched.NodeID(1+(j*7+t*13)%nodes), sched.NodeID(1+(j*11+t*17+1)%nodes), sched.NodeID(1+(j*5+t*29+2)%nodes))
		}
		r := workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 10)}
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(j), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint("j", j),
			Queue: fmt.Sprint("q", j%20), Deadline: units.Never, Soft: units.Never, Stages: []workload.StageSpec{m, r}}}})
	}
	l.Apply(0, 1, events)
	var plan sched.Plan
	l.Begin(&plan)
	for j := 1; j <= jobs; j++ {
		plan.Admit(sched.JobID(j), sched.Outlook{}, sched.Reason{})
	}
	l.Check(&plan)
	events = events[:0]
	for n := 1; n <= nodes; n++ {
		events = append(events, sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n)})
	}
	l.Apply(1, 2, events)
	l.Begin(&plan)
	for n := 1; n <= nodes; n++ {
		plan.Start(sched.JobID(1+(n*7)%jobs), sched.Map, sched.NodeID(n), 10, sched.Remote, sched.Reason{})
	}
	l.Check(&plan)
	events = events[:0]
	a := sched.AttemptID(0)
	for i := range plan.Items {
		it := &plan.Items[i]
		for _, b := range plan.Bound[it.Tasks.From:it.Tasks.To] {
			a++
			events = append(events, sched.Event{Kind: sched.Started, Attempt: a, Job: it.Job, Stage: it.Stage, Task: b.Task, Node: it.Node, Locality: b.Locality, Item: it.ID})
		}
	}
	l.Apply(2, 3, events)
	return l
}

// Queues that come and go in a book leave those of its copy alone: a new queue of the copy gets a handle that
// none of its queues has.
func TestCloneHandsOutItsOwnQueues(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 99})
	in := func(j sched.JobID, queue string) sched.Event {
		e := jobOf(j, "j"+queue, maps(1))
		e.Detail.Job.Queue = queue
		return e
	}
	goes := func(j sched.JobID) sched.Event {
		return sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed}
	}
	d.told(in(1, "a"), in(2, "b"), in(3, "c"), in(4, "d"))
	d.told(goes(3), goes(4))
	d.told() // after which their handles are free
	c := &desk{T: t, Ledger: d.Clone(testOrder{ceiling: 99}), at: d.at, turns: d.turns}
	d.told(in(3, "e"))
	d.told(goes(2))
	d.told()
	c.told(in(3, "f"))
	if b, f := c.Job(2).Queue, c.Job(3).Queue; b == f || c.Queue(b).Name != "b" || c.Queue(f).Name != "f" {
		t.Errorf("the copy's queues are %+v and %+v", c.Queue(b), c.Queue(f))
	}
}

// Chunks of a ranking that fell empty before the copy was made are used again by one of the two books alone.
func TestCloneHasItsOwnRoom(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 999})
	fill := func(d *desk, from, to int) {
		var arrive []sched.Event
		var admit []sched.Item
		for j := from; j <= to; j++ {
			e := jobOf(sched.JobID(j), fmt.Sprint("j", j), maps(1))
			e.Detail.Job.Queue = "q"
			arrive = append(arrive, e)
			admit = append(admit, sched.Item{Verb: sched.Admit, Job: sched.JobID(j)})
		}
		d.told(arrive...)
		d.decide(admit...)
		d.told()
	}
	const many = 3 * chunkCap
	fill(d, 1, many)
	var gone []sched.Event
	for j := 2; j <= many; j++ {
		gone = append(gone, sched.Event{Kind: sched.JobEnded, Job: sched.JobID(j), Outcome: sched.Committed})
	}
	d.told(gone...)
	d.told() // after which their handles are free
	c := &desk{T: t, Ledger: d.Clone(testOrder{ceiling: 999}), at: d.at, turns: d.turns}
	fill(d, 2, many)
	fill(c, many+1, 2*many-1)
	for _, b := range []struct {
		*desk
		from int32
	}{{d, 2}, {c, many + 1}} {
		seen := int32(0)
		for _, chunk := range b.queues[b.Job(1).Queue].ranks[sched.Map].chunks {
			for _, e := range chunk {
				if want := b.from + seen - 1; seen > 0 && e.elem != want {
					b.Fatalf("at place %d stands job %d, want %d", seen, e.elem, want)
				}
				seen++
			}
		}
		b.is("jobs that are ranked", seen, int32(many))
	}
}

// Both books may be told of things at once: of nodes that come back empty, what the one takes to be lost there
// is not the other's affair. The race detector sees to it.
func TestCloneAtOnce(t *testing.T) {
	l := large(40, 8)
	back := func(l *Ledger, n sched.NodeID) {
		l.Apply(l.Now().Add(units.Second), l.Round()+1, []sched.Event{{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: l.Node(n).Spec}}})
	}
	back(l, 1)
	books := []*Ledger{l, l.Clone(l.order)}
	var says [2]bytes.Buffer
	var both sync.WaitGroup
	for i, b := range books {
		both.Go(func() {
			for n := sched.NodeID(2); n <= b.Nodes(); n++ {
				back(b, n)
			}
			if err := b.Save(&says[i]); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if l.Job(1).Stages[sched.Map].Running != 0 || !bytes.Equal(says[0].Bytes(), says[1].Bytes()) {
		t.Errorf("the books differ, or something still runs: %+v", l.Job(1).Stages[sched.Map])
	}
}

// BenchmarkClone copies a book of 10,000 jobs of 110 tasks on 1,000 nodes, of which 10,000 run.
func BenchmarkClone(b *testing.B) {
	l := large(10_000, 1000)
	if n := len(l.attempts) - 1; n != 10_000 {
		b.Fatalf("%d attempts run", n)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Clone(l.order)
	}
}
