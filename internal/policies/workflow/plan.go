package workflow

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// touched are the workflows with a deadline of the jobs that some events are about, each once.
func touched(v sched.View, batch []sched.Event, by sched.Events) (list []*workload.Workflow) {
	for i := range batch {
		e := &batch[i]
		if !by.Has(e.Kind) || e.Job == 0 {
			continue
		}
		job := v.Job(e.Job)
		if job == nil || job.Spec.Workflow == nil || len(job.Spec.Workflow.Jobs) == 0 || job.Spec.Workflow.Deadline == units.Never {
			continue
		}
		// what else is refused, as a world does that nobody may change, is no answer to how it is cut
		if e.Kind == sched.Refused && !slices.ContainsFunc(job.Molds[:], func(m sched.Mold) bool { return m.Item == e.Item }) {
			continue
		}
		f := job.Spec.Workflow
		if !slices.ContainsFunc(list, func(o *workload.Workflow) bool { return o == f || o.ID == f.ID && slices.Equal(o.Jobs, f.Jobs) }) {
			list = append(list, f)
		}
	}
	return list
}

// left is how long it is until the workflow is due, less a part of that in percent; at least a nanosecond.
func left(v sched.View, f *workload.Workflow, beta int) units.Duration {
	d := max(0, f.Deadline.Sub(v.Now()))
	return max(1, d-d/100*units.Duration(beta))
}

// cut asks for a number of tasks, unless the stage has it.
func cut(p *sched.Plan, s *stage, tasks int32, why *sched.Cause, within units.Duration) {
	// asked for already: there is no answer yet, or no nearer one
	if was := &s.job.Molds[s.spec.Kind]; was.Open() || was.Item != 0 && was.Asked == tasks {
		return
	}
	if n := int32(len(s.spec.Tasks)); s.free && tasks != n {
		p.Add(sched.Item{Verb: sched.SetTasks, Job: s.job.ID, Stage: s.spec.Kind, Count: tasks,
			Reason: sched.Because(why, int64(tasks), int64(n), int64(within))})
	}
}

// because is why jobs are cut as they are if they have so long.
func because(fits bool) *sched.Cause {
	if fits {
		return FewestInTime
	}
	return FastestSplit
}

// due sets the virtual deadline of a job, unless it has it. That is never behind its own.
func due(v sched.View, p *sched.Plan, s *stage, after units.Duration, why sched.Reason) {
	if at := min(v.Now().Add(after), s.job.Deadline); s.last && s.job.Virtual != at {
		why.A = int64(at)
		p.Add(sched.Item{Verb: sched.SetDeadline, Job: s.job.ID, At: at, Reason: why})
	}
}

// whole are the stages, each in all its numbers of tasks on all kinds of machines; but in no fewer than it has where
// one would take longer than that.
func whole(v sched.View, list []stage, longest units.Duration) []mold.Job {
	return each.Of(list, func(s stage) mold.Job {
		from, to := s.counts()
		for w := s.work(v, from); from < len(s.spec.Tasks) && slices.ContainsFunc(s.kinds, func(k kind) bool { return k.takes(w) > longest }); w = s.work(v, from) {
			from++
		}
		return s.byKind(v, from, to)
	})
}

// owing adds to stages that are to be done in so much time one that follows for each job with a deadline of its own
// before that which it can meet: it costs nothing, and takes what is between the two.
func owing(v sched.View, list []stage, jobs []mold.Job, in units.Duration) []mold.Job {
	var first []units.Duration
	for i := range list {
		d := list[i].job.Deadline
		if !list[i].last || d >= v.Now().Add(in) {
			continue
		}
		if first == nil {
			first = mold.Finishes(jobs)
		}
		if own := d.Sub(v.Now()); own >= first[i] {
			jobs = append(jobs, mold.Job{Options: []mold.Option{{Time: in - own}}, After: []int{i}})
		}
	}
	return jobs
}

// spread is by how many values a distribution of times is stood for: the last of many tasks is among the largest.
const spread = 512

