package need

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stock is what is there of nodes.
type stock struct {
	room   room
	rented int           // of them, those of clouds, up or on their way
	costs  float64       // what these cost an hour
	idle   []*sched.Node // of these, those on which nothing runs, the last ones first
}

// slotsOf is how many maps and reduces a node takes at once.
func slotsOf(c *units.Vector) [kinds]int64 {
	if maps, reduces := c[units.MapSlots], c[units.ReduceSlots]; maps+reduces > 0 {
		return [kinds]int64{maps, reduces}
	}
	return [kinds]int64{c[units.VCores], c[units.VCores]}
}

// rents tells whether a rented node serves. O(classes).
func rents(v sched.View) bool {
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		if class := v.Class(c); class != nil && class.Spec.Rented() && class.Nodes[sched.Awake] > 0 {
			return true
		}
	}
	return false
}

// stocked counts nodes by class, and looks at single ones only where some wake, or may be idle. O(classes), O(nodes)
// then.
func stocked(v sched.View) (s stock) {
	s.room = room{{}}
	single := false
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		class := v.Class(c)
		if class == nil {
			continue
		}
		for k, slots := range slotsOf(&class.Spec.Capacity) {
			s.room[0].slots[k] += slots * int64(class.Nodes[sched.Awake])
		}
		single = single || class.Nodes[sched.Waking] > 0
		if class.Spec.Rented() {
			up := class.Nodes[sched.Awake] + class.Nodes[sched.Waking]
			s.rented += int(up)
			s.costs += class.Spec.Price * float64(up)
			single = single || class.Nodes[sched.Awake] > 0 && class.Free.Fits(&class.Spec.Capacity)
		}
	}
	if !single {
		return s
	}
	for n := v.Nodes(); n > 0; n-- {
		nd := v.Node(n)
		switch {
		case nd == nil:
		case nd.State == sched.Waking:
			s.room = s.room.with(1, slotsOf(&v.Class(nd.Class).Spec.Capacity), estimate.Millis(nd.Until.Sub(v.Now())))
		case nd.State == sched.Awake && nd.Occupied == 0 && v.Class(nd.Class).Spec.Rented():
			s.idle = append(s.idle, nd)
		}
	}
	return s
}

// overdue is the part of the mean that a task still takes which has run for as long.
const overdue = 16

// line lists the jobs with a deadline that wait or run, and of which something is known, by deadline. O(jobs and
// running tasks).
func (n *Need) line(v sched.View) {
	n.jobs, n.ids = n.jobs[:0], n.ids[:0]
	n.queue.Look(v)
	for _, id := range n.queue.Jobs {
		j := v.Job(id)
		if j.Due() == units.Never {
			break
		}
		left, known := n.Own.Left(v, j, n.c.Margin, [kinds]units.Duration{})
		if !known {
			continue
		}
		n.ids = append(n.ids, id)
		n.jobs = append(n.jobs, job{due: left.Due, open: left.Open, mean: left.Mean, running: running(v, j, left.Mean)})
	}
}

// running is what each task of a job that runs still takes.
func running(v sched.View, j *sched.Job, means [kinds]int64) (left [kinds][]int64) {
	for k, mean := range means {
		s := sched.Map + sched.Stage(k)
		for a := v.Youngest(j.ID, s, 0); a != 0; a = v.Youngest(j.ID, s, a) {
			ran := int64(v.Now().Sub(v.Attempt(a).Started) / units.Millisecond)
			left[k] = append(left[k], max(mean-ran, mean/overdue))
		}
		for len(left[k]) < int(j.Stages[s].Occupied) { // they are about to start
			left[k] = append(left[k], mean)
		}
	}
	return left
}
