package report

import (
	"slices"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/mapreduce"
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
//
// Cost models are fitted on the way to what was known before and what the run has taught, and scored
// by each job that ends.
type Learner struct {
	follow.Single
	classes profile.Set
	known   profile.Set // before the run
	fitter  profile.Fitter
	jobs    []lesson // by index
	plain   bool     // no cost models
	told    bool     // only what policies are told
	joined  bool     // nobody tells how long a reduce's shuffle took
}

// lesson is what is noted of a job while it is there.
type lesson struct {
	seen     bool        // a task of it has ended here
	read     units.Bytes // by committed maps
	emitted  units.Bytes
	written  units.Bytes // by the last stage
	mapsDone units.Time  // of the last map so far
	largest  units.Bytes // input of a map
	starting bool        // its master is, and no task of the job may start yet
	asked    bool        // some may
	master   units.Time  // its master's start
	host     string      // the class of its master's node
	gather   profile.Gather
	came     units.Time
	courses  [2]profile.Course // of maps and reduces
}

// NewLearner returns a learner that knows these profiles, and has learned nothing yet.
func NewLearner(known ...*profile.Class) *Learner {
	l := &Learner{}
	for _, c := range known {
		l.Know(c)
	}
	return l
}

// LeaveModels has it learn estimates only: neither samples nor cost models.
func (l *Learner) LeaveModels() { l.plain = true }

// TellsPolicies has it learn only what policies read of cost models: neither how well these foretold tasks nor
// what they say of first shuffles and of energy, which nobody plans with.
func (l *Learner) TellsPolicies() { l.told = true }

// JoinShuffles says that the world does not tell how long shuffles take. A reduce's time then counts from the end
// of the last map, if that is later than its start. Of it as much is shuffle as the class was known to take; where
// nothing is known, none.
func (l *Learner) JoinShuffles() { l.joined = true }

// note takes a measure of a job for cost models.
func (l *Learner) note(j *lesson, k profile.Key, bytes, records, amount float64) {
	if !l.plain && !(l.told && (k.Part == profile.First || k.Part == profile.Energy)) {
		j.gather.Add(k, bytes, records, amount)
	}
}

// Know tells what was known of a class before the run.
func (l *Learner) Know(c *profile.Class) {
	l.known.Put(c)
	if !l.plain {
		l.fitter.Lend(c)
	}
}

// Profiles returns what was learned, sorted by class. Models are of what was known before, too.
func (l *Learner) Profiles() []*profile.Class {
	all := l.classes.Classes()
	for _, c := range all {
		l.fitter.Settle(l.known.Of(c.Name), c)
	}
	return all
}

// Tasks tells how many maps and reduces the jobs of a class had, the mean of all that is known,
// rounded up; 0 maps if nothing is.
func (l *Learner) Tasks(class string) (maps, reduces int) {
	var n [workload.Stages]int64
	runs := int64(0)
	for _, c := range []*profile.Class{l.known.Of(class), l.classes.Of(class)} {
		if c == nil {
			continue
		}
		runs += c.Runs
		for i := range c.Stages {
			n[c.Stages[i].Stage] += c.Stages[i].Task.N
		}
	}
	if runs == 0 {
		return 0, 0
	}
	return int((n[workload.Map] + runs - 1) / runs), int((n[workload.Reduce] + runs - 1) / runs)
}

// Of returns what was learned of a class, nil if nothing was. It goes on growing.
func (l *Learner) Of(class string) *profile.Class { return l.classes.Of(class) }

// Batch takes in what happened.
func (l *Learner) Batch(_ units.Time, records []follow.Record) error {
	told := false // by a resync
	for i := range records {
		e, at := &records[i], records[i].At
		switch e.Kind {
		case sched.Resync:
			told = true
		case sched.JobArrived:
			if e.Job != nil && !e.Again {
				j := sched.Row(&l.jobs, e.Job.Index)
				gather := j.gather
				gather.Forget()
				*j = lesson{largest: largest(e.Job.Spec), gather: gather, came: at}
			}
		case sched.JobAmended:
			if e.Job != nil {
				sched.Row(&l.jobs, e.Job.Index).largest = largest(e.Job.Spec)
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
			j := &l.jobs[e.Job.Index]
			// A resync that gives no age does not know since when.
			if j.starting && e.Stage > sched.Master && (e.Age > 0 || !told) {
				took := at.Add(-e.Age).Sub(j.master).Seconds()
				l.class(e.Job.Spec.Class).At(sched.Master, j.host).Start.Add(took)
				l.note(j, profile.Key{Stage: sched.Master, Node: j.host, Part: profile.StartUp}, 0, -1, took)
			}
			if e.Stage > sched.Master {
				j.starting, j.asked = false, true
			}
		case sched.Ended:
			if a := e.Attempt; a != nil && a.Stage == sched.Master {
				// The next one may have started in this batch.
				if j := &l.jobs[a.Job.Index]; j.master == a.Began {
					j.starting = false
				}
			}
			switch {
			case e.Attempt == nil:
				continue
			case e.Outcome == sched.Committed:
				l.learn(at, e)
			case e.Outcome == sched.Superseded:
				l.overtaken(at, e)
			}
			l.follow(at, e)
		case sched.JobEnded:
			if e.Job != nil && e.Outcome == sched.Committed {
				l.finish(e.Job)
			}
			if e.Job != nil {
				l.fit(e.Job)
			}
		}
	}
	return nil
}

// follow notes what an attempt took and did in the course of its stage. A reduce counts from the end of the last
// map on: before that it waits.
func (l *Learner) follow(at units.Time, e *follow.Record) {
	a, j, done := e.Attempt, &l.jobs[e.Job.Index], 0.0
	if l.plain || l.told || a.Stage != sched.Map && a.Stage != sched.Reduce {
		return
	}
	began := a.Began
	if a.Stage == sched.Reduce {
		began = max(began, j.mapsDone)
	}
	if e.Outcome == sched.Committed {
		done = 1
	}
	j.courses[a.Stage-sched.Map].Add(began.Sub(j.came).Seconds(), at.Sub(j.came).Seconds(), done)
}

// fit scores the models of a job's class by it, and fits them again once enough is new.
func (l *Learner) fit(job *follow.Job) {
	j := &l.jobs[job.Index]
	if j.gather.Empty() {
		return
	}
	c, known := l.class(job.Spec.Class), l.known.Of(job.Spec.Class)
	foretold := c
	if len(c.Models) == 0 {
		foretold = known
	}
	if l.told {
		foretold = nil
	}
	c.Learn(&j.gather, foretold)
	l.fitter.Learned(known, c)
}

// finish learns what a whole job tells of its class.
func (l *Learner) finish(job *follow.Job) {
	j, before := &l.jobs[job.Index], slices.ContainsFunc(job.Spec.Stages, func(s workload.StageSpec) bool { return len(s.Done) > 0 })
	if before && !j.seen {
		return // an earlier run did all of it
	}
	c := l.class(job.Spec.Class)
	c.Runs++
	l.classes.Put(c)
	if before {
		return // an interrupted run before read the rest
	}
	if j.read > 0 && j.emitted > 0 {
		c.Ratio.Add(float64(j.emitted) / float64(j.read))
		c.Emitted.Add(float64(j.read), float64(j.emitted))
		l.note(j, profile.Key{Stage: sched.Map, Part: profile.Emitted}, float64(j.read), -1, float64(j.emitted))
	}
	for s, of := range j.courses {
		if len(of.Done) > 0 {
			of.Stage = sched.Map + sched.Stage(s)
			of.Tasks = job.Spec.Tasks(of.Stage)
			c.Follow(of)
		}
	}
	if j.read > 0 && j.written > 0 {
		c.Output.Add(float64(j.written) / float64(j.read))
	}
}

func (l *Learner) learn(at units.Time, e *follow.Record) {
	a, spec, j := e.Attempt, e.Job.Spec, &l.jobs[e.Job.Index]
	j.seen = true
	began := a.Measured(at, e.Event)
	// all that kept the slot: a map's input from elsewhere, its start and its commit as well
	run, shuffle := at.Sub(began), units.Duration(0)
	if a.Stage == sched.Reduce {
		run -= e.Spans[sched.PhaseShuffle]
		shuffle = max(0, began.Add(e.Spans[sched.PhaseShuffle]).Sub(max(began, j.mapsDone)))
		if l.joined {
			run = max(0, at.Sub(max(began, j.mapsDone)))
			shuffle = min(run, l.usualShuffle(spec.Class, began < j.mapsDone))
			run -= shuffle
		}
	}
	telling := e.Bytes
	if a.Stage == sched.Map && e.Bytes < j.largest/8 {
		telling = 0
	}
	node := hostOf(a)
	known := l.class(spec.Class).Attempt(a.Stage, node, telling, run, shuffle)
	key, bytes, records := profile.Key{Stage: a.Stage, Node: node}, float64(max(0, e.Bytes)), recordsOf(a.Stage, e.Event)
	if a.Stage != sched.Master {
		l.note(j, key, bytes, records, max(0, run).Seconds())
	}
	if e.X > 0 {
		drew := key
		if drew.Part = profile.Energy; len(spec.Stage(a.Stage).Containers) > 1 {
			drew.Container = spec.Stage(a.Stage).Container(int(a.Container)).Name
		}
		l.note(j, drew, bytes, records, e.X)
	}
	if a.Stage == sched.Reduce {
		of := &known.Waves.Later
		if key.Part = profile.Later; began < j.mapsDone {
			key.Part, of = profile.First, &known.Waves.First
		}
		of.Add(shuffle.Seconds())
		l.note(j, key, bytes, -1, shuffle.Seconds())
	}
	if a.Stage != sched.Master && e.Spans[sched.PhaseSort]+e.Spans[sched.PhaseRun] > 0 {
		around := at.Sub(began) - e.Spans[sched.PhaseShuffle] - e.Spans[sched.PhaseSort] - e.Spans[sched.PhaseRun]
		known.Start.Add(max(0, around).Seconds())
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

// usualShuffle is how long one took before the run, of a reduce of the first wave or a later one; 0 if nobody
// knows.
func (l *Learner) usualShuffle(class string, first bool) units.Duration {
	known := l.known.Of(class)
	if known == nil {
		return 0
	}
	reduce := known.Any(sched.Reduce)
	early, late := reduce.Shuffles()
	if first {
		return units.FromSeconds(early.Mean)
	}
	return units.FromSeconds(late.Mean)
}

// overtaken learns from an attempt whose task another one has committed: how long it had run is the least that it
// would have taken, and it was slow. So the models know slow tasks, though none of these ended: whoever plans
// with them may run no second attempts. One that ran for less than tasks take on the average tells nothing.
func (l *Learner) overtaken(at units.Time, e *follow.Record) {
	a := e.Attempt
	class, node, run := l.class(e.Job.Spec.Class), hostOf(a), at.Sub(a.Began).Seconds()
	known := class.At(a.Stage, node)
	if a.Stage == sched.Master || known.Task.N == 0 || run <= known.Task.Mean {
		return
	}
	bytes := float64(max(0, e.Bytes))
	if st := e.Job.Spec.Stage(a.Stage); bytes == 0 && a.Task > 0 && int(a.Task) <= len(st.Tasks) {
		bytes = float64(st.Tasks[a.Task-1].Input)
	}
	l.note(&l.jobs[e.Job.Index], profile.Key{Stage: a.Stage, Node: node}, bytes, -1, run)
	known.Task.Max = max(known.Task.Max, run)
	if bytes > 0 && known.PerByte.N > 0 {
		known.PerByte.Max = max(known.PerByte.Max, run/bytes)
	}
}

// recordsOf is how many records a real attempt read, -1 if nobody has counted them.
func recordsOf(stage sched.Stage, e *sched.Event) float64 {
	if e.Detail == nil || e.Detail.Account == nil {
		return -1
	}
	name := mapreduce.MapInputRecords
	if stage == sched.Reduce {
		name = mapreduce.ReduceInputRecords
	}
	if n, counted := e.Detail.Account.Counters[mapreduce.TaskGroup+"."+name]; counted {
		return float64(n)
	}
	return -1
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
