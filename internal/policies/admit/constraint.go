package admit

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Constraint is the admission of the Deadline Constraint scheduler (Kc and Anyanwu 2010; paper 003,
// section 5.1), as it was published. A job that arrives at A with a deadline D later, whose n_r
// reduces take so long, is tested when it arrives, at s_m:
//
//	s_r^max = A + D - the time of a reduce, as all n_r run at once      the latest start of the reduces
//	n_m^min = ⌈c_m·σ / (s_r^max - s_m)⌉                (5.1)            the fewest map slots with which the maps end by then
//
// It is accepted if n_m^min map slots are free at s_m, and n_r reduce slots at s_r^max. It gets
// n_m^min map slots and no more, and its reduces start behind its last map. c_m and the time of a
// reduce are the mean of what is known of its class (package estimate): eq. 5.1 has one cost of a
// unit of data, on nodes that are all alike, and it is RTMR that brings the worst, c_m^max (paper
// 003, section 5.2.1). With the worst its flaws hardly show.
//
// Both flaws of the original are kept, as this is what others are compared with:
//
//   - An instant is checked, not an interval: reduce slots are looked for at s_r^max, though they
//     are needed from then until the deadline. A job that is accepted later may hold them by then,
//     and the first misses (TestInstantFlaw). What counts as held at an instant is what the jobs
//     that were accepted have been accepted for: n_m^min map slots until the maps have ended, n_r
//     reduce slots from s_r^max to the deadline.
//   - It is fluid: c_m·σ / n time on n slots holds if maps could be cut at will. Whole waves of
//     them take longer (TestFluidFlaw).
//
// Both make it break promises; that it asks for all slots at once makes it refuse jobs that would
// be in time, and it never accepts more reduces than there are slots.
//
// An ApplicationMaster, which the paper does not know, moves s_m by its start-up. One in a map slot
// is one slot more that has to be free, from s_m until the job ends. Masters of jobs without a
// deadline wait while masters take the share of the cluster that they may; each such job is looked at again when a job
// ends, nodes come or change, it is amended, the control changes, or a stage of it may start: its master may run by a
// start of before a resync.
//
// What the paper leaves open: a job without a deadline is let in when it comes, and the order
// serves it last. Maps that are lost behind the last map do not hold reduces back again. A job with
// a deadline is refused if nothing is known of its class, or if it takes other containers than
// slots. A job that waits for others is decided on when these are done. A job of which nobody can
// tell yet how many tasks it has is let in as one without a deadline, and stays so: only its
// ApplicationMaster can tell, and it has to run for that. What runs when the policy takes over, and
// does not pass the test, runs on without a promise. An amended job keeps what it was accepted for.
//
// After a resync jobs that were accepted continue first, in the order in which they were, with what
// they were accepted for: each is let in, bounded, and its reduces wait for its last map again. All
// others are then decided on, by their handles, as if they came now; one that has begun is let in
// whatever the test says. So they are when the control changes. What was accepted only as advice is
// tested like any other.
type Constraint struct {
	Worst bool  // c_m and the time of a reduce are the worst that is known, not the mean
	Share Share // of the cluster for masters, before one of a job without a deadline has to wait

	accepted []accepted
	steps    []step // of the reduce slots that are held, by when; not saved, as it follows from what was accepted
}

// accepted is what a job was accepted for.
type accepted struct {
	Job         sched.JobID `json:"job"`
	ID          string      `json:"id"`
	MapSlots    int64       `json:"map_slots"` // n_m^min
	MasterSlots int64       `json:"master_slots,omitempty"`
	ReduceSlots int64       `json:"reduce_slots"` // n_r
	ReduceStart units.Time  `json:"reduce_start"` // s_r^max
	Deadline    units.Time  `json:"deadline"`
	Withheld    bool        `json:"withheld"`         // its reduces wait for the last map
	Advice      bool        `json:"advice,omitempty"` // accepted while the scheduler watched: nobody was told
}

// NewConstraint returns the part with no job accepted.
func NewConstraint(worst bool, share Share) *Constraint {
	return &Constraint{Worst: worst, Share: share}
}

// ConstraintParams choose the costs and the share of masters.
func ConstraintParams() []compose.Param {
	return []compose.Param{{Name: "cost", Type: compose.Choice, Default: "mean", Choices: []string{"mean", "worst"},
		Doc: "which cost of a byte the class counts with: one mean for all tasks, as published, or the worst"},
		ShareParam("the most of the cluster that ApplicationMasters may take before those of jobs without a deadline wait")}
}

// Decide tests what has arrived. O(accepted jobs) for each of them, and for a batch in which
// attempts end.
func (c *Constraint) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	look := false
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobEnded:
			if i := slices.IndexFunc(c.accepted, func(a accepted) bool { return a.Job == e.Job }); i >= 0 {
				c.reserve(&c.accepted[i], -1)
				c.accepted = slices.Delete(c.accepted, i, i+1)
			}
			c.goOn(v, p)
		case sched.NodeUp, sched.NodeChanged:
			c.goOn(v, p)
		case sched.JobArrived: // in this order; one that need not wait is ready in the same batch
			c.decide(v, v.Job(e.Job), p)
		case sched.StageReady:
			c.decide(v, v.Job(e.Job), p)
			look = true
		case sched.Resync:
			c.resync(v, p)
			look = true
		case sched.Control:
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				c.decide(v, v.Job(j), p)
			}
		case sched.JobAmended:
			c.decide(v, v.Job(e.Job), p)
			look = true
		case sched.Ended, sched.Demand:
			look = true
		}
	}
	for i := range c.accepted {
		if a := &c.accepted[i]; look && a.Withheld {
			if job := v.Job(a.Job); job != nil && job.Stages[sched.Reduce].Ready && job.Over(sched.Map) {
				a.Withheld = !p.Add(sched.Item{Verb: sched.Release, Job: job.ID, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsOver)})
			}
		}
	}
}

