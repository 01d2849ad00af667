package adverse

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// moveJobs lets jobs arrive, get on and end.
func (w *World) moveJobs() {
	for i := 1; i < len(w.jobs); i++ {
		jb, id := w.jobs[i], sched.JobID(i)
		switch {
		case jb.over:
		case !jb.arrived && jb.spec.Arrive <= w.now():
			jb.arrived, jb.came = true, w.beat
			for _, s := range jb.stages {
				if s.shown = len(s.tasks); w.naughty(3) {
					s.grows, s.shown = true, w.dice.IntN(len(s.tasks))
				}
				s.told = s.shown
			}
			w.tell(sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: jb.now()}})
			w.getReady(jb, id)
		case jb.arrived && w.doomed(jb): // one beat after it arrived
			w.endJob(id, sched.Killed, "its predecessor did not finish")
		case jb.arrived:
			w.getReady(jb, id)
			last := jb.stages[len(jb.stages)-1]
			if last.done == len(last.spec.Tasks) && !w.runs(id) {
				w.endJob(id, sched.Committed, "")
			} else {
				w.growUp(jb, id)
			}
		}
	}
}

// growUp lets stages ask for more of their tasks, and says now and then how many there are: more than before, or all.
func (w *World) growUp(jb *job, id sched.JobID) {
	amended := false
	for _, s := range jb.stages {
		if s.ready && s.shown < len(s.tasks) && !(jb.capped && s.wanted() >= jb.headroom) && (w.beat >= w.cfg.Calm || w.dice.IntN(2) == 0) {
			s.shown, s.asked = min(len(s.tasks), s.shown+1+w.dice.IntN(2)), true
		}
		if s.grows && w.naughty(8) {
			amended = true
			s.told = max(s.told, s.shown)
			s.told += w.dice.IntN(len(s.tasks) - s.told + 1)
			if w.dice.IntN(2) == 0 {
				s.told, s.grows = len(s.tasks), false
			}
		}
	}
	if amended {
		w.tell(sched.Event{Kind: sched.JobAmended, Job: id, Detail: &sched.Detail{Job: jb.now()}})
	}
}

// wanted is how many of the tasks that the stage asks for are open.
func (s *stage) wanted() (n int) {
	for _, state := range s.tasks[:s.shown] {
		if state == taskOpen {
			n++
		}
	}
	return n
}

// doomed tells whether the job waits for one that did not finish.
func (w *World) doomed(jb *job) bool {
	return slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return p.failed && slices.Contains(jb.spec.After, p.spec.ID) })
}

func (w *World) runs(j sched.JobID) bool {
	return slices.ContainsFunc(w.attempts[1:], func(a *attempt) bool { return a != nil && a.job == j })
}

// getReady lets stages start: the first when the predecessors have ended, others when the one before is done.
func (w *World) getReady(jb *job, id sched.JobID) {
	for k, s := range jb.stages {
		if s.ready || w.doomed(jb) {
			continue
		}
		if k == 0 {
			if slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return !p.over && slices.Contains(jb.spec.After, p.spec.ID) }) {
				return
			}
			if len(jb.spec.After) > 0 {
				w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
			}
		} else if before := jb.stages[k-1]; before.done < len(before.spec.Tasks) {
			return
		} else {
			w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
		}
		s.ready, s.asked = true, true
	}
}

func (w *World) endJob(j sched.JobID, o sched.Outcome, why string) {
	jb := w.jobs[j]
	jb.over, jb.failed = true, o != sched.Committed
	for _, a := range w.attempts[1:] {
		if a != nil && a.job == j {
			w.end(a, sched.Killed)
		}
	}
	w.orders = slices.DeleteFunc(w.orders, func(o order) bool { return o.item.Job == j })
	w.out = slices.DeleteFunc(w.out, func(e sched.Event) bool { // what comes behind the end
		return e.Job == j && (e.Kind == sched.JobAmended || e.Kind == sched.JobCancelled)
	})
	w.tell(sched.Event{Kind: sched.JobEnded, Job: j, Outcome: o, Text: why})
	for k := 1; k < len(w.jobs) && o != sched.Committed; k++ {
		if next := w.jobs[k]; next.arrived && !next.over && w.doomed(next) {
			w.endJob(sched.JobID(k), sched.Killed, "its predecessor did not finish")
		}
	}
}

// tellDemand says what stages want, counting the items done so far; sometimes a beat late, and sometimes more than they need.
func (w *World) tellDemand() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for _, s := range jb.stages {
			if !jb.arrived || jb.over || !s.ready || !s.asked || w.naughty(6) {
				continue
			}
			more := 0
			if s.asked = w.naughty(10); s.asked { // it is corrected in the next beat
				more = 1 + w.dice.IntN(3)
			}
			w.tell(sched.Event{Kind: sched.Demand, Job: sched.JobID(j), Stage: s.spec.Kind, Count: int32(s.wanted() + more), Item: w.counted(sched.JobID(j)),
				Detail: w.places(s, more)})
		}
	}
}

// places says where the stage wants its containers, as an ApplicationMaster does: a task counts on each node that holds its input, in
// each of their racks, and once anywhere. A stage without input names no place.
func (w *World) places(s *stage, more int) *sched.Detail {
	count := func(has func(*workload.Task) bool) (n int32) {
		for i := range s.tasks[:s.shown] {
			if s.tasks[i] == taskOpen && has(&s.spec.Tasks[i]) {
				n++
			}
		}
		return n
	}
	var list []sched.PlaceDemand
	for n := 1; n < len(w.nodes); n++ {
		if c := count(func(t *workload.Task) bool { return slices.Contains(t.Hosts, sched.NodeID(n)) }); c > 0 {
			list = append(list, sched.PlaceDemand{Node: sched.NodeID(n), Count: c})
		}
	}
	for r := 1; r <= w.cfg.Cluster.Racks; r++ {
		if c := count(func(t *workload.Task) bool { return w.inRack(t, cluster.RackID(r)) }); c > 0 {
			list = append(list, sched.PlaceDemand{Rack: cluster.RackID(r), Count: c})
		}
	}
	if list == nil {
		return nil
	}
	return &sched.Detail{Demand: append(list, sched.PlaceDemand{Count: int32(s.wanted() + more)})}
}

// counted returns the last item that the demand of a job counts: those still waiting to be done are not in it.
func (w *World) counted(j sched.JobID) sched.ItemID {
	last := w.lastItem
	for _, o := range w.orders {
		if o.item.Job == j {
			last = min(last, o.item.ID-1)
		}
	}
	return last
}
