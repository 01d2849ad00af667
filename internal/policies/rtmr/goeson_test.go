package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/workload"
)

// That time was lost is not held against a job that an earlier run had begun or promised: it runs
// on, with a promise where its deadline can still be kept. Any other job is judged.
func TestLostTimeIsHeldAgainstNoJob(t *testing.T) {
	for _, c := range []struct {
		what string
		due  int
		with func(*workload.Job)
		want string
	}{
		{"too late", 5, func(*workload.Job) {}, "reject"},
		{"promised, too late", 5, func(j *workload.Job) { j.Promised = true }, "begun"},
		{"begun, too late", 5, func(j *workload.Job) { j.Stages[0].Done = []int32{1} }, "begun"},
		{"promised, in time", 500, func(j *workload.Job) { j.Promised = true }, "promised"},
	} {
		d := newDesk(t, usual)
		j := claims("j", 3, c.due)
		c.with(j)
		d.at(0, opening(j)...)
		it := d.plan.Items[0]
		if got := it.Verb.String() + " " + it.Reason.Cause.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
