package page

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The kinds of places where attempts run.
const (
	mapSlots    = iota
	reduceSlots // these two as papers speak of them
	containers  // whatever needs neither: numbered as they are used
	placeKinds
)

// place is where one attempt runs at a time: a slot of a node. Worlds do not say which slot an attempt got, so it is the first
// that is free.
type place struct {
	node sched.NodeID
	rack cluster.RackID
	kind uint8
	slot int32 // from 0
}

// tracker follows attempts and the places they hold. Memory: one page for each job, attempt and node that is there at the moment.
type tracker struct {
	jobs     []jobPage // by handle
	arrived  int32     // jobs so far
	nodes    []nodePage
	attempts []running
	places   []place
}

type jobPage struct {
	at   int32 // number in order of arrival
	spec *workload.Job
}

type nodePage struct {
	name   string
	rack   cluster.RackID
	places [placeKinds][]int32 // in tracker.places
	taken  [placeKinds][]bool
}

// running is an attempt that has begun.
type running struct {
	live     bool
	stage    sched.Stage
	kind     uint8
	locality sched.Locality
	job      int32 // number in order of arrival
	handle   sched.JobID
	task     sched.TaskID
	node     sched.NodeID
	began    units.Time
	first    int32   // place
	more     []int32 // further places of a container of several slots
	slots    [2]int64
	extra    bool // a second attempt of a task that runs
}

// at returns the element for a handle, growing the list if need be.
func at[T any, H ~int32](list *[]T, h H) *T {
	for int(h) >= len(*list) {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[h]
}

// nodeUp makes the node's slots known, so that idle ones are drawn too.
func (t *tracker) nodeUp(h sched.NodeID, n *cluster.Node) {
	p := at(&t.nodes, h)
	p.name, p.rack = n.Name, n.Rack
	for kind, dim := range []units.Dim{mapSlots: units.MapSlots, reduceSlots: units.ReduceSlots} {
		for int64(len(p.places[kind])) < min(n.Class.Capacity[dim], 1<<16) {
			t.place(h, p, uint8(kind))
		}
	}
}

func (t *tracker) place(h sched.NodeID, p *nodePage, kind uint8) {
	p.places[kind] = append(p.places[kind], int32(len(t.places)))
	p.taken[kind] = append(p.taken[kind], false)
	t.places = append(t.places, place{h, p.rack, kind, int32(len(p.places[kind]) - 1)})
}

// take returns a free place of the node.
func (t *tracker) take(h sched.NodeID, kind uint8) int32 {
	p := at(&t.nodes, h)
	for i, taken := range p.taken[kind] {
		if !taken {
			p.taken[kind][i] = true
			return p.places[kind][i]
		}
	}
	t.place(h, p, kind)
	last := len(p.places[kind]) - 1
	p.taken[kind][last] = true
	return p.places[kind][last]
}

func (t *tracker) leave(i int32) {
	p := &t.places[i]
	t.nodes[p.node].taken[p.kind][p.slot] = false
}

// arrive notes a job and returns its page.
func (t *tracker) arrive(h sched.JobID, spec *workload.Job) *jobPage {
	p := at(&t.jobs, h)
	*p = jobPage{t.arrived, spec}
	t.arrived++
	return p
}

// job returns the page of a job that is there, else nil.
func (t *tracker) job(h sched.JobID) *jobPage {
	if h < 1 || int(h) >= len(t.jobs) || t.jobs[h].spec == nil {
		return nil
	}
	return &t.jobs[h]
}

// start books an attempt; nil if its job is not known.
func (t *tracker) start(now units.Time, e *sched.Event) *running {
	j := t.job(e.Job)
	if j == nil || e.Attempt < 1 || e.Node < 0 {
		return nil
	}
	r := at(&t.attempts, e.Attempt)
	*r = running{live: true, stage: e.Stage, kind: containers, locality: e.Locality, job: j.at, handle: e.Job, task: e.Task,
		node: e.Node, began: now, more: r.more[:0]}
	width := int64(1)
	if st := j.spec.Stage(e.Stage); st != nil && int(e.Container) < max(1, len(st.Containers)) {
		c := st.Container(int(e.Container))
		r.slots = [2]int64{c.Needs[units.MapSlots], c.Needs[units.ReduceSlots]}
		if r.slots[0] > 0 {
			r.kind, width = mapSlots, r.slots[0]
		} else if r.slots[1] > 0 {
			r.kind, width = reduceSlots, r.slots[1]
		}
	}
	r.first = t.take(e.Node, r.kind)
	for range min(width, 1<<16) - 1 {
		r.more = append(r.more, t.take(e.Node, r.kind))
	}
	return r
}

// end gives an attempt's places back and returns it; nil if there is none.
func (t *tracker) end(h sched.AttemptID) *running {
	if h < 1 || int(h) >= len(t.attempts) || !t.attempts[h].live {
		return nil
	}
	r := &t.attempts[h]
	r.live = false
	t.leave(r.first)
	for _, i := range r.more {
		t.leave(i)
	}
	return r
}
