package promise

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A job is due when it has to be for each job at the end of a path from it, whatever the order of their arrival.
func TestDeadlinesAlongChains(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(r, "jobs")
		jobs, takes := make([]*workload.Job, n), make([]units.Duration, n)
		before := make([][]int, n) // for which each waits
		for i := range jobs {
			maps := rapid.IntRange(1, 9).Draw(r, "maps")
			jobs[i] = policytest.Claims(fmt.Sprint("j", i), maps, 0)
			jobs[i].Deadline = units.Never
			if rapid.Bool().Draw(r, "has a deadline") {
				jobs[i].Deadline = units.Time(rapid.IntRange(10, 9000).Draw(r, "deadline"))*units.Time(units.Second) + 5e8
			}
			takes[i] = units.Duration(maps) * units.Second // one slot, a second a map
			for k := range i {
				if rapid.IntRange(0, 2).Draw(r, "waits") == 0 {
					before[i] = append(before[i], k)
					jobs[i].After = append(jobs[i].After, jobs[k].ID)
				}
			}
		}
		d := known(t, usual, 1e-3, 1e-3)
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}[:n]).Draw(r, "order")
		var events []sched.Event
		handle := make([]sched.JobID, n)
		for at, i := range order {
			handle[i] = sched.JobID(at + 1)
			events = append(events, arrives(handle[i], jobs[i]))
		}
		d.At(0, events...)
		var latest func(i int) units.Time
		latest = func(i int) units.Time {
			is := jobs[i].Deadline
			for k := range jobs {
				for _, j := range before[k] {
					if j == i && latest(k) != units.Never && latest(k).Add(-takes[k]) > 0 {
						is = min(is, latest(k).Add(-takes[k]))
					}
				}
			}
			return is
		}
		for i, j := range handle {
			want, is := latest(i), d.Book.Job(j).Due()
			near := max(leastMove, jobs[i].Deadline.Sub(0)/leftMove)
			if off := max(want, is).Sub(min(want, is)); off > 20*units.Millisecond && (jobs[i].Deadline == units.Never || off > near) {
				r.Errorf("job %s is due at %v, want %v", jobs[i].ID, is, want)
			}
		}
	})
}

// Whoever is waited for by a promise does not go behind for others' sake, and is due as it says itself again once the
// other is gone.
func TestChainOfAPromise(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	first, last := policytest.Claims("first", 30, 0), policytest.Claims("last", 2, 1200)
	first.Deadline, last.After = units.Never, []string{"first"}
	d.At(0, arrives(1, first), arrives(2, last))
	if is := d.told(2); is.Word != sched.Promised {
		t.Fatalf("the end of the chain is told %+v, want a promise", is)
	}
	if due := d.Book.Job(1).Due(); due > 1198e9+1e8 || due < 1197e9 {
		t.Errorf("the job before it is due at %v, want 2 s before the other", due)
	}
	var events []sched.Event
	for i := range 65 {
		events = append(events, arrives(sched.JobID(3+i), policytest.Claims(fmt.Sprint("x", i), 20, 1250)))
	}
	d.At(1, events...)
	if !d.s.jobs[1].InTime {
		t.Error("it goes behind for jobs that came later")
	}
	d.At(2, sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Killed})
	if due := d.Book.Job(1).Due(); due != units.Never {
		t.Errorf("nobody waits for it any more, and it is due at %v", due)
	}
}

// What a promise that has no chance any more waits for is not kept at the cost of others either, until it has one.
func TestChainOfALostPromise(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	first, last := policytest.Claims("first", 20, 0), policytest.Claims("last", 5, 60)
	first.Deadline, last.After = units.Never, []string{"first"}
	d.At(0, arrives(1, first), arrives(2, last))
	if d.s.jobs[2].Promised == 0 {
		t.Fatal("the end of the chain is not promised")
	}
	last = policytest.Claims("last", 500, 60)
	last.After = []string{"first"}
	d.At(1, policytest.Amended(2, last), arrives(3, policytest.Claims("other", 10, 18)))
	if d.s.jobs[1].InTime || d.s.jobs[2].InTime || !d.s.jobs[3].InTime {
		t.Errorf("in time can be %v, %v and %v, want only the third", d.s.jobs[1].InTime, d.s.jobs[2].InTime, d.s.jobs[3].InTime)
	}
	last = policytest.Claims("last", 5, 60)
	last.After = []string{"first"}
	d.At(2, policytest.Amended(2, last))
	d.At(3, sched.Event{Kind: sched.Tick})
	if !d.s.jobs[1].InTime || !d.s.jobs[2].InTime {
		t.Errorf("the promise can be kept again, and in time can be %v and %v", d.s.jobs[1].InTime, d.s.jobs[2].InTime)
	}
}

