package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// An index by node answers as a look at all tasks does, whether nodes share lists or not.
func TestNodeIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.SampledFrom([]int{1, 3, 12, 200, 100_000}).Draw(t, "nodes")
		n := rapid.IntRange(1, 20).Draw(t, "tasks")
		spec := workload.StageSpec{Tasks: make([]workload.Task, n)}
		for i := range spec.Tasks {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				host := cluster.NodeID(rapid.IntRange(1, largest).Draw(t, "host"))
				spec.Hosts.Set(i, append(slices.Clone(spec.Hosts.Of(i)), host)...)
			}
		}
		// Nodes come up one by one, also behind the index.
		l := &Ledger{nodes: make([]nodeBook, 1+rapid.IntRange(0, largest).Draw(t, "known"))}
		tb := openStage(&spec)
		x, list := &tb.nodes, tb.List
		for range 60 {
			asked := cluster.NodeID(rapid.IntRange(0, largest+2).Draw(t, "asked"))
			some := spec.Hosts.Of(rapid.IntRange(0, n-1).Draw(t, "of"))
			if len(some) > 0 && rapid.Bool().Draw(t, "one that is used") {
				asked = some[0]
			}
			want := 1
			for want <= n && (list[want].State != taskOpen || !slices.Contains(spec.Hosts.Of(want-1), asked)) {
				want++
			}
			got := l.firstOn(tb, asked)
			if copies := len(spec.Hosts.Nodes); len(x.cursors) > max(1, 2*copies) {
				t.Fatalf("%d lists for %d copies", len(x.cursors), copies)
			}
			if asked > 0 && int(got) != want%(n+1) {
				t.Fatalf("node %d: task %d, want %d", asked, got, want%(n+1))
			}
			if asked > 0 && got > 0 && rapid.Bool().Draw(t, "take") {
				list[got].State = taskLive
				tb.take(got)
			}
			if again := sched.TaskID(rapid.IntRange(1, n).Draw(t, "again")); list[again].State == taskLive {
				l.reopen(new(jobBook), tb, again)
			}
		}
	})
}

// The nearest task is the first node-local one, else one at home everywhere, else a rack-local one,
// else any: of stages of few tasks and of many, also when their nodes and racks become known later.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 40
		l := New(sched.Capabilities{Bind: true, Heartbeat: units.Second}, nil)
		l.jobs = append(l.jobs, jobBook{})
		b := &l.jobs[1]
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 1)}
		// Of racks that are numbered beyond 63 there are lists in place of bits.
		racks, apart := rapid.IntRange(0, 5).Draw(t, "racks"), rapid.SampledFrom([]int{1, 64}).Draw(t, "apart")
		tell := func(n sched.NodeID, with func(*sched.Event)) {
			rack := cluster.RackID(0)
			if racks > 0 {
				rack = cluster.RackID(rapid.IntRange(0, racks-1).Draw(t, "rack")*apart + 1)
			}
			with(&sched.Event{Kind: sched.NodeUp, Node: n,
				Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: rack, Class: class}}})
		}
		up := func(n sched.NodeID) { tell(n, l.nodeUp) }
		known := rapid.IntRange(1, nodes).Draw(t, "known nodes")
		for n := 1; n <= known; n++ {
			up(sched.NodeID(n))
		}
		tasks := rapid.SampledFrom([]int{1, 5, 16, 17, 60}).Draw(t, "tasks")
		spec := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, tasks)}
		for i := range spec.Tasks {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				host := cluster.NodeID(rapid.IntRange(1, nodes).Draw(t, "host"))
				spec.Hosts.Set(i, append(slices.Clone(spec.Hosts.Of(i)), host)...)
			}
		}
		tb := openStage(&spec)
		b.State, b.Spec = sched.Admitted, &workload.Job{ID: "j", Stages: []workload.StageSpec{spec}}
		b.tasks[sched.Map], b.Stages[sched.Map].Open = tb, int32(tasks)
		for range 150 {
			nb := &l.nodes[rapid.IntRange(1, known).Draw(t, "node")]
			best, level := sched.TaskID(0), 5
			for i := range spec.Tasks {
				at, hosts := 4, spec.Hosts.Of(i)
				switch {
				case slices.Contains(hosts, nb.ID):
					at = 1
				case len(hosts) == 0:
					at = 2
				case nb.Spec.Rack > 0 && slices.ContainsFunc(hosts, func(h cluster.NodeID) bool {
					return nb.Spec.Rack > 0 && int(h) <= known && l.nodes[h].Spec.Rack == nb.Spec.Rack
				}):
					at = 3
				}
				if tb.List[i+1].State == taskOpen && at < level {
					best, level = sched.TaskID(i+1), at
				}
			}
			want := []sched.Locality{0, sched.NodeLocal, sched.Anywhere, sched.RackLocal, sched.Remote, 0}[level]
			if got, locality := l.nearest(nb, 1, sched.Map); got != best || locality != want {
				t.Fatalf("node %d: task %d, %v, want %d, %v", nb.ID, got, locality, best, want)
			}
			switch rapid.IntRange(0, 9).Draw(t, "then") {
			default:
				if best > 0 {
					tb.List[best].State = taskLive
					tb.take(best)
					b.Stages[sched.Map].Open--
				}
			case 0, 1:
				again := sched.TaskID(rapid.IntRange(1, tasks).Draw(t, "again"))
				if tb.List[again].State == taskLive {
					l.reopen(b, tb, again)
				}
			case 2:
				if known < nodes {
					known++
					up(sched.NodeID(known))
				}
			case 3:
				tell(nb.ID, l.nodeChanged)
			}
		}
	})
}

