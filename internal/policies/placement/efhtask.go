package placement

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
)

// local is an open task with containers near its input among those that its job gets: L of eq. 6.5.
type local struct {
	task  sched.TaskID
	boxes int64
}

// start gives the job, as one group, that many containers of the list, and in them its tasks (table 6.4): those that
// are local, and when there is none left, others.
func (e *EFH) start(v sched.View, p *sched.Plan, j *sched.Job, list []offer, asks int64, why sched.Reason) {
	got := 0
	for ; got < len(list) && asks > 0; got++ {
		list[got].free = min(list[got].free, asks)
		asks -= list[got].free
	}
	list = list[:got]
	put := func(o *offer, task sched.TaskID, far sched.Locality) bool {
		o.free--
		return p.Add(sched.Item{Verb: sched.Start, Job: j.ID, Stage: sched.Map, Container: o.kind, Node: o.node, Task: task, Count: 1, Locality: far, Group: int32(j.ID), Reason: why})
	}
	for i := range list {
		for o := &list[i]; e.c.Without == "locality" && o.free > 0; {
			if task := v.Open(j.ID, sched.Map, 0); task == 0 || !put(o, task, sched.Remote) {
				break
			}
		}
	}
	if got > 1 && e.c.Without != "scarcest" { // else the first task is as scarce as any
		e.scarcest(v, j, list, put)
	}
	for _, far := range []sched.Locality{sched.NodeLocal, sched.Remote} {
		for i := range list {
			for o := &list[i]; o.free > 0; {
				if near := v.Nearest(o.node, j.ID, sched.Map); near == sched.NoLocality || near > far || !put(o, 0, far) {
					break
				}
			}
		}
	}
}

// scarcest starts what is local, the tasks with the fewest local containers first, each in the fittest of these. O(open
// tasks × copies).
func (e *EFH) scarcest(v sched.View, j *sched.Job, list []offer, put func(o *offer, task sched.TaskID, far sched.Locality) bool) {
	hosts := &j.Spec.Stage(sched.Map).Hosts
	for i := len(list) - 1; i >= 0; i-- {
		o := &list[i]
		o.next, e.first[o.node] = e.first[o.node], int32(i+1)
	}
	// on returns the fittest container of the list that is left on a node, from 1, and how many there are.
	on := func(n sched.NodeID) (best int32, all int64) {
		if int(n) >= len(e.first) {
			return 0, 0
		}
		for i := e.first[n]; i != 0; i = list[i-1].next {
			if all += list[i-1].free; best == 0 && all > 0 {
				best = i
			}
		}
		return best, all
	}
	e.local = e.local[:0]
	for t := v.Open(j.ID, sched.Map, 0); t != 0; t = v.Open(j.ID, sched.Map, t) {
		boxes := int64(0)
		for _, n := range hosts.Of(int(t - 1)) {
			_, all := on(n)
			boxes += all
		}
		if boxes > 0 {
			e.local = append(e.local, local{t, boxes})
		}
	}
	slices.SortStableFunc(e.local, func(a, b local) int { return cmp.Compare(a.boxes, b.boxes) })
	for _, t := range e.local {
		best := int32(0)
		for _, n := range hosts.Of(int(t.task - 1)) {
			if i, _ := on(n); i != 0 && (best == 0 || i < best) {
				best = i
			}
		}
		if best != 0 && !put(&list[best-1], t.task, sched.NodeLocal) {
			break
		}
	}
	for i := range list {
		e.first[list[i].node] = 0
	}
}
