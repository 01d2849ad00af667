package allot

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Admission lets in as many jobs of each class as the plan has.
type Admission struct {
	plan  *plan
	share admit.Share // of the cluster for masters of jobs that are not planned
}

// Decide plans again and lets in whom it can.
func (a Admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if !slices.ContainsFunc(batch, func(e sched.Event) bool { return changes.Has(e.Kind) }) {
		return
	}
	a.plan.make(v, nil)
	a.judge(v, func(job *sched.Job, is sched.Answer) bool {
		if is.Verb == sched.Hold && job.Standing() != sched.Pending {
			return false
		}
		return p.Add(sched.Item{Verb: is.Verb, Job: job.ID, Outlook: is.Outlook, Reason: is.Reason}) && is.Verb == sched.Admit
	})
}

// judge tells what becomes of each job that asks, in the order in which they came. told says whether a job that
// would be let in is: it takes the place of one behind it, and its master takes room. judge returns what all masters
// take then.
func (a Admission) judge(v sched.View, told func(*sched.Job, sched.Answer) bool) units.Vector {
	masters := admit.Masters(v)
	var list []*sched.Job
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); asks(job) {
			list = append(list, job)
		}
	}
	slices.SortFunc(list, func(x, y *sched.Job) int { return cmp.Compare(x.Seq, y.Seq) })
	for _, job := range list {
		c := a.plan.class(job)
		n := a.plan.outlined(v, job, c).need(v, job)
		if !told(job, a.verdict(v, job, c, &n, &masters)) {
			continue
		}
		if n.why.Cause == nil {
			c.runs++
		}
		need, _ := admit.MasterOf(job.Spec)
		masters.Add(&need)
	}
	return masters
}

// verdict is what becomes of a job of a class under the plan, while masters take so much.
func (a Admission) verdict(v sched.View, job *sched.Job, c *class, n *needs, masters *units.Vector) sched.Answer {
	begun := job.Begun() || job.Spec.GoesOn()
	switch {
	case n.why.Cause != nil && n.late == 0: // no deadline that could be planned for
		if why, full := a.share.CrowdedBy(v, job, masters); full {
			return sched.Answer{Verb: sched.Hold, Reason: why}
		}
		return sched.Answer{Verb: sched.Admit, Reason: n.why, Outlook: sched.Outlook{Word: sched.Unpromised}}
	case n.late > 0 && begun:
		return sched.Answer{Verb: sched.Admit, Reason: sched.Because(sched.Begun)}
	case n.late > 0 && a.plan.holds:
		if why, full := a.share.CrowdedBy(v, job, masters); full {
			return sched.Answer{Verb: sched.Hold, Reason: why}
		}
		return sched.Answer{Verb: sched.Admit, Reason: sched.Because(BeyondPlan, n.why.A, n.why.B), Outlook: sched.Outlook{Word: sched.Unpromised}}
	case n.late > 0:
		return sched.Answer{Verb: sched.Reject, Reason: n.why}
	case c.runs < c.Admit:
		return sched.Answer{Verb: sched.Admit, Reason: sched.Because(Planned, int64(job.Deadline), int64(min(job.Started, v.Now()).Add(n.takes)))}
	case begun:
		return sched.Answer{Verb: sched.Admit, Reason: sched.Because(sched.Begun)}
	}
	why := sched.Because(OverPlan, int64(c.Admit), c.worth(), a.plan.Price)
	if a.plan.holds {
		return sched.Answer{Verb: sched.Hold, Reason: why}
	}
	return sched.Answer{Verb: sched.Reject, Reason: why}
}

// Ask says what would become of a job that came now. O(jobs), and O(jobs · log jobs) if there is room for more of its
// class, or it has a master: those may take the room that came before.
func (a Admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	with := *a.plan
	with.Classes = slices.Clone(with.Classes)
	with.make(v, job)
	a.plan.memo, a.plan.cluster, a.plan = with.memo, with.cluster, &with
	c := with.class(job)
	var masters units.Vector
	if _, has := admit.MasterOf(job.Spec); has || c.runs < c.Admit {
		masters = a.judge(v, func(_ *sched.Job, is sched.Answer) bool { return is.Verb == sched.Admit })
	}
	n := with.outlined(v, job, c).need(v, job)
	return a.verdict(v, job, c, &n, &masters)
}

// MarshalJSON saves the plan.
func (a Admission) MarshalJSON() ([]byte, error) { return json.Marshal(a.plan) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a Admission) UnmarshalJSON(text []byte) error {
	a.plan.Classes, a.plan.Price = nil, 0
	return json.Unmarshal(text, a.plan)
}

// CopyFrom takes it over.
func (a Admission) CopyFrom(other any) {
	from := other.(Admission).plan
	a.plan.Classes, a.plan.Price = slices.Clone(from.Classes), from.Price
}

// Order gives each class its slots. Within a class jobs share evenly, those without a deadline
// behind the others.
type Order struct{ plan *plan }

// Path is the job's class.
func (o Order) Path(j *sched.Job) []string { return []string{of(j)} }

// QueueKey ranks nothing: slots of classes do not overlap but for rounding.
func (o Order) QueueKey(sched.View, *sched.Queue, sched.Stage) sched.Key { return sched.Key{} }

// JobKey ranks by what jobs hold.
func (o Order) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	k := sched.Key{0, int64(j.Stages[s].Occupied)}
	if j.Deadline == units.Never {
		k[0] = 1
	}
	return k
}

// Follows says that each stage has slots of its own.
func (o Order) Follows() sched.Tallies { return sched.OwnTally }

// Line ranks jobs that wait: by arrival.
func (o Order) Line(*sched.Job) sched.Key { return sched.Key{} }

// Open closes a class that has its slots.
func (o Order) Open(_ sched.View, q *sched.Queue, s sched.Stage) bool {
	if q.ID == sched.Root || s != sched.Map && s != sched.Reduce {
		return true
	}
	i, ok := o.plan.at(q.Name)
	return !ok || int(q.Stages[s].Occupied) < o.plan.Classes[i].Slots[s-sched.Map]
}
