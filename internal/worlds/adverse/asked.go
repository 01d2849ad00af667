package adverse

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// cancelled is how many beats pass from a cancel to the end of the job.
const cancelled = 3

// supplies tells how much green power there is, and what is expected, now and then.
func (w *World) supplies() {
	if w.naughty(20) {
		w.tell(sched.Event{Kind: sched.SupplyChanged, Of: sched.Capacity, X: 0.5 + w.dice.Float64()/2, Age: Beat})
	}
	if w.naughty(20) {
		w.tell(sched.Event{Kind: sched.ForecastIssued, Of: sched.Price, Detail: &sched.Detail{
			Forecast: &sched.Forecast{Start: w.now(), Interval: units.Minute, Mid: []float64{1, w.dice.Float64() + 1}}}})
	}
}

// cancel lets a user cancel a job now and then. What runs of it does for a while, nothing more of it
// starts, and its end follows. Or the user asks the ApplicationMaster to end the job, and nobody else.
func (w *World) cancel() {
	for i := 1; i < len(w.jobs); i++ {
		jb, id := w.jobs[i], sched.JobID(i)
		switch {
		case !jb.arrived || jb.over || jb.came == w.beat: // one that comes now is told of behind its cancel
		case jb.quits > 0 && jb.quits+cancelled <= w.beat:
			w.endJob(id, sched.Killed, "its ApplicationMaster ended it")
		case jb.quits > 0:
		case jb.cancelled == 0 && w.cfg.Quits && w.master(id) != nil && w.naughty(40):
			w.quit(jb, id)
		case jb.cancelled == 0 && w.cfg.Cancels && w.naughty(40):
			jb.cancelled = w.beat
			w.tell(sched.Event{Kind: sched.JobCancelled, Job: id})
			w.orders = slices.DeleteFunc(w.orders, func(o order) bool {
				if o.item.Job == id {
					w.refuse(&o.item, o.item.Count, sched.TooLate)
				}
				return o.item.Job == id
			})
		case jb.cancelled > 0 && jb.cancelled+cancelled <= w.beat:
			w.endJob(id, sched.Killed, "its user cancelled it")
		}
	}
}

// quit has an ApplicationMaster end its own job: it gives back what runs, asks for no more maps, and yet for reduces,
// as maps that are killed count there as maps that need not be waited for.
func (w *World) quit(jb *job, id sched.JobID) {
	jb.quits = w.beat
	for _, a := range w.attempts[1:] {
		if a != nil && a.job == id && a.stage > 0 {
			w.end(a, sched.Killed)
		}
	}
	for _, s := range jb.stages[1:] {
		switch {
		case s.spec.Kind == sched.Map:
			s.mute, s.asked = true, s.ready
		case !s.ready:
			w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
			s.ready, s.asked = true, true
		}
	}
}

// mold sets the number of tasks of a stage that has not begun, as far as the world likes, and tells how
// many it is now.
func (w *World) mold(it *sched.Item, jb *job) {
	k := w.stageOf(it)
	if k < 0 || jb.stages[k].spec.MaxTasks == 0 {
		w.refuse(it, it.Count, sched.BadItem)
		return
	}
	s := jb.stages[k]
	if w.naughty(4) || slices.ContainsFunc(s.tasks, func(t taskState) bool { return t != taskOpen }) ||
		slices.ContainsFunc(w.orders, func(o order) bool { return o.item.Job == it.Job && o.item.Stage == it.Stage }) {
		w.refuse(it, it.Count, sched.TooLate)
		return
	}
	n := int(it.Count)
	if w.naughty(2) {
		n = max(s.spec.MinTasks, n-1)
	}
	spec := *s.spec
	spec.Tasks = make([]workload.Task, n)
	for i := range spec.Tasks {
		spec.Tasks[i] = s.spec.Tasks[i%len(s.spec.Tasks)]
	}
	s.spec, s.grows, s.asked = &spec, false, s.ready
	s.fill(n)
	s.shown, s.told = n, n
	w.tell(sched.Event{Kind: sched.JobAmended, Job: it.Job, Item: it.ID, Detail: &sched.Detail{Job: jb.now()}})
}

// power drains a node so that it sleeps, or is given back, and wakes or rents it, as far as the world likes. It may
// forget that it was asked, and what it has begun may go unsaid.
func (w *World) power(it *sched.Item) {
	nd := w.nodes[it.Node]
	switch {
	case w.naughty(12):
		w.told = false
	case it.Verb == sched.Sleep && nd.serves() && w.naughty(3):
		w.refuse(it, 0, sched.Needed)
	case it.Verb == sched.Sleep && nd.serves():
		nd.state, nd.twice = sched.Draining, false
	case it.Verb == sched.Wake && (nd.state == sched.Asleep || nd.state == sched.Offered) && !w.naughty(4):
		nd.state, nd.back, nd.item = sched.Waking, w.beat+2, it.ID
		if !w.naughty(3) {
			w.tell(sched.Event{Kind: sched.NodeChanged, Node: it.Node, State: sched.Waking})
		}
	default:
		w.refuse(it, 0, sched.NodeAway)
	}
}

// serves tells whether something may start on the node.
func (n *node) serves() bool { return n.up && n.state == sched.Awake }

// ask does what is asked of a job or a node.
func (w *World) ask(it *sched.Item) {
	switch it.Verb {
	case sched.Sleep, sched.Wake:
		if it.Node < 1 || int(it.Node) >= len(w.nodes) {
			w.refuse(it, 0, sched.UnknownNode)
			return
		}
		w.power(it)
	case sched.SetTasks:
		if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].arrived || w.jobs[it.Job].over {
			w.refuse(it, it.Count, sched.UnknownJob)
		} else {
			w.mold(it, w.jobs[it.Job])
		}
	case sched.Withhold, sched.Release, sched.SetSlots, sched.SetDeadline, sched.Foretell, sched.Rank, sched.WakeMe:
		// The book sees to these; WakeAt says the last.
	default:
		w.refuse(it, it.Count, sched.CannotDo)
	}
}
