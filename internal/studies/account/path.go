package account

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// walk is a way back from the end of a job.
type walk struct {
	*Accountant
	j     *job
	at    units.Time // where it stands; what comes after is told of
	parts []Part     // the last one first
}

// walk makes the account of a job until a time.
func (a *Accountant) walk(j *job, end units.Time) *Account {
	w := &walk{a, j, max(end, j.arrived), nil}
	w.way()
	slices.Reverse(w.parts)
	return &Account{Arrived: j.arrived, Ended: max(end, j.arrived), Parts: w.parts, Rule: a.Rule}
}

// back tells of the time since from, if that is before where the walk stands.
func (w *walk) back(from units.Time, p Part) {
	if from = max(from, w.j.arrived); from < w.at {
		p.From, p.Took, w.at = from, w.at.Sub(from), from
		w.parts = append(w.parts, p)
	}
}

// way goes back to the arrival.
func (w *walk) way() {
	last := w.last()
	if last == nil {
		w.wait(w.j.arrived, w.first(), nil)
		return
	}
	if last.ended != units.Never {
		if w.j.outcome == sched.NoOutcome { // something of it waits still
			w.wait(last.ended, w.open(), nil)
		}
		w.back(last.ended, Part{Cause: Finish})
	}
	for r := last; r != nil && w.at > w.j.arrived; {
		r = w.before(r)
	}
	w.back(w.j.arrived, Part{Cause: Verdict}) // nobody knows what for; it does not come to this
}

// first is the stage with which the job begins.
func (w *walk) first() sched.Stage {
	if len(w.j.spec.Stages) == 0 {
		return sched.Map
	}
	return w.j.spec.Stages[0].Kind
}

// open is the first stage with tasks that are to be done.
func (w *walk) open() sched.Stage {
	var done [sched.Stages]int
	for _, r := range w.j.ran {
		if r.outcome == sched.Committed {
			done[r.stage]++
		}
	}
	for i := range w.j.spec.Stages {
		if st := &w.j.spec.Stages[i]; st.Kind != sched.Master && done[st.Kind]+len(st.Done) < len(st.Tasks) {
			return st.Kind
		}
	}
	return w.first()
}

// last is the attempt with which the job ended or that it waits for: of one that has committed the last that committed,
// of one that failed the last that ended, which failed itself if any did then, of one that is open the youngest that
// runs, else the last that ended.
func (w *walk) last() (last *ran) {
	for _, r := range w.j.ran {
		switch {
		case r.stage == sched.Master || r.began > w.at:
		case w.j.outcome == sched.Committed && r.outcome != sched.Committed:
		case last == nil || r.until(w.at) > last.until(w.at) || r.ended == units.Never && r.began >= last.began:
			last = r
		case r.until(w.at) == last.until(w.at) && r.outcome == sched.Failed:
			last = r
		}
	}
	return last
}

// until is when the attempt ended, if not before a time.
func (r *ran) until(now units.Time) units.Time { return min(r.ended, now) }

// before tells of an attempt and of what it waited for, and returns the one that had to end before;
// nil if there is none.
func (w *walk) before(r *ran) *ran {
	m, ready := w.needed(r), w.j.arrived
	if m != nil {
		ready = m.ended
	}
	w.run(r, max(r.began, ready)) // before that it waited for what others were to make
	if ready >= r.began && m != nil {
		return m
	}
	if p := w.earlier(r, ready); p != nil {
		w.again(r, p, ready)
		if w.at > ready {
			twin := *p // of which all is told, but for what was before
			twin.began, twin.ended = w.at, w.at
			return &twin
		}
		return m
	}
	if m == nil {
		w.start(r)
		return nil
	}
	w.wait(ready, r.stage, r)
	return m
}

// again tells of another attempt that had begun the task before, as far as that could.
func (w *walk) again(r, p *ran, ready units.Time) {
	part := Part{Cause: lost(p), Stage: &p.stage, Task: p.task, Node: p.on, Why: p.why}
	if p.ended > r.began && r.outcome == sched.Committed { // it ran still
		part.Cause, part.Why = Straggler, "a second attempt of the task was the first to end"
	}
	w.wait(p.ended, r.stage, r)
	w.back(max(p.began, ready), part)
}

// lost is the cause why the task of an attempt had to be done again.
func lost(p *ran) Cause {
	switch p.outcome {
	case sched.Committed:
		return OutputLost
	case sched.Failed:
		return TaskFailed
	case sched.Killed, sched.Preempted, sched.Superseded:
		return Killed
	}
	return NodeDown
}