// Who waits for a job that goes behind is told no earlier end than that.
func TestToldBehindOneThatGoesBehind(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	first, last := policytest.Claims("first", 50, 40), policytest.Claims("last", 2, 2000)
	last.After = []string{"first"}
	d.At(0, arrives(1, policytest.Claims("other", 300, 1000)))
	d.At(1, arrives(2, first), arrives(3, last))
	if d.s.jobs[2].InTime || d.told(3).Half <= d.told(2).Half {
		t.Errorf("in time can be: %v; it is told %+v, and who waits for it %+v", d.s.jobs[2].InTime, d.told(2), d.told(3))
	}
}

// Who was waited for by a promise goes behind like others once nobody waits any more, also if it was handed no
// deadline.
func TestChainThatIsGone(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	first, last := policytest.Claims("first", 50, 52), policytest.Claims("last", 2, 1200)
	last.After = []string{"first"}
	d.At(0, arrives(1, first), arrives(2, last))
	d.At(2, sched.Event{Kind: sched.Tick})
	if r := &d.s.jobs[1]; !r.carries || r.Promised > 0 || d.Book.Job(1).Due() != first.Deadline {
		t.Fatalf("nobody waits for it: %v; it is promised: %v; it is due at %v", !r.carries, r.Promised, d.Book.Job(1).Due())
	}
	d.At(3, sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Killed}, arrives(3, policytest.Claims("other", 20, 53)))
	if d.s.jobs[1].InTime || !d.s.jobs[3].InTime {
		t.Errorf("in time can be %v and %v, want only the second", d.s.jobs[1].InTime, d.s.jobs[3].InTime)
	}
}

// Nor does it take the place that a job has by its own deadline from that.
func TestLostPromiseLeavesDeadlines(t *testing.T) {
	for _, promised := range []bool{true, false} {
		d := known(t, usual, 0.1, 0.05)
		first, last := policytest.Claims("first", 20, 3600), policytest.Claims("last", 5, 60)
		last.After = []string{"first"}
		d.At(0, arrives(1, first), arrives(2, last))
		if !promised {
			d.s.jobs[1].Promised = 0
		}
		last = policytest.Claims("last", 500, 60)
		last.After = []string{"first"}
		d.At(1, policytest.Amended(2, last))
		d.At(2, arrives(3, policytest.Claims("other", 10, 19)))
		if due := d.Book.Job(1).Due(); due != 3600e9 || !d.s.jobs[1].InTime || !d.s.jobs[3].InTime {
			t.Errorf("promised %v: it is due at %v, and in time can be %v and the other %v", promised, due, d.s.jobs[1].InTime, d.s.jobs[3].InTime)
		}
	}
}

// Who cannot be in time does not take the deadline of those that can from the job for which both wait, and a job's own
// later deadline does not either.
func TestForksOfAChain(t *testing.T) {
	d := known(t, usual, 1e-3, 1e-3)
	first, lost, other := policytest.Claims("first", 1, 5000), policytest.Claims("lost", 30, 18), policytest.Claims("other", 2, 4600)
	lost.After, other.After = []string{"first"}, []string{"first"}
	d.At(0, arrives(1, first), arrives(2, lost), arrives(3, other))
	if due := d.Book.Job(1).Due(); due < 4597e9 || due > 4599e9 {
		t.Errorf("the first is due at %v, want 2 s before the one that can be in time", due)
	}
}

// A chain that is handed in job by job is told the same as one that comes at once.
func TestChainsThatGrow(t *testing.T) {
	told := func() sched.Outlook {
		d := known(t, usual, 1e-3, 1e-3)
		a, b, c := policytest.Claims("a", 3, 0), policytest.Claims("b", 3, 0), policytest.Claims("c", 3, 600)
		a.Deadline, b.Deadline, b.After, c.After = units.Never, units.Never, []string{"a"}, []string{"b"}
		many := policytest.Claims("many", 1200, 9000)
		d.At(0, arrives(1, many), arrives(2, a))
		d.At(0, arrives(3, b))
		d.At(0, arrives(4, c))
		return d.told(4)
	}
	if is := told(); is.Word != sched.Promised || is.Half > 20e9 {
		t.Errorf("a chain handed in job by job is told %+v, want a promise and some 10 s", is)
	}
}

// A job is not done before those that it waits for are, nor more surely in time, however widely these may end.
func TestChainBehindAGuess(t *testing.T) {
	for _, due := range []units.Time{20e9, 60e9, 300e9, 900e9} {
		d := known(t, usual, 0.1, 0.1)
		strange, last := policytest.Claims("strange", 5, 0), policytest.Claims("last", 1, 0)
		strange.Class, strange.Deadline, last.Deadline, last.After = "nobody knows", due, due, []string{"strange"}
		d.At(0, arrives(1, strange), arrives(2, last))
		first, is := d.told(1), d.told(2)
		if is.Half < first.Half || is.Ninety < first.Ninety || is.Chance > first.Chance || is.Confidence == first.Confidence && is.By < first.By {
			t.Errorf("due %v: told %+v, and what it waits for %+v", due, is, first)
		}
	}
}

