package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/policytest"
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
	b := policytest.Claims("b", 1, 15)
	b.Virtual = 100e9 // no promise counts with it
	if got := d.At(0, policytest.Opening(policytest.Claims("a", 1, 10), b)...); !strings.HasSuffix(got, "; "+want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A cost beyond all times that can be told is no time: it is not said to be one, and no deadline is offered.
func TestUnbounded(t *testing.T) {
	slow := policytest.Opening(policytest.Claims("a", 2, 20))
	slow[1].Detail.Profile.At(workload.Map, "n").Task.Add(9e9)
	if got, want := newDesk(t, usual).At(0, slow...), "reject job=1 reason=unbounded"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
