package report

import (
	"slices"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Builder is the sink that makes a run of the report.
type Builder struct {
	follow.Single
	run   Run
	pages []page    // by index of jobs that are there
	facts []Facts   // of run.Jobs
	drew  []drawn   // likewise
	nodes []NodeUse // by handle

	real     bool  // it takes place on a real machine
	events   int64 // without beats
	usage    usage
	makespan units.Time
	meter    energy.Meter
	leases   leases
	requests Requests
	used     energy.Used // until the makespan
	rates    []mark      // when the supply changed

	idle      area                    // containers that reduces held while maps of their job were to end
	places    [sched.Remote + 1]int64 // committed maps by locality
	responses []float64               // of finished jobs, in seconds
}

// drawn is what attempts of a job have drawn above idle, what that had been where such work takes least, and what all
// nodes had used when it began; of one that has ended, while it ran.
type drawn struct {
	own, least units.Joules
	all        energy.Used
	kinds      bool // its tasks can run in several kinds of containers
}

// fewTasks is how many tasks a job may have whose notes the next one with its page takes over.
const fewTasks = 1 << 12

// page is what is noted of a job while it is there.
type page struct {
	where []sched.Locality // of each committed map, by task
	maps  int              // committed
	tasks int              // of all stages that are known of
	there bool             // its end was not told

	reduces int64      // that run
	since   units.Time // they do, as far as is counted
}

// NewBuilder returns a sink for a run with these headings.
func NewBuilder(world, scenario, policy string, seed uint64) *Builder {
	return &Builder{real: world != "sim", run: Run{World: world, Scenario: scenario, Policy: policy, Seed: seed, Jobs: []Job{}}}
}

// Aggregate has the builder keep no row for a job that is gone.
func (b *Builder) Aggregate() {
	b.run.Aggregate = new(Aggregate)
	b.run.Tally() // nothing so far
}

// row is where the row of a job stands.
func (b *Builder) row(j *follow.Job) int {
	if b.run.Aggregate != nil {
		return j.Index
	}
	return j.Number
}

// settle counts a job by its page's index, and forgets it.
func (b *Builder) settle(i int) {
	if b.pages[i].there {
		b.pages[i].there = false
		b.judge(&b.run.Jobs[i], b.facts[i])
		b.run.tally(&b.run.Jobs[i])
		b.run.settle(&b.run.Jobs[i])
		b.run.Aggregate.add(&b.run.Jobs[i], b.pages[i].tasks, b.drew[i].own.KWh())
	}
}

// Batch takes in what happened.
func (b *Builder) Batch(now units.Time, records []follow.Record) error {
	_ = b.requests.Batch(now, records)
	for i := range records {
		e, at := &records[i], records[i].At
		if e.Sizes {
			b.size(at, e.Job)
		}
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged, sched.NodeDown:
			b.events++
			b.node(at, e)
		case sched.SupplyChanged:
			if e.Of.Check(e.X) == nil {
				b.rates = append(b.rates, mark{at, b.meter.Until(at)})
				b.meter.Feed(at, e.Of, e.X)
			}
		case sched.JobArrived:
			b.events++
			if e.Job != nil {
				b.arrive(e)
			}
		case sched.JobAmended:
			if e.Job != nil {
				b.promise(e.Job)
			}
		case sched.StageReady:
			if e.Job != nil && len(e.Job.Spec.After) > 0 && e.Stage == e.Job.Spec.Stages[0].Kind {
				b.run.Jobs[b.row(e.Job)].Ready = seconds(e.Job.Ready)
			}
		case sched.Started:
			b.events++
			if e.Attempt != nil && !e.Again {
				b.start(at, e.Attempt)
			}
		case sched.Ended:
			b.events++
			if e.Attempt != nil {
				b.end(at, e)
			}
		case sched.OutputLost:
			if e.Job != nil && e.Stage == sched.Map {
				b.unmap(at, e.Job, e.Task)
			}
		case sched.JobEnded:
			if e.Job != nil {
				b.finish(at, e)
			}
		}
	}
	return nil
}

// advised is what would have been done with a job while the scheduler watched.
var advised = map[sched.Verb]string{sched.Admit: "would have been admitted: ", sched.Hold: "would have been held: ", sched.Reject: "would have been refused: "}

