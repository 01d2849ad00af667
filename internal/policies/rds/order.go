package rds

import "github.com/slackline/slackline/sched"

// Order puts the job with the largest adjustment first: the slots that it has been given, less those
// that it holds (algorithm 1, lines 5 and 9). Among equals the earlier deadline goes first. Jobs on the fast
// path go before all others, by deadline.
type Order struct {
	sched.Flat
	*controller
}

// before is more than a job can lack.
const before = 1 << 40

// JobKey is (-Δu, deadline, arrival), and less than any Δu on the fast path.
func (o Order) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	t := &j.Stages[s]
	k := sched.Key{0, int64(j.Due()), int64(j.Arrived)}
	if t.Limit >= 0 {
		k[0] = int64(t.Occupied) - int64(t.Limit)
	}
	if m := o.find(j.ID); k[0] < 0 && m != nil && m.First {
		k[0] = -before
	}
	return k
}

// Follows says that each stage has slots of its own.
func (Order) Follows() sched.Tallies { return sched.OwnTally }

// Line ranks jobs that wait: by deadline and arrival.
func (Order) Line(j *sched.Job) sched.Key { return sched.Key{int64(j.Due()), int64(j.Arrived)} }

// rank tells the order who is on the fast path.
func (c *controller) rank(v sched.View, p *sched.Plan) {
	for _, m := range c.Members {
		if m.Fast == m.First {
			continue
		}
		cause := OnFastPath
		if !m.Fast {
			cause = OffFastPath
		}
		m.First = m.Fast
		p.Rank(m.Job, c.onPath(v.Job(m.Job), cause))
	}
}
