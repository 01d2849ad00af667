package adverse

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// growUp lets stages ask for more of their tasks. It is said now and then how many there are: more than
// before, or all. That these are all may be a guess, which is corrected when more are asked for. Users give
// jobs more time, another weight or another queue, and ApplicationMasters blacklist nodes.
func (w *World) growUp(jb *job, id sched.JobID) {
	amended := w.shun(jb)
	for _, s := range jb.stages {
		if s.ready && !s.mute && s.shown < len(s.tasks) && (w.beat >= w.cfg.Calm || w.dice.IntN(2) == 0) {
			s.shown, s.asked = min(len(s.tasks), s.shown+1+w.dice.IntN(2)), true
		}
		if s.grows && !s.mute && w.naughty(8) {
			amended = true
			s.told = max(s.told, s.shown)
			s.told += w.dice.IntN(len(s.tasks) - s.told + 1)
			switch w.dice.IntN(4) {
			case 0:
				s.told, s.grows = len(s.tasks), false
			case 1:
				s.told, s.grows = max(1, s.shown), false
			}
		}
		amended = amended || !s.grows && s.told < s.shown
	}
	if w.naughty(40) {
		amended = true
		spec := *jb.spec
		if spec.Weight = float64(1 + w.dice.IntN(3)); spec.Deadline != units.Never {
			spec.Deadline = spec.Deadline.Add(units.Minute)
		}
		if w.dice.IntN(2) == 0 {
			spec.Queue = w.cfg.Jobs[w.dice.IntN(len(w.cfg.Jobs))].Queue
		}
		jb.spec = &spec
	}
	if amended {
		w.tell(sched.Event{Kind: sched.JobAmended, Job: id, Detail: &sched.Detail{Job: jb.now()}})
	}
}

// wanted is how many of the tasks that the stage asks for are open.
func (s *stage) wanted() (n int) {
	if s.mute {
		return 0
	}
	for _, state := range s.tasks[:s.shown] {
		if state == taskOpen {
			n++
		}
	}
	return n
}

// shun has an ApplicationMaster blacklist a node now and then, and tells whether the job says so now. That may
// come some beats late: until then what is proposed there is stale, and nobody knows why.
func (w *World) shun(jb *job) bool {
	switch {
	case jb.shunned == 0 && w.naughty(60):
		jb.shunned = sched.NodeID(1 + w.dice.IntN(len(w.nodes)-1))
	case jb.shunned != 0 && (w.beat >= w.cfg.Calm || w.naughty(10)):
		jb.shunned = 0
	}
	var now []cluster.NodeID
	if jb.shunned != 0 {
		now = append(now, jb.shunned)
	}
	if slices.Equal(now, jb.spec.Avoids) || w.naughty(2) {
		return false
	}
	spec := *jb.spec
	spec.Avoids = now
	jb.spec = &spec
	return true
}

// tellDemand says what stages want, counting the items done so far; sometimes a beat late, and sometimes
// more than they need: by chance, or as an ApplicationMaster asks before it has seen what it was given
// since it asked last. What it is given beyond its need it gives back.
func (w *World) tellDemand() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for _, s := range jb.stages {
			if !jb.arrived || jb.over || !s.ready || !s.asked || w.naughty(6) {
				continue
			}
			more := 0
			switch {
			case s.mute:
				s.asked = false
			case s.flight > 0 && w.naughty(4):
				more = s.flight // it is corrected in the next beat
			case w.naughty(10):
				more = 1 + w.dice.IntN(3)
			default:
				s.asked = false
			}
			s.flight, s.claim = 0, s.wanted()+more
			w.tell(sched.Event{Kind: sched.Demand, Job: sched.JobID(j), Stage: s.spec.Kind, Count: int32(s.wanted() + more), Item: w.counted(sched.JobID(j)),
				Detail: w.rows(s, more)})
		}
	}
}

// rows says where the stage wants its containers, as an ApplicationMaster does: a task counts on each node
// that holds its input, in each of their racks, and once anywhere. Tasks that have failed have rows of
// their own. A place that was named before, and is wanted no more, has a row of none. A stage without input
// names no place.
func (w *World) rows(s *stage, more int) *sched.Detail {
	var list []sched.LocationDemand
	for _, again := range []bool{false, true} {
		count := func(has func(hosts []cluster.NodeID) bool) (n int32) {
			for i := range s.tasks[:s.shown] {
				if !s.mute && s.tasks[i] == taskOpen && s.again[i] == again && has(s.spec.Hosts.Of(i)) {
					n++
				}
			}
			return n
		}
		places := len(list)
		for n := sched.NodeID(1); int(n) < len(w.nodes); n++ {
			c := count(func(hosts []cluster.NodeID) bool { return slices.Contains(hosts, n) })
			if s.nodes[n] = s.nodes[n] || c > 0; c > 0 || s.nodes[n] && !again {
				list = append(list, sched.LocationDemand{Node: n, Count: c})
			}
		}
		for r := cluster.RackID(1); int(r) <= w.cfg.Cluster.Racks; r++ {
			c := count(func(hosts []cluster.NodeID) bool { return w.inRack(hosts, r) })
			if s.racks[r] = s.racks[r] || c > 0; c > 0 || s.racks[r] && !again {
				list = append(list, sched.LocationDemand{Rack: r, Count: c})
			}
		}
		if len(list) > places {
			all := count(func([]cluster.NodeID) bool { return true })
			if !again {
				all += int32(more)
			}
			list = append(list, sched.LocationDemand{Count: all})
		}
	}
	if list == nil {
		return nil
	}
	return &sched.Detail{Demand: list}
}

// counted returns the last item that the demand of a job counts: those still waiting to be done are not in
// it.
func (w *World) counted(j sched.JobID) sched.ItemID {
	last := w.lastItem
	for _, o := range w.orders {
		if o.item.Job == j {
			last = min(last, o.item.ID-1)
		}
	}
	return last
}
