package need

import (
	"cmp"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// leastPatience is for how long a node stays idle at least. In two hours of FB-2010 with nodes that boot in 30 s, three
// seeds, 81 jobs are late with a minute (840 node-hours), 127 with half of one (913), 87 with one and a half (968).
const leastPatience = units.Minute

// patience is for how long a node that takes so long to boot may be idle.
func (n *Need) patience(boot units.Duration) units.Duration {
	return max(cmp.Or(n.c.Idle, max(boot, leastPatience)), units.Second)
}

// goes is when an idle node may be given back: when it has been idle for long enough, or in the last seconds of
// a step that is paid for.
func (n *Need) goes(v sched.View, nd *sched.Node) units.Time {
	k := v.Class(nd.Class).Spec
	patience, again := n.patience(k.WakeTime), units.Time(0)
	since := cmp.Or(n.tenure(nd.ID).Rented, nd.Since.Add(-k.WakeTime)) // where nobody remembers, it came up then
	if was := n.tenure(nd.ID).Back; was > 0 {
		again = was.Add(patience) // it was needed
	}
	if k.Billing <= patience {
		return max(nd.Since.Add(patience), again)
	}
	last := max(5*units.Second, 2*v.World().Heartbeat)
	from := max(v.Now(), again)
	return max(from, since.Add((from.Sub(since)/k.Billing+1)*k.Billing-last))
}

// back gives back whom no job needs, and asks for a Tick when the next may go.
func (n *Need) back(v sched.View, s *stock, p *sched.Plan) {
	late, next := -1, units.Never
	for _, nd := range s.idle {
		if s.rented <= s.base {
			break
		}
		at := n.goes(v, nd)
		if v.Now() >= at {
			if late < 0 {
				late = n.line.late(s.room, v.Now(), broken, s.room)
			}
			without := s.room.with(-1, slotsOf(&v.Class(nd.Class).Spec.Capacity), 0)
			if late < broken && n.line.late(without, v.Now(), late, s.room) <= late {
				if p.Add(sched.Item{Verb: sched.Sleep, Node: nd.ID, Reason: sched.Because(NotNeeded, int64(v.Now().Sub(nd.Since)), int64(s.rented))}) {
					n.tenure(nd.ID).Back = max(1, v.Now())
					s.room = without
					s.rented--
				}
				continue
			}
			at = v.Now().Add(every)
		}
		next = min(next, at)
	}
	n.Wake.Set(next, p)
}
