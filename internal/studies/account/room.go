package account

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// mostOthers is how many jobs a part names.
const mostOthers = 3

// seat is a node while time goes over a wait.
type seat struct {
	spec  *cluster.Node // nil: it does not serve
	used  units.Vector
	since units.Time // it has had room; units.Never: it has none
}

// change is something that gives or takes room.
type change struct {
	at   units.Time
	node sched.NodeID
	step *step
	by   *units.Vector // taken; nil: the node changes
	sign int64
}

// room adds what a job that might run waited for: room, or to be given some.
func (w *walk) room(parts []Part, from, to units.Time, stage sched.Stage, r *ran) []Part {
	needs, own := w.needs(stage, r), []Part(nil)
	begin := from.Add(-w.Beat) // room older than a beat is no news
	h := w.hall(needs, begin, to)
	i := 0
	for at := begin; at < to; {
		for ; i < len(h.changes) && h.changes[i].at <= at; i++ {
			h.apply(&h.changes[i])
		}
		h.settle(at)
		next := to
		if i < len(h.changes) {
			next = min(next, h.changes[i].at)
		}
		p := Part{Cause: Slots, Stage: &stage, Task: taskOf(r)}
		switch oldest := h.oldest(); {
		case h.serve == 0:
			p.Cause = NoNode
		case oldest == units.Never:
		case oldest.Add(w.Beat) > at:
			p.Cause, next = Beat, min(next, oldest.Add(w.Beat))
		case w.nears(stage, r) && !w.home(h, stage, r, at):
			p.Cause = Locality
		default:
			if p.Cause = Limit; w.Only != "" {
				p.Why = h.awaited(r)
			}
		}
		if p.From = max(at, from); next > p.From {
			p.Took = next.Sub(p.From)
			own = append(own, p)
		}
		at = next
	}
	last := h.given(r, to)
	var list []Part
	for _, p := range own {
		if early := last.Sub(p.From); p.Cause != Beat || early <= 0 {
			list = join(list, p)
			continue
		} else if p.Cause = Slots; early < p.Took { // what others were given at the beat was no room for this one
			rest := p
			p.Took, rest.Cause, rest.From, rest.Took = early, Beat, last, p.Took-early
			list = join(join(list, p), rest)
			continue
		}
		list = join(list, p)
	}
	for i := range list {
		p := &list[i]
		if p.Cause == Slots || p.Cause == Limit {
			p.Queue = w.j.spec.Queue
		}
		if p.Cause == Slots {
			p.Jobs, p.More = w.holders(p.From, p.From.Add(p.Took), needs)
		}
	}
	return append(parts, list...)
}

// awaited says which class of nodes an attempt has waited for, if it ran on one that had no room as others did.
func (h *hall) awaited(r *ran) string {
	if r == nil || int(r.node) >= len(h.seats) || h.seats[r.node].spec == nil {
		return ""
	}
	class := h.seats[r.node].spec.Class
	if slices.ContainsFunc(h.open, func(n sched.NodeID) bool { s := &h.seats[n]; return s.since != units.Never && s.spec.Class == class }) {
		return ""
	}
	return fmt.Sprintf("for a node of class %s, while others had room", class.Name)
}

// given is since when the node had room that it gave to the attempt at its beat; until, if that is not known.
func (h *hall) given(r *ran, until units.Time) units.Time {
	if r == nil || r.node < 1 || int(r.node) >= len(h.seats) || h.seats[r.node].since == units.Never {
		return until
	}
	return h.seats[r.node].since
}

// needs is what an attempt takes, or would take.
func (w *walk) needs(stage sched.Stage, r *ran) *units.Vector {
	if r != nil && r.needs != nil {
		return r.needs
	}
	if st := w.j.spec.Stage(stage); st != nil {
		return new(st.Container(0).Needs)
	}
	return new(cluster.MapSlot().Needs)
}

// home tells whether a node with the input of the task has had room for a beat.
func (w *walk) home(h *hall, stage sched.Stage, r *ran, at units.Time) bool {
	return slices.ContainsFunc(w.j.spec.Stage(stage).Hosts.Of(int(r.task-1)), func(n sched.NodeID) bool {
		return int(n) < len(h.seats) && h.seats[n].since.Add(w.Beat) <= at
	})
}

// nears tells whether the task has input somewhere, and ran near it.
func (w *walk) nears(stage sched.Stage, r *ran) bool {
	st := w.j.spec.Stage(stage)
	return st != nil && r != nil && r.task > 0 && st.Hosts.Each > 0 && (r.locality == sched.NodeLocal || r.locality == sched.RackLocal)
}

