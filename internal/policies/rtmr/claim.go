package rtmr

import (
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The first element: what a job's tasks take at worst, by what its class has cost so far (paper
// 003, section 5.2.1, definitions and the equations printed as 4.2 to 4.4; package estimate). A map
// takes c_m^max · max δ_i^m (algorithm 5.2, line 1), a reduce c_r^max · max δ_i^r (algorithm 5.3,
// line 2), where the largest δ_i^r is η · δ / R · skew.
//
// Where nodes are served at intervals only, a slot that falls free may wait for so long until a
// task gets it. So the interval is counted into each task; the paper's theorem knows no such delay.

// A Claim is what a job asks the schedule for. Map and Reduce are the worst-case times of one task
// (ε̃^m and ε̃^r of algorithms 5.2 and 5.3). Its ApplicationMaster has to be up before the first of
// them starts (master.go).
type Claim struct {
	Job      sched.JobID    `json:"job"`
	Seq      int64          `json:"seq"`     // the order of submission
	Arrived  units.Time     `json:"arrived"` // A
	Deadline units.Time     `json:"deadline"`
	Maps     int            `json:"maps"`    // M
	Reduces  int            `json:"reduces"` // R
	Map      units.Duration `json:"map"`
	Reduce   units.Duration `json:"reduce"`
	Ready    units.Time     `json:"ready,omitempty"`   // no task starts before, nor a master that takes a slot
	Startup  units.Duration `json:"startup,omitempty"` // of its master, at worst; 0 = it has none, or that is up
	Slot     bool           `json:"slot,omitempty"`    // its master holds a map slot until the job ends
	Begun    bool           `json:"begun,omitempty"`   // tasks of it run already: it counts as started
}

// OnMaps is how many of the job's tasks run in map slots.
func (m *Claim) OnMaps() int {
	if m.Slot {
		return m.Maps + 1
	}
	return m.Maps
}

// claimOf is what a job asks for, without its costs.
func claimOf(job *sched.Job) Claim {
	return Claim{Job: job.ID, Seq: job.Seq, Arrived: job.Arrived, Deadline: job.Deadline}
}

// claim fills in what the job asks for. It is false, and says why, if nothing could be promised to
// the job whatever it costs; known tells whether its costs are known.
func (s *scheduler) claim(v sched.View, job *sched.Job, r *record) (why sched.Reason, known, ok bool) {
	if len(job.Spec.Labels) > 0 {
		return sched.Because(HasLabels), false, false
	}
	c := &r.Claim
	c.Maps, c.Reduces, c.Map, c.Reduce = 0, 0, 0, 0
	_, slot, fits := estimate.Master(job.Spec)
	for i := range job.Spec.Stages {
		kind := job.Spec.Stages[i].Kind
		if kind == sched.Master && fits {
			continue
		}
		if !slotted(job, kind) {
			return sched.Because(estimate.NotSlots, int64(kind)), false, false
		}
		t := &job.Stages[kind]
		left, has := &c.Maps, s.slots.Maps
		if kind == sched.Reduce {
			left, has = &c.Reduces, s.slots.Reduces
		}
		if *left = int(t.Left()); *left > 0 && has == 0 {
			return sched.Because(estimate.NoSlots, int64(kind)), false, false
		}
	}
	switch {
	case slot && s.slots.Maps == 0:
		return sched.Because(estimate.NoSlots, int64(sched.Map)), false, false
	case slot && s.slots.Maps == 1 && c.Maps > 0:
		return sched.Because(estimate.TooFewSlots, 2, 1, int64(sched.Map)), false, false
	}
	worst := estimate.Worst(v, job.Spec, s.conf.Skew)
	if !worst.Known {
		if r.Sample.Longest == 0 {
			return sched.Reason{}, false, true
		}
		worst = s.guess(job, &r.Sample)
	} else {
		r.Sample = sample{} // what is known goes before
	}
	c.Map, c.Reduce = late(worst.Map, v), late(worst.Reduce, v)
	if !s.master(v, job, r, late(worst.Master, v)) {
		return sched.Because(NoMasterRoom), true, false
	}
	return sched.Reason{}, true, true
}

// late is a task's time with the wait for its node's beat.
func late(d units.Duration, v sched.View) units.Duration {
	return d + min(v.World().Heartbeat, math.MaxInt64-d)
}

// slotted tells whether each task of the stage runs in one slot of its kind.
func slotted(job *sched.Job, s sched.Stage) bool {
	one := cluster.MapSlot().Needs
	switch s {
	case sched.Map:
	case sched.Reduce:
		one = cluster.ReduceSlot().Needs
	default:
		return false
	}
	return !slices.ContainsFunc(job.Spec.Stage(s).Containers, func(c cluster.Container) bool { return c.Needs != one })
}
