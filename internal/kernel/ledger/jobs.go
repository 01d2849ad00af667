package ledger

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// jobArrived opens the record of a job. It stands in line at once. One with predecessors waits
// until the world says that a stage may start: who has ended, and how, the world knows, and the
// book remembers no job that is gone.
func (l *Ledger) jobArrived(e *sched.Event) {
	if e.Job < 1 || e.Detail == nil || e.Detail.Job == nil {
		l.discrepancy(e, "a job arrived without a handle or a description")
		return
	}
	if l.job(e.Job) != nil {
		l.discrepancy(e, "a job arrived under a handle that is in use; the older one counts as killed")
		l.jobEnded(&sched.Event{Kind: sched.JobEnded, Job: e.Job, Outcome: sched.Killed})
		l.closing = slices.DeleteFunc(l.closing, func(j sched.JobID) bool { return j == e.Job })
	}
	spec := e.Detail.Job
	l.arrivals++
	b := sched.Row(&l.jobs, e.Job)
	*b = jobBook{Job: sched.Job{ID: e.Job, State: sched.Pending, Seq: l.arrivals, Spec: spec, Arrived: l.since(e), Started: units.Never,
		Deadline: spec.Deadline, Virtual: spec.Virtual}}
	// One that began before this one arrived was another job of that name.
	if began, is := l.begun[spec.ID]; is && began >= b.Arrived {
		b.Started = began
	}
	l.ids[spec.ID] = e.Job
	for i := range spec.Stages {
		st := &spec.Stages[i]
		n := int32(len(st.Tasks))
		b.Stages[st.Kind] = sched.Tally{Total: n, Done: int32(len(st.Done)), Limit: -1, Sample: -1}
		if l.can.Bind {
			b.tasks[st.Kind] = openStage(st)
			b.Stages[st.Kind].Open = n - b.Stages[st.Kind].Done
		} else { // its Demand says what is open
			b.tasks[st.Kind] = &tasks{Spec: st}
			l.grow(b, st.Kind) // by what is done already
		}
	}
	l.setNeeds(b)
	b.Queue = l.queueOf(&b.Job)
	l.countJob(b, 1)
	if len(spec.After) > 0 {
		b.State = sched.Waiting
	} else {
		l.firstStage(b)
	}
	l.markDirty(b, allStages)
}

// setNeeds notes what a container of each kind takes.
func (l *Ledger) setNeeds(b *jobBook) {
	l.releaseKinds(b)
	for i := range b.Spec.Stages {
		st := &b.Spec.Stages[i]
		kinds := make([]units.Need, max(1, len(st.Containers)))
		for k := range kinds {
			kinds[k] = units.NeedOf(st.Container(k).Needs)
		}
		b.needs[st.Kind] = kinds
		b.kinds[st.Kind] = make([]int32, len(kinds))
		for k := range kinds {
			b.kinds[st.Kind][k] = l.kindOf(&kinds[k].Vector)
		}
	}
}

// kindOf returns the place of a kind of container in the list, for one stage more.
func (l *Ledger) kindOf(need *units.Vector) int32 {
	at := len(l.kinds)
	for i := range l.kinds {
		k := &l.kinds[i]
		if k.need == *need {
			k.refs++
			return int32(i)
		}
		if k.refs == 0 {
			at = i
		}
	}
	if at == len(l.kinds) {
		l.kinds = append(l.kinds, kind{})
	}
	l.kinds[at] = kind{need: *need, refs: 1}
	return int32(at)
}

// releaseKinds lets go of the kinds of containers that a job names which stands in no ranking.
func (l *Ledger) releaseKinds(b *jobBook) {
	for s := range b.kinds {
		for _, k := range b.kinds[s] {
			l.kinds[k].refs--
		}
		b.kinds[s] = nil
	}
}

// firstStage lets a job's first stage start.
func (l *Ledger) firstStage(b *jobBook) {
	s := b.Spec.Stages[0].Kind
	l.ready(b, s)
	l.derived = append(l.derived, sched.Event{Kind: sched.StageReady, Derived: true, Job: b.ID, Stage: s})
}

// countJob counts a job that has not ended in its queue and those above.
func (l *Ledger) countJob(b *jobBook, by int32) {
	for q := b.Queue; ; q = l.queues[q].Parent {
		l.queues[q].Jobs += by
		if q == sched.Root {
			break
		}
	}
	if l.queues[b.Queue].Jobs == 0 {
		l.vacant = append(l.vacant, b.Queue)
	}
}

// setState moves a job on, or with advice what it would be; the queues above count those that run, or would.
func (l *Ledger) setState(b *jobBook, to, advice sched.JobState) {
	was := b.Standing()
	b.State, b.Advice = to, advice
	is, by := b.Standing(), int32(0)
	switch {
	case was != sched.Admitted && is == sched.Admitted:
		by = 1
	case was == sched.Admitted && is != sched.Admitted:
		by = -1
	default:
		return
	}
	for q := b.Queue; ; q = l.queues[q].Parent {
		l.queues[q].Runs += by
		if q == sched.Root {
			return
		}
	}
}

