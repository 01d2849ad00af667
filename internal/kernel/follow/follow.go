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
	records   []Record // the first of them, as many as count says
	count     int
	decisions []Decision
	beats     int64      // of nodes, that sinks were not told of yet
	now       units.Time // of the batch
	told      units.Time // of the last batch that was resolved

	indices     []int      // of jobs, to be used again; those of jobs that end in this batch rest until the next
	resting     []int      // these
	mostJobs    int        // indices that were ever used at a time
	pages       int32      // of attempts, that there are
	free, ended []*Attempt // pages of attempts, likewise

	mapSlot, reduceSlot, nothing units.Vector
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

// Gathered are the kinds of events that sinks may be told of later (Gather).
var Gathered = sched.EventsOf(sched.Started, sched.Ended, sched.Heartbeat)

// Batch takes in what happened, and tells sinks of it.
func (f *Follower) Batch(_ int64, at units.Time, events []sched.Event) error {
	f.Gather(at, events)
	return f.Flush()
}

// Beat counts beats of nodes that no batch has.
func (f *Follower) Beat(n int64) { f.beats += n }

// Flush tells sinks of all that waits, in order, each with its time. What has ended by then makes room for others.
func (f *Follower) Flush() error {
	if f.shared {
		return ErrShared
	}
	beats := f.beats
	f.beats = 0
	for _, s := range f.sinks {
		s.beat(beats)
		if err := s.Batch(f.told, f.records[:f.count]); err != nil {
			return err
		}
	}
	f.count = 0
	f.indices, f.resting = append(f.indices, f.resting...), f.resting[:0]
	f.free, f.ended = append(f.free, f.ended...), f.ended[:0]
	return nil
}

// Gather finds out what the events of a round are about. It returns whether sinks may be told of them later, with
// what follows (Flush): whoever lets them wait keeps the events till then. Beats are only counted.
//
// Starts and ends that are told late (drive.Patient) stand each at its time, as if they had been told then. What is
// older than the last batch counts as of now: who tells it was held up.
func (f *Follower) Gather(at units.Time, events []sched.Event) (waits bool) {
	f.now = at
	if len(events) > 0 && events[0].Kind == sched.Resync {
		f.resync(at, events)
		f.told = at
		return false
	}
	most := at.Sub(f.told)
	starts := due(events, 0, sched.Started, most)
	ends := due(events, starts.to, sched.Ended, most)
	for i, j := starts.from, ends.from; i < starts.to || j < ends.to; {
		if i == starts.to || j < ends.to && events[j].Age > events[i].Age {
			f.end(at-units.Time(events[j].Age), &events[j])
			j++
		} else {
			f.start(at-units.Time(events[i].Age), &events[i])
			i++
		}
	}
	waits = true
	if starts.to-starts.from+ends.to-ends.from < len(events) {
		for i := range events {
			if !starts.has(i) && !ends.has(i) {
				waits = waits && Gathered.Has(events[i].Kind)
				f.take(at, &events[i])
			}
		}
	}
	f.told = at
	return waits
}

// span is a part of a batch.
type span struct{ from, to int }

func (s span) has(i int) bool { return s.from <= i && i < s.to }

// due finds the first events of a kind, from an index on, that are late, but by no more than so much.
func due(events []sched.Event, from int, kind sched.EventKind, most units.Duration) span {
	for from < len(events) && events[from].Kind < kind {
		from++
	}
	to := from
	for to < len(events) && events[to].Kind == kind && events[to].Age > 0 && events[to].Age <= most {
		to++
	}
	return span{from, to}
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
			f.decisions = append(f.decisions, Decision{it, f.job(it.Job), p, f})
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
	switch e.Kind {
	case sched.Started:
		f.start(at, e)
	case sched.Ended:
		f.end(at, e)
	case sched.Heartbeat:
		f.beats++
	default:
		r := Record{Event: e, At: at}
		f.rare(&r)
		*f.tell(at, e, nil, nil) = r
	}
}

// tell adds a record. It is written where it stays: most of what there is to do is this.
func (f *Follower) tell(at units.Time, e *sched.Event, j *Job, a *Attempt) *Record {
	n := f.count
	if n >= len(f.records) {
		f.records = append(f.records, make([]Record, n+1)...)
	}
	r := &f.records[n]
	f.count = n + 1
	r.Event, r.At, r.Job, r.Attempt, r.Host, r.Sizes, r.Again, r.Over = e, at, j, a, nil, false, false, false
	return r
}