// Plan takes in what was decided on admission, and asked of clouds.
func (b *Builder) Plan(at units.Time, decisions []follow.Decision) error {
	_ = b.requests.Plan(at, decisions)
	for i := range decisions {
		d := &decisions[i]
		if d.Refused == sched.Watched && d.Job != nil {
			b.run.Jobs[b.row(d.Job)].Advice = advised[d.Verb] + d.Why()
		}
		if d.Refused != sched.OK {
			continue
		}
		if o, told := OutlookOf(at, d); told {
			b.run.Jobs[b.row(d.Job)].foresee(o)
		}
		if d.Job != nil && (d.Verb == sched.SetDeadline || d.Verb == sched.SetTasks) {
			b.run.Jobs[b.row(d.Job)].plan(d)
		}
		if d.Job == nil || d.Verb != sched.Admit && d.Verb != sched.Reject && d.Verb != sched.Foretell {
			continue
		}
		j := &b.run.Jobs[b.row(d.Job)]
		if d.Verb == sched.Foretell {
			if d.Outlook.Word.Binds() && j.Promised == nil { // it is promised only now
				j.promise(d)
			}
			continue
		}
		j.Advice = ""
		if d.Verb == sched.Admit {
			j.Admitted = true
			j.promise(d)
			continue
		}
		j.Admitted, b.facts[b.row(d.Job)].Refused = false, true
		if d.Outlook.By > 0 {
			j.Offer = seconds(d.Outlook.By)
		}
		j.Estimated, j.Refusal = d.Outlook.Measured > 0, d.Reason.Cause.String()
		j.Reason = d.Why()
	}
	return nil
}

// Run returns the run as it stands. The builder is done with.
func (b *Builder) Run() *Run {
	s, gone := &b.run.Summary, 0.0 // by attempts of jobs that no row is kept of
	if g := b.run.Aggregate; g == nil {
		for i := range b.run.Jobs {
			b.judge(&b.run.Jobs[i], b.facts[i])
		}
		b.run.Tally()
	} else {
		for i := range b.pages {
			b.settle(i)
		}
		for i := range b.run.Workflows { // not all of whose jobs came
			s.judge(&b.run.Workflows[i])
		}
		b.run.Workflows = nil
		b.run.Jobs, gone = []Job{}, g.all.Energy
		g.close(s)
	}
	s.Events, s.Makespan = b.events+b.Beats(), b.makespan.Seconds()
	if len(b.responses) > 0 {
		s.MeanResponse, s.P95Response = new(stat.Mean(b.responses)), new(stat.Quantile(b.responses, 0.95))
	}
	if b.run.Aggregate == nil {
		s.FreeResponse = b.run.freeResponse()
	}
	if all := b.places[sched.Anywhere] + b.places[sched.NodeLocal] + b.places[sched.RackLocal] + b.places[sched.Remote]; all > 0 {
		s.MapLocality = new(float64(b.places[sched.Anywhere]+b.places[sched.NodeLocal]) / float64(all))
		s.RackLocality = new(float64(b.places[sched.RackLocal]) / float64(all))
	}
	s.MapUtilization, _ = b.usage.part(units.MapSlots)
	s.ReduceUtilization, _ = b.usage.part(units.ReduceSlots)
	s.ReduceIdle = b.idle.float() / float64(units.Second)
	for d, to := range map[units.Dim]**float64{units.VCores: &s.CoreUtilization, units.Memory: &s.MemoryUtilization} {
		if part, there := b.usage.part(d); there {
			*to = &part
		}
	}
	for d, to := range map[units.Dim]*float64{units.MapSlots: &s.MapSlots, units.ReduceSlots: &s.ReduceSlots, units.VCores: &s.Cores, units.Memory: &s.Memory} {
		*to = b.usage.atEnd[d].over(b.makespan)
	}
	s.Wakes = b.used.Wakes
	if b.rates = append(b.rates, mark{b.makespan, b.used}); !b.meter.Known {
		b.bill(false)
	} else if s.TaskEnergy = new(gone + b.bill(true)); !b.real { // whose machine has a meter
		u := b.uses(b.used.All, b.used)
		for i, to := range []**float64{&s.IdleEnergy, &s.WakeEnergy, &s.SleepEnergy} {
			*to = new(b.used.States[i].KWh())
		}
		if s.Energy, s.EnergyCost, s.Carbon = u.Energy, u.EnergyCost, u.Carbon; b.meter.Fed[sched.GreenPower] {
			s.Green, s.Brown = new(b.used.Green.KWh()), new((b.used.All - b.used.Green).KWh())
		}
	}
	b.run.Nodes = append(b.run.Nodes, slices.DeleteFunc(b.nodes, func(n NodeUse) bool { return n.Energy == 0 })...)
	b.run.Requests = b.requests.List
	bill, of := b.leases.bill(b.makespan)
	for i, cost := range of {
		if b.run.Aggregate == nil {
			b.run.Jobs[i].Rent = &cost
		}
	}
	if b.run.Bill = bill; bill != nil {
		s.Rented, s.Rent = new(float64), new(float64)
		for _, r := range b.run.Bill {
			*s.Rented += r.Hours
			*s.Rent += r.Cost
		}
	}
	return &b.run
}

