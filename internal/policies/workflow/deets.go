package workflow

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// deets places tasks. Jobs go by the policy's order, which is that of their virtual deadlines; a task
// starts only on a node of the class that it waits for.
type deets struct {
	waiting string
	known   []known // by job, what follows from its description alone; a scratch, which changes no decision
	there   []bool  // classes that have nodes, as they were then
	// by class, when a stage has nothing for any of its nodes, if nothing new happens
	none [][sched.Stages]nothing
	now  []bound // by class, what the walk that goes on has met
	// for predict, by class when tasks that run there are to end, with what has ended; of those that started before
	ends   []heap.Heap[end]
	before units.Time
}

// nothing holds until then, and by predict as long as each class stays within its bounds.
type nothing struct {
	until units.Time // 0: nobody knows
	on    []bound
}

// bound is what the jobs of a walk found of a class: it was chosen as it has room for so much, or as its first task
// ends by then (0: it was not), or left as it has no room.
type bound struct {
	room units.Vector
	by   units.Time
	left bool
}

// holds tells whether the jobs of a walk would choose as they did.
func (d *deets) holds(v sched.View, n *nothing) bool {
	for i := range n.on {
		b, class := &n.on[i], sched.ClassID(i+1)
		if *b != (bound{}) && !v.Class(class).Free.Fits(&b.room) || b.by != 0 && d.first(v, class) > b.by {
			return false
		}
	}
	return v.Now() < n.until
}

// end is when an attempt is to end.
type end struct {
	at, started units.Time
	attempt     sched.AttemptID
}

// known is what a task of a stage takes and costs on each class.
type known struct {
	spec   *workload.Job
	stage  sched.Stage
	on     []place        // the cheapest first
	behind units.Duration // what the stages behind it take at least
}