// earlier is the attempt of the same task that began before this one, and ended last or ran still; of several that did
// the first. It ended after a time.
func (w *walk) earlier(r *ran, after units.Time) (last *ran) {
	for _, p := range w.j.ran {
		if p.task == r.task && r.task > 0 && p.stage == r.stage && p.began < r.began && p.ended > after &&
			(last == nil || min(p.ended, r.began) > min(last.ended, r.began)) {
			last = p
		}
	}
	return last
}

// needed is the attempt of an earlier stage whose end made all input of this one, as far as that came before its end;
// nil if it needs none.
func (w *walk) needed(r *ran) (last *ran) {
	for _, m := range w.j.ran {
		if m.stage < r.stage && m.stage != sched.Master && m.outcome == sched.Committed && m.ended <= r.until(w.at) && (last == nil || m.ended > last.ended) {
			last = m
		}
	}
	return last
}

// start tells of the time before the first task of the first stage: until the ApplicationMaster, if the job has one,
// was ready, and what that waited for.
func (w *walk) start(r *ran) {
	for _, m := range w.j.ran {
		if m.stage == sched.Master && m.began < w.at {
			ready := max(m.began, w.ready(r.stage))
			w.wait(min(ready, w.at), r.stage, r)
			w.back(m.began, Part{Cause: Master, Stage: &m.stage, Node: m.on})
			w.wait(w.j.arrived, sched.Master, m)
			return
		}
	}
	w.wait(w.j.arrived, r.stage, r)
}

// ready is when a stage got ready, the arrival if nobody has said.
func (w *walk) ready(s sched.Stage) units.Time {
	for _, g := range w.j.gates {
		if g.verb == sched.NoVerb && g.stage == s {
			return g.at
		}
	}
	return w.j.arrived
}

// run tells of an attempt since a time: first what came from other nodes, then the work, then what the node was
// slower and the task longer than it should be.
func (w *walk) run(r *ran, from units.Time) {
	all := w.at.Sub(max(from, w.j.arrived))
	if all <= 0 {
		return
	}
	part := Part{Stage: &r.stage, Task: r.task, Node: r.on}
	if r.ended != units.Never && r.outcome != sched.Committed {
		part.Cause, part.Why = lost(r), r.why
		w.back(from, part)
		return
	}
	remote := max(0, min(r.remote-max(from, r.began).Sub(r.began), all))
	slow, load := w.slower(r, w.at.Add(-(all - remote)), w.at)
	load = min(load, all-remote)
	slow = min(slow, all-remote-load)
	work := min(w.usual(r), all-remote-slow-load)
	for _, t := range []Total{{Straggler, all - remote - slow - load - work}, {Load, load}, {SlowNode, slow}, {Work, work}, {Remote, remote}} {
		part.Cause = t.Cause
		w.back(w.at.Add(-t.Took), part)
	}
}

// slower is the time that was lost between two times as the node of an attempt had less than speed 1: what its class
// would have lost, and what came on top as it had less than that.
func (w *walk) slower(r *ran, from, to units.Time) (slow, load units.Duration) {
	if r.node < 1 || int(r.node) >= len(w.nodes) {
		return 0, 0
	}
	share := 1.0
	if st := w.j.spec.Stage(r.stage); st != nil {
		share = st.Share()
	}
	steps := w.nodes[r.node]
	for i := range steps {
		s, until := &steps[i], to
		if i+1 < len(steps) {
			until = min(to, steps[i+1].at)
		}
		if span := until.Sub(max(s.at, from)); span > 0 && s.spec != nil {
			lost := func(speed float64) units.Duration {
				speed = min(1, units.Rounded(speed))
				return span.Scale(share * (1 - speed) / (share + (1-share)*speed))
			}
			all := lost(s.speed * s.spec.Class.Speed)
			class := min(all, lost(s.spec.Class.Speed))
			slow, load = slow+class, load+all-class
		}
	}
	return slow, load
}

// usual is how long the task of an attempt should take at speed 1: as its description says, or if it does not the
// median of those of its stage that have committed.
func (w *walk) usual(r *ran) units.Duration {
	if st := w.j.spec.Stage(r.stage); st != nil && r.task > 0 && int(r.task) <= len(st.Tasks) {
		if t := &st.Tasks[r.task-1]; t.Work > 0 {
			return t.Work + t.Shuffle
		}
	}
	var all []units.Duration
	for _, o := range w.j.ran {
		if o.stage == r.stage && o.outcome == sched.Committed {
			all = append(all, max(0, o.ended.Sub(o.began)-o.remote))
		}
	}
	if all == nil {
		return r.until(w.at).Sub(r.began)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
