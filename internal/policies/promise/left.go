package promise

import (
	"cmp"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// outlay is what who rents nodes goes by (estimate.Estimator), in milliseconds, as the last look has found it: what a
// task takes, 0 where that is not known, and by how much sooner than its deadline the job has to be expected.
type outlay struct {
	Mean [2]int64 `json:"mean"`
	Sure int64    `json:"sure"`
}

// Asked has looks find what Left says.
func (a admission) Asked() { a.Plans = true }

// Looks is how often jobs were looked at.
func (a admission) Looks() int { return a.looks }

// Left is what is left of a job by its laws. It is not known of a stage of an unknown class of which no task has ended.
func (a admission) Left(_ sched.View, j *sched.Job) (left estimate.Left, known bool) {
	r := a.of(j)
	if r == nil {
		return left, false
	}
	for k := range left.Open {
		t := &j.Stages[sched.Map+sched.Stage(k)]
		if left.Open[k] = int64(t.ToStart()); left.Open[k] == 0 && t.Occupied <= 0 {
			continue
		}
		if left.Mean[k] = r.Takes.Mean[k]; left.Mean[k] == 0 {
			return left, false
		}
	}
	left.Sure, left.Promised = r.Takes.Sure, r.Promised > 0
	return left, true
}

// plan finds what a job takes after a look. It has to be as likely in time as it is promised, or as a promise asks.
// Where it stands behind, that is what its own tasks may take longer: nodes that are rented for it serve it at once.
func (s *scheduler) plan(now units.Time, w *place) {
	if !s.Plans {
		return
	}
	r, st := w.r, s.statement(now, w)
	for k := range r.Takes.Mean {
		if r.Takes.Mean[k] = 0; !r.Strange || r.Own[k].N > 0 {
			r.Takes.Mean[k] = max(1, estimate.Millis(ofSeconds(s.task(r, k))))
		}
	}
	if st.like == gone {
		st.like, st.off, st.late = inTime, 0, [2]float64{}
	}
	r.Takes.Sure = estimate.Millis(ofSeconds(st.promises(cmp.Or(r.Promised, r.Least, r.Asked)) - st.expected))
}
