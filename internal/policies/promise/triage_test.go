package promise

import (
	"testing"

	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Nobody is promised what others were: a job that would stand before a promise that is broken by it has none, is told
// so, and is offered a deadline behind that, which it is promised.
func TestNoPromiseBreaksAnother(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	d.At(0, arrives(1, policytest.Claims("first", 40, 46)))
	if d.told(1).Word != sched.Promised {
		t.Fatalf("the first job is told %+v", d.told(1))
	}
	before := policytest.Claims("before", 2, 20)
	answer := admission{d.s}.Ask(d.Book, sched.Asked(d.Book, before))
	if answer.Offer.By < d.told(1).By || answer.Reason.Cause != Owed || answer.Outlook.Word != sched.Unpromised {
		t.Errorf("one that would break its promise is told %+v, where it is kept by %v", answer, d.told(1).By)
	}
	later := policytest.Claims("later", 2, 1)
	later.Deadline = answer.Offer.By
	if d.At(0, arrives(2, later)); d.told(2).Word != sched.Promised {
		t.Errorf("with the deadline that was offered, %v, it is told %+v for %v", later.Deadline, d.told(2), d.Book.Job(2).Why)
	}
	if d.At(0, arrives(3, before)); d.told(3).Word != sched.Unpromised || d.Book.Job(3).Why.Cause != Owed || d.told(3).Chance < 990_000 {
		t.Errorf("with its own it is told %+v for %v", d.told(3), d.Book.Job(3).Why)
	}
}

// A promise that stays late whoever else goes has those go behind that would make it later, but for nothing if it waits
// for nobody, and none once it is lost.
func TestOthersGoBehindLatePromises(t *testing.T) {
	for _, c := range []struct {
		why     string
		seconds float64 // that its tasks take
		behind  bool
	}{{"in time", 1, false}, {"late by little", 1.22, true}, {"lost", 2, false}} {
		d := known(t, usual, 0.1, 0.05)
		d.At(0, arrives(1, policytest.Claims("first", 400, 460)))
		r := &d.s.jobs[1]
		r.Own[0] = tally{N: 100, Sum: 100 * c.seconds}
		if d.At(1, arrives(2, policytest.Claims("other", 20, 100))); d.told(1).Word != sched.Promised {
			t.Fatalf("%s: the first job is told %+v", c.why, d.told(1))
		}
		if is := !d.s.jobs[2].InTime; is != c.behind {
			t.Errorf("%s: the other one goes behind: %v, want %v", c.why, is, c.behind)
		}
		if is := d.s.jobs[1].InTime; is != (c.why != "lost") {
			t.Errorf("%s: its own place is kept: %v", c.why, is)
		}
	}
	w := place{end: units.Time(10 * units.Second), open: [2]int32{1}, mean: [2]units.Duration{10 * units.Second}, r: &record{}}
	if is := w.waits(0); is != 0 {
		t.Errorf("one that takes all the time that it has waits for others %v s", is)
	}
	w.r.last[0], w.busy[0], w.open[0] = w.end, 1, 0
	if is := w.waits(0); is != 0 {
		t.Errorf("one whose last task runs waits for others %v s", is)
	}
}
