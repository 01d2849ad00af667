package placement

import (
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

var (
	cpuBox = cluster.Container{Name: "cpu", Needs: units.Vector{units.VCores: 1}}
	gpuBox = cluster.Container{Name: "gpu", Needs: units.Vector{units.Named0: 1}}
)

// bookOf has nodes of these classes, and this job.
func bookOf(t *testing.T, j *workload.Job, classes ...*cluster.Class) *ledger.Ledger {
	t.Helper()
	l := ledger.New(sched.Capabilities{Bind: true}, order.FIFO{})
	var events []sched.Event
	for i, c := range classes {
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(i + 1), Detail: &sched.Detail{Node: &cluster.Node{Name: c.Name, Rack: 1, Class: c}}})
	}
	j.ID, j.Weight, j.Soft, j.Deadline = "j", 1, units.Never, units.Never
	events = append(events, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: j}})
	l.Apply(0, 1, events)
	var p sched.Plan
	l.Begin(&p)
	p.Admit(1, sched.Outlook{}, sched.Because(sched.AdmitAll))
	l.Check(&p)
	return l
}

func box(name string, cores, gpus int64, rates ...cluster.Rate) *cluster.Class {
	return &cluster.Class{Name: name, Speed: 1, Capacity: units.Vector{units.VCores: cores, units.Named0: gpus}, Rates: rates}
}

func mapsOf(n int, boxes ...cluster.Container) *workload.Job {
	return &workload.Job{Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, n), Containers: boxes}}}
}

// Section 6.1.4: of a CPU node with four containers and a GPU node with one for GPUs and three others, eight
// are relevant for a CPU job, and for a GPU job with adaptive execution; one without.
func TestRelevantContainers(t *testing.T) {
	for _, c := range []struct {
		ae, gpu string
		boxes   []cluster.Container
		want    int64
	}{
		{"printed", "printed", []cluster.Container{cpuBox, gpuBox}, 8},
		{"printed", "reserve", []cluster.Container{cpuBox, gpuBox}, 8},
		{"printed", "printed", []cluster.Container{gpuBox, cpuBox}, 8},
		{"off", "printed", []cluster.Container{cpuBox, gpuBox}, 8},
		{"off", "printed", []cluster.Container{gpuBox, cpuBox}, 1},
		{"overflow", "printed", []cluster.Container{gpuBox, cpuBox}, 1},
	} {
		l := bookOf(t, mapsOf(3, c.boxes...), box("cpu", 4, 0), box("gpu", 3, 1))
		e := &EFH{c: EFHConfig{T: units.Minute, AE: c.ae, GPU: c.gpu, Cap: true}}
		e.line(l)
		if got := e.shapes[0].total; got != c.want || e.shapes[0].free != c.want {
			t.Errorf("ae=%s, gpu=%s, own %s: %d containers are relevant, %d of them free; want %d", c.ae, c.gpu, c.boxes[0].Name, got, e.shapes[0].free, c.want)
		}
	}
	l := bookOf(t, mapsOf(3, gpuBox, cpuBox), box("cpu", 4, 0), box("gpu", 3, 1))
	e := &EFH{c: EFHConfig{AE: "overflow", Cap: true}}
	if e.line(l); e.shapes[0].total != 8 {
		t.Errorf("a GPU job that waits long may use %d containers, want 8", e.shapes[0].total)
	}
}

