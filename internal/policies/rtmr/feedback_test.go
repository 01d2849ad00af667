package rtmr

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A task whose output is lost runs again, and ends again.
func TestTally(t *testing.T) {
	var c tally
	for at, done := range []int32{2, 1, 2, 2, 3} {
		c.upTo(done, units.Time(at))
	}
	if !slices.Equal(c.Ends, []units.Time{0, 0, 2, 4}) || c.Done != 3 {
		t.Errorf("%+v", c)
	}
}

// A job whose first task is refused has not started: it instead of it stood, and may be overtaken.
func TestRefusedStart(t *testing.T) {
	d := newDesk(t, usual)
	d.At(0, policytest.Opening(policytest.Claims("a", 1, 100), policytest.Claims("b", 1, 200))...)
	var p sched.Plan
	p.Reset(refuses{})
	if d.s.start(d.Book, 1, sched.Map, 1, &p) || len(p.Items) == 0 {
		t.Error("it started")
	}
	if !slices.Equal(d.s.queue, []sched.JobID{1, 2}) || d.s.of(1).Rank != 0 {
		t.Errorf("queue %v, rank %d", d.s.queue, d.s.of(1).Rank)
	}
	if got, want := d.At(1, sched.Event{Kind: sched.JobArrived, Job: 3, Detail: &sched.Detail{Job: policytest.Claims("c", 1, 50)}}), "admit job=3 word=promised confidence=1000000 by=11000000000 reason=promised:50000000000"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !slices.Equal(d.s.queue, []sched.JobID{3, 1, 2}) {
		t.Errorf("queue %v", d.s.queue)
	}
}

// refuses is a book that takes nothing.
type refuses struct{}

func (refuses) Propose(*sched.Plan, *sched.Item) sched.Code { return sched.TooLate }

// Nothing stays promised to a job whose admission is refused.
func TestRefusedAdmission(t *testing.T) {
	d := newDesk(t, usual)
	d.At(0, policytest.Opening()...)
	d.Book.Apply(1e9, 2, []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: policytest.Claims("a", 1, 100)}}})
	var p sched.Plan
	p.Reset(refuses{})
	d.s.consider(d.Book, d.Book.Job(1), &p)
	if _, _, ok := d.s.plan.Estimate(1e9, 1); ok || d.s.of(1) != nil || len(d.s.queue) > 0 {
		t.Errorf("in the schedule: %v, queue %v", ok, d.s.queue)
	}
}
