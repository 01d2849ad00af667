package yarn

import (
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The queues of a cluster are those of its CapacityScheduler. What they allow is held in two ways.
// Whether an application may run at all (how many of its queue may, what their masters may take) the
// plug-in knows, which tells of no asks before. What its containers may take YARN checks at each: one
// that is refused for a limit is asked for no more until that limit has moved, so a plan has no item
// that YARN would refuse again.

// Queue is a queue as the plug-in tells it (wire.Queue).
type Queue = wire.Queue

// patience is after how long a limit is tried again although nothing was seen to move it.
const patience = 30 * units.Second

// limited is a stage of which nothing more may be placed.
type limited struct {
	app   *app
	stage sched.Stage
	owed  bool // it would be what another queue lacks of its own
	until units.Time
}

// limit takes in that YARN has refused a container of a stage for a limit of its queue or user, or as it is owed to
// another queue.
func (w *World) limit(a *app, s sched.Stage, owed bool) {
	if st := &a.stages[s]; !st.limited {
		st.limited = true
		w.limits = append(w.limits, limited{a, s, owed, w.at.Add(patience)})
		w.demand(a, s, a.applied)
	}
}

// moved lifts limits that may have moved, and tells what is asked for again.
func (w *World) moved(which func(*limited) bool) {
	left := w.limits[:0]
	var free []limited
	for i := range w.limits {
		if l := w.limits[i]; which(&l) {
			free = append(free, l)
		} else {
			left = append(left, l)
		}
	}
	w.limits = left
	for _, l := range free {
		l.app.stages[l.stage].limited = false
		if w.apps[l.app.id] == l.app {
			w.demand(l.app, l.stage, l.app.applied)
		}
	}
}

// movedBy lifts limits of queues that share one with that of an application of which something has ended. What is
// owed to other queues may be so no more when something of theirs has begun or ended.
func (w *World) movedBy(a *app, ended bool) {
	if len(w.limits) > 0 {
		w.moved(func(l *limited) bool {
			if branch(l.app.spec.Queue) == branch(a.spec.Queue) {
				return ended
			}
			return l.owed
		})
	}
}

func always(*limited) bool { return true }

// branch is the queue right below the root in which another one stands.
func branch(queue string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(queue, "root."), ".")
	return first
}

// queuesAre takes in all queues.
func (w *World) queuesAre(list []*Queue) {
	w.moved(always)
	same := slices.EqualFunc(w.queues, list, func(a, b *Queue) bool { return a.String() == b.String() })
	if w.queues = list; w.begins && !same {
		w.other = true
		w.note("the queues of the cluster have changed: the policy begins again with them, and until then the cluster's own scheduler places work")
		w.Stop()
	}
}

// Others tells, once the world has stopped, whether it did as the queues are others now than those
// that Begin returned.
func (w *World) Others() bool { return w.other }
