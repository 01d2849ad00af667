package promise

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
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
	if d.At(0, arrives(3, before)); d.told(3).Word != sched.Unpromised || d.Book.Job(3).Why.Cause != Owed || d.told(3).Chance < 980_000 {
		t.Errorf("with its own it is told %+v for %v", d.told(3), d.Book.Job(3).Why)
	}
}

// A promise that stays late whoever else goes has those go behind that would make it later, but not once it is lost.
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
	w := place{end: units.Time(10 * units.Second), open: [2]int32{1}, mean: [2]units.Duration{7 * units.Second}, r: &record{}}
	if is := w.least(0); is != 7 {
		t.Errorf("one with a task of 7 s takes %v s at least", is)
	}
	w.r.last, w.busy = [2]units.Time{w.end, w.end}, [2]int32{1, 0}
	if is := w.least(0); is != 10 {
		t.Errorf("one whose last task runs for 10 s takes %v s at least", is)
	}
	w.busy[1], w.r.last[1] = 1, w.end.Add(units.Second)
	if is := w.least(0); is != 11 {
		t.Errorf("one whose reduce ends a second behind that takes %v s at least", is)
	}
}

// A promise that is at more risk than was said keeps those before it from a promise that add more than these may miss,
// but nobody who adds little, or stands behind it.
func TestLittleMoreRisk(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	d.At(0, arrives(1, policytest.Claims("first", 400, 460)))
	d.s.jobs[1].Own[0] = tally{N: 100, Sum: 107}
	d.At(1, arrives(2, policytest.Claims("little", 1, 200)), arrives(3, policytest.Claims("behind", 20, 900)))
	if d.s.look(d.Book, true, nil, &sched.Plan{}); !d.s.tight(d.Book.Now(), d.Book.Job(2)) || len(d.s.above) != 1 {
		t.Fatalf("%d promises are at more risk than was said", len(d.s.above))
	}
	d.At(2, arrives(4, policytest.Claims("more", 10, 200)))
	for j, word := range map[sched.JobID]sched.Word{2: sched.Promised, 3: sched.Promised, 4: sched.Unpromised} {
		if is := d.told(j); is.Word != word {
			t.Errorf("job %d is told %+v for %v, want %v", j, is, d.Book.Job(j).Why, word)
		}
	}
}

// Nobody goes behind for what tasks may take of which nothing is known: that spares nobody these.
func TestNobodyGoesBehindForStrays(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	d.At(0, arrives(1, policytest.Claims("first", 40, 60)), arrives(2, policytest.Claims("other", 10, 50)))
	w := &d.s.places[1]
	w.late = [2]float64{100, 1000}
	if st := d.s.statement(0, w); w.r.Promised == 0 || st.risk(60) < finish.Certain/20 || d.s.late(0, w, 0) || d.s.tight(0, d.Book.Job(2)) {
		t.Errorf("a promise at a risk of %v by strays has others go behind", st.risk(60))
	}
}

// What jobs have added to the risk of a promise counts in part against the next that adds to it, where it is late, as
// long as its risk is above what was said.
func TestManyAddALittleRisk(t *testing.T) {
	owed := func(takes float64, spent finish.Risk) finish.Risk {
		d := known(t, usual, 0.1, 0.05)
		d.At(0, arrives(1, policytest.Claims("first", 400, 460)))
		d.s.jobs[1].Own[0], d.s.jobs[1].Spent = tally{N: 100, Sum: takes}, spent
		d.At(2, arrives(2, policytest.Claims("little", 1, 200)))
		is := d.s.jobs[2].Owed
		if by := d.s.jobs[1].Spent - spent; d.told(2).Word == sched.Promised && by != is {
			t.Errorf("it adds %d, and %d more is spent", is, by)
		}
		d.s.jobs[1].Own[0] = tally{N: 100, Sum: 90}
		if d.At(4, arrives(3, policytest.Claims("another", 1, 200))); d.s.jobs[1].Spent != 0 {
			t.Errorf("the promise is at no more risk than was said, and %d is counted still", d.s.jobs[1].Spent)
		}
		return is
	}
	for takes, more := range map[float64]finish.Risk{105: 0, 112: 10_000} {
		if few, many := owed(takes, 0), owed(takes, 40_000); few == 0 || many != few+more {
			t.Errorf("one that adds %d answers for %d behind others that have added 40,000, want %d more", few, many, more)
		}
	}
}

// What a job delays another by is a whole wave, or all of the only slot that is free, whatever part of all slots it
// takes.
func TestOneTaskCostsAWave(t *testing.T) {
	d := newDesk(t, usual)
	opening := policytest.Opening()[0]
	opening.Detail = &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(10, 10)}}}
	d.At(0, opening, learned(0.01, 0.01))
	o := policytest.Claims("o", 40, 4)
	o.Deadline = o.Deadline.Add(units.Second * 4 / 5)
	d.Starts(0, arrives(1, o))
	w := policytest.Claims("w", 1, 3)
	asked := admission{d.s}.Ask(d.Book, sched.Asked(d.Book, w))
	d.Starts(0, arrives(2, w), arrives(3, policytest.Claims("alone", 1, 90)))
	if d.told(1).Word != sched.Promised || d.told(2).Word != sched.Unpromised || asked.Outlook.Word != sched.Unpromised || d.Book.Job(2).Why.Cause == estimate.Likely {
		t.Errorf("the first is told %+v, one that takes a slot of its last wave %+v for %v", d.told(1), d.told(2), d.Book.Job(2).Why)
	}
	if r := &d.s.jobs[2]; !r.Away || r.InTime {
		t.Errorf("it does not stand behind what it would break: %+v", d.told(2))
	}
	if d.told(3).Word != sched.Promised {
		t.Errorf("one that comes after all is told %+v", d.told(3))
	}
	d.At(9, sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}, sched.Event{Kind: sched.Tick})
	if r := &d.s.jobs[2]; r.Away {
		t.Error("it stands behind a promise that is done")
	}
}
