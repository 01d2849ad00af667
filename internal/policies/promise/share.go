package promise

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Nobody is killed, so who holds a slot for longer than others have time makes these late. Tasks that
// take longer than half of all arriving jobs have time until their deadlines hold at most 19 of 20
// slots of a kind, so that some are always near to fall free. In two hours of FB-2010 on 200 nodes without that 122
// and 99 of 2,577 jobs are late (two seeds), with it 73 and 67, with 9 of 10 slots 71 and 66.

// spare is how many of the slots long tasks leave.
const spare = 20

// share bounds long tasks.
func (s *scheduler) share(v sched.View, p *sched.Plan) {
	median := s.arrivals.median()
	if median == 0 {
		return
	}
	held := [pools]int32{}
	s.long = s.long[:0]
	for i := range s.places {
		w := &s.places[i]
		for k := range w.open {
			t := &w.job.Stages[sched.Map+sched.Stage(k)]
			is := w.open[k]+w.busy[k] > 0 && units.Rounded(s.task(w.r, k)) > units.Rounded(median) && w.job.Standing() == sched.Admitted
			if !is && !w.r.Bound[k] {
				continue
			}
			if !is {
				w.r.Bound[k] = false
				p.Add(sched.Item{Verb: sched.SetSlots, Job: w.job.ID, Stage: sched.Map + sched.Stage(k), Count: -1, Reason: sched.Because(LongTasks)})
				continue
			}
			held[w.pool[k]] += t.Occupied * w.each[k]
			s.long = append(s.long, long1{i, k})
		}
	}
	for _, l := range s.long {
		w := &s.places[l.at]
		t := &w.job.Stages[sched.Map+sched.Stage(l.k)]
		all, each := s.pools[w.pool[l.k]].slots, w.each[l.k]
		may := max(0, all-max(1, all/spare)-(held[w.pool[l.k]]-t.Occupied*each)) / each
		if all == each {
			may = -1
		}
		if t.Limit == may || may < 0 {
			continue
		}
		w.r.Bound[l.k] = true
		p.Add(sched.Item{Verb: sched.SetSlots, Job: w.job.ID, Stage: sched.Map + sched.Stage(l.k), Count: may, Reason: sched.Because(LongTasks)})
	}
}

type long1 struct{ at, k int }

// median is half of all arriving jobs' time until their deadlines, in seconds; 0 = too few came.
func (a *arrivals) median() float64 {
	if a.rate == 0 || len(a.sums) == 0 {
		return 0
	}
	return a.sums[len(a.sums)/2].has
}