// Decide serves the nodes that beat. O(log jobs + classes) for each job that is looked at.
func (d *deets) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	news := slices.ContainsFunc(batch, func(e sched.Event) bool {
		return !steady.Has(e.Kind) || e.Kind == sched.Ended && e.Outcome != sched.Committed
	})
	if d.forget(v, batch); news {
		clear(d.none)
		d.ends, d.now, d.before = nil, nil, 0
	}
	if d.waiting == "predict" {
		d.foresee(v)
	}
	for i := range batch {
		e := &batch[i]
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

// fill walks the jobs that wait. A walk that finds nothing for the class spares those for its other nodes, and later
// ones.
func (d *deets) fill(v sched.View, p *sched.Plan, n *sched.Node, s sched.Stage) {
	is := &d.none[n.Class-1][s]
	if d.holds(v, is) || v.First(n.ID, s, 0) == 0 {
		return
	}
	clear(d.now)
	none, before := units.Never, sched.JobID(0)
	for j := v.Waiting(s, 0); j != 0; j = v.Waiting(s, before) {
		job := v.Job(j)
		c := d.choose(v, job, s, n.Class)
		mine := c.class == 0 || c.class == n.Class
		// who is late goes where there is room, which starts change
		if none = min(none, c.look); mine || c.why == FirstDone {
			none = 0
		}
		if !mine || v.First(n.ID, s, before) != j || !start(v, p, n, job, s, c) {
			before = j
		} else if v.First(n.ID, s, before) == 0 {
			return
		}
	}
	if is.on = append(is.on[:0], d.now...); len(is.on) > 0 && is.on[n.Class-1].left { // room for less was left
		none = 0
	}
	is.until = none
}

// start starts one task in the first kind of container that has room.
func start(v sched.View, p *sched.Plan, n *sched.Node, job *sched.Job, s sched.Stage, c choice) bool {
	kind, fits := job.Spec.Stage(s).Fitting(&n.Free)
	why := sched.Because(sched.FirstInOrder)
	if c.class != 0 {
		why = sched.Because(c.why, int64(c.until), int64(c.due))
	}
	return fits && p.Add(sched.Item{Verb: sched.Start, Job: job.ID, Stage: s, Container: kind, Node: n.ID, Count: 1, Locality: sched.Remote, Reason: why})
}

// choice is the class of nodes on which a task of a stage may start now.
type choice struct {
	class sched.ClassID // 0: any
	why   *sched.Cause
	until units.Time // it may wait for the class until then, and be done by due
	due   units.Time
	look  units.Time // from then on it may be another one
}

// foresee notes when tasks that have started since it last did are to end, as far as it is known what they take.
func (d *deets) foresee(v sched.View) {
	for len(d.ends) < int(v.Classes()) {
		d.now = append(d.now, bound{})
		d.ends = append(d.ends, heap.Heap[end]{Before: func(a, b *end) bool { return a.at < b.at }})
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.Started == units.Never {
			continue
		}
		for s := range sched.Stages {
			if job.Stages[s].Occupied == 0 {
				continue
			}
			for id := v.Youngest(j, s, 0); id != 0 && v.Attempt(id).Started >= d.before; id = v.Youngest(j, s, id) {
				a := v.Attempt(id)
				for _, k := range d.of(v, job, s).on {
					if k.class == v.Node(a.Node).Class {
						d.ends[k.class-1].Push(end{a.Started.Add(k.took), a.Started, id})
					}
				}
			}
		}
	}
	d.before = v.Now()
}

// first is when the first task that runs on a class is to end.
func (d *deets) first(v sched.View, class sched.ClassID) units.Time {
	for h := &d.ends[class-1]; len(h.List) > 0; h.Pop() {
		if e := h.List[0]; v.Attempt(e.attempt) != nil && v.Attempt(e.attempt).Started == e.started {
			return e.at
		}
	}
	return units.Never
}

// unsettle are events after which tasks may take another time.
var unsettle = sched.EventsOf(sched.Resync, sched.Control, sched.NodeUp, sched.NodeChanged, sched.NodeDown)

// forget drops what is known where classes have come or gone, or something else has changed that it follows from.
func (d *deets) forget(v sched.View, batch []sched.Event) {
	stale := slices.ContainsFunc(batch, func(e sched.Event) bool { return unsettle.Has(e.Kind) })
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		there := k != nil && k.Nodes[sched.Waking]+k.Nodes[sched.Asleep]+k.Nodes[sched.Awake] > 0
		if int(c) > len(d.there) {
			d.there, d.none = append(d.there, !there), append(d.none, [sched.Stages]nothing{})
		}
		stale = stale || d.there[c-1] != there
		d.there[c-1] = there
	}
	if stale {
		clear(d.known)
	}
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.ProfileLearned && !stale {
			for k := range d.known {
				if j := d.known[k].spec; j != nil && j.Class == e.Detail.Profile.Name && len(j.Stage(d.known[k].stage).Works) == 0 {
					d.known[k] = known{}
				}
			}
		}
	}
}

// of is what is known of a task of a stage; nothing is on no class.
func (d *deets) of(v sched.View, job *sched.Job, s sched.Stage) *known {
	is := sched.Row(&d.known, job.ID)
	// of several stages the rest depends on how far they are
	if is.spec == job.Spec && is.stage == s && len(job.Spec.Stages) == 1 {
		return is
	}
	*is = known{spec: job.Spec, stage: s, behind: behind(v, job, s)}
	st := job.Spec.Stage(s)
	if w, known := work(v, job, st, len(st.Tasks)); known {
		is.on = places(kinds(v, job, st), w)
	}
	return is
}

