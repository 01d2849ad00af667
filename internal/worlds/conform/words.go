package conform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// words notes which words of the contract are used, over all runs of the suite: each is to be sent
// by somebody and answered by somebody.
type words struct {
	lock     sync.Mutex
	events   map[sched.EventKind]bool   // that a world has sent, or of discrepancies the ledger
	controls map[sched.ControlVerb]bool // that a world has sent
	supplies map[sched.SupplyKind]bool  // that a world has told of
	outcomes map[sched.Outcome]bool     // of attempts that have ended
	refused  map[sched.Code]bool        // codes by which the book or a world has refused
	verbs    map[order]*use             // those that a world can do
}

// order is a verb that a plan asks a world for.
type order struct {
	world string
	verb  sched.Verb
}

// use is what happened to a verb: whether any plan has asked for it, and whether it was seen to be done.
type use struct{ asked, answered bool }

var said = words{events: make(map[sched.EventKind]bool), controls: make(map[sched.ControlVerb]bool), supplies: make(map[sched.SupplyKind]bool),
	outcomes: make(map[sched.Outcome]bool), refused: make(map[sched.Code]bool), verbs: make(map[order]*use)}

// listener notes the words of one run, and their outcome. A verb that an event answers is done when that
// comes; any other when its effect shows (effects.go).
type listener struct {
	world string
	open  map[sched.ItemID]sched.Verb       // items that a world has to answer by an event
	kills map[sched.AttemptID]sched.Outcome // how attempts are to end that were killed
	jobs  map[sched.JobID]bool              // that are to end, as they were rejected
	wakes map[sched.NodeID]bool             // nodes that are to come up
	tick  bool                              // one is to come
	effects
}

// ofBook is whose own affair the verb is in any world.
const ofBook = "book"

func newListener(can sched.Capabilities, watch *Watch, book func() *ledger.Ledger) *listener {
	said.lock.Lock()
	defer said.lock.Unlock()
	l := &listener{world: can.World, open: make(map[sched.ItemID]sched.Verb), kills: make(map[sched.AttemptID]sched.Outcome), jobs: make(map[sched.JobID]bool), wakes: make(map[sched.NodeID]bool)}
	l.effects = effects{binds: can.Bind, watch: watch, book: book, did: l.did}
	l.forget()
	for v := sched.NoVerb + 1; v < sched.Verbs; v++ {
		if o := l.order(v); can.Can(v) && said.verbs[o] == nil {
			said.verbs[o] = new(use)
		}
	}
	return l
}

func (l *listener) order(v sched.Verb) order {
	if v == sched.Foretell || v == sched.Rank || v == sched.SetDeadline {
		return order{ofBook, v}
	}
	return order{l.world, v}
}

// Batch notes what was said, and what of the plans before it was answered so.
func (l *listener) Batch(_ int64, _ units.Time, events []sched.Event) error {
	said.lock.Lock()
	defer said.lock.Unlock()
	for i := range events {
		e := &events[i]
		if !e.Derived || e.Kind == sched.Discrepancy {
			said.events[e.Kind] = true
		}
		said.controls[e.Control], said.supplies[e.Of] = true, true
		l.shows(e)
		switch e.Kind {
		case sched.Refused:
			said.refused[e.Why] = true
			if !e.Derived {
				delete(l.wakes, e.Node)
			}
		case sched.Started, sched.JobAmended:
			l.answer(e.Item)
		case sched.Resync: // handles are others
			clear(l.kills)
		case sched.Ended:
			said.outcomes[e.Outcome] = said.outcomes[e.Outcome] || !e.Derived
			if as, killed := l.kills[e.Attempt]; killed && as == e.Outcome {
				l.did(sched.Kill)
			}
			delete(l.kills, e.Attempt)
		case sched.JobEnded:
			if l.jobs[e.Job] {
				l.did(sched.Reject)
			}
			delete(l.jobs, e.Job)
		case sched.NodeUp:
			if l.wakes[e.Node] {
				l.did(sched.Wake)
			}
			delete(l.wakes, e.Node)
		case sched.Tick:
			if l.tick {
				l.did(sched.WakeMe)
			}
			l.tick = false
		}
	}
	return nil
}

// did notes that what was asked is done.
func (l *listener) did(v sched.Verb) {
	if u := said.verbs[l.order(v)]; u != nil {
		u.answered = true
	}
}

func (l *listener) answer(item sched.ItemID) {
	if v := l.open[item]; v != sched.NoVerb {
		l.did(v)
		delete(l.open, item)
	}
}

// Plan notes what was asked for.
func (l *listener) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	said.lock.Lock()
	defer said.lock.Unlock()
	for i := range p.Items {
		it := &p.Items[i]
		if it.Held {
			continue
		}
		l.asks(it)
		if it.Refused != sched.OK {
			continue
		}
		if u := said.verbs[l.order(it.Verb)]; u != nil {
			u.asked = true
		}
		switch it.Verb {
		case sched.Start, sched.Speculate, sched.SetTasks:
			l.open[it.ID] = it.Verb
		case sched.Kill:
			for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
				l.kills[a] = cmp.Or(it.Outcome, sched.Killed)
			}
		case sched.Reject:
			l.jobs[it.Job] = true
		case sched.Wake:
			l.wakes[it.Node] = true
		case sched.WakeMe:
			l.tick = true
		}
	}
	return nil
}

// missing lists the words that nobody has sent or answered.
func (w *words) missing() (list []string) {
	for k := sched.NoEvent + 1; k < sched.EventKinds; k++ {
		if !w.events[k] {
			list = append(list, "no world has sent the event "+k.String())
		}
	}
	for c := sched.NoControl + 1; c < sched.Controls; c++ {
		if !w.controls[c] {
			list = append(list, "no world has sent the control "+c.String())
		}
	}
	for k := sched.NoSupply + 1; k < sched.Supplies; k++ {
		if !w.supplies[k] {
			list = append(list, "no world has told of the supply "+k.String())
		}
	}
	for o := sched.Committed; o <= sched.Lost; o++ {
		if !w.outcomes[o] {
			list = append(list, "no attempt has ended as "+o.String())
		}
	}
	for o, u := range w.verbs {
		if !u.asked {
			list = append(list, fmt.Sprintf("in the world %s no plan has asked for %v", o.world, o.verb))
		} else if !u.answered {
			list = append(list, fmt.Sprintf("in the world %s nothing shows that %v was done", o.world, o.verb))
		}
	}
	for v := sched.NoVerb + 1; v < sched.Verbs; v++ {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(w.verbs)), func(o order) bool { return o.verb == v }) {
			list = append(list, "no world can do "+v.String())
		}
	}
	for c := sched.UnknownJob; c.String() != "unknown"; c++ {
		if !w.refused[c] && c != sched.Unchanged { // which nobody hears of
			list = append(list, "nothing was refused as "+c.String())
		}
	}
	slices.Sort(list)
	return list
}
