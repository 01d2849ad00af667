package promise

import (
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What one or two jobs say of a class, or jobs of other sizes, leaves no more open than if nothing were known
// of it; what says more stands as it is.
func TestBoundedLaws(t *testing.T) {
	for _, c := range []struct {
		deviation, bounded float64
	}{{0.2, 0.2}, {1.4, 1.4}, {3, 1.5}, {20, 1.5}} {
		shared := finish.LogNormal(c.deviation)
		for i := range shared {
			shared[i] *= 2 // half of such jobs take twice of what is typical
		}
		l := estimate.Law{Typical: 10, Own: finish.LogNormal(0.1), Shared: shared}
		bound(&l)
		half, most := l.Typical*l.Shared.Quantile(0.5), l.Typical*l.Shared.Quantile(0.99)
		if want := 20 * math.Exp(c.bounded*2.3263479); math.Abs(half-20) > 1e-6 || math.Abs(most/want-1) > 0.02 {
			t.Errorf("of a deviation of %v: half take %v, one in a hundred more than %v, want 20 and %v", c.deviation, half, most, want)
		}
	}
	none := estimate.Law{}
	if bound(&none); units.Rounded(none.Typical) != 0 || units.Rounded(none.Shared[0]) != 0 {
		t.Errorf("a stage that a job does not have: %+v", none)
	}
}

// What tasks of a job say of a factor of which little is known is what Bayes' rule says of it, here summed up over a
// grid of logarithms.
func TestNarrowedGuess(t *testing.T) {
	for _, c := range []struct {
		n, mean float64
	}{{1, 3}, {1, 300}, {4, 12}, {64, 700}} {
		l := estimate.Law{Typical: 30, Own: finish.LogNormal(0.6), Shared: finish.LogNormal(1.5), Wait: 2}
		r := record{Laws: laws{{Mean: 50}}}
		r.Own[0] = tally{N: c.n, Sum: c.n * (c.mean + l.Wait) / 50}
		sum, first, second := 0.0, 0.0, 0.0
		for x := -12.0; x <= 12; x += 0.001 { // of the factor
			saw := math.Log(c.mean) - math.Log(30*l.Own.Mean()) - x
			p := math.Exp(-x*x/(2*1.5*1.5) - saw*saw*c.n/(2*0.6*0.6))
			sum, first, second = sum+p, first+p*x, second+p*x*x
		}
		middle := first / sum
		deviation := math.Sqrt(second/sum - middle*middle)
		r.narrow(&l, 0)
		if got := math.Log(l.Typical * l.Shared.Quantile(0.5) / 30); math.Abs(got-middle) > 0.02 {
			t.Errorf("%v tasks of %v s: the factor's logarithm is %.3f, want %.3f", c.n, c.mean, got, middle)
		}
		if got := math.Sqrt(logVariance(&l.Shared)); math.Abs(got-deviation) > 0.02 {
			t.Errorf("%v tasks of %v s: its deviation is %.3f, want %.3f", c.n, c.mean, got, deviation)
		}
	}
}

// Tasks that run on slow nodes do not say of themselves that they are slower and slower: what they take is held against
// the law as at full speed, look after look.
func TestSlowNodesCountOnce(t *testing.T) {
	d := newDesk(t, usual)
	opening := policytest.Opening()[0]
	opening.Detail = &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(30, 30)}}}
	d.At(0, opening, learned(0.1, 0.5))
	d.At(0, sched.Event{Kind: sched.NodeChanged, Node: 1, X: 0.25})
	d.At(0, arrives(1, policytest.Claims("a", 30, 9000)))
	var events []sched.Event
	for _, s := range d.Starts(1, sched.Event{Kind: sched.Heartbeat, Node: 1}) {
		e := policytest.StartOf(s)
		e.Attempt, e.Task = sched.AttemptID(len(events)+1), sched.TaskID(len(events)+1)
		events = append(events, e)
	}
	if len(events) != 30 {
		t.Fatalf("%d tasks start, want 30", len(events))
	}
	d.At(1, events...)
	d.At(5, sched.Event{Kind: sched.Ended, Attempt: 1, Outcome: sched.Committed, Spans: [3]units.Duration{4 * units.Second}})
	for range 40 {
		d.s.look(d.Book, true, nil, &sched.Plan{})
	}
	if is := d.s.task(&d.s.jobs[1], 0); is < 3 || is > 6 {
		t.Errorf("at a quarter of the speed the first task took 4 s, and the others are said to take %.1f s", is)
	}
}

// What is left of a task falls as it runs, also within a quarter of the mean: at the end of one that always takes the
// mean next to nothing is left.
func TestLeftFallsAsTasksRun(t *testing.T) {
	l := lawOf(&estimate.Law{Typical: 1, Own: finish.LogNormal(0.01), Shared: finish.LogNormal(0.01), Jobs: 100}, false)
	for tenth := range tenths {
		for age := 0.0; age < 0.99; age += 0.01 {
			q := int(age * 4)
			if is, want := l.left(q, age*4-float64(q), tenth), 1-age; math.Abs(is-want) > 0.03 {
				t.Fatalf("behind %.2f of its mean a task runs for %.3f more, not %.3f", age, is, want)
			}
		}
	}
	wide := lawOf(&estimate.Law{Typical: 1, Own: finish.LogNormal(1), Shared: finish.LogNormal(0.01), Jobs: 100}, false)
	for q := range len(wide.Residual) - 1 {
		if before, is, after := wide.left(q, 0, 2), wide.left(q, 0.5, 2), wide.left(q+1, 0, 2); (q+1 != wide.Unknown) && (is < min(before, after) || is > max(before, after)) {
			t.Errorf("behind %d quarters and a half %.3f are left, between %.3f and %.3f", q, is, before, after)
		}
	}
}