// choose returns where a task may start: on the cheapest class on which it would be done by its job's virtual
// deadline, by predict of those that have room or are known to have some in time; if there is none, or with a timer if
// that is not the cheapest of all, on the fastest that has room. By cascade no task waits for a class without room
// until it is too late on all that have some, and of more tasks than the cheaper ones can do in time some may start on
// the class that is asked for.
func (d *deets) choose(v sched.View, job *sched.Job, s sched.Stage, class sched.ClassID) choice {
	if job.Due() == units.Never || len(job.Spec.Labels) > 0 || s == sched.Master {
		return choice{}
	}
	is, container := d.of(v, job, s), job.Spec.Stage(s).Container(0)
	needs := &container.Needs
	room := func(k *place) bool { return v.Class(k.class).Free.Fits(needs) }
	beat, cascade := v.World().Heartbeat, d.waiting == "cascade"
	at := job.Due().Add(-beat - is.behind)
	best, c, open := (*place)(nil), choice{due: job.Due(), look: units.Never}, int64(job.Stages[s].Open)
	last := units.Time(-1) // from then on it is too late on classes with room
	for i := range is.on {
		if k := &is.on[i]; cascade && v.Now() <= at.Add(beat-k.took) {
			is := at.Add(min(1, beat) - k.took)
			if c.look = min(c.look, is); room(k) {
				last = max(last, is)
			}
		}
	}
	for i := range is.on {
		k := &is.on[i]
		latest := at.Add(-k.took)
		switch {
		case latest < v.Now(), d.waiting == "timer" && k.cost > is.on[0].cost:
			continue
		case last >= 0 && v.Now() >= last && !room(k):
			continue
		case d.waiting == "predict" && !room(k) && d.first(v, k.class) > latest:
			d.now[k.class-1].left = true
			continue
		}
		if c.look = min(c.look, latest+1); best == nil || k.class == class {
			best = k
		}
		if k.class == class || !cascade || k.slots >= int64(len(job.Spec.Stage(s).Tasks)) {
			break
		}
		n, until := d.more(v, job, s, k, at)
		if c.look = min(c.look, until); n >= open {
			break
		}
		open -= n
	}
	if best != nil {
		if d.waiting == "predict" {
			if b := &d.now[best.class-1]; room(best) {
				for i, need := range needs {
					b.room[i] = max(b.room[i], need)
				}
			} else {
				b.by = min(cmp.Or(b.by, units.Never), at.Add(-best.took))
			}
		}
		c.class, c.why, c.until = best.class, CheapestInTime, at.Add(-best.took)
		return c
	}
	for i := range is.on {
		if k := &is.on[i]; room(k) && (best == nil || k.took < best.took) {
			best = k
		}
	}
	if best == nil {
		return choice{}
	}
	return choice{class: best.class, why: FirstDone, until: v.Now().Add(best.took), due: job.Due()}
}

// more is how many tasks of the stage a class can begin in time from now on, in each of its slots one after the other,
// and from when on it may be another number.
func (d *deets) more(v sched.View, job *sched.Job, s sched.Stage, k *place, at units.Time) (n int64, until units.Time) {
	left, took, t := at.Sub(v.Now()), k.took, &job.Stages[s]
	n = k.does(left)
	container := job.Spec.Stage(s).Container(0)
	taken := k.slots - max(0, v.Class(k.class).Free.Times(&container.Needs)) // by whom it is not known
	for id := v.Youngest(job.ID, s, 0); id != 0; id = v.Youngest(job.ID, s, id) {
		if a := v.Attempt(id); v.Node(a.Node).Class == k.class {
			taken--
			n -= int64(left/took) - max(0, int64(min(left, at.Sub(a.Started.Add(took)))/took))
		}
	}
	return n - max(0, min(int64(t.Occupied-t.Running), taken)), v.Now().Add(left%took + 1)
}

// behind is what the stages of the job behind this one take at least, each in one wave.
func behind(v sched.View, job *sched.Job, s sched.Stage) (sum units.Duration) {
	for i := range job.Spec.Stages {
		st := &job.Spec.Stages[i]
		if st.Kind <= s || job.Stages[st.Kind].Left() == 0 {
			continue
		}
		w, _ := work(v, job, st, len(st.Tasks))
		if on := each.Of(kinds(v, job, st), func(k kind) units.Duration { return k.takes(w) }); len(on) > 0 {
			sum += slices.Min(on)
		}
	}
	return sum
}

// wake asks to look again when the first task that waits for a class can wait no longer.
func (d *deets) wake(v sched.View, p *sched.Plan) {
	next := units.Never
	for s := range sched.Stages {
		for j := v.Waiting(s, 0); j != 0; j = v.Waiting(s, j) {
			if c := d.choose(v, v.Job(j), s, 0); c.class != 0 && c.why == CheapestInTime {
				next = min(next, max(c.look, v.Now()+1))
			}
		}
	}
	if next != units.Never {
		p.WakeMe(next, sched.Because(sched.Wakeup, int64(next)))
	}
}
