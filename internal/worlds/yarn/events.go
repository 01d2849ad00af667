package yarn

import (
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// box is a container that is allocated or runs.
type box struct {
	app   *app
	stage sched.Stage
	node  sched.NodeID
	as    sched.Outcome // how it ends if it is ended on request: as the item said
	kind  uint8
	began units.Time
}

// event takes in one thing that has happened.
func (w *World) event(x *wire.Event) {
	switch e := x.What.(type) {
	case *wire.Event_NodeUp:
		w.nodeUp(e.NodeUp)
	case *wire.Event_NodeChanged:
		w.nodeChanged(e.NodeChanged)
	case *wire.Event_NodeDown:
		w.nodeDown(e.NodeDown)
	case *wire.Event_Heartbeats:
		for _, name := range e.Heartbeats.Names {
			w.heartbeat(name)
		}
	case *wire.Event_Application:
		w.application(e.Application)
	case *wire.Event_ApplicationEnd:
		w.applicationEnd(e.ApplicationEnd)
	case *wire.Event_AttemptEnd:
		w.attemptEnd(e.AttemptEnd)
	case *wire.Event_Asks:
		w.asks(e.Asks)
	case *wire.Event_Container:
		w.container(e.Container)
	case *wire.Event_Completion:
		w.completion(e.Completion)
	case *wire.Event_Answer:
		w.answer(e.Answer)
	case *wire.Event_Queues:
		w.queuesAre(e.Queues.Queues)
	case *wire.Event_Mode:
		w.setMode(e.Mode)
	}
	// That a container has been launched changes nothing: its room is taken since it was allocated. What a
	// newer plug-in tells besides is not understood, and not needed.
}

// container takes in that one was allocated: from then on it takes its room.
func (w *World) container(x *wire.Container) {
	a, n := w.apps[w.jobs.find(x.Application)], w.nodes.find(x.Node)
	switch {
	case a == nil || a.refused || n == 0 || a.spec.Stage(a.stageOf(x.Priority)) == nil:
		w.note("container %s is of an application or on a node that is not there", x.Id)
		return
	case w.runs.find(x.Id) != 0:
		w.note("container %s was allocated twice", x.Id)
		return
	}
	s := a.stageOf(x.Priority)
	kind := w.kind(a, s, x.Resources)
	w.ready(a, s)
	id := w.runs.give(x.Id)
	w.boxes[id] = &box{app: a, stage: s, node: n, kind: kind, began: w.at.Add(-w.age(x.AllocatedMs))}
	e := sched.Event{Kind: sched.Started, Attempt: id, Job: a.id, Stage: s, Node: n, Container: kind, Age: w.age(x.AllocatedMs), Item: sched.ItemID(x.Item)}
	if a.stock != "" || slices.ContainsFunc(w.up[n].Labels, func(l string) bool { return strings.HasPrefix(l, apart) }) {
		e.Why = sched.Yielded
	}
	o := w.open[e.Item]
	switch {
	case x.Locality == wire.Locality_LOCALITY_NODE:
		e.Locality = sched.NodeLocal
	case x.Locality == wire.Locality_LOCALITY_RACK:
		e.Locality = sched.RackLocal
	case o == nil && !a.stages[s].placed():
		e.Locality = sched.Anywhere
	default:
		e.Locality = sched.Remote
	}
	if o != nil {
		if o.far == sched.Anywhere {
			e.Locality = sched.Anywhere // it was granted for a stage that asked for no place
		}
		if x.AllocatedMs > 0 {
			w.delays.add(x.AllocatedMs - o.asked)
		}
		w.answered(e.Item, 1)
	}
	w.tell(e)
	w.movedBy(a, false)
}

// completion takes in the end of a container. YARN tells that of some more than once, or after all have
// forgotten them.
func (w *World) completion(x *wire.Completion) {
	id := w.runs.find(x.Container)
	if id == 0 {
		return
	}
	b, o := w.boxes[id], sched.Committed
	switch x.Cause {
	case wire.Cause_CAUSE_LOST:
		o = sched.Lost
	case wire.Cause_CAUSE_PREEMPTED, wire.Cause_CAUSE_RELEASED, wire.Cause_CAUSE_EXPIRED:
		if o = b.as; o == sched.NoOutcome && x.Cause == wire.Cause_CAUSE_PREEMPTED {
			o = sched.Preempted
		} else if o == sched.NoOutcome {
			o = sched.Killed
		}
	default:
		if x.Exit != 0 {
			o = sched.Failed
		}
	}
	w.ended(id, o, x.Diagnostics)
}

func (w *World) ended(id sched.AttemptID, o sched.Outcome, why string) {
	b := w.boxes[id]
	switch {
	case o == sched.Committed:
		b.app.stages[b.stage].done++
		b.app.stages[b.stage].ended++
		b.app.leave(b.stage, b.node)
		why = ""
	case b.stage == sched.Map && (o == sched.Failed || o == sched.Lost):
		b.app.broken++
	}
	delete(w.boxes, id)
	w.runs.drop(w.runs.name(id))
	w.tell(sched.Event{Kind: sched.Ended, Attempt: id, Outcome: o, Text: why, X: w.drew(b)})
	w.movedBy(b.app, true)
}

// drew is what a container has drawn above idle, by what is said of its node: in joules, 0 where nothing is.
func (w *World) drew(b *box) float64 {
	if w.up[b.node] == nil || b.app.spec == nil || b.app.spec.Stage(b.stage) == nil {
		return 0
	}
	c := b.app.spec.Stage(b.stage).Container(int(b.kind))
	return units.Rounded(float64(w.up[b.node].Class.Rate(b.app.spec.Class, &c).Watts.Over(w.at.Sub(b.began))))
}

// answer takes in what became of an item.
func (w *World) answer(x *wire.Answer) {
	item := sched.ItemID(x.Item)
	e := sched.Event{Kind: sched.Refused, Item: item, Job: w.jobs.find(x.Application), Count: x.Refused, Why: codeOf(x.Why)}
	if o := w.open[item]; o != nil {
		e.Job, e.Stage, e.Node = o.job, o.stage, o.node
	}
	if a := w.apps[e.Job]; a != nil && !a.refused && x.Refused > 0 && codeOf(x.Why) == sched.AtLimit && e.Node != 0 {
		w.limit(a, e.Stage, x.Why == wire.Why_WHY_OWED)
	}
	if x.Container != "" { // of a kill
		if e.Attempt = w.runs.find(x.Container); w.boxes[e.Attempt] != nil {
			w.boxes[e.Attempt].as = sched.NoOutcome
		}
	}
	if x.Refused == 0 && x.Granted > 0 {
		e.Kind, e.Count, e.Why = sched.Granted, x.Granted, sched.OK
		if o := w.open[item]; o != nil && o.left > x.Granted { // the rest counts as refused
			w.answered(item, o.left-x.Granted)
		}
	} else {
		w.answered(item, x.Refused)
	}
	w.tell(e)
}

// reasons are how policies are told why something was not done.
var reasons = map[wire.Why]sched.Code{
	wire.Why_WHY_NO_ROOM:        sched.NoRoom,
	wire.Why_WHY_NOT_SERVING:    sched.NoRoom,
	wire.Why_WHY_NODE_AWAY:      sched.NodeAway,
	wire.Why_WHY_NO_APPLICATION: sched.UnknownJob,
	wire.Why_WHY_NOT_ADMITTED:   sched.NotAdmitted,
	wire.Why_WHY_NOT_READY:      sched.NotReady,
	wire.Why_WHY_LIMIT:          sched.AtLimit,
	wire.Why_WHY_OWED:           sched.AtLimit,
	wire.Why_WHY_YIELDED:        sched.Yielded,
	wire.Why_WHY_WATCHED:        sched.Watched,
	wire.Why_WHY_TOO_LATE:       sched.TooLate,
	wire.Why_WHY_BAD_ITEM:       sched.BadItem,
	wire.Why_WHY_GONE:           sched.Gone,
}

// codeOf is that of a reason; one that only a newer plug-in knows counts as stale.
func codeOf(y wire.Why) sched.Code {
	if c, known := reasons[y]; known {
		return c
	}
	return sched.Stale
}
