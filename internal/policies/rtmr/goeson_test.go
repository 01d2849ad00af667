package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
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
		j := policytest.Claims("j", 3, c.due)
		c.with(j)
		d.At(0, policytest.Opening(j)...)
		it := d.Plan.Items[0]
		if got := it.Verb.String() + " " + it.Reason.Cause.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Who takes over from an earlier run, which promised a job that runs, promises it again if the
// deadline can be kept; then others cannot take its slots. One without a promise gets none.
func TestPromisesOfAnEarlierRun(t *testing.T) {
	for _, c := range []struct {
		promised bool
		due      int
		want     string
	}{{true, 500, "promised"}, {true, 25, "begun"}, {false, 500, "begun"}} {
		d := newDesk(t, usual)
		j := policytest.Claims("j", 3, c.due)
		j.Promised = c.promised
		told := append([]sched.Event{{Kind: sched.Resync}}, policytest.Opening(j)...)
		began := policytest.StartOf(sched.Item{Job: 1, Stage: sched.Map, Node: 1})
		began.Item = 0
		d.At(1, append(told, began)...)
		if it := d.Plan.Items[0]; it.Verb != sched.Admit || it.Reason.Cause.Name != c.want {
			t.Errorf("promised %v and due at %d: %v %s, want %s", c.promised, c.due, it.Verb, it.Reason.Cause.Name, c.want)
		}
		other := policytest.Claims("k", 1, 32)
		d.At(2, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: other}})
		if it := d.Plan.Items[0]; (it.Verb == sched.Reject) != (c.want == "promised") {
			t.Errorf("promised %v and due at %d: another is told %v", c.promised, c.due, it.Verb)
		}
	}
}