// decide tests a job that nobody has decided on, if it need not wait for others.
func (c *Constraint) decide(v sched.View, job *sched.Job, p *sched.Plan) {
	switch {
	case !undecided(job) || job.Standing() == sched.Waiting:
	case unbound(job):
		c.lend(v, job, p)
	default:
		a, why := c.test(v, job, p)
		switch {
		case why.Cause != estimate.Promised && (job.Spec.GoesOn() || job.Begun()):
			// the time lost is not held against it, but it stands behind all promises
			if begun := sched.Because(sched.Begun); p.Admit(job.ID, sched.Outlook{}, begun) {
				p.Add(sched.Item{Verb: sched.SetDeadline, Job: job.ID, At: units.Never, Reason: begun})
			}
		case why.Cause != estimate.Promised:
			p.Reject(job.ID, sched.Outlook{}, why)
		case p.Admit(job.ID, a.outlook(), why):
			a.Advice = job.Advice != sched.NoJob
			c.accepted = append(c.accepted, a)
			c.reserve(&a, 1)
			c.bind(job, &c.accepted[len(c.accepted)-1], p)
		}
	}
}

// unbound tells whether the job is to run without a promise: it has no deadline, or nobody can tell
// how many tasks it has.
func unbound(job *sched.Job) bool { return job.Deadline == units.Never || job.Spec.Growing() != nil }

// noPromise is why.
func noPromise(job *sched.Job) sched.Reason {
	if job.Deadline == units.Never {
		return sched.Because(estimate.NoDeadline)
	}
	return sched.Because(estimate.CountUnknown, int64(job.Spec.Growing().Kind))
}

// lend lets a job in without a promise, or has it wait for room for its master.
func (c *Constraint) lend(v sched.View, job *sched.Job, p *sched.Plan) {
	switch why, full := c.Share.Crowded(v, job); {
	case !full:
		// the job stands behind all promises
		if why := noPromise(job); p.Admit(job.ID, sched.Outlook{Word: sched.Unpromised}, why) && job.Deadline != units.Never {
			p.Add(sched.Item{Verb: sched.SetDeadline, Job: job.ID, At: units.Never, Reason: why})
		}
	case job.Standing() != sched.HeldBack:
		p.Hold(job.ID, why)
	}
}

// Crowded tells whether masters leave no room for that of a job which has not begun, and why.
func (s Share) Crowded(v sched.View, job *sched.Job) (sched.Reason, bool) {
	if _, has := MasterOf(job.Spec); !has || job.Begun() {
		return sched.Reason{}, false
	}
	used := Masters(v)
	return s.CrowdedBy(v, job, &used)
}

// CrowdedBy is Crowded where masters take so much.
func (s Share) CrowdedBy(v sched.View, job *sched.Job, used *units.Vector) (sched.Reason, bool) {
	need, has := MasterOf(job.Spec)
	if !has || job.Begun() {
		return sched.Reason{}, false
	}
	return s.Full(v.Capacity(), used, &need)
}

// Masters is what ApplicationMasters of jobs that were let in take. O(jobs).
func Masters(v sched.View) (used units.Vector) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if o := v.Job(j); o != nil && o.Standing() == sched.Admitted {
			n, _ := MasterOf(o.Spec)
			used.Add(&n)
		}
	}
	return used
}