// node takes in where a node stands: what it offers, and what it draws. One that wakes offers what it did.
func (b *Builder) node(at units.Time, e *follow.Record) {
	n := e.Host
	if n == nil || n.Spec == nil {
		return
	}
	switch {
	case !n.State.There():
		b.usage.offer(at, e.Node, &units.Vector{})
	case n.State != sched.Waking || e.Kind == sched.NodeUp:
		b.usage.offer(at, e.Node, &n.Spec.Class.Capacity)
	}
	b.meter.Node(at, e.Node, n.Spec.Class, n.State)
	sched.Row(&b.nodes, e.Node).Node = n.Spec.Name
	b.leases.turn(at, e.Node, n.Spec.Class, n.State)
}

// judge says what became of a job.
func (b *Builder) judge(j *Job, f Facts) {
	f.Real, f.Promised = b.real, j.Promised != nil
	if j.Deadline != nil && j.Finished != nil && !j.Before {
		f.InTime = new(*j.Finished <= *j.Deadline)
	}
	j.Outcome = f.Outcome()
	if b.real && !j.Outcome.Finished() {
		j.TaskTime = nil
	}
}

func (b *Builder) arrive(e *follow.Record) {
	spec := e.Job.Spec
	p := sched.Row(&b.pages, e.Job.Index)
	if e.Again {
		b.reduces(e.At, e.Job, 0)
		if st := spec.Stage(sched.Map); st != nil {
			p.maps = len(st.Done)
			j := &b.run.Jobs[b.row(e.Job)]
			j.LocalMaps = min(j.LocalMaps, p.maps)
		}
		b.size(e.At, e.Job)
		b.promise(e.Job)
		return
	}
	*p = page{where: p.where[:0], there: true}
	j := Job{ID: spec.ID, Class: spec.Class, Queue: queues.Of(spec), Submitted: e.Job.Arrived.Seconds(), Before: Before(spec)}
	work, known, kinds := 0.0, true, false
	for i := range spec.Stages {
		st := &spec.Stages[i]
		known, kinds = known && len(st.Done) == 0, kinds || len(st.Containers) > 1
		for t := range st.Tasks {
			if !b.real {
				work += (st.Tasks[t].Work + st.Tasks[t].Shuffle).Seconds()
			}
		}
	}
	if known {
		j.TaskTime = &work
	}
	if spec.Promised { // by the run that this one continues; what it expected nobody knows any more
		j.Promised = seconds(spec.Deadline)
	}
	b.run.join(&j, spec.Workflow, spec.After)
	i := b.row(e.Job)
	*sched.Row(&b.run.Jobs, i), *sched.Row(&b.facts, i), *sched.Row(&b.drew, i) = j, Facts{}, drawn{kinds: kinds}
	b.size(e.At, e.Job)
	b.promise(e.Job)
}

// size notes how many tasks are known of.
func (b *Builder) size(at units.Time, job *follow.Job) {
	b.reduces(at, job, 0)
	j, p, all := &b.run.Jobs[b.row(job)], &b.pages[job.Index], job.AllTasks()
	j.Maps, j.Reduces = job.Tasks(sched.Map), job.Tasks(sched.Reduce)
	b.run.Summary.Tasks += int64(all - p.tasks)
	p.tasks = all
}

// promise notes the deadlines.
func (b *Builder) promise(job *follow.Job) {
	j, spec := &b.run.Jobs[b.row(job)], job.Spec
	j.Deadline, j.SoftDeadline, j.Promise = seconds(spec.Deadline), seconds(spec.Soft), spec.Promise
	if spec.Overdue > 0 {
		j.Deadline, j.Overdue = seconds(spec.Deadline.Add(-spec.Overdue)), true
	}
}

// Before tells whether an earlier run has done all tasks of the job.
func Before(spec *workload.Job) bool {
	all := len(spec.Stages) > 0
	for i := range spec.Stages {
		all = all && len(spec.Stages[i].Done) > 0 && len(spec.Stages[i].Done) == len(spec.Stages[i].Tasks)
	}
	return all
}

func seconds(t units.Time) *float64 {
	if t == units.Never {
		return nil
	}
	return new(t.Seconds())
}

func (b *Builder) start(at units.Time, a *follow.Attempt) {
	b.run.Summary.Attempts++
	j := &b.run.Jobs[b.row(a.Job)]
	j.Attempts++
	j.Before = false // what it had done was damaged
	if j.Started == nil {
		j.Started = seconds(a.Began)
		b.drew[b.row(a.Job)].all = b.meter.Until(at)
	}
	if b.meter.Known {
		b.meter.Hold(at, a.Node, a.Needs, a.Job.Spec, a.Stage, a.Container, +1)
	}
	b.usage.hold(at, a, false)
	if a.Stage == sched.Reduce {
		b.reduces(at, a.Job, +1)
	}
}

