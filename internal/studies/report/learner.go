package report

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Learner is the sink that fills profiles: what committed attempts and finished jobs teach about their classes.
//
// The shuffle of a reduce is learned as the time behind the later of its start and the last map's end, which is how a first wave
// that waits for maps and a later one come to the same cost. Of an ApplicationMaster that comes before other stages, what counts is the time
// until the first of them may start.
type Learner struct {
	classes  map[string]*profile.Class
	jobs     []lesson // by handle
	attempts []taught
	nodes    []string // class of each node, by handle
}

var _ drive.Sink = (*Learner)(nil)

// lesson is what is noted of a job while it is there.
type lesson struct {
	spec     *workload.Job
	read     units.Bytes // by committed maps
	emitted  units.Bytes
	written  units.Bytes // by the last stage
	mapsDone units.Time  // of the last map so far
	largest  units.Bytes // input of a map
	starting bool        // its master is, and no task of the job may start yet
	asked    bool        // some may
	master   units.Time  // its master's start
	on       sched.NodeID
}

type taught struct {
	job   sched.JobID
	stage sched.Stage
	node  sched.NodeID
	began units.Time
}

// NewLearner returns a learner that knows nothing yet.
func NewLearner() *Learner { return &Learner{classes: map[string]*profile.Class{}} }

// Profiles returns what was learned, sorted by class.
func (l *Learner) Profiles() []*profile.Class {
	var all []*profile.Class
	for _, c := range l.classes {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *profile.Class) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Of returns what was learned of a class, nil if nothing was. It goes on growing.
func (l *Learner) Of(class string) *profile.Class { return l.classes[class] }

// Plan teaches nothing.
func (l *Learner) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Batch takes in what happened.
func (l *Learner) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				*slot(&l.nodes, e.Node) = e.Detail.Node.Class.Name
			}
		case sched.JobArrived:
			*slot(&l.jobs, e.Job) = lesson{spec: e.Detail.Job, largest: largest(e.Detail.Job)}
		case sched.Started:
			*slot(&l.attempts, e.Attempt) = taught{e.Job, e.Stage, e.Node, at.Add(-e.Age)}
			if e.Stage == sched.Master {
				j := slot(&l.jobs, e.Job)
				j.starting, j.master, j.on = !j.asked, at.Add(-e.Age), e.Node
			}
		case sched.StageReady:
			if j := slot(&l.jobs, e.Job); j.spec != nil && j.starting && e.Stage > sched.Master {
				l.class(j.spec.Class).At(sched.Master, *slot(&l.nodes, j.on)).Start.Add(at.Sub(j.master).Seconds())
				j.starting, j.asked = false, true
			}
		case sched.Ended:
			if e.Outcome == sched.Committed {
				l.learn(at, e)
			}
		case sched.JobEnded:
			j := slot(&l.jobs, e.Job)
			if j.spec != nil && e.Outcome == sched.Committed {
				c := l.class(j.spec.Class)
				c.Runs++
				if slices.ContainsFunc(j.spec.Stages, func(s workload.StageSpec) bool { return len(s.Done) > 0 }) {
					j.read = 0 // an interrupted run before read the rest
				}
				if j.read > 0 && j.emitted > 0 {
					c.Ratio.Add(float64(j.emitted) / float64(j.read))
					c.Emitted.Add(float64(j.read), float64(j.emitted))
				}
				if j.read > 0 && j.written > 0 {
					c.Output.Add(float64(j.written) / float64(j.read))
				}
			}
			j.spec = nil
		}
	}
	return nil
}

func (l *Learner) learn(at units.Time, e *sched.Event) {
	a := slot(&l.attempts, e.Attempt)
	j := slot(&l.jobs, a.job)
	if j.spec == nil {
		return
	}
	a.began = Began(a.began, at, e)
	run := at.Sub(a.began) - e.Spans[sched.PhaseShuffle] // all that kept the slot, its start and its commit as well
	shuffle := max(0, a.began.Add(e.Spans[sched.PhaseShuffle]).Sub(max(a.began, j.mapsDone)))
	telling := e.Bytes
	if a.stage == sched.Map && e.Bytes < j.largest/8 {
		telling = 0
	}
	class, node := l.class(j.spec.Class), *slot(&l.nodes, a.node)
	class.Attempt(a.stage, node, telling, run, shuffle)
	if a.stage != sched.Master && e.Spans != [sched.Phases]units.Duration{} {
		around := run - e.Spans[sched.PhaseSort] - e.Spans[sched.PhaseRun]
		class.At(a.stage, node).Start.Add(max(0, around).Seconds())
	}
	if last := j.spec.Stages; last[len(last)-1].Kind == a.stage {
		j.written += e.OutBytes
	}
	if a.stage == sched.Map {
		j.read += e.Bytes
		j.emitted += e.OutBytes
		j.mapsDone = at
	}
}

// Began is when an attempt began that ended at a time and was told of at another. On a busy machine the world may come to tell of its
// start only with its end; but what the attempt measured itself it did spend.
func Began(told, ended units.Time, e *sched.Event) units.Time {
	spent := units.Duration(0)
	for _, span := range e.Spans {
		spent += max(0, span)
	}
	return min(told, ended.Add(-spent))
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
	c := l.classes[name]
	if c == nil {
		c = profile.New(name)
		l.classes[name] = c
	}
	return c
}