// jobEnded closes a job. Its record can be read during this batch.
func (l *Ledger) jobEnded(e *sched.Event) {
	b := l.job(e.Job)
	if b == nil || b.State == sched.Finished {
		l.discrepancy(e, "a job ended that the book does not know")
		return
	}
	for s := range sched.Stages {
		for a := b.heads[s]; a != 0; a = b.heads[s] {
			l.discrepancy(&sched.Event{Kind: e.Kind, Job: e.Job, Stage: s, Attempt: a}, "a job ended before its attempt did; that counts as killed")
			l.finish(&sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Killed})
		}
		if b.Stages[s].Occupied > 0 {
			l.releaseGrants(b, s)
		}
	}
	l.setState(b, sched.Finished, b.Advice)
	l.countJob(b, -1)
	l.rekey(b, allStages)
	l.releaseKinds(b)
	id := b.Spec.ID
	if l.ids[id] == e.Job {
		delete(l.ids, id)
	}
	l.closing = append(l.closing, e.Job)
}

// ready lets a stage start. A job that waited for its predecessors does so no more, and stands
// where the policy has put it meanwhile.
func (l *Ledger) ready(b *jobBook, s sched.Stage) {
	b.Stages[s].Ready = true
	if b.State == sched.Waiting {
		l.setState(b, max(sched.Pending, b.Decided), b.Advice)
	}
	l.markDirty(b, allStages)
}

// releaseGrants takes back what was promised to a job's stage and not started.
func (l *Ledger) releaseGrants(b *jobBook, s sched.Stage) {
	for i := range l.grants.n {
		if g := l.grants.at(i); g.Job == b.ID && g.Stage == s && g.Left > 0 {
			gr := *g
			g.Left = 0
			l.takeBack(b, &gr, 0, gr.Left)
		}
	}
}

// jobAmended puts a job's new description in place of the old one. A stage gets its new tasks
// until one of them was promised, runs or is done, and later where the world binds late, which may
// have known too few or too many. Containers that the job has may be of the kinds that it named, so
// these stay. What a job is called, and what it waits for, does not change.
func (l *Ledger) jobAmended(e *sched.Event) {
	b := l.job(e.Job)
	if b == nil || b.State == sched.Finished || e.Detail == nil || e.Detail.Job == nil {
		l.discrepancy(e, "a job was amended that the book does not know, or into nothing")
		return
	}
	state := b.State
	l.setState(b, sched.HeldBack, b.Advice) // it does not run between two queues
	tallies := b.Stages
	for s := range b.Stages { // nor wait, nor occupy anything
		b.Stages[s].Open, b.Stages[s].Occupied = 0, 0
	}
	l.shift(b, -1)
	l.countJob(b, -1)
	l.rekey(b, allStages) // the queues that it leaves are ranked without it
	b.Stages = tallies

	spec := *e.Detail.Job
	spec.ID, spec.After, spec.Stages = b.Spec.ID, b.Spec.After, slices.Clone(b.Spec.Stages)
	for i := range spec.Stages {
		st := &spec.Stages[i]
		amended, begun := e.Detail.Job.Stage(st.Kind), !b.untouched(st.Kind)
		if amended == nil || begun && l.can.Bind {
			b.tasks[st.Kind].Spec = st
			continue
		}
		was := *st
		*st = *amended
		if begun && !extends(st, &was) {
			l.discrepancy(e, "the containers of a stage that has begun were amended")
			st.Containers = was.Containers
		}
		l.remake(b, st)
	}
	if spec.Virtual != b.Spec.Virtual {
		b.Virtual = spec.Virtual
	}
	b.Spec, b.Deadline = &spec, spec.Deadline
	l.setNeeds(b)

	b.Queue = l.queueOf(&b.Job)
	l.countJob(b, 1)
	l.shift(b, 1)
	l.setState(b, state, b.Advice)
	l.markDirty(b, allStages)
	l.molded(b, e)
}

// extends tells whether a stage still has the kinds of containers that it had, and perhaps more.
func extends(st, was *workload.StageSpec) bool {
	for k := range max(1, len(was.Containers)) {
		if k > 0 && k >= len(st.Containers) || st.Container(k).Needs != was.Container(k).Needs {
			return false
		}
	}
	return true
}

// untouched tells whether no task of the stage was promised, runs or is done.
func (b *jobBook) untouched(s sched.Stage) bool {
	t := &b.Stages[s]
	return t.Occupied == 0 && t.Done == 0
}

// remake opens the tasks of a stage that was amended. Where the world binds late its next Demand
// says how many are open; until then it asks for as many as it did. What such a stage has done is
// counted at least, and if it grew until now, what is under way; while it grows, so is all that was
// known of.
func (l *Ledger) remake(b *jobBook, st *workload.StageSpec) {
	t := &b.Stages[st.Kind]
	known, grew := t.Total, b.tasks[st.Kind].Spec.Grows
	t.Total = int32(len(st.Tasks))
	if !l.can.Bind {
		t.Total = max(t.Total, t.Done)
		if grew || st.Grows {
			t.Total = max(t.Total, t.Done+t.Occupied)
		}
		if grew && st.Grows {
			t.Total = max(t.Total, known)
		}
		b.tasks[st.Kind].Spec = st
		l.grow(b, st.Kind)
		return
	}
	b.tasks[st.Kind] = openStage(st)
	t.Open = t.Total
}

// shift adds what the job occupies to the queues above it, or takes it away.
func (l *Ledger) shift(b *jobBook, by int32) {
	for s := range sched.Stages {
		for a := b.heads[s]; a != 0; a = l.attempts[a].older {
			l.bookQueues(b, s, l.need(b, s, l.attempts[a].Container), by)
		}
	}
	for i := range l.grants.n {
		if g := l.grants.at(i); g.Job == b.ID {
			for range g.Left {
				l.bookQueues(b, g.Stage, l.need(b, g.Stage, g.Container), by)
			}
		}
	}
}
