package report

import (
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Builder is the sink that makes a run of the report.
type Builder struct {
	run      Run
	jobs     []page    // by handle, [0] unused
	facts    []Facts   // of run.Jobs
	attempts []attempt // by handle

	slots    usage   // of map and reduce slots
	cores    sharing // of vcores and memory
	makespan units.Time
	meter    meter
	used     energy // until the makespan

	lost  units.Duration  // see GoesOn
	since map[string]bool // jobs whose deadlines lie so much earlier

	places    [sched.Remote + 1]int64 // committed maps by locality
	responses []float64               // of finished jobs, in seconds
}

var _ drive.Sink = (*Builder)(nil)

// page is what is noted of a job while it is there.
type page struct {
	at    int // in run.Jobs
	spec  *workload.Job
	where []sched.Locality // of each committed map, by task
	maps  int              // committed
}

type attempt struct {
	job       sched.JobID // 0: there is none
	stage     sched.Stage
	locality  sched.Locality
	node      sched.NodeID
	task      sched.TaskID
	began     units.Time
	slots     [2]int64
	container uint8
}

// NewBuilder returns a sink for a run with these headings.
func NewBuilder(world, scenario, policy string, seed uint64) *Builder {
	return &Builder{run: Run{World: world, Scenario: scenario, Policy: policy, Seed: seed, Jobs: []Job{}}}
}

// GoesOn says that the run goes on with one that was interrupted and had begun so long before. The deadlines of these jobs were given as spans
// from their submission, which was then: by that they are judged, whatever the policy is told.
func (b *Builder) GoesOn(lost units.Duration, jobs []string) {
	b.lost, b.since = lost, make(map[string]bool, len(jobs))
	for _, id := range jobs {
		b.since[id] = true
	}
}

// Batch takes in what happened.
func (b *Builder) Batch(_ int64, at units.Time, events []sched.Event) error {
	s := &b.run.Summary
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			s.Events++
			if e.Detail != nil && e.Detail.Node != nil {
				b.offer(at, e.Node, &e.Detail.Node.Class.Capacity)
			}
			b.meter.turn(at, e)
		case sched.NodeDown:
			s.Events++
			b.offer(at, e.Node, &units.Vector{})
			b.meter.turn(at, e)
		case sched.SupplyChanged:
			if e.Of == sched.GreenPower {
				b.meter.feed(at, e.X)
			}
		case sched.Refused:
			b.meter.refused(at, e)
		case sched.Heartbeat:
			s.Events++
		case sched.JobArrived:
			s.Events++
			b.arrive(at, e.Job, e.Detail.Job)
		case sched.JobAmended:
			if p := b.page(e.Job); p != nil && e.Detail != nil && e.Detail.Job != nil {
				p.spec = e.Detail.Job
				b.promise(p)
			}
		case sched.Started:
			s.Events++
			b.start(at, e)
		case sched.Ended:
			s.Events++
			b.end(at, e)
		case sched.OutputLost:
			if p := b.page(e.Job); p != nil && e.Stage == sched.Map {
				b.unmap(p, e.Task)
			}
		case sched.JobEnded:
			b.finish(at, e)
		}
	}
	return nil
}

// Plan takes in what was decided on admission.
func (b *Builder) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		b.meter.plan(at, it)
		if it.Refused != sched.OK || it.Verb != sched.Admit && it.Verb != sched.Reject {
			continue
		}
		pg := b.page(it.Job)
		if pg == nil {
			continue
		}
		j := &b.run.Jobs[pg.at]
		if it.Verb == sched.Admit {
			j.Admitted = true
			j.promise(&it.Reason)
			continue
		}
		j.Admitted, b.facts[pg.at].Refused = false, true
		if it.At > 0 && it.At != units.Never {
			j.Offer = seconds(it.At)
		}
		j.Estimated, j.Refusal = it.Count > 0, it.Reason.Cause.String()
		j.Reason = p.Why(it, b.specOf)
	}
	return nil
}

