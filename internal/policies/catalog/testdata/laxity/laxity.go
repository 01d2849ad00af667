// Package laxity is a policy part as somebody might write it from ARCHITECTURE alone: the job with
// the least time to spare goes first (Dertouzos and Mok 1989), and one that has less than none is
// not let in.
package laxity

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Spent refuses a job that would be late though it had the cluster for itself.
var Spent = &sched.Cause{Name: "laxity-spent", Text: "its tasks take {lacks} longer, one after the other, than it has time for",
	Numbers: []sched.Number{sched.Shift.Named("lacks", "its laxity", -30e9)}}

// Order lists the order.
func Order() compose.Entry {
	return compose.Entry{
		Name: "least-laxity", Kind: compose.KindOrder, Doc: "least time to spare first, by what is known of the class", Cite: "Dertouzos and Mok 1989",
		Traits: compose.Traits{Reads: compose.Reads{Profiles: true}},
		Order:  func(compose.Args) (sched.Order, error) { return order{}, nil },
	}
}

// Admission lists the part that refuses.
func Admission() compose.Entry {
	return compose.Entry{
		Name: "laxity", Kind: compose.KindAdmit, Doc: "refuses jobs without time to spare", Cite: "Dertouzos and Mok 1989",
		Traits: compose.Traits{
			Reads:  compose.Reads{Profiles: true},
			Heeds:  sched.EventsOf(sched.JobArrived, sched.StageReady),
			Causes: []*sched.Cause{Spent, sched.AdmitAll},
		},
		Step: func(compose.Args) (compose.Step, error) { return admission{}, nil },
	}
}

// left is the work that the job still has to do, one task after the other.
func left(v sched.View, j *sched.Job) units.Duration {
	c := v.Profile(j.Spec.Class)
	if c == nil {
		return 0
	}
	sum := 0.0
	for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
		t := &j.Stages[s]
		sum += c.Any(s).Task.Mean * float64(t.Left())
	}
	return units.FromSeconds(units.Rounded(sum)) // it decides: rounded, it is the same on every processor
}

type order struct{ sched.Flat }

// JobKey is the laxity, but for the time of day, which is the same for all.
func (order) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	if j.Due() == units.Never {
		return sched.Key{1}
	}
	return sched.Key{0, int64(j.Due().Add(-left(v, j)))}
}

type admission struct{}

// Decide judges what has come.
func (admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived, sched.StageReady:
			judge(v, v.Job(e.Job), p)
		case sched.Control:
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				judge(v, v.Job(j), p)
			}
		}
	}
}

func judge(v sched.View, j *sched.Job, p *sched.Plan) {
	if j == nil || j.Standing() != sched.Pending {
		return
	}
	if laxity := j.Deadline.Sub(v.Now()) - left(v, j); j.Deadline != units.Never && laxity < 0 && !j.Begun() {
		p.Reject(j.ID, sched.Outlook{}, sched.Because(Spent, int64(laxity)))
		return
	}
	p.Admit(j.ID, sched.Outlook{}, sched.Because(sched.AdmitAll))
}
