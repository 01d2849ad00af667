package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// An offer that is perhaps not the earliest says so.
func TestRejection(t *testing.T) {
	for _, c := range []struct {
		offer units.Time
		exact bool
		want  sched.Outlook
	}{
		{20e9, true, sched.Outlook{Word: sched.NoEarlier, By: 20e9}},
		{20e9, false, sched.Outlook{Word: sched.MaybeEarlier, By: 20e9}},
		{units.Never, true, sched.Outlook{}},
		{0, false, sched.Outlook{}},
	} {
		if got := sched.Offer(c.offer, c.exact); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	d := newDesk(t, usual)
	want := "reject job=2 word=no-earlier by=20000000000 reason=deadline:15000000000,20000000000,1 evidence=1:10000000000:1"
	b := claims("b", 1, 15)
	b.Virtual = 100e9 // no promise counts with it
	if got := d.at(0, opening(claims("a", 1, 10), b)...); !strings.HasSuffix(got, "; "+want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A cost beyond all times that can be told is no time: it is not said to be one, and no deadline is offered.
func TestUnbounded(t *testing.T) {
	slow := opening(claims("a", 2, 20))
	slow[1].Detail.Profile.At(workload.Map, "n").Task.Add(9e9)
	if got, want := newDesk(t, usual).at(0, slow...), "reject job=1 reason=unbounded"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Where nothing is killed, a task of which nobody knows how long it takes may hold the only slot of
// a kind for ever. Whoever needs that kind is refused, with no deadline that would do, and is told
// which kind it is; whoever needs the other kind alone is promised it.
func TestAllLent(t *testing.T) {
	patient := usual
	patient.Preempt = false
	known := opening()[:2]
	known[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
	only := func(class string, deadline int, kind workload.Stage) *workload.Job {
		j := claims("j", 1, deadline)
		j.Class, j.Stages[0].Kind = class, kind
		return j
	}
	for _, lends := range []sched.Stage{sched.Map, sched.Reduce} {
		d := newDesk(t, patient)
		be := forever(only("nobody knows", 0, lends))
		d.at(0, append(known, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: be}}, sched.Event{Kind: sched.Heartbeat, Node: 1})...)
		if n := len(d.s.of(1).Leases); n != 1 {
			t.Fatalf("%v: %d slots are lent", lends, n)
		}
		both := only("c", 50, sched.Map)
		both.Stages = append(both.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)})
		other, stage := sched.Reduce, "1"
		if lends == sched.Reduce {
			other, stage = sched.Map, "2"
		}
		got := d.at(1, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: both}}, sched.Event{Kind: sched.JobArrived, Job: 3, Detail: &sched.Detail{Job: only("c", 20, other)}})
		if want := "reject job=2 reason=all-lent:50000000000," + stage + "; admit job=3 word=promised confidence=1000000 by=11000000000 reason=promised:20000000000"; got != want {
			t.Errorf("%v: %s\nwant %s", lends, got, want)
		}
	}
}