// Run returns the run as it stands. The builder is done with.
func (b *Builder) Run() *Run {
	s := &b.run.Summary
	for i := range b.run.Jobs {
		b.judge(&b.run.Jobs[i], b.facts[i])
	}
	b.run.Tally()
	s.Makespan = b.makespan.Seconds()
	if len(b.responses) > 0 {
		mean, p95 := stat.Mean(b.responses), stat.Quantile(b.responses, 0.95)
		s.MeanResponse, s.P95Response = &mean, &p95
	}
	s.FreeResponse = b.run.freeResponse()
	if all := b.places[sched.Anywhere] + b.places[sched.NodeLocal] + b.places[sched.RackLocal] + b.places[sched.Remote]; all > 0 {
		near, rack := float64(b.places[sched.Anywhere]+b.places[sched.NodeLocal])/float64(all), float64(b.places[sched.RackLocal])/float64(all)
		s.MapLocality, s.RackLocality = &near, &rack
	}
	s.MapUtilization, _ = b.slots.part(0)
	s.ReduceUtilization, _ = b.slots.part(1)
	for k, to := range []**float64{&s.CoreUtilization, &s.MemoryUtilization} {
		if part, there := b.cores.part(k); there {
			*to = &part
		}
	}
	s.MapSlots, s.ReduceSlots = b.slots.atEnd[0].over(b.makespan), b.slots.atEnd[1].over(b.makespan)
	s.Cores, s.Memory = b.cores.atEnd[0].over(b.makespan), b.cores.atEnd[1].over(b.makespan)
	b.meter.report(s, b.used)
	return &b.run
}

// judge says what became of a job.
func (b *Builder) judge(j *Job, f Facts) {
	f.Real, f.Promised = b.real(), j.Promised != nil
	if j.Deadline != nil && j.Finished != nil && !j.Before {
		inTime := *j.Finished <= *j.Deadline
		f.InTime = &inTime
	}
	j.Outcome = f.Outcome()
	if b.real() && !j.Outcome.Finished() {
		j.TaskTime = nil
	}
}

// real tells whether the run takes place on a real machine.
func (b *Builder) real() bool { return b.run.World != "sim" }

func (b *Builder) specOf(j sched.JobID) *workload.Job {
	if p := b.page(j); p != nil {
		return p.spec
	}
	return nil
}

func (b *Builder) page(j sched.JobID) *page {
	if j < 1 || int(j) >= len(b.jobs) || b.jobs[j].spec == nil {
		return nil
	}
	return &b.jobs[j]
}

