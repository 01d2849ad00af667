// Package latest is a policy part as somebody might write it: the latest deadline goes first.
package latest

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// Entry lists the order.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "latest",
		Kind:  compose.KindOrder,
		Doc:   "latest deadline first",
		Cite:  "nobody",
		Order: func(compose.Args) (sched.Order, error) { return order{}, nil },
	}
}

type order struct{ sched.Flat }

// JobKey is the deadline, turned round.
func (order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{-int64(j.Due())}
}
