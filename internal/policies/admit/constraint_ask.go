package admit

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A step is by how much more reduce slots are held from an instant on, by what jobs were accepted
// for.
type step struct {
	at units.Time
	by int64
}

// reserve takes the reduce slots of a job into the steps, or out of them with -1. O(accepted jobs).
func (c *Constraint) reserve(a *accepted, by int64) {
	if a.ReduceStart >= a.Deadline {
		return
	}
	for _, s := range []step{{a.ReduceStart, by * a.ReduceSlots}, {a.Deadline, -by * a.ReduceSlots}} {
		i, ok := slices.BinarySearchFunc(c.steps, s.at, func(s step, at units.Time) int { return cmp.Compare(s.at, at) })
		switch {
		case s.by == 0:
		case !ok:
			c.steps = slices.Insert(c.steps, i, s)
		default:
			if c.steps[i].by += s.by; c.steps[i].by == 0 {
				c.steps = slices.Delete(c.steps, i, i+1)
			}
		}
	}
}

// reducesHeld is how many reduce slots the accepted jobs hold at an instant.
func (c *Constraint) reducesHeld(at units.Time) (n int64) {
	for i := 0; i < len(c.steps) && c.steps[i].at <= at; i++ {
		n += c.steps[i].by
	}
	return n
}

// free is the first instant, not before at, at which no more reduce slots are held than so many.
func (c *Constraint) free(at units.Time, most int64) units.Time {
	held := int64(0)
	for i := range c.steps {
		if s := &c.steps[i]; s.at > at {
			if held <= most {
				return at
			}
			at = s.at
		}
		held += c.steps[i].by
	}
	return at
}

// Ask says what would become of a job that came now. One that is accepted has n_m^min map slots,
// and all its reduces start at the first instant behind its maps at which there are slots for all
// of them. So it is foreseen to end a reduce's time behind that, by the deadline at the latest. It
// may not: the flaws of the test are those of the answer.
func (c *Constraint) Ask(v sched.View, job *sched.Job) sched.Answer {
	switch {
	case job.State == sched.Waiting:
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	case unbound(job):
		if why, full := c.Share.Crowded(v, job); full {
			return sched.Answer{Verb: sched.Hold, Reason: why}
		}
		return sched.Answer{Verb: sched.Admit, Reason: noPromise(job), Outlook: sched.Outlook{Word: sched.Unpromised}}
	}
	var p sched.Plan
	a, why := c.test(v, job, &p)
	answer := sched.Answer{Verb: sched.Reject, Reason: why, Evidence: p.Evidence}
	if why.Cause != estimate.Promised && job.Spec.GoesOn() {
		answer = sched.Answer{Verb: sched.Admit, Reason: sched.Because(sched.Begun)} // without a promise
	}
	n, never := c.needs(v, job)
	if never.Cause != nil {
		return answer
	}
	if why.Cause == estimate.Promised {
		maps := n.begin
		if a.MapSlots > 0 {
			maps = n.begin.Add(1 + (n.takes.Maps-1)/units.Duration(a.MapSlots))
		}
		answer.Verb, answer.Outlook = sched.Admit, a.outlook()
		answer.Outlook.By = c.reducesFrom(v, &n, maps).Add(n.takes.Reduce)
	}
	answer.Offer = sched.Offer(c.earliest(v, &n), true)
	return answer
}

// reducesFrom is the first instant, not before at, at which there are slots for all reduces.
func (c *Constraint) reducesFrom(v sched.View, n *need, at units.Time) units.Time {
	if n.reduces == 0 {
		return at
	}
	return c.free(at, v.Capacity()[units.ReduceSlots]-n.reduces)
}

// earliest is the earliest deadline that would be accepted, 0 if none would be, as there is no map
// slot for the job now, or there are not so many reduce slots. The more time there is for maps the
// fewer slots they need; from the first instant on at which there are enough, it is the first at
// which reduces find theirs. Later deadlines may be refused again, as the test looks at single
// instants.
func (c *Constraint) earliest(v sched.View, n *need) units.Time {
	maps := v.Capacity()[units.MapSlots] - c.mapsHeld(v) - n.master // for tasks
	if maps < 0 && n.master > 0 || maps <= 0 && n.takes.Maps > 0 ||
		n.reduces > v.Capacity()[units.ReduceSlots] {
		return 0
	}
	from := n.begin
	if n.takes.Maps > 0 {
		from = from.Add(1 + (n.takes.Maps-1)/units.Duration(maps))
	}
	if d := c.reducesFrom(v, n, from).Add(n.takes.Reduce); d < units.Never {
		return d
	}
	return 0
}