// slot returns the element for a handle, growing the list if need be.
func slot[T any, H ~int32](list *[]T, h H) *T {
	for int(h) >= len(*list) {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[h]
}

func (b *Builder) arrive(at units.Time, h sched.JobID, spec *workload.Job) {
	p := slot(&b.jobs, h)
	*p = page{at: len(b.run.Jobs), spec: spec, where: p.where[:0]}
	j := Job{ID: spec.ID, Class: spec.Class, Queue: queues.Of(spec), Submitted: at.Seconds(), Maps: spec.Tasks(sched.Map),
		Reduces: spec.Tasks(sched.Reduce), Before: Before(spec)}
	work, known := 0.0, true
	for i := range spec.Stages {
		st := &spec.Stages[i]
		b.run.Summary.Tasks += int64(len(st.Tasks))
		known = known && len(st.Done) == 0
		for t := range st.Tasks {
			if !b.real() {
				work += (st.Tasks[t].Work + st.Tasks[t].Shuffle).Seconds()
			}
		}
	}
	if known {
		j.TaskTime = &work
	}
	b.run.Jobs, b.facts = append(b.run.Jobs, j), append(b.facts, Facts{})
	b.promise(p)
}

// promise notes the deadlines.
func (b *Builder) promise(p *page) {
	j := &b.run.Jobs[p.at]
	j.Deadline, j.SoftDeadline, j.Promise = seconds(b.due(p, p.spec.Deadline)), seconds(b.due(p, p.spec.Soft)), p.spec.Promise
}

// due is when a deadline falls by which the job is judged.
func (b *Builder) due(p *page, deadline units.Time) units.Time {
	if deadline == units.Never || !b.since[p.spec.ID] {
		return deadline
	}
	return deadline - units.Time(b.lost)
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
	s := t.Seconds()
	return &s
}

func (b *Builder) start(at units.Time, e *sched.Event) {
	p := b.page(e.Job)
	if p == nil {
		return
	}
	b.run.Summary.Attempts++
	j := &b.run.Jobs[p.at]
	j.Attempts++
	j.Before = false // what it had done was damaged
	if j.Started == nil {
		j.Started = seconds(at)
	}
	a := slot(&b.attempts, e.Attempt)
	*a = attempt{job: e.Job, stage: e.Stage, locality: e.Locality, node: e.Node, task: e.Task, container: e.Container, began: at}
	if st := p.spec.Stage(e.Stage); st != nil && int(e.Container) < max(1, len(st.Containers)) {
		if len(st.Containers) == 0 && !b.meter.known { // one slot: as nearly always where every event counts
			a.slots[slotKind(st.Kind)] = 1
		} else {
			c := st.Container(int(e.Container))
			a.slots = slotsOf(&c.Needs)
			b.meter.hold(at, e.Node, &c.Needs, +1)
			b.cores.start(at, e.Attempt, e.Node, &c.Needs)
		}
	}
	b.slots.hold(at, e.Node, a.slots, +1)
}

// slotKind is the place in slotsOf of the slot that a task of the stage takes if nothing else is said.
func slotKind(s workload.Stage) int {
	if s == workload.Reduce {
		return 1
	}
	return 0
}

func slotsOf(v *units.Vector) [2]int64 { return [2]int64{v[units.MapSlots], v[units.ReduceSlots]} }

func (b *Builder) end(at units.Time, e *sched.Event) {
	if e.Attempt < 1 || int(e.Attempt) >= len(b.attempts) || b.attempts[e.Attempt].job == 0 {
		return
	}
	a := &b.attempts[e.Attempt]
	b.slots.used(a.slots, at.Sub(a.began))
	b.slots.hold(at, a.node, a.slots, -1)
	b.cores.end(at, e.Attempt, a.node, at.Sub(a.began))
	p := b.page(a.job)
	if b.meter.known && p != nil {
		if st := p.spec.Stage(a.stage); st != nil && int(a.container) < max(1, len(st.Containers)) {
			c := st.Container(int(a.container))
			b.meter.hold(at, a.node, &c.Needs, -1)
		}
	}
	if p != nil && e.Outcome == sched.Committed {
		if j := &b.run.Jobs[p.at]; b.real() && j.TaskTime != nil {
			*j.TaskTime += at.Sub(a.began).Seconds()
		}
		if a.stage == sched.Map {
			b.mapped(at, p, a)
		}
	}
	a.job = 0
}

// mapped notes a committed map.
func (b *Builder) mapped(at units.Time, p *page, a *attempt) {
	j := &b.run.Jobs[p.at]
	b.places[a.locality]++
	if local(a.locality) {
		j.LocalMaps++
	}
	if a.task > 0 {
		for len(p.where) < j.Maps {
			p.where = append(p.where, sched.NoLocality)
		}
		p.where[a.task-1] = a.locality
	}
	if p.maps++; p.maps >= j.Maps {
		j.MapsDone = seconds(at)
	}
}

// unmap takes back a committed map whose output is gone.
func (b *Builder) unmap(p *page, t sched.TaskID) {
	j := &b.run.Jobs[p.at]
	p.maps--
	if t < 1 || int(t) > len(p.where) {
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

func (b *Builder) finish(at units.Time, e *sched.Event) {
	p := b.page(e.Job)
	if p == nil {
		return
	}
	j := &b.run.Jobs[p.at]
	b.facts[p.at].End = e.Outcome
	refused := b.facts[p.at].Refused
	switch {
	case e.Outcome == sched.Committed && !refused:
		j.Finished = seconds(at)
		if j.Before {
			break
		}
		response := at.Seconds() - j.Submitted
		b.responses = append(b.responses, response)
		if j.Deadline != nil && j.Admitted {
			owed := p.spec.Deadline.Sub(p.spec.Arrive).Seconds() // a busy world may have told of it later than it came, and behind its deadline
			penalty := p.spec.Weight * max(0, (at.Seconds()-*j.Deadline)/owed)
			b.run.Summary.Penalty += penalty
			j.Penalty = &penalty
		}
	case !refused:
		j.Reason = e.Text
	}
	p.spec = nil
	b.makespan = at
	b.slots.close(at)
	b.cores.close(at)
	b.meter.advance(at)
	b.used = energy{units.Joules(b.meter.all), units.Joules(b.meter.green)}
}

// offer notes what a node has for containers from now on.
func (b *Builder) offer(at units.Time, h sched.NodeID, capacity *units.Vector) {
	b.slots.offer(at, h, slotsOf(capacity))
	b.cores.offer(at, h, capacity)
}