// late is why jobs are due when they are that are not in time: how long they take at the fastest, by what is expected,
// and how likely that is in time all the same, as those on the longest path take by turns more and less.
func late(v sched.View, list []stage, jobs []mold.Job, within units.Duration) sched.Reason {
	sum := finish.Sure(0)
	for _, i := range mold.Critical(jobs) {
		o, took := &jobs[i].Options[0], finish.Sure(1)
		if seen := spreadOf(v, list, i); len(seen) > 0 {
			one := finish.AnyOf(seen)
			took = finish.Last(&one, int(o.Tasks)).Scale(1 / one.Mean())
		}
		took = took.Scale(o.Time.Seconds())
		sum = sum.Plus(&took)
	}
	return sched.Because(EarliestFinish, 0, int64(mold.Least(jobs)), int64(units.Rounded(1e6*sum.CDF(within.Seconds()))))
}

// spreadOf is what tasks of a stage take, in rising order, on the class of nodes of which most is known. Between
// classes they differ for another reason.
func spreadOf(v sched.View, list []stage, i int) []float64 {
	if i >= len(list) {
		return nil
	}
	var most profile.Stage
	if c := v.Profile(list[i].job.Spec.Class); c != nil {
		for _, s := range c.Stages {
			// what was measured of stages that may be cut as they say is of tasks cut in several ways
			if s.Stage == list[i].spec.Kind && s.Task.N >= most.Task.N && (s.Task.N == 0 || len(list[i].spec.Works) == 0) {
				most = s
			}
		}
	}
	return most.Spread.Values(spread)
}

// unsure is by what factor the longest path may be longer than is expected: as if the last task of each stage on it
// took what it takes at most in nine of ten cases.
func unsure(v sched.View, list []stage, jobs []mold.Job) float64 {
	sum, most := 0.0, 0.0
	for _, i := range mold.Critical(jobs) {
		o, by := &jobs[i].Options[0], 1.0
		if seen := spreadOf(v, list, i); len(seen) > 0 {
			at := int(units.Rounded(math.Pow(0.9, 1/float64(o.Tasks)) * float64(len(seen))))
			by = max(1, seen[min(at, len(seen)-1)]/stat.Mean(seen))
		}
		sum, most = sum+o.Time.Seconds(), most+float64(by*o.Time.Seconds())
	}
	return max(1, most/max(1e-9, sum))
}

// as are the jobs with an option each.
func as(jobs []mold.Job, choice []int) []mold.Job {
	list := slices.Clone(jobs)
	for i := range list {
		list[i].Options = list[i].Options[choice[i] : choice[i]+1]
	}
	return list
}

// partition is the part atp.
type partition struct {
	beta int   // in percent
	eps  int64 // in thousandths
	by   func(jobs []mold.Job, due units.Duration, eps int64) []mold.Placed
}

// Decide cuts the jobs of workflows that come.
func (a *partition) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for _, f := range touched(v, batch, comings) {
		list := stages(v, f)
		if !slices.ContainsFunc(list, func(s stage) bool { return s.free }) {
			continue
		}
		jobs := each.Of(list, func(s stage) mold.Job { return s.onMean(v) })
		within := left(v, f, a.beta)
		why := because(mold.Least(jobs) <= within)
		for i, at := range a.by(jobs, within, a.eps) {
			cut(p, &list[i], jobs[i].Options[at.Option].Tasks, why, within)
		}
	}
}

// deadlines is the part vds.
type deadlines struct{}

// Decide sets deadlines when the jobs of a workflow have come, and when it is answered how they are cut.
func (deadlines) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for _, f := range touched(v, batch, comings|answers) {
		list := stages(v, f)
		if len(list) == 0 || slices.ContainsFunc(list, func(s stage) bool { return s.job.Molds[s.spec.Kind].Open() }) {
			continue
		}
		jobs, works := make([]mold.Job, len(list)), make([]int64, len(list))
		for i := range list {
			s := &list[i]
			n := len(s.spec.Tasks)
			w := s.work(v, n)
			jobs[i], works[i] = s.byKind(v, n, n), int64(n)*int64(w/1000)
		}
		within, why := left(v, f, 0), sched.Because(VirtualDeadline)
		if mold.Least(jobs) > within {
			why = late(v, list, whole(v, list, math.MaxInt64), within)
		}
		_, at := mold.MinD(jobs, works, within)
		for i := range list {
			due(v, p, &list[i], at[i], why)
		}
	}
}