// What was found for one start is not taken for another: not once something was booked, nor in a later batch.
func TestFoundOnce(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(4, 1)))
	one := start(1, sched.Map, 1, 1)
	d.decide(admit(1))
	d.Begin(&d.plan)
	d.is("nearest", d.Nearest(1, 1, sched.Map), sched.NodeLocal)
	d.plan.Add(one)
	d.plan.Add(one)
	d.is("first", d.plan.Bound[0].Task, sched.TaskID(1))
	d.is("second", d.plan.Bound[1].Task, sched.TaskID(2))
	d.Nearest(1, 1, sched.Map)
	first := d.plan.Items[0]
	d.told(sched.Event{Kind: sched.Refused, Item: first.ID, Job: 1, Stage: sched.Map, Node: 1, Count: 1})
	d.one(one)
	d.is("the one that is open again", d.plan.Bound[0].Task, sched.TaskID(1))
	d.Begin(&d.plan)
	d.is("the first job", d.First(1, sched.Map, 0), sched.JobID(1))
	d.plan.Add(sched.Item{Verb: sched.Withhold, Job: 1, Stage: sched.Map})
	d.plan.Add(one)
	d.is("withheld since", d.plan.Items[1].Refused, sched.Withheld)
}

// Input on a node that cannot be is as far away as any. Nobody promises that there is none in a journal.
func TestHostOfNoNode(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), jobOf(1, "a", maps(17, -1)))
	d.decide(admit(1))
	d.is("how near", d.Nearest(1, 1, sched.Map), sched.Remote)
}

// bitsAgree tells of a task that is open by one of its two records and not by the other. The task 0 is
// open, as it ends lists.
func (l *Ledger) bitsAgree() error {
	var err error
	l.eachStage(func(t *tasks) *tasks {
		for id := range t.List {
			if is := t.List[id].State; t.isOpen(int32(id)) != (id == 0 || is == taskOpen) {
				err = fmt.Errorf("task %d of %v has the state %d, and its bit is %v", id, t.Spec.Kind, is, t.isOpen(int32(id)))
			}
		}
		return t
	})
	return err
}
