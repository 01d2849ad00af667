package order

import (
	"math"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Feasible is EDF among the jobs that could still be in time if they had the whole cluster from now
// on. The others stand behind them, by least work left, so that they take no slot from a job that
// can be helped, and as many of them as possible are over soon.
//
//	could be in time  now + Σ over stages max(least, open · mean / slots) ≤ deadline
//	work left         Σ over stages (total - done) · mean
//
// mean and least are the mean and the shortest time of a task of the class so far (estimate.Task),
// the same for tasks of all sizes; slots is how many of its containers the cluster can hold. A task
// that runs could end at any moment, so it counts for the work that is left and not for the time.
// The test errs towards hope: by the shortest task where a stage has few of them, by the mean where
// it has many.
//
// Of a class without a profile, a job could be in time until its deadline has passed; from then on
// it stands behind the late ones whose work is known, by tasks left. Jobs without a deadline come
// last, as under EDF.
//
// A key holds for the instant of the last look, which a resync does not make another: in the plan that
// answers it there is a new look, however soon after the last, and from then on nothing is left of what was
// known before. At a take-over there is one too, but no sooner than RankInterval after the last.
//
// Look moves that instant on, at most once in sched.RankInterval, and has those jobs ranked again to
// which that makes a difference.
type Feasible struct {
	sched.Flat
	state
}

// state is what a look leaves behind. Keys follow it, so it is saved.
type state struct {
	Now      units.Time   `json:"now"`      // of the last look
	Next     units.Time   `json:"next"`     // before then no job becomes late that was there; 0 = nobody knows
	Capacity units.Vector `json:"capacity"` // of the cluster at the last look
}

// JobKey is (0, deadline, arrival) for a job that could be in time.
func (o *Feasible) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	if j.Due() == units.Never {
		return sched.Key{3, int64(j.Arrived)}
	}
	if o.Now <= latest(v, j, &o.Capacity) {
		return sched.Key{0, int64(j.Due()), int64(j.Arrived)}
	}
	if work, known := left(v, j); known {
		return sched.Key{1, int64(work), int64(j.Arrived)}
	}
	tasks := int64(0)
	for s := range j.Stages {
		tasks += int64(j.Stages[s].Left())
	}
	return sched.Key{2, tasks, int64(j.Arrived)}
}

// Line ranks jobs that wait to be admitted as EDF does.
func (o *Feasible) Line(j *sched.Job) sched.Key { return edfKey(j) }

// latest is the last instant from which the job could still be in time, had it all of the capacity.
func latest(v sched.View, j *sched.Job, capacity *units.Vector) units.Time {
	c := v.Profile(j.Spec.Class)
	if c == nil {
		return j.Due()
	}
	alone := units.Duration(0)
	for s := range sched.Stages {
		open := j.Stages[s].ToStart()
		if open == 0 {
			continue
		}
		mean, least, _ := estimate.Task(c, s)
		if spec := j.Spec.Stage(s); spec != nil {
			container := spec.Container(0)
			slots := units.Duration(max(1, capacity.Times(&container.Needs)))
			all := times(mean, open)
			alone = plus(alone, max(least, all/slots))
		}
	}
	return j.Due().Add(-alone)
}

// left is the time that the job's tasks still take, one after the other.
func left(v sched.View, j *sched.Job) (work units.Duration, known bool) {
	c := v.Profile(j.Spec.Class)
	if c == nil {
		return 0, false
	}
	for s := range sched.Stages {
		if n := j.Stages[s].Left(); n > 0 {
			mean, _, ok := estimate.Task(c, s)
			if !ok && s != sched.Master {
				return 0, false
			}
			work = plus(work, times(mean, n))
		}
	}
	return work, true
}

// times is n times d, up to the longest time that there is.
func times(d units.Duration, n int32) units.Duration {
	if d > math.MaxInt64/units.Duration(n) {
		return math.MaxInt64
	}
	return d * units.Duration(n)
}