// tradeoff is the part of that name.
type tradeoff struct {
	beta     int
	promises bool // a part beside it promises deadlines
}

// reserve is what part of a workflow's time, in percent, is left free where its tasks will have to wait for nodes, and
// promised where its deadline is to be promised: for what it waits for and how sure that is to be.
const (
	reserve  = 10
	promised = 50
)

// By has the plan leave time for promises.
func (t *tradeoff) By(estimate.Estimator) { t.beta, t.promises = max(t.beta, promised), true }

// spare is the least that promised jobs of other workflows have to spare: nobody is killed, so no task that begins
// before theirs is to take longer.
func (t *tradeoff) spare(v sched.View, f *workload.Workflow) units.Duration {
	least := units.Duration(math.MaxInt64)
	for j := v.Jobs(); j > 0 && t.promises; j-- {
		if job := v.Job(j); job != nil && job.Spec.Workflow != f && job.Standing() <= sched.Admitted && job.Outlook.Word == sched.Promised {
			least = min(least, max(0, job.Deadline.Sub(job.Outlook.By)))
		}
	}
	return least
}

// Decide cuts the jobs of workflows that come, and sets their deadlines: the latest with which those
// behind them can be in time as they are to be cut. Later it does so again with what has not begun, if what is left
// does not fit its time any more, or leaves a part of it.
func (t *tradeoff) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	came := touched(v, batch, comings)
	for i, f := range append(came, touched(v, moves(v, batch), moving)...) {
		list := stages(v, f)
		if len(list) == 0 {
			continue
		}
		span, until := f.Deadline.Sub(list[0].job.Arrived), left(v, f, 0)
		within := max(1, until-span/100*units.Duration(t.beta))
		if i >= len(came) && !moved(v, list, span, within, until) {
			continue
		}
		jobs := owing(v, list, whole(v, list, t.spare(v, f)), until)
		choice, fits := mold.TradeOff(jobs, within)
		if less := spared(v, list, as(jobs, choice), span, until); less < within {
			within = less
			choice, fits = mold.TradeOff(jobs, within)
		}
		least := mold.Least(jobs)
		if !fits {
			choice, _ = mold.TradeOff(jobs, least)
		}
		fast, at := make([]int, len(jobs)), listed(v, list, as(jobs, choice), !fits)
		if first := listed(v, list, as(jobs, fast), true); at > until && (first <= until || !fits && first < at) {
			choice, until, fits = fast, least, false
		}
		for i := range list {
			o := &jobs[i].Options[choice[i]]
			cut(p, &list[i], o.Tasks, because(fits), within)
		}
		why := sched.Because(LatestFinish)
		if !fits && least > until {
			until, why = least, late(v, list, jobs, until)
		}
		for i, at := range mold.Latest(as(jobs, choice), until)[:len(list)] {
			due(v, p, &list[i], at, why)
		}
	}
}

// listed is when stages are done that have the nodes to themselves, those first that can begin first, each task where
// it is done first: of the class that is chosen, or of any.
func listed(v sched.View, list []stage, chosen []mold.Job, any bool) (last units.Duration) {
	// when each slot is free
	slots, ends := make([]heap.Heap[units.Duration], (int(v.Classes())+1)*int(sched.Stages)), make([]units.Duration, len(list))
	done, order := mold.Finishes(chosen), make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	begins := func(i int) units.Duration { return done[i] - chosen[i].Options[0].Time }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(begins(a), begins(b)) })
	for _, i := range order {
		s, o, start := &list[i], &chosen[i].Options[0], units.Duration(0)
		for _, b := range s.after {
			start = max(start, ends[b])
		}
		ends[i] = start + s.rest
		w := s.work(v, int(o.Tasks))
		for n := o.Tasks; n > 0 && !s.runs; n-- {
			on, done := (*heap.Heap[units.Duration])(nil), units.Duration(math.MaxInt64)
			for j := range s.kinds {
				k := &s.kinds[j]
				is := &slots[int(k.class)*int(sched.Stages)+int(s.spec.Kind)]
				if is.Before == nil {
					*is = heap.Heap[units.Duration]{List: make([]units.Duration, k.slots), Before: func(a, b *units.Duration) bool { return *a < *b }}
				}
				if at := max(start, is.List[0]) + k.takes(w) + v.World().Served(); at < done && (any || o.Class == 0 || o.Class == int32(k.class)) {
					on, done = is, at
				}
			}
			on.Pop()
			on.Push(done)
			ends[i] = max(ends[i], done)
		}
		last = max(last, ends[i])
	}
	return last
}