// reduces counts what the running reduces of a job have held for nothing until now, as maps of it are to
// end; and that so many more run.
func (b *Builder) reduces(at units.Time, job *follow.Job, more int64) {
	p := &b.pages[job.Index]
	if p.reduces == 0 && more == 0 || job.Ended < at { // or the page may be that of another job
		return
	}
	if p.maps < b.run.Jobs[b.row(job)].Maps {
		b.idle.add(p.reduces, at.Sub(p.since))
	}
	p.reduces, p.since = max(0, p.reduces+more), at
}

func (b *Builder) end(at units.Time, e *follow.Record) {
	a := e.Attempt
	b.usage.hold(at, a, true)
	b.leases.ended(a, at)
	if a.Stage == sched.Reduce {
		b.reduces(at, a.Job, -1)
	}
	if b.meter.Known {
		b.meter.Hold(at, a.Node, a.Needs, a.Job.Spec, a.Stage, a.Container, -1)
	}
	if d := &b.drew[b.row(a.Job)]; e.X > 0 {
		sched.Row(&b.nodes, a.Node).Energy += units.Joules(e.X).KWh()
		least := e.X
		if d.kinds || !b.meter.Alike() {
			least *= b.meter.Least(a.Node, a.Job.Spec, a.Stage, a.Container)
		}
		d.own, d.least = d.own+units.Joules(e.X), d.least+units.Joules(least)
	}
	if e.Outcome != sched.Committed || e.Over {
		return
	}
	j := &b.run.Jobs[b.row(a.Job)]
	if b.real && j.TaskTime != nil {
		*j.TaskTime += at.Sub(a.Began).Seconds()
	}
	if a.Stage == sched.Map {
		b.mapped(at, a, j)
	}
}

// mapped notes a committed map.
func (b *Builder) mapped(at units.Time, a *follow.Attempt, j *Job) {
	p := &b.pages[a.Job.Index]
	b.places[a.Locality]++
	if local(a.Locality) {
		j.LocalMaps++
	}
	if a.Task > 0 {
		*sched.Row(&p.where, a.Task-1) = a.Locality
	}
	if p.maps+1 >= j.Maps {
		b.reduces(at, a.Job, 0)
		j.MapsDone = seconds(at)
	}
	p.maps++
}

// unmap takes back a committed map whose output is gone.
func (b *Builder) unmap(at units.Time, job *follow.Job, t sched.TaskID) {
	j, p := &b.run.Jobs[b.row(job)], &b.pages[job.Index]
	b.reduces(at, job, 0)
	p.maps--
	if t < 1 || int(t) > len(p.where) {
		j.LocalMaps = min(j.LocalMaps, max(p.maps, 0)) // which it was nobody says
		return
	}
	was := p.where[t-1]
	b.places[was]--
	if local(was) {
		j.LocalMaps--
	}
	p.where[t-1] = sched.NoLocality
}

// local tells whether a task lies with its input; one without any is at home everywhere.
func local(l sched.Locality) bool { return l == sched.NodeLocal || l == sched.Anywhere }

func (b *Builder) finish(at units.Time, e *follow.Record) {
	ended := e.Job.Ended // of an ApplicationMaster the world tells it later
	b.reduces(ended, e.Job, 0)
	j, f, d := &b.run.Jobs[b.row(e.Job)], &b.facts[b.row(e.Job)], &b.drew[b.row(e.Job)]
	f.End = e.Outcome
	spec, refused := e.Job.Spec, f.Refused
	if !refused && j.Advice == "" && (e.Outcome == sched.Committed || e.Outcome == sched.Failed) {
		j.Admitted = true // by its deeds, if nobody said so: its sample was all of it
	}
	switch {
	case e.Outcome == sched.Committed && !refused:
		j.Finished = seconds(ended)
		if j.Before {
			break
		}
		response := ended.Seconds() - j.Submitted
		if b.run.Aggregate == nil {
			b.responses = append(b.responses, response)
		}
		if j.Deadline != nil && j.Admitted && spec.Overdue == 0 { // which allowed no time to divide by
			// a busy world may have told of it later than it came, and behind its deadline
			owed := spec.Deadline.Sub(spec.Arrive).Seconds()
			penalty := spec.Weight * max(0, (ended.Seconds()-*j.Deadline)/owed)
			b.run.Summary.Penalty += penalty
			j.Penalty = &penalty
		}
	case !refused:
		j.Reason = e.Text
	}
	if p := &b.pages[e.Job.Index]; cap(p.where) > fewTasks {
		p.where = nil
	}
	if b.run.Aggregate != nil {
		b.settle(e.Job.Index)
	}
	b.makespan = at
	b.usage.close(at)
	b.used = b.meter.Until(at)
	d.all = b.used.Since(d.all)
}
