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

// An index by place answers as a look at all tasks does, whether places share buckets or not.
func TestPlaceIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.SampledFrom([]int{1, 3, 12, 200, 100_000}).Draw(t, "places")
		n := rapid.IntRange(1, 20).Draw(t, "tasks")
		places := make([][]int32, n+1)
		l := &Ledger{}
		for task := 1; task <= n; task++ {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				place := int32(rapid.IntRange(1, largest).Draw(t, "place"))
				places[task] = append(places[task], place)
				l.placed = append(l.placed, placed{place, int32(task)})
			}
		}
		last := int32(0)
		for _, p := range l.placed {
			last = max(last, p.place)
		}
		x := l.indexPlaces(last)
		if len(x.buckets) > 2*len(l.placed)+3 {
			t.Fatalf("%d buckets for %d entries", len(x.buckets), len(l.placed))
		}
		list := make([]task, n+1)
		for range 60 {
			asked := int32(rapid.IntRange(-1, largest+2).Draw(t, "asked"))
			some := places[rapid.IntRange(1, n).Draw(t, "of")]
			if len(some) > 0 && rapid.Bool().Draw(t, "one that is used") {
				asked = some[0]
			}
			want := 1
			for want <= n && (list[want].State != taskOpen || !slices.Contains(places[want], asked)) {
				want++
			}
			got := x.first(asked, list)
			if int(got) != want%(n+1) {
				t.Fatalf("place %d: task %d, want %d", asked, got, want%(n+1))
			}
			if got > 0 && rapid.Bool().Draw(t, "take") {
				list[got].State = taskLive
			}
			if again := sched.TaskID(rapid.IntRange(1, n).Draw(t, "again")); list[again].State == taskLive {
				list[again].State = taskOpen
				for _, place := range places[again] {
					x.reopen(place, again)
				}
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
		racks := rapid.IntRange(0, 5).Draw(t, "racks")
		up := func(n sched.NodeID) {
			rack := cluster.RackID(0)
			if racks > 0 {
				rack = cluster.RackID(int(n)%racks + 1)
			}
			l.nodeUp(&sched.Event{Kind: sched.NodeUp, Node: n,
				Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: rack, Class: class}}})
		}
		known := rapid.IntRange(1, nodes).Draw(t, "known nodes")
		for n := 1; n <= known; n++ {
			up(sched.NodeID(n))
		}
		tasks := rapid.SampledFrom([]int{1, 5, 16, 17, 60}).Draw(t, "tasks")
		spec := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, tasks)}
		for i := range spec.Tasks {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				host := cluster.NodeID(rapid.IntRange(1, nodes).Draw(t, "host"))
				spec.Tasks[i].Hosts = append(spec.Tasks[i].Hosts, host)
			}
		}
		tb := openStage(&spec)
		b.State, b.Spec = sched.Admitted, &workload.Job{ID: "j", Stages: []workload.StageSpec{spec}}
		b.tasks[sched.Map], b.Stages[sched.Map].Open = tb, int32(tasks)
		for range 150 {
			nb := &l.nodes[rapid.IntRange(1, known).Draw(t, "node")]
			best, level := sched.TaskID(0), 5
			for i := range spec.Tasks {
				at, hosts := 4, spec.Tasks[i].Hosts
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
			}
		}
	})
}