// spared is how long stages may take that run as chosen, of all the time that is left.
func spared(v sched.View, list []stage, chosen []mold.Job, span, left units.Duration) units.Duration {
	within := units.Duration(units.Rounded(float64(left) / unsure(v, list, chosen)))
	if crowded(v, list, chosen) {
		within = min(within, left-span/100*reserve)
	}
	return max(1, within)
}

// crowded tells whether tasks would have to wait for nodes if stages ran as chosen, each as soon as it may: for each
// other, or for those of others that run or wait now.
func crowded(v sched.View, list []stage, jobs []mold.Job) bool {
	type change struct {
		at    units.Duration
		class int32
		tasks int64
	}
	var changes []change
	room, ends := make([]int64, v.Classes()), mold.Finishes(jobs)
	for i := range jobs {
		o := &jobs[i].Options[0]
		switch {
		case i >= len(list), list[i].runs:
			continue
		case o.Class == 0: // of several
			return true
		}
		container := list[i].spec.Container(0)
		room[o.Class-1] = v.Class(sched.ClassID(o.Class)).Free.Times(&container.Needs)
		changes = append(changes, change{ends[i] - o.Time, o.Class - 1, int64(o.Tasks)}, change{ends[i], o.Class - 1, -int64(o.Tasks)})
	}
	for s := range sched.Stages {
		for j := v.Waiting(s, 0); j != 0; j = v.Waiting(s, j) {
			for c := range room {
				if job := v.Job(j); job.Spec.Workflow != list[0].job.Spec.Workflow {
					room[c] -= int64(job.Stages[s].Open)
				}
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.tasks, b.tasks)) })
	for _, c := range changes {
		if room[c.class] -= c.tasks; room[c.class] < 0 {
			return true
		}
	}
	return false
}

// moving events may move what is left of a workflow.
var moving = sched.EventsOf(sched.JobEnded, sched.JobAmended)

// parts is into how many parts of its time a workflow is divided: it is looked at again when a job ends in another
// one than it began in, so that the many jobs of a large one do not each cost a look at all others.
const parts = 16

// moves are the events after which workflows are looked at again.
func moves(v sched.View, batch []sched.Event) (list []sched.Event) {
	for i := range batch {
		e := &batch[i]
		job := v.Job(e.Job)
		if !moving.Has(e.Kind) || e.Item != 0 || job == nil || job.Spec.Workflow == nil {
			continue
		}
		if span := job.Spec.Workflow.Deadline.Sub(job.Arrived)/parts + 1; e.Kind == sched.JobAmended || job.Started.Sub(job.Arrived)/span != v.Now().Sub(job.Arrived)/span {
			list = append(list, *e)
		}
	}
	return list
}

// moved tells whether the stages as they are cut now, each on its cheapest class, need a twentieth less than a time, or
// more than the most that there is. In between they wait for nodes: to cut them finer for that makes others wait.
func moved(v sched.View, list []stage, span, within, most units.Duration) bool {
	jobs := make([]mold.Job, len(list))
	for i := range list {
		n := len(list[i].spec.Tasks)
		jobs[i] = list[i].byKind(v, n, n)
		jobs[i].Options = jobs[i].Options[len(jobs[i].Options)-1:]
	}
	jobs = owing(v, list, jobs, most)
	need := mold.Least(jobs)
	spare := func() bool { within = min(within, spared(v, list, jobs, span, most)); return need < within-within/20 }
	return need > most || need < within-within/20 && spare()
}
