package follow

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Follower is the loop's sink that resolves events for others. It keeps what is there at the
// moment, and nothing of what has ended. Like the ledger it takes in whatever it is told: what does
// not fit is a record of nobody.
type Follower struct {
	sinks     []Sink
	shared    bool
	jobs      []*Job     // by handle
	attempts  []*Attempt // by handle
	nodes     []*Node    // by handle
	arrived   int
	records   []Record
	decisions []Decision
	gathers   bool       // sinks are told when Flush is called
	beats     int64      // of nodes, that sinks were not told of yet
	now       units.Time // of the batch
	told      units.Time // of the last batch that was resolved

	indices     []int      // of jobs, to be used again; those of jobs that end in this batch rest until the next
	resting     []int      // these
	mostJobs    int        // indices that were ever used at a time
	pages       int32      // of attempts, that there are
	free, ended []*Attempt // pages of attempts, likewise

	mapSlot, reduceSlot, nothing units.Vector

	needed *units.Vector // by the last attempt, and which dimensions that are
	dims   uint8
}

var _ drive.Sink = (*Follower)(nil)

// New returns a follower that hands on to these sinks, in this order. A sink that watches another
// run already the first Batch tells.
func New(sinks ...Sink) *Follower {
	f := &Follower{sinks: sinks, mapSlot: cluster.MapSlot().Needs, reduceSlot: cluster.ReduceSlot().Needs}
	for _, s := range sinks {
		f.shared = !s.attach() || f.shared
	}
	return f
}

// Gather lets sinks wait for starts and ends until something else happens, or Flush is called: whoever
// gathers keeps the events till then. Sinks are shown them in order, each with its time.
func (f *Follower) Gather() { f.gathers = true }

// Gathered are the kinds of events that may wait.
var Gathered = sched.EventsOf(sched.Started, sched.Ended, sched.Heartbeat)

// Batch takes in what happened, and tells sinks of it unless that may wait. Beats it only counts.
func (f *Follower) Batch(_ int64, at units.Time, events []sched.Event) error {
	if f.shared {
		return ErrShared
	}
	if alone := f.resolve(at, events); alone && f.gathers {
		return nil
	}
	return f.Flush()
}

// Beat counts beats of nodes that no batch has.
func (f *Follower) Beat(n int64) { f.beats += n }

// Flush tells sinks of all that waits. What has ended by then makes room for others.
func (f *Follower) Flush() error {
	beats := f.beats
	f.beats = 0
	for _, s := range f.sinks {
		s.beat(beats)
		if err := s.Batch(f.told, f.records); err != nil {
			return err
		}
	}
	f.records = f.records[:0]
	f.indices, f.resting = append(f.indices, f.resting...), f.resting[:0]
	f.free, f.ended = append(f.free, f.ended...), f.ended[:0]
	return nil
}

// resolve finds out what the events of a round are about. Starts and ends that are told late
// (drive.Patient) stand each at its time, as if they had been told then. What is older than the last
// batch counts as of now: who tells it was held up. It returns whether there was nothing but gathered kinds.
func (f *Follower) resolve(at units.Time, events []sched.Event) (alone bool) {
	f.now = at
	if len(events) > 0 && events[0].Kind == sched.Resync {
		f.resync(at, events)
		f.told = at
		return false
	}
	i := 0
	for i < len(events) && events[i].Kind < sched.Started {
		i++
	}
	starts := span{i, i}
	for i < len(events) && events[i].Kind < sched.Ended {
		i++
	}
	ends := span{i, i}
	start, end := f.dueLate(at, events, starts.to, sched.Started), f.dueLate(at, events, ends.to, sched.Ended)
	for start != units.Never || end != units.Never {
		if start <= end {
			f.take(start, &events[starts.to])
			starts.to++
			start = f.dueLate(at, events, starts.to, sched.Started)
		} else {
			f.take(end, &events[ends.to])
			ends.to++
			end = f.dueLate(at, events, ends.to, sched.Ended)
		}
	}
	alone = true
	if starts.to-starts.from+ends.to-ends.from < len(events) {
		for i := range events {
			if !starts.has(i) && !ends.has(i) {
				alone = alone && Gathered.Has(events[i].Kind)
				f.take(at, &events[i])
			}
		}
	}
	f.told = at
	return alone
}

