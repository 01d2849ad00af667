package estimate

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Own is what the committed tasks of each job that is there took: what is known of a job beyond its
// class. The zero value knows nothing.
type Own struct {
	Jobs []Took `json:"jobs,omitempty"` // by handle
}

// Took is what tasks of a job took, by stage: how many there were, and the sum.
type Took struct {
	N   [sched.Stages]int64          `json:"n"`
	Sum [sched.Stages]units.Duration `json:"sum"`
}

// Notice takes in an event. A Resync voids all handles, and with them all that is known.
func (o *Own) Notice(v sched.View, e *sched.Event) {
	switch e.Kind {
	case sched.Resync:
		o.Jobs = nil
	case sched.JobArrived, sched.JobEnded:
		if int(e.Job) < len(o.Jobs) {
			o.Jobs[e.Job] = Took{}
		}
	case sched.Ended:
		j, s, _ := v.Ended(e.Attempt)
		if e.Outcome != sched.Committed || j == 0 || s >= sched.Stages {
			return
		}
		sched.Row(&o.Jobs, j).N[s]++
		for _, span := range e.Spans {
			o.Jobs[j].Sum[s] = sum(o.Jobs[j].Sum[s], max(0, span))
		}
	}
}

// Of is what a job's tasks of a stage took: how many have committed, and their sum.
func (o *Own) Of(j sched.JobID, s sched.Stage) (n int64, sum units.Duration) {
	if int(j) >= len(o.Jobs) {
		return 0, 0
	}
	return o.Jobs[j].N[s], o.Jobs[j].Sum[s]
}
