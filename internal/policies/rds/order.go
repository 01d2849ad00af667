package rds

import "github.com/slackline/slackline/sched"

// Order puts the job with the largest adjustment first: the slots that it has been given, less those
// that it holds (algorithm 1, lines 5 and 9). Among equals the earlier deadline goes first.
type Order struct{ sched.Flat }

// JobKey is (-Δu, deadline, arrival).
func (Order) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	t := &j.Stages[s]
	k := sched.Key{0, int64(j.Due()), int64(j.Arrived)}
	if t.Limit >= 0 {
		k[0] = int64(t.Occupied) - int64(t.Limit)
	}
	return k
}

// Follows says that each stage has slots of its own.
func (Order) Follows() sched.Tallies { return sched.OwnTally }

// Line ranks jobs that wait: by deadline and arrival.
func (Order) Line(j *sched.Job) sched.Key { return sched.Key{int64(j.Due()), int64(j.Arrived)} }