// span is a part of a batch.
type span struct{ from, to int }

func (s span) has(i int) bool { return s.from <= i && i < s.to }

// dueLate is when the event happened, units.Never if it is of another kind, or not late.
func (f *Follower) dueLate(at units.Time, events []sched.Event, i int, kind sched.EventKind) units.Time {
	if i < len(events) {
		if e := &events[i]; e.Kind == kind && e.Age > 0 && at.Add(-e.Age) >= f.told {
			return at.Add(-e.Age)
		}
	}
	return units.Never
}

// Plan resolves what was decided. Starts are not shown, and flush nothing.
func (f *Follower) Plan(_ int64, at units.Time, p *sched.Plan) error {
	if f.shared {
		return ErrShared
	}
	f.decisions = f.decisions[:0]
	for i := range p.Items {
		it := &p.Items[i]
		verdict := it.Verb == sched.Admit || it.Verb == sched.Hold || it.Verb == sched.Reject
		if it.Refused == sched.OK && it.Verb != sched.Start || it.Refused == sched.Watched && verdict {
			if err := f.Flush(); err != nil {
				return err
			}
			f.decisions = append(f.decisions, Decision{it, f.job(it.Job), f.asleep(it), p, f})
		}
	}
	if len(f.decisions) == 0 {
		return nil
	}
	for _, s := range f.sinks {
		if err := s.Plan(at, f.decisions); err != nil {
			return err
		}
	}
	return nil
}

// take resolves one event.
func (f *Follower) take(at units.Time, e *sched.Event) {
	r := Record{Event: e, At: at}
	switch e.Kind {
	case sched.Heartbeat:
		f.beats++
		return
	case sched.NodeUp, sched.NodeChanged, sched.NodeDown:
		r.Host = f.turn(e)
	case sched.Refused:
		r.Job = f.job(e.Job)
		if n := f.node(e.Node); n != nil && e.Item != 0 && n.asked == e.Item {
			n.Power, n.asked, r.Host = n.was, 0, n
		}
	case sched.Started:
		r.Attempt = f.start(e)
	case sched.Progress:
		r.Attempt = f.attempt(e.Attempt)
	case sched.Ended:
		if r.Attempt = f.end(e.Attempt); r.Attempt != nil {
			r.Over = r.Attempt.Job.Ended != units.Never
			if e.Outcome == sched.Committed {
				r.Attempt.Job.count(r.Attempt.Stage, 1, 0, 0)
			}
		}
	case sched.OutputLost:
		if r.Job = f.job(e.Job); r.Job != nil {
			r.Job.count(e.Stage, -1, 0, 0)
		}
	case sched.Demand:
		if r.Job = f.job(e.Job); r.Job != nil && r.Job.Spec.Growing() != nil {
			r.Job.count(e.Stage, 0, 0, int(max(e.Count, 0))-r.Job.asked(e))
		}
	case sched.JobArrived:
		r.Job = f.arrive(at, e)
	case sched.JobAmended:
		if r.Job = f.job(e.Job); r.Job != nil && e.Detail != nil && e.Detail.Job != nil {
			r.Job.describe(e.Detail.Job)
		}
	case sched.JobEnded:
		if r.Job = f.endJob(at.Add(-e.Age), e.Job); r.Job != nil && e.Outcome == sched.Committed {
			r.Job.settle()
		}
	default:
		r.Job = f.job(e.Job)
	}
	if r.Attempt != nil {
		r.Job = r.Attempt.Job
	}
	f.records = append(f.records, r)
}

func (f *Follower) job(h sched.JobID) *Job {
	if h < 1 || int(h) >= len(f.jobs) {
		return nil
	}
	return f.jobs[h]
}

func (f *Follower) attempt(h sched.AttemptID) *Attempt {
	if h < 1 || int(h) >= len(f.attempts) {
		return nil
	}
	return f.attempts[h]
}