// Section 6.2.1: two containers of fitness 3 on one node and three of fitness 2 on another; a job that asks for
// three has the two and one of the others as its best. Data decide between nodes that are equally efficient,
// and a GPU that is twice as efficient does not count while data lie elsewhere (60 kB beat the GPU).
func TestOptset(t *testing.T) {
	rate := func(watts units.Watts) cluster.Rate { return cluster.Rate{Container: "cpu", Watts: watts} }
	k, l := box("k", 2, 0, rate(2)), box("l", 3, 0, rate(3))
	book := bookOf(t, mapsOf(3, cpuBox), l, k)
	e := &EFH{c: EFHConfig{T: units.Minute, AE: "printed", Cap: true}}
	e.line(book)
	list, free := e.best(e.queue[0].data)
	if free != 5 || len(list) != 2 || list[0].node != 2 || list[0].free != 2 || list[1].free != 3 {
		t.Errorf("%d free, %+v", free, list)
	}
	if r := e.queue[0].r; r != 1 {
		t.Errorf("r is %v while all are free", r)
	}
	var p sched.Plan
	book.Begin(&p)
	e.start(book, &p, book.Job(1), list, 1, sched.Because(FitWhole)) // on k, which has one more
	e.line(book)
	if w := e.queue[0]; w.asks != 2 || w.r != 0.5 { // the two on k are the best, and one of them is taken
		t.Errorf("it asks for %d, r is %v", w.asks, w.r)
	}

	j := mapsOf(4, gpuBox, cpuBox)
	for i := range j.Stages[0].Tasks {
		j.Stages[0].Tasks[i].Input = 60_000
		j.Stages[0].Hosts.Set(i, 1)
	}
	book = bookOf(t, j, box("cpu", 4, 0, rate(2)), box("gpu", 0, 1, cluster.Rate{Container: "gpu", Watts: 1}))
	e = &EFH{c: EFHConfig{T: units.Minute, AE: "printed", Cap: true}}
	e.line(book)
	if list, _ = e.best(e.queue[0].data); len(list) != 2 || list[0].node != 1 || list[0].h != 0.5 || list[1].h != 0 {
		t.Errorf("%+v", list)
	}
}

// The best that are left of worse nodes do not change r; containers that are taken are counted, and are not free.
func TestFactor(t *testing.T) {
	book := bookOf(t, mapsOf(4, cpuBox), box("a", 2, 0, cluster.Rate{Container: "cpu", Watts: 1}), box("b", 3, 0, cluster.Rate{Container: "cpu", Watts: 2}))
	e := &EFH{c: EFHConfig{T: units.Minute, AE: "printed", Cap: true}}
	for taken, want := range []float64{1, 1, 1} { // of 4, 3, 2 tasks that wait
		e.line(book)
		if r := e.queue[0].r; r != want {
			t.Errorf("%d on the worse node: r is %v, want %v", taken, r, want)
		}
		var p sched.Plan
		book.Begin(&p)
		if !p.Add(sched.Item{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 2, Count: 1}) {
			t.Fatal(p.Items[0].Refused)
		}
	}
	e.line(book)
	want := []group{{0, 1, 2, 2}, {0, 0.5, 3, 0}}
	if got := e.shapes[0].groups; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Section 6.2.2: of two tasks the one that is local to a single container gets it, and the one that is local to both
// the other one. Without that the first by number takes the fitter container. What has no local container waits until
// all that has is placed; with locality left out the first task goes to the fittest container.
func TestScarcestFirst(t *testing.T) {
	for without, want := range map[string]string{
		"none":     "task 3 on 1 node, task 1 on 2 node, task 2 on 3 remote, ",
		"scarcest": "task 1 on 1 node, task 3 on 2 rack, task 2 on 3 remote, ",
		"locality": "task 1 on 1 node, task 2 on 2 remote, task 3 on 3 rack, ",
	} {
		j := mapsOf(3, cpuBox)
		for i, hosts := range [][]cluster.NodeID{{1, 2}, {9}, {1}} {
			j.Stages[0].Tasks[i].Input = 1000
			j.Stages[0].Hosts.Set(i, hosts...)
		}
		far := box("far", 1, 0)
		book := bookOf(t, j, box("a", 1, 0, cluster.Rate{Container: "cpu", Watts: 1}), box("b", 1, 0, cluster.Rate{Container: "cpu", Watts: 2}), far)
		e := &EFH{c: EFHConfig{T: units.Minute, AE: "printed", Cap: true, Without: without}}
		var p sched.Plan
		book.Begin(&p)
		e.pass(book, &p)
		got := ""
		for _, it := range p.Items {
			for _, b := range p.Bound[it.Tasks.From:it.Tasks.To] {
				got += fmt.Sprintf("task %d on %d %s, ", b.Task, it.Node, b.Locality)
			}
		}
		if got != want {
			t.Errorf("without %s: %s; want %s", without, got, want)
		}
	}
}