// plus adds two times, neither of them negative, up to the longest that there is.
func plus(a, b units.Duration) units.Duration { return a + min(b, math.MaxInt64-a) }

// look is the step by which the order follows the clock.
type look struct{ *Feasible }

// nearer are the events after which a job may be late sooner than was known before. So may it be after
// an attempt that failed.
var nearer = sched.EventsOf(sched.Resync, sched.Control, sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.ProfileLearned, sched.OutputLost,
	sched.JobArrived, sched.JobAmended, sched.StageReady, sched.Demand)

// Decide moves the clock of the keys on. O(jobs) with a look; there is one only when a job may have
// come to the end of its time, or something has changed that brings that nearer.
func (l look) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	o, now := l.Feasible, v.Now()
	turn, resync := false, false
	for i := range batch {
		e := &batch[i]
		turn = turn || e.Kind == sched.Heartbeat || e.Kind == sched.Ended || nearer.Has(e.Kind)
		resync = resync || e.Kind == sched.Resync
		if nearer.Has(e.Kind) || e.Kind == sched.Ended && e.Outcome != sched.Committed {
			o.Next = 0
		}
	}
	if !turn || now < o.Next || o.Now != 0 && now < o.Now.Add(sched.RankInterval) && !resync {
		return
	}
	was := o.state
	o.Now, o.Next, o.Capacity = now, units.Never, *v.Capacity()
	for id := sched.JobID(1); id <= v.Jobs(); id++ {
		j := v.Job(id)
		if j == nil || j.Due() == units.Never || j.Standing() > sched.Admitted {
			continue
		}
		before := latest(v, j, &was.Capacity)
		till := before
		if was.Capacity != o.Capacity {
			till = latest(v, j, &o.Capacity)
		}
		if now <= till {
			o.Next = min(o.Next, till+1)
		}
		switch hoped, hopes := was.Now <= before, now <= till; {
		case hoped && !hopes:
			p.Rank(id, sched.Because(OutOfTime, int64(j.Due()), int64(now.Add(j.Due().Sub(till)))))
		case hopes && !hoped:
			p.Rank(id, sched.Because(InTimeAgain, int64(j.Due())))
		}
	}
}

// Remembers is what outlives a round.
func (l look) Remembers() any { return &l.Feasible.state }

// Why a job's place changes as time passes.
var (
	// OutOfTime puts a job behind all that could be in time.
	OutOfTime = &sched.Cause{Name: "out-of-time", Text: "even with the whole cluster it would finish at {finish}, and its deadline is at {deadline}: jobs that can be in time go first",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9), sched.Clock.Named("finish", "its finish with the whole cluster", 95e9)}}
	// InTimeAgain brings it back among these.
	InTimeAgain = &sched.Cause{Name: "in-time-again", Text: "with the whole cluster it could finish by its deadline at {deadline}",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9)}}
)

// feasibleParts are the order and the step by which it follows the clock.
func feasibleParts(o *Feasible) []compose.Entry {
	reads := compose.Reads{Profiles: true}
	return []compose.Entry{
		{Name: "edf", Kind: compose.KindOrder, Doc: "earliest deadline among jobs that could be in time; then the late ones, by least work left",
			Params: edfParams(), Traits: compose.Traits{Reads: reads},
			Order: func(compose.Args) (sched.Order, error) { return o, nil }},
		{Name: "out of time", Kind: compose.KindPlan, Doc: "which jobs could not be in time any more with the whole cluster",
			// Every step has a turn at a resync and at a change of control, and so says neither.
			Traits: compose.Traits{Reads: reads, Causes: []*sched.Cause{OutOfTime, InTimeAgain},
				Heeds: nearer&^sched.EventsOf(sched.Resync, sched.Control) | sched.EventsOf(sched.Heartbeat, sched.Ended)},
			Step: func(compose.Args) (compose.Step, error) { return look{o}, nil }},
	}
}
