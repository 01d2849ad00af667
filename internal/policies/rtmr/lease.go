package rtmr

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A lease is a slot that a task without a promise holds and that is not taken back. In the schedule
// it is a job of one task, which starts when it is lent: behind all jobs that have started, as
// these do not need the slot, and before all that start later, as these have to do without it. When
// the task has ended its real end stands there, as after the feedback for a job. A task that holds a
// slot by a start which nobody here asked for, as one that a resync made void, is lent it when
// anything ends or is refused, and when the scheduler takes over or is told all again.
type lease struct {
	ID    sched.JobID     `json:"id"` // in the schedule: below 0, unlike jobs'
	Stage sched.Stage     `json:"stage"`
	Slot  sched.Stage     `json:"slot"`           // sched.Map or sched.Reduce: what it holds
	Item  sched.ItemID    `json:"item"`           // that started the task
	Seen  sched.AttemptID `json:"seen,omitempty"` // the task's attempt; 0 = it has not begun
	Node  sched.NodeID    `json:"node"`
	Away  bool            `json:"away,omitempty"` // the node is out of service: the lease is not in the schedule
	// it is lent while its task runs already: it stands behind jobs that may have started since and
	// need the slot
	Again bool `json:"again,omitempty"`
}

// lease lends a slot for a task of the job.
func (s *scheduler) lease(v sched.View, job *sched.Job, l lease) {
	if l.Away = !inService(v.Node(l.Node), l.Slot); !l.Away {
		s.let(v, job, &l)
	}
	r := s.of(job.ID)
	r.Leases = append(r.Leases, l)
}

// let puts a lease into the schedule.
func (s *scheduler) let(v sched.View, job *sched.Job, l *lease) {
	worst := estimate.Worst(v, job.Spec, s.c.Skew)
	each := units.Duration(math.MaxInt64) // nobody knows
	switch {
	case worst.Known && l.Stage == sched.Map:
		each = late(worst.Map, v)
	case worst.Known && l.Stage == sched.Reduce:
		each = late(worst.Reduce, v)
	}
	s.leases++
	l.ID, l.Away = -s.leases, false
	c := Claim{Job: l.ID, Arrived: v.Now(), Deadline: units.Never, Maps: 1, Map: each}
	if l.Slot == sched.Reduce {
		c.Maps, c.Map, c.Reduces, c.Reduce = 0, 0, 1, each
	}
	s.plan.Admit(v.Now(), c)
	s.plan.Start(v.Now(), l.ID)
}

// relet takes leases out of the schedule whose node has gone out of service, and puts those in
// again whose node came back while the task still runs.
func (s *scheduler) relet(v sched.View) {
	for _, j := range s.others {
		r, job := s.of(j), v.Job(j)
		for i := range r.Leases {
			l := &r.Leases[i]
			switch serves := inService(v.Node(l.Node), l.Slot); {
			case job == nil || serves == !l.Away:
			case serves:
				s.let(v, job, l)
				l.Again = true
			default:
				s.plan.Remove(v.Now(), l.ID)
				l.Away = true
			}
		}
	}
}

// leaseRunning lends the slots that tasks of a job hold already.
func (s *scheduler) leaseRunning(v sched.View, job *sched.Job) {
	for i := range job.Spec.Stages {
		stage := job.Spec.Stages[i].Kind
		for a := v.Youngest(job.ID, stage, 0); a != 0; a = v.Youngest(job.ID, stage, a) {
			if at := v.Attempt(a); !s.c.Preempt && takes(job, stage, at.Container) != sched.Stages {
				s.lease(v, job, lease{Stage: stage, Slot: takes(job, stage, at.Container), Item: at.Item, Node: at.Node, Again: true})
			}
		}
	}
}

// giveBack ends the leases of tasks that have ended. It looks only at attempts that ended or began
// since it looked last. A lease whose item has no attempt may be one that has not begun: of those
// the youngest are kept, as many as the job has such tasks.
func (s *scheduler) giveBack(v sched.View, batch []sched.Event) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.Ended {
			s.seenEnd(v.Now(), e.Attempt)
		}
	}
	for _, j := range s.others {
		r, job := s.of(j), v.Job(j)
		if job == nil || len(r.Leases) == 0 && occupied(job) == 0 {
			continue
		}
		coming := [sched.Stages]int32{}
		for i := range job.Spec.Stages {
			stage := job.Spec.Stages[i].Kind
			coming[stage] = job.Stages[stage].Occupied - job.Stages[stage].Running
			for a := v.Youngest(j, stage, 0); a != 0 && s.sees(v, r, job, v.Attempt(a)); {
				a = v.Youngest(j, stage, a)
			}
		}
		for i := len(r.Leases) - 1; i >= 0; i-- {
			switch l := r.Leases[i]; {
			case l.Seen != 0:
			case coming[l.Stage] > 0:
				coming[l.Stage]--
			default:
				s.end(v.Now(), l)
				r.Leases = slices.Delete(r.Leases, i, i+1)
			}
		}
	}
}

// sees notes whose attempt it is, and finds its lease; false if it was seen before, as were all that are older.
// An attempt that nobody here has asked for, as a start that a resync made void may bring, is lent its slot now.
func (s *scheduler) sees(v sched.View, r *record, job *sched.Job, a *sched.Attempt) bool {
	if _, seen := s.begun[a.ID]; seen {
		return false
	}
	if s.begun == nil {
		s.begun = map[sched.AttemptID]sched.JobID{}
	}
	s.begun[a.ID] = job.ID
	for i := range slices.Backward(r.Leases) {
		if l := &r.Leases[i]; l.Item == a.Item && l.Stage == a.Stage && (l.Seen == 0 || l.Seen == a.ID) {
			l.Seen = a.ID
			return true
		}
	}
	if slot := takes(job, a.Stage, a.Container); slot != sched.Stages {
		s.lease(v, job, lease{Stage: a.Stage, Slot: slot, Item: a.Item, Seen: a.ID, Node: a.Node, Again: true})
	}
	return true
}

// unsee forgets which attempts were seen: some may have ended while another policy was told.
func (s *scheduler) unsee() {
	s.begun = nil
	for _, j := range s.others {
		for i := range s.of(j).Leases {
			s.of(j).Leases[i].Seen = 0
		}
	}
}

// seenEnd ends the lease of an attempt that was seen.
func (s *scheduler) seenEnd(now units.Time, a sched.AttemptID) {
	r := s.of(s.begun[a])
	delete(s.begun, a)
	if r == nil {
		return
	}
	if i := slices.IndexFunc(r.Leases, func(l lease) bool { return l.Seen == a }); i >= 0 {
		s.end(now, r.Leases[i])
		r.Leases = slices.Delete(r.Leases, i, i+1)
	}
}

// release ends all leases of a job. Its attempts count as not seen: if the job runs on without a promise, those that
// still run are lent their slots again.
func (s *scheduler) release(now units.Time, r *record) {
	for _, l := range r.Leases {
		s.end(now, l)
		delete(s.begun, l.Seen)
	}
	r.Leases = nil
}

// end puts the real end of a lease into the schedule. That of one lent while its task ran already
// must not stand for the end of a job before it: it only leaves.
func (s *scheduler) end(now units.Time, l lease) {
	if l.Away {
		return
	}
	if l.Again {
		s.plan.Remove(now, l.ID)
		return
	}
	at := []units.Time{now}
	if l.Slot == sched.Reduce {
		s.plan.Finish(now, l.ID, nil, at, 0, true)
	} else {
		s.plan.Finish(now, l.ID, at, nil, 0, true)
	}
}