// goOn looks again at the jobs without a promise that wait for room for their masters. O(jobs).
func (c *Constraint) goOn(v sched.View, p *sched.Plan) {
	var wait []*sched.Job
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); job != nil && job.Standing() == sched.HeldBack && unbound(job) {
			wait = append(wait, job)
		}
	}
	slices.SortFunc(wait, func(a, b *sched.Job) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, job := range wait {
		c.lend(v, job, p)
	}
}

// need is what a job asks for whatever its deadline.
type need struct {
	takes           estimate.Times
	begin           units.Time // s_m
	master, reduces int64      // slots
}

// needs finds it. The reason has no cause, unless the job fails the test with any deadline.
func (c *Constraint) needs(v sched.View, job *sched.Job) (n need, why sched.Reason) {
	_, inSlot, ok := estimate.Master(job.Spec)
	for i := range job.Spec.Stages {
		st := &job.Spec.Stages[i]
		slot := units.Slots(1, 0)
		if st.Kind == sched.Reduce {
			slot = units.Slots(0, 1)
		}
		if st.Kind == sched.Master && ok {
			continue
		}
		if st.Kind != sched.Map && st.Kind != sched.Reduce || len(st.Containers) > 1 || st.Container(0).Needs != slot {
			return n, sched.Because(estimate.NotSlots, int64(st.Kind))
		}
	}
	if n.takes = estimate.Mean(v, job.Spec); c.Worst {
		n.takes = estimate.Worst(v, job.Spec, 1)
	}
	if !n.takes.Known {
		return n, sched.Because(NotProfiled)
	}
	if n.begin = v.Now().Add(n.takes.Master); n.begin == units.Never {
		return n, sched.Because(estimate.Unbounded)
	}
	if n.reduces = int64(job.Spec.Tasks(sched.Reduce)); inSlot {
		n.master = 1
	}
	switch has := v.Capacity(); {
	case (n.takes.Maps > 0 || inSlot) && has[units.MapSlots] == 0:
		why = sched.Because(estimate.NoSlots, int64(sched.Map))
	case n.takes.Maps > 0 && has[units.MapSlots] == n.master:
		why = sched.Because(estimate.TooFewSlots, 2, has[units.MapSlots], int64(sched.Map))
	}
	return n, why
}

// test is the schedulability test. The cause of the reason is Promised if the job passes. If it
// does not, the reason is that it would not pass with all slots of the cluster either, or who has
// those that it needs.
func (c *Constraint) test(v sched.View, job *sched.Job, p *sched.Plan) (accepted, sched.Reason) {
	n, why := c.needs(v, job)
	if why.Cause != nil {
		return accepted{}, why
	}
	now, takes := v.Now(), &n.takes
	a := accepted{Job: job.ID, ID: job.Spec.ID, MasterSlots: n.master, ReduceSlots: n.reduces,
		Deadline: job.Deadline, ReduceStart: job.Deadline.Add(-takes.Reduce)}
	hasMaps, hasReduces := v.Capacity()[units.MapSlots], v.Capacity()[units.ReduceSlots]
	window, forMaps := a.ReduceStart.Sub(n.begin), hasMaps-n.master
	if takes.Maps > 0 && window > 0 {
		a.MapSlots = 1 + int64((takes.Maps-1)/window)
	}
	switch {
	case takes.Maps > 0 && window <= 0 || window < 0 || a.MapSlots > forMaps:
		maps := takes.Map
		if takes.Maps > 0 {
			maps = max(maps, 1+(takes.Maps-1)/units.Duration(forMaps))
		}
		why := estimate.AloneLateMean
		if c.Worst {
			why = estimate.AloneLate
		}
		finish := n.begin.Add(maps).Add(takes.Reduce)
		if finish == units.Never {
			return a, sched.Because(estimate.Unbounded)
		}
		return a, sched.Because(why, int64(job.Deadline.Sub(now)), int64(finish.Sub(now)), int64(n.begin.Add(maps).Sub(now)))
	case a.ReduceSlots > hasReduces:
		return a, sched.Because(estimate.TooFewSlots, a.ReduceSlots, hasReduces, int64(sched.Reduce))
	}
	if free, needs := hasMaps-c.mapsHeld(v), a.MapSlots+a.MasterSlots; needs > free {
		return a, c.taken(v, p, sched.Because(MapSlotsTaken, needs, free, int64(now)))
	}
	if free := hasReduces - c.reducesHeld(a.ReduceStart); a.ReduceSlots > free {
		return a, c.taken(v, p, sched.Because(ReduceSlotsTaken, a.ReduceSlots, free, int64(a.ReduceStart)))
	}
	return a, sched.Because(estimate.Promised, int64(job.Deadline))
}

