package report

import (
	"slices"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Learner is the sink that fills profiles: what committed attempts and finished jobs teach about their classes.
//
// The shuffle of a reduce is learned as the time behind the later of its start and the last map's end,
// which is how a first wave that waits for maps and a later one come to the same cost. Of an
// ApplicationMaster that comes before other stages, what counts is the time until the first of them may
// start.
type Learner struct {
	follow.Single
	classes profile.Set
	jobs    []lesson // by index
}

// lesson is what is noted of a job while it is there.
type lesson struct {
	read     units.Bytes // by committed maps
	emitted  units.Bytes
	written  units.Bytes // by the last stage
	mapsDone units.Time  // of the last map so far
	largest  units.Bytes // input of a map
	starting bool        // its master is, and no task of the job may start yet
	asked    bool        // some may
	master   units.Time  // its master's start
	host     string      // the class of its master's node
}

// NewLearner returns a learner that knows nothing yet.
func NewLearner() *Learner { return &Learner{} }

// Profiles returns what was learned, sorted by class.
func (l *Learner) Profiles() []*profile.Class { return l.classes.Classes() }

// Of returns what was learned of a class, nil if nothing was. It goes on growing.
func (l *Learner) Of(class string) *profile.Class { return l.classes.Of(class) }

// Batch takes in what happened.
func (l *Learner) Batch(at units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		switch e.Kind {
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				*follow.At(&l.jobs, e.Job.Index) = lesson{largest: largest(e.Job.Spec)}
			}
		case sched.Started:
			if a := e.Attempt; a != nil && a.Stage == sched.Master && !e.Again {
				j := &l.jobs[a.Job.Index]
				j.starting, j.master, j.host = !j.asked, a.Began, hostOf(a)
			}
		case sched.StageReady:
			if e.Job == nil {
				continue
			}
			if j := &l.jobs[e.Job.Index]; j.starting && e.Stage > sched.Master {
				l.class(e.Job.Spec.Class).At(sched.Master, j.host).Start.Add(at.Sub(j.master).Seconds())
				j.starting, j.asked = false, true
			}
		case sched.Ended:
			if e.Attempt != nil && e.Outcome == sched.Committed {
				l.learn(at, e)
			}
		case sched.JobEnded:
			if e.Job != nil && e.Outcome == sched.Committed {
				l.finish(e.Job)
			}
		}
	}
	return nil
}

// finish learns what a whole job tells of its class.
func (l *Learner) finish(job *follow.Job) {
	j, c := &l.jobs[job.Index], l.class(job.Spec.Class)
	c.Runs++
	l.classes.Put(c)
	if slices.ContainsFunc(job.Spec.Stages, func(s workload.StageSpec) bool { return len(s.Done) > 0 }) {
		return // an interrupted run before read the rest
	}
	if j.read > 0 && j.emitted > 0 {
		c.Ratio.Add(float64(j.emitted) / float64(j.read))
		c.Emitted.Add(float64(j.read), float64(j.emitted))
	}
	if j.read > 0 && j.written > 0 {
		c.Output.Add(float64(j.written) / float64(j.read))
	}
}

func (l *Learner) learn(at units.Time, e *follow.Record) {
	a, spec, j := e.Attempt, e.Job.Spec, &l.jobs[e.Job.Index]
	began := a.Measured(at, e.Event)
	run := at.Sub(began) - e.Spans[sched.PhaseShuffle] // all that kept the slot, its start and its commit as well
	shuffle := max(0, began.Add(e.Spans[sched.PhaseShuffle]).Sub(max(began, j.mapsDone)))
	telling := e.Bytes
	if a.Stage == sched.Map && e.Bytes < j.largest/8 {
		telling = 0
	}
	class, node := l.class(spec.Class), hostOf(a)
	class.Attempt(a.Stage, node, telling, run, shuffle)
	if a.Stage != sched.Master && e.Spans != [sched.Phases]units.Duration{} {
		around := run - e.Spans[sched.PhaseSort] - e.Spans[sched.PhaseRun]
		class.At(a.Stage, node).Start.Add(max(0, around).Seconds())
	}
	if last := spec.Stages; last[len(last)-1].Kind == a.Stage {
		j.written += e.OutBytes
	}
	if a.Stage == sched.Map {
		j.read += e.Bytes
		j.emitted += e.OutBytes
		j.mapsDone = at
	}
}

// hostOf is the class of the node that an attempt runs on.
func hostOf(a *follow.Attempt) string {
	if a.On == nil {
		return ""
	}
	return a.On.Class.Name
}

func largest(j *workload.Job) (most units.Bytes) {
	if st := j.Stage(sched.Map); st != nil {
		for i := range st.Tasks {
			most = max(most, st.Tasks[i].Input)
		}
	}
	return most
}

func (l *Learner) class(name string) *profile.Class {
	c := l.classes.Of(name)
	if c == nil {
		c = profile.New(name)
		l.classes.Put(c)
	}
	return c
}