// Where others are rejected, a job behind one of which nothing is known is not: what it is told is a guess. Once more
// is known it is promised its deadline, or runs without.
func TestNobodyIsRejectedByAGuess(t *testing.T) {
	for _, due := range []units.Time{40e9, 2e9} {
		d := known(t, Config{Most: 10_000, Reject: true}, 0.1, 0.1)
		strange, middle, last := policytest.Claims("strange", 5, 0), policytest.Claims("middle", 1, 0), policytest.Claims("last", 1, 0)
		strange.Class, middle.After, last.After = "nobody knows", []string{"strange"}, []string{"middle", "strange"}
		strange.Deadline, middle.Deadline, last.Deadline = units.Never, units.Never, due
		d.At(0, arrives(1, strange), arrives(2, middle))
		if is := (admission{d.s}).Ask(d.Book, &sched.Job{ID: 3, Spec: last, Deadline: due, State: sched.Waiting}); is.Verb == sched.Reject {
			t.Errorf("due %v: who asks is told that it would be rejected", due)
		}
		d.At(0, arrives(3, last))
		if is := d.told(3); d.Book.Job(3).State == sched.Rejected || is.Word != sched.Unpromised {
			t.Errorf("due %v: it is told %+v, and is %v", due, is, d.Book.Job(3).State)
		}
		is := learned(0.1, 0.1)
		is.Detail.Profile.Name = "nobody knows"
		d.At(1, is)
		d.At(2, sched.Event{Kind: sched.Tick})
		if word := d.told(3).Word; (word == sched.Promised) != (due == 40e9) || d.Book.Job(3).State == sched.Rejected {
			t.Errorf("due %v: it is %v, and told %v once all is known", due, d.Book.Job(3).State, word)
		}
		alone := policytest.Claims("alone", 50, 1)
		if d.At(3, arrives(4, alone)); d.Book.Job(4).State != sched.Rejected {
			t.Errorf("due %v: who cannot be in time is not rejected", due)
		}
	}
}

// Who waits for a job that is rejected is rejected with it; and nothing is said of the end of one that waits for a job
// that is not there.
func TestOrphans(t *testing.T) {
	d := known(t, Config{Most: 10_000, Reject: true}, 0.1, 0.1)
	first, second, third := policytest.Claims("first", 50, 5), policytest.Claims("second", 1, 900), policytest.Claims("third", 1, 900)
	second.After, third.After = []string{"first"}, []string{"nobody"}
	d.At(0, arrives(1, first), arrives(2, second), arrives(3, third))
	if d.Book.Job(2).State != sched.Rejected || d.Book.Job(2).Why.Cause != Orphan {
		t.Errorf("behind a job that is rejected it is %v for %v", d.Book.Job(2).State, d.Book.Job(2).Why.Cause)
	}
	if is := d.told(3); is.Word == sched.Promised || is.Foreseen() && is.By != units.Never {
		t.Errorf("behind a job that is not there it is told %+v", is)
	}
}

// Who waits for others is done sooner by as much as these are, but by no more than it waits; and later as the latest of
// them.
func TestSpreadOfWhatItWaitsFor(t *testing.T) {
	st := statement{wait: 50, chain: [2]float64{20, 50}}
	for _, c := range []struct{ score, wait, want float64 }{{-2, 50, -20}, {-1, 50, -10}, {-2, 8, -8}, {-2, -1, 0}, {0, 50, 0}, {1, 50, 10}, {2, 50, 20}, {3, 50, 50}, {2.5, 50, 35}} {
		if st.wait = c.wait; units.Rounded(st.behind(c.score)) != c.want {
			t.Errorf("at a score of %v, where it waits %v s: %v s later, want %v", c.score, c.wait, st.behind(c.score), c.want)
		}
	}
	d := known(t, usual, 0.1, 0.1)
	job := policytest.Claims("behind", 1, 900)
	job.After = []string{"a", "b"}
	d.At(0, arrives(1, policytest.Claims("a", 4, 600)), arrives(2, policytest.Claims("b", 4, 500)), arrives(3, job))
	at := func(s int) units.Time { return units.Time(s) * units.Time(units.Second) }
	d.s.jobs[1].End = ending{At: at(10), Far: [2]units.Time{at(40), at(50)}}
	d.s.jobs[2].End = ending{At: at(30), Far: [2]units.Time{at(35), at(90)}}
	w := place{r: &d.s.jobs[3], job: d.Book.Job(3)}
	if is := d.s.ready(d.Book, &w); is != at(30) || w.chain != [2]float64{10, 60} {
		t.Errorf("behind two it is ready at %v, and as much as %v s later; want 30 s, and 10 and 60 s", is, w.chain)
	}
}