// outlook is what an accepted job is told. When its tasks run is not known before they do, so no finish
// before its deadline is.
func (a *accepted) outlook() sched.Outlook {
	return sched.Outlook{Word: sched.Promised, Confidence: sched.Certain, By: a.Deadline}
}

// taken adds to a reason who holds the slots that are missing then, and until when at the latest:
// those with the most first, as many as a sentence names, and how much the others hold.
func (c *Constraint) taken(v sched.View, p *sched.Plan, why sched.Reason) sched.Reason {
	var top [estimate.MostHolders + 1]sched.Evidence
	n, others := 0, sched.Evidence{Job: sched.Others}
	for i := range c.accepted {
		a := &c.accepted[i]
		e := sched.Evidence{Job: a.Job}
		if why.Cause == MapSlotsTaken {
			if e.Amount, e.At = a.mapsHeld(v), a.ReduceStart; e.Amount == a.MasterSlots {
				e.At = a.Deadline
			}
		} else {
			e.Amount, e.At = a.reducesHeld(units.Time(why.C)), a.Deadline
		}
		if e.Amount <= 0 {
			continue
		}
		at := n
		for ; at > 0 && top[at-1].Amount < e.Amount; at-- {
			top[at] = top[at-1]
		}
		if top[at] = e; n < estimate.MostHolders {
			n++
		} else {
			others.At++
			others.Amount += top[n].Amount
		}
	}
	if others.At > 0 {
		top[n] = others
		n++
	}
	return p.Because(why, top[:n]...)
}

// mapsHeld is how many map slots the accepted jobs hold now.
func (c *Constraint) mapsHeld(v sched.View) (n int64) {
	for i := range c.accepted {
		n += c.accepted[i].mapsHeld(v)
	}
	return n
}

// mapsHeld is how many map slots the job holds now.
func (a *accepted) mapsHeld(v sched.View) int64 {
	switch job := v.Job(a.Job); {
	case job == nil:
		return 0
	case job.Over(sched.Map):
		return a.MasterSlots
	}
	return a.MasterSlots + a.MapSlots
}

// reducesHeld is how many reduce slots it holds at an instant.
func (a *accepted) reducesHeld(at units.Time) int64 {
	if a.ReduceStart <= at && at < a.Deadline {
		return a.ReduceSlots
	}
	return 0
}

// bind gives an accepted job its map slots, and lets its reduces wait for the last map.
func (c *Constraint) bind(job *sched.Job, a *accepted, p *sched.Plan) {
	if a.MapSlots == 0 {
		return
	}
	p.Add(sched.Item{Verb: sched.SetSlots, Job: job.ID, Stage: sched.Map, Count: int32(min(a.MapSlots, 1<<30)),
		Reason: sched.Because(estimate.Promised, int64(a.Deadline))})
	if a.ReduceSlots > 0 {
		a.Withheld = p.Add(sched.Item{Verb: sched.Withhold, Job: job.ID, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsFirst)})
	}
}

// resync lets jobs that were accepted run on, under the handles that they have now, and tests the
// others. Those accepted by way of advice are others.
func (c *Constraint) resync(v sched.View, p *sched.Plan) {
	was := c.accepted
	c.accepted, c.steps = nil, nil
	for _, a := range was {
		if job := v.Job(v.Find(a.ID)); !a.Advice && undecided(job) && p.Admit(job.ID, a.outlook(), sched.Because(estimate.Promised, int64(a.Deadline))) {
			a.Job, a.Withheld = job.ID, false
			c.bind(job, &a, p)
			c.accepted = append(c.accepted, a)
			c.reserve(&a, 1)
		}
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		c.decide(v, v.Job(j), p)
	}
}

// MarshalJSON saves what was accepted.
func (c *Constraint) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]accepted{}, c.accepted...))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Constraint) UnmarshalJSON(text []byte) error {
	c.accepted, c.steps = nil, nil
	err := json.Unmarshal(text, &c.accepted)
	for i := range c.accepted {
		c.reserve(&c.accepted[i], 1)
	}
	return err
}

// CopyFrom takes it over.
func (c *Constraint) CopyFrom(other any) {
	o := other.(*Constraint)
	c.accepted, c.steps = slices.Clone(o.accepted), slices.Clone(o.steps)
}