// arrive takes in a job. One that has the handle still is gone.
func (f *Follower) arrive(at units.Time, e *sched.Event) *Job {
	if e.Job < 1 || e.Detail == nil || e.Detail.Job == nil {
		return nil
	}
	f.loseJob(at, f.job(e.Job), e.Job)
	j := &Job{Number: f.arrived, Arrived: at.Add(-e.Age), Ended: units.Never}
	j.describe(e.Detail.Job)
	f.arrived++
	if n := len(f.indices); n > 0 {
		j.Index, f.indices = f.indices[n-1], f.indices[:n-1]
	} else {
		j.Index = f.mostJobs
		f.mostJobs++
	}
	*At(&f.jobs, e.Job) = j
	return j
}

func (f *Follower) endJob(at units.Time, h sched.JobID) *Job {
	j := f.job(h)
	if j != nil {
		j.Ended = at
		f.jobs[h] = nil
		f.resting = append(f.resting, j.Index)
	}
	return j
}

// start takes in an attempt; nil if its job is not known.
func (f *Follower) start(e *sched.Event) *Attempt {
	j := f.job(e.Job)
	if j == nil || e.Attempt < 1 || e.Node < 0 {
		return nil
	}
	f.lose(f.attempt(e.Attempt))
	var a *Attempt
	if n := len(f.free); n > 0 {
		a, f.free = f.free[n-1], f.free[:n-1]
	} else {
		a = &Attempt{Index: f.pages}
		f.pages++
	}
	*a = Attempt{Index: a.Index, Job: j, ID: e.Attempt, Stage: e.Stage, Task: e.Task, Node: e.Node, Container: e.Container,
		Locality: e.Locality, Item: e.Item, Began: f.now.Add(-e.Age)}
	if n := f.node(e.Node); n != nil && n.Up {
		a.On = n.Spec
	}
	a.Needs = f.needs(j.Spec.Stage(e.Stage), int(e.Container))
	a.Takes = f.takes(a.Needs)
	*At(&f.attempts, e.Attempt) = a
	j.count(e.Stage, 0, 1, 0)
	j.runs(e.Stage, e.Item, 1)
	return a
}

func (f *Follower) end(h sched.AttemptID) *Attempt {
	a := f.attempt(h)
	if a != nil {
		a.Job.count(a.Stage, 0, -1, 0)
		a.Job.runs(a.Stage, a.Item, -1)
		f.attempts[h] = nil
		f.ended = append(f.ended, a)
	}
	return a
}

// lose tells that an attempt has ended, nobody knows how.
func (f *Follower) lose(a *Attempt) {
	if a == nil {
		return
	}
	f.records = append(f.records, Record{Event: &sched.Event{Kind: sched.Ended, Derived: true, Attempt: a.ID}, At: f.now, Job: a.Job,
		Attempt: f.end(a.ID), Over: a.Job.Ended != units.Never})
}

// loseJob tells that a job has ended, nobody knows how, and with it what runs of it.
func (f *Follower) loseJob(at units.Time, j *Job, h sched.JobID) {
	if j == nil {
		return
	}
	for _, a := range f.attempts {
		if a != nil && a.Job == j {
			f.lose(a)
		}
	}
	f.records = append(f.records, Record{Event: &sched.Event{Kind: sched.JobEnded, Derived: true, Job: h}, At: at, Job: f.endJob(at, h)})
}

// needs is what a container of the kind takes: a slot if the stage does not say.
func (f *Follower) needs(st *workload.StageSpec, kind int) *units.Vector {
	switch {
	case st == nil || kind >= max(1, len(st.Containers)):
		return &f.nothing
	case len(st.Containers) > 0:
		return &st.Containers[kind].Needs
	case st.Kind == workload.Reduce:
		return &f.reduceSlot
	}
	return &f.mapSlot
}

// takes is which dimensions of what an attempt needs are not 0, by bit.
func (f *Follower) takes(needs *units.Vector) uint8 {
	if needs != f.needed {
		f.needed, f.dims = needs, 0
		for d, by := range needs {
			if by != 0 {
				f.dims |= 1 << d
			}
		}
	}
	return f.dims
}
