package workflow

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// deets places tasks. Jobs go by the policy's order, which is that of their virtual deadlines; a task
// starts only on a node of the class that it waits for.
type deets struct {
	timer bool
	seen  []seen // by job: the choices of this round that hold whatever else starts
}

type seen struct {
	round int64
	stage sched.Stage
	choice
}

// Decide serves the nodes that beat. O(log jobs + classes) for each job that is looked at.
func (d *deets) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	news := false
	for i := range batch {
		e := &batch[i]
		news = news || !steady.Has(e.Kind) || e.Kind == sched.Ended && e.Outcome != sched.Committed
		n := v.Node(e.Node)
		if e.Kind != sched.Heartbeat || n == nil {
			continue
		}
		for s := range sched.Stages {
			d.fill(v, p, n, s)
		}
	}
	if news && v.World().Heartbeat == 0 { // nodes beat when something is new, and that time has passed is not
		d.wake(v, p)
	}
}

// steady events let no task wait that did not, and none for another time.
var steady = sched.EventsOf(sched.Heartbeat, sched.Granted, sched.Started, sched.Progress, sched.Ended)

func (d *deets) fill(v sched.View, p *sched.Plan, n *sched.Node, s sched.Stage) {
	after := sched.JobID(0)
	for j := v.First(n.ID, s, after); j != 0; j = v.First(n.ID, s, after) {
		job := v.Job(j)
		if c := d.choose(v, job, s); c.class != 0 && c.class != n.Class || !start(v, p, n, job, s, c) {
			after = j
		}
	}
}

// start starts one task in the first kind of container that has room.
func start(v sched.View, p *sched.Plan, n *sched.Node, job *sched.Job, s sched.Stage, c choice) bool {
	st := job.Spec.Stage(s)
	for k := range max(1, len(st.Containers)) {
		container := st.Container(k)
		if n.Free.Fits(&container.Needs) {
			why := sched.Because(sched.FirstInOrder)
			if c.class != 0 {
				why = sched.Because(c.why, int64(c.until), int64(c.due))
			}
			return p.Add(sched.Item{Verb: sched.Start, Job: job.ID, Stage: s, Container: uint8(k), Node: n.ID, Count: 1, Locality: sched.Remote, Reason: why})
		}
	}
	return false
}

// choice is the class of nodes on which a task of a stage may start now.
type choice struct {
	class sched.ClassID // 0: any
	why   *sched.Cause
	until units.Time // it may wait for the class until then, and be done by due
	due   units.Time
}

// choose returns the cheapest class on which the task would be done by its job's virtual deadline; if
// there is none, or with a timer if that is not the cheapest of all, the fastest that has room.
func (d *deets) choose(v sched.View, job *sched.Job, s sched.Stage) choice {
	for int(job.ID) >= len(d.seen) {
		d.seen = append(d.seen, seen{round: -1})
	}
	is := &d.seen[job.ID]
	if is.round != v.Round() || is.stage != s || is.why != CheapestInTime {
		*is = seen{v.Round(), s, d.find(v, job, s)}
	}
	return is.choice
}

func (d *deets) find(v sched.View, job *sched.Job, s sched.Stage) choice {
	st := job.Spec.Stage(s)
	if job.Due() == units.Never || len(job.Spec.Labels) > 0 || s == sched.Master {
		return choice{}
	}
	w, known := work(v, job, st, len(st.Tasks))
	if !known {
		return choice{}
	}
	at := job.Due().Add(-v.World().Heartbeat - behind(v, job, s))
	list := kinds(v, job, st)
	var best choice
	cheapest, least := int64(0), int64(0)
	for i := range list {
		k := &list[i]
		took := k.takes(w)
		cost := k.costs(took)
		least = leastOf(i, least, cost)
		if until := at.Add(-took); v.Now() <= until && (best.class == 0 || cost < cheapest) {
			best, cheapest = choice{k.class, CheapestInTime, until, job.Due()}, cost
		}
	}
	if best.class != 0 && !(d.timer && cheapest > least) {
		return best
	}
	best = choice{}
	container := st.Container(0)
	fastest := units.Duration(0)
	for i := range list {
		k := &list[i]
		if took := k.takes(w); v.Class(k.class).Free.Fits(&container.Needs) && (best.class == 0 || took < fastest) {
			best, fastest = choice{k.class, FirstDone, v.Now().Add(took), job.Due()}, took
		}
	}
	return best
}

func leastOf(i int, least, cost int64) int64 {
	if i == 0 {
		return cost
	}
	return min(least, cost)
}

// behind is what the stages of the job behind this one take at least, each in one wave.
func behind(v sched.View, job *sched.Job, s sched.Stage) (sum units.Duration) {
	for i := range job.Spec.Stages {
		st := &job.Spec.Stages[i]
		if st.Kind <= s || job.Stages[st.Kind].Left() == 0 {
			continue
		}
		w, _ := work(v, job, st, len(st.Tasks))
		least := units.Duration(0)
		for n, k := range kinds(v, job, st) {
			if took := k.takes(w); n == 0 || took < least {
				least = took
			}
		}
		sum += least
	}
	return sum
}

// wake asks to look again when the first task that waits for a class can wait no longer.
func (d *deets) wake(v sched.View, p *sched.Plan) {
	next := units.Never
	for s := range sched.Stages {
		for j := v.Waiting(s, 0); j != 0; j = v.Waiting(s, j) {
			if c := d.choose(v, v.Job(j), s); c.class != 0 && c.why == CheapestInTime {
				next = min(next, c.until.Add(1))
			}
		}
	}
	if next != units.Never {
		p.WakeMe(next, sched.Because(sched.Wakeup, int64(next)))
	}
}