// rare resolves an event that is neither an attempt's start nor its end.
func (f *Follower) rare(r *Record) {
	e := r.Event
	switch e.Kind {
	case sched.NodeUp, sched.NodeChanged, sched.NodeDown:
		r.Host = f.turn(e)
	case sched.Refused:
		r.Job = f.job(e.Job)
	case sched.Progress:
		if r.Attempt = f.attempt(e.Attempt); r.Attempt != nil {
			r.Job = r.Attempt.Job
		}
	case sched.OutputLost:
		if r.Job = f.job(e.Job); r.Job != nil {
			r.Job.count(e.Stage, -1, 0, 0)
		}
	case sched.Demand:
		if r.Job = f.job(e.Job); r.Job != nil {
			if r.Job.Spec.Growing() != nil {
				r.Job.count(e.Stage, 0, 0, int(max(e.Count, 0))-r.Job.asked(e))
			}
			r.Sizes = r.Job.grows
		}
	case sched.JobArrived:
		r.Job = f.arrive(r.At, e)
	case sched.JobAmended:
		if r.Job = f.job(e.Job); r.Job != nil && e.Detail != nil && e.Detail.Job != nil {
			r.Job.describe(e.Detail.Job)
		}
		r.Sizes = r.Job != nil
	case sched.StageReady:
		if r.Job = f.job(e.Job); r.Job != nil && len(r.Job.Spec.After) > 0 && e.Stage == r.Job.Spec.Stages[0].Kind {
			r.Job.Ready = r.At.Add(-e.Age)
		}
	case sched.JobEnded:
		if r.Job = f.endJob(r.At.Add(-e.Age), e.Job); r.Job != nil {
			if e.Outcome == sched.Committed {
				r.Job.settle()
			}
			r.Sizes = r.Job.grows
		}
	default:
		r.Job = f.job(e.Job)
	}
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
	j := &Job{Number: f.arrived, Arrived: at.Add(-e.Age), Ready: at.Add(-e.Age), Ended: units.Never}
	j.describe(e.Detail.Job)
	f.arrived++
	if n := len(f.indices); n > 0 {
		j.Index, f.indices = f.indices[n-1], f.indices[:n-1]
	} else {
		j.Index = f.mostJobs
		f.mostJobs++
	}
	*sched.Row(&f.jobs, e.Job) = j
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

// start takes in an attempt, unless its job is not known.
func (f *Follower) start(at units.Time, e *sched.Event) {
	j := f.job(e.Job)
	if j == nil || e.Attempt < 1 || e.Node < 0 {
		f.tell(at, e, nil, nil)
		return
	}
	f.lose(f.attempt(e.Attempt))
	var a *Attempt
	if n := len(f.free); n > 0 {
		a, f.free = f.free[n-1], f.free[:n-1]
	} else {
		a = &Attempt{Index: f.pages}
		f.pages++
	}
	a.Job, a.ID, a.Stage, a.Task, a.Node, a.Container = j, e.Attempt, e.Stage, e.Task, e.Node, e.Container
	a.Locality, a.Item, a.Began, a.On = e.Locality, e.Item, f.now-units.Time(e.Age), nil
	if n := f.node(e.Node); n != nil && n.State.There() {
		a.On = n.Spec
	}
	if int(e.Stage) < len(j.taken) {
		t := &j.taken[e.Stage]
		if t.needs == nil || t.kind != e.Container {
			*t = f.taken(j.Spec.Stage(e.Stage), e.Container)
		}
		a.Needs, a.Takes = t.needs, t.dims
	} else {
		a.Needs, a.Takes = &f.nothing, 0
	}
	*sched.Row(&f.attempts, e.Attempt) = a
	if j.grows {
		j.count(e.Stage, 0, 1, 0)
		j.runs(e.Stage, e.Item, 1)
	}
	f.tell(at, e, j, a).Sizes = j.grows
}

// end takes in that an attempt is over.
func (f *Follower) end(at units.Time, e *sched.Event) {
	a := f.attempt(e.Attempt)
	if a == nil {
		f.tell(at, e, nil, nil)
		return
	}
	f.tell(at, e, a.Job, a).Over = a.Job.Ended != units.Never
	if j := a.Job; j.grows {
		done := 0
		if e.Outcome == sched.Committed {
			done = 1
		}
		j.count(a.Stage, done, -1, 0)
		j.runs(a.Stage, a.Item, -1)
	}
	f.attempts[e.Attempt] = nil
	f.ended = append(f.ended, a)
}

// lose tells that an attempt has ended, nobody knows how.
func (f *Follower) lose(a *Attempt) {
	if a != nil {
		f.end(f.now, &sched.Event{Kind: sched.Ended, Derived: true, Attempt: a.ID})
	}
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
	f.tell(at, &sched.Event{Kind: sched.JobEnded, Derived: true, Job: h}, f.endJob(at, h), nil).Sizes = j.grows
}

// taken is what a container of the kind takes: a slot if the stage does not say.
func (f *Follower) taken(st *workload.StageSpec, kind uint8) taken {
	t := taken{needs: &f.mapSlot, kind: kind}
	switch {
	case st == nil || int(kind) >= max(1, len(st.Containers)):
		t.needs = &f.nothing
	case len(st.Containers) > 0:
		t.needs = &st.Containers[kind].Needs
	case st.Kind == workload.Reduce:
		t.needs = &f.reduceSlot
	}
	for d, by := range t.needs {
		if by != 0 {
			t.dims |= 1 << d
		}
	}
	return t
}
