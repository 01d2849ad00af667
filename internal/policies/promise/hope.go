package promise

import (
	"cmp"
	"math"

	"github.com/slackline/slackline/internal/maths/heap"
	orders "github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Where promises have a probability, jobs without one stand behind them as edf(feasible) has it: first
// those that could still be in time if they had the whole cluster from now on, by deadline; then the
// others, by least work left, so that they take no slot from a job that can be helped.
//
//	could be in time  now + Σ over stages with open tasks max(mean, open · mean / slots) ≤ deadline
//	work left         Σ over stages (total - done) · mean
//
// mean is what a task takes on the average by the cost models, as they were when the promise was
// refused; 0 of a class of which nothing is known, whose jobs hope until their deadline.
//
// The last instant at which a job could be in time (terms.Hope) moves on as its tasks start. It is
// looked at again when it has come, so all looks together cost O(log jobs) for each job that loses hope
// and for each time that one gains more. Hope that is lost does not come back.

// hope is when a job is looked at again.
type hope struct {
	at  units.Time
	job sched.JobID
}

// hopesOf keeps the one at hand that is looked at first.
func hopesOf(list []hope) heap.Heap[hope] {
	return heap.Heap[hope]{List: list, Before: func(a, b *hope) bool {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job)) < 0
	}}
}

// means are what a map and a reduce of a job take on the average.
type means struct {
	Map    units.Duration `json:"map"`
	Reduce units.Duration `json:"reduce"`
}

func (o *odds) means() means { return means{o.Map.Mean, o.Reduce.Mean} }

// hopesFor begins with what a job without a promise can hope for.
func (s *scheduler) hopesFor(job *sched.Job, m means) {
	h := &s.terms[job.ID]
	if h.Means, h.Hope = m, 0; job.Deadline < units.Never {
		if h.Hope = s.latest(job, m); h.Hope > 0 {
			s.hopes.Push(hope{h.Hope, job.ID})
		}
	}
}

// latest is the last instant from which the job could be in time, had it all slots.
func (s *scheduler) latest(job *sched.Job, m means) units.Time {
	at := job.Deadline
	for _, t := range []struct {
		stage sched.Stage
		mean  units.Duration
		slots int
	}{{sched.Map, m.Map, s.Slots.Maps}, {sched.Reduce, m.Reduce, s.Slots.Reduces}} {
		if open := job.Stages[t.stage].Open; open > 0 {
			at = at.Add(-max(t.mean, t.mean.Scale(float64(open))/units.Duration(max(1, t.slots))))
		}
	}
	return at
}

// despair puts jobs whose last instant has passed behind all that can hope.
func (s *scheduler) despair(v sched.View, p *sched.Plan) {
	for len(s.hopes.List) > 0 && s.hopes.List[0].at < v.Now() {
		h := s.hopes.Pop()
		r, job := s.Of(h.job), v.Job(h.job)
		if r == nil || job == nil || r.Standing != reserve.Lent || s.terms[h.job].Hope != h.at {
			continue // it is another job by now
		}
		is := &s.terms[h.job]
		if is.Hope = s.latest(job, is.Means); is.Hope >= v.Now() {
			s.hopes.Push(hope{is.Hope, h.job})
			continue
		}
		late := job.Deadline.Add(v.Now().Sub(is.Hope))
		is.Hope = 0
		p.Rank(h.job, sched.Because(orders.OutOfTime, int64(job.Deadline), int64(late)))
	}
}

// lentKey is the place of a job without a promise among such jobs.
func (s *scheduler) lentKey(job *sched.Job, r *reserve.Record) sched.Key {
	h := &s.terms[job.ID]
	left := func(stage sched.Stage) int64 { return int64(job.Stages[stage].Left()) }
	switch {
	case job.Deadline == units.Never:
		return sched.Key{6, r.Claim.Seq}
	case h.Hope > 0:
		return sched.Key{3, int64(job.Deadline), r.Claim.Seq}
	case h.Means == (means{}):
		return sched.Key{5, left(sched.Map) + left(sched.Reduce), r.Claim.Seq}
	}
	maps, reduces := h.Means.Map.Scale(float64(left(sched.Map))), h.Means.Reduce.Scale(float64(left(sched.Reduce)))
	return sched.Key{4, int64(maps + min(reduces, math.MaxInt64-maps)), r.Claim.Seq}
}