// hall is all nodes while time goes over a wait, as far as they matter to the one that waits.
type hall struct {
	needs   *units.Vector
	suits   func(*cluster.Node, sched.NodeID) bool
	seats   []seat
	changes []change       // still to come, in order
	touched []sched.NodeID // since the last time that was settled
	serve   int            // nodes that could run the task if they were empty
	open    []sched.NodeID // nodes that got room, in that order; some have none any more
	since   []units.Time   // when these did
}

// hall is as all stood at a time, with what changed until another.
func (w *walk) hall(needs *units.Vector, from, to units.Time) *hall {
	h := &hall{needs: needs, seats: make([]seat, len(w.nodes)), suits: func(spec *cluster.Node, n sched.NodeID) bool {
		return spec.Carries(w.j.spec.Labels) && spec.Class.Capacity.Fits(needs) && !slices.Contains(w.j.spec.Avoids, n)
	}}
	see := func(c change) {
		if c.at <= from {
			h.apply(&c)
		} else if c.at < to {
			h.changes = append(h.changes, c)
		}
	}
	for n, steps := range w.nodes {
		h.seats[n].since = units.Never
		for i := range steps {
			see(change{at: steps[i].at, node: sched.NodeID(n), step: &steps[i]})
		}
	}
	w.overlap(from, to, func(r *ran) {
		if r.node > 0 && int(r.node) < len(h.seats) && r.needs != nil {
			see(change{at: r.began, node: r.node, by: r.needs, sign: 1})
			see(change{at: r.ended, node: r.node, by: r.needs, sign: -1})
		}
	})
	slices.SortFunc(h.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return h
}

// apply lets a node change.
func (h *hall) apply(c *change) {
	s := &h.seats[c.node]
	h.touched = append(h.touched, c.node)
	if c.by != nil {
		for d, x := range c.by {
			s.used[d] += c.sign * x
		}
		return
	}
	if s.spec != nil {
		h.serve--
	}
	if s.spec = nil; c.step.up && h.suits(c.step.spec, c.node) {
		s.spec = c.step.spec
		h.serve++
	}
}

// settle notes which nodes have room now.
func (h *hall) settle(at units.Time) {
	for _, n := range h.touched {
		s := &h.seats[n]
		free := units.Vector{}
		if s.spec != nil {
			free = s.spec.Class.Capacity
			free.Sub(&s.used)
		}
		switch has := s.spec != nil && free.Fits(h.needs); {
		case !has:
			s.since = units.Never
		case s.since == units.Never:
			s.since = at
			h.open, h.since = append(h.open, n), append(h.since, at)
		}
	}
	h.touched = h.touched[:0]
}

// oldest is since when there is a node with room that has it still; units.Never: there is none.
func (h *hall) oldest() units.Time {
	for len(h.open) > 0 {
		if h.seats[h.open[0]].since == h.since[0] {
			return h.since[0]
		}
		h.open, h.since = h.open[1:], h.since[1:]
	}
	return units.Never
}

// overlap shows the attempts of all jobs that ran at some time after from and before to.
func (w *walk) overlap(from, to units.Time, see func(*ran)) {
	past := w.past[w.from(from):]
	w.seen += len(past) + len(w.live)
	for _, r := range past {
		if r.began < to {
			see(r)
		}
	}
	for _, r := range w.live {
		if r != nil && r.began < to {
			see(r)
		}
	}
}

// holders are the jobs that held what the job needs between two times, and how many more there are than are named.
func (w *walk) holders(from, to units.Time, needs *units.Vector) (list []Other, more int) {
	places := map[*job]int{}
	w.overlap(from, to, func(r *ran) {
		if r.needs == nil || !rivals(needs, r.needs) {
			return
		}
		i, there := places[r.job]
		if !there {
			o := r.job
			i, places[o] = len(list), len(list)
			list = append(list, Other{Job: o.spec.ID, Self: o == w.j, Ran: true, First: o.number < w.j.number,
				Due: o.spec.Deadline < w.j.spec.Deadline, Taken: o.taken})
			if o.spec.Queue != w.j.spec.Queue {
				list[i].Queue = o.spec.Queue
			}
		}
		h := &list[i]
		h.Held += min(r.ended, to).Sub(max(r.began, from))
		h.Until = max(h.Until, min(r.ended, to))
		h.Ran = h.Ran && r.began <= from
	})
	slices.SortStableFunc(list, func(a, b Other) int { return cmp.Compare(b.Held, a.Held) })
	if len(list) > mostOthers {
		list, more = list[:mostOthers], len(list)-mostOthers
	}
	return list, more
}
