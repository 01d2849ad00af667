package need

import (
	"cmp"
	"slices"

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

// millis rounds a time up to milliseconds.
func millis(d units.Duration) int64 {
	return int64((max(0, d) + units.Millisecond - 1) / units.Millisecond)
}

// slotsOf is how many maps and reduces a node takes at once.
func slotsOf(c *units.Vector) [kinds]int64 {
	if maps, reduces := c[units.MapSlots], c[units.ReduceSlots]; maps+reduces > 0 {
		return [kinds]int64{maps, reduces}
	}
	return [kinds]int64{c[units.VCores], c[units.VCores]}
}

// stocked looks at all nodes. O(nodes).
func stocked(v sched.View) (s stock) {
	s.room = room{{}}
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		nd := v.Node(n)
		if nd == nil || nd.State != sched.Awake && nd.State != sched.Waking {
			continue
		}
		class := v.Class(nd.Class).Spec
		slots := slotsOf(&class.Capacity)
		if nd.State == sched.Waking {
			s.room = s.room.with(1, slots, millis(nd.Until.Sub(v.Now())))
		} else {
			for k := range slots {
				s.room[0].slots[k] += slots[k]
			}
		}
		if !class.Rented() {
			continue
		}
		s.rented++
		s.costs += class.Price
		if nd.State == sched.Awake && nd.Occupied == 0 {
			s.idle = append(s.idle, nd)
		}
	}
	slices.Reverse(s.idle)
	return s
}

// classTasks is how many tasks of a job count as much as what is known of its class.
const classTasks = 3

// overdue is the part of the mean that a task still takes which has run for as long.
const overdue = 16

// line lists the jobs with a deadline that wait or run, and of which something is known, by deadline. O(jobs).
func (n *Need) line(v sched.View) {
	n.jobs, n.ids = n.jobs[:0], n.ids[:0]
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job != nil && job.Due() != units.Never && job.Standing() <= sched.Admitted && job.Standing() != sched.HeldBack && !job.Cancelled {
			n.ids = append(n.ids, j)
		}
	}
	slices.SortFunc(n.ids, func(a, b sched.JobID) int {
		x, y := v.Job(a), v.Job(b)
		return cmp.Or(cmp.Compare(x.Due(), y.Due()), cmp.Compare(x.Seq, y.Seq))
	})
	n.ids = slices.DeleteFunc(n.ids, func(id sched.JobID) bool {
		left, known := n.left(v, v.Job(id))
		if known {
			n.jobs = append(n.jobs, left)
		}
		return !known
	})
}

// left is what is left of a job.
func (n *Need) left(v sched.View, j *sched.Job) (left job, known bool) {
	class := v.Profile(j.Spec.Class)
	left.due = int64(j.Due().Sub(v.Now()) / units.Millisecond)
	for k := range kinds {
		s := sched.Map + sched.Stage(k)
		t := &j.Stages[s]
		if left.open[k] = int64(max(0, t.Open)); t.Open <= 0 && t.Occupied <= 0 {
			continue
		}
		tasks, sum := n.Own.Of(j.ID, s)
		if class != nil {
			if mean, _, ok := estimate.Task(class, s); ok && mean < units.Hour*1000 {
				tasks, sum = tasks+classTasks, sum+classTasks*mean
			}
		}
		if tasks == 0 {
			return left, false
		}
		mean := max(1, millis(sum/units.Duration(tasks)+v.World().Heartbeat/2)*int64(100+n.c.Margin)/100)
		left.mean[k] = mean
		for a := v.Youngest(j.ID, s, 0); a != 0; a = v.Youngest(j.ID, s, a) {
			ran := int64(v.Now().Sub(v.Attempt(a).Started) / units.Millisecond)
			left.running[k] = append(left.running[k], max(mean-ran, mean/overdue))
		}
		for len(left.running[k]) < int(t.Occupied) { // they are about to start
			left.running[k] = append(left.running[k], mean)
		}
	}
	return left, true
}
