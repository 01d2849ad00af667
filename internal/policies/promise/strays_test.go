package promise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// behind has a task that takes a second, by all that is known, run for so many seconds, and returns what a job of its
// class is told that comes then, with a deadline in a quarter of an hour: seconds from then, and its chance. Of jobs
// of the class the logarithm of what tasks take deviates by so much.
func behind(t *testing.T, seconds int, shared float64) (half, ninety, sure, chance float64, word sched.Word) {
	d := known(t, usual, 0.1, shared)
	long := policytest.Claims("a", 1, 0)
	long.Deadline = units.Never
	starts := d.Starts(0, arrives(1, long))
	if len(starts) == 0 {
		starts = d.Starts(1, sched.Event{Kind: sched.Heartbeat, Node: 1})
	}
	if len(starts) != 1 {
		t.Fatalf("it starts %v", starts)
	}
	d.At(1, policytest.StartOf(starts[0]))
	d.At(seconds, arrives(2, policytest.Claims("b", 1, seconds+900)))
	out := d.told(2)
	from := func(at units.Time) float64 { return at.Sub(units.Time(seconds) * units.Time(units.Second)).Seconds() }
	return from(out.Half), from(out.Ninety), from(out.By), float64(out.Chance) / sched.Certain, out.Word
}

// A job waits for one whose task has run for far longer than any of its class as long as the law says of what has
// outlived all: half of these run as long again, one in ten nine times as long, one in a hundred 99 times.
func TestWaitsForWhatOutlastsAll(t *testing.T) {
	if soon, _, _, _, _ := behind(t, 20, 0.1); soon < 5 {
		t.Errorf("behind a task of a second that has run for 20 s it is done in %.1f s", soon)
	}
	const age = 199.0
	half, ninety, sure, chance, word := behind(t, 1+age, 0.1)
	for _, x := range [][2]float64{{half, age}, {ninety, 9 * age}, {sure, 99 * age}} {
		if is, least := x[0], x[1]; is < least || is > 1.02*least+2 {
			t.Errorf("behind a task that has run for %.0f s it is done in %.0f s, not %.0f", age, is, least)
		}
	}
	if most := 1 - age/(age+900); chance > most || chance < most-0.01 || word != sched.Unpromised {
		t.Errorf("its deadline in 900 s has a chance of %.3f, not nearly %.3f, and it is told %v", chance, most, word)
	}
}

// Where tasks of a job take as long as each other, and those of two jobs do not, what has run for some times what is
// known says how long it takes: as long as such jobs do, drawn from their law, that take longer than that. The job
// behind it takes a second more.
func TestOneFactorOfAJob(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, age := range []float64{3, 5, 15} {
		half, ninety, _, _, _ := behind(t, 1+int(age), 1)
		var left []float64
		for range 1_000_000 {
			if x := math.Exp(random.NormFloat64()); x > age {
				left = append(left, x-age)
			}
		}
		slices.Sort(left)
		if want := left[len(left)/2] + 1; math.Abs(half-want) > 0.1*want {
			t.Errorf("behind a task that has run for %.0f s half are done in %.2f s, not %.2f", age, half, want)
		}
		// Its own task may take longer, too.
		if want := left[9*len(left)/10] + 1; ninety < 0.97*want || ninety > want+1.5 {
			t.Errorf("behind a task that has run for %.0f s nine in ten are done in %.2f s, not little more than %.2f", age, ninety, want)
		}
	}
}

// What nobody knows may take far longer than its guess, also before it has: who waits for it is promised nothing by
// that.
func TestWaitsForAGuess(t *testing.T) {
	for _, strange := range []bool{false, true} {
		d := known(t, usual, 0.1, 0.1)
		first := policytest.Claims("a", 1, 0)
		if first.Deadline = units.Never; strange {
			first.Class = "nobody knows"
		}
		starts := d.Starts(0, arrives(1, first))
		if len(starts) == 0 {
			starts = d.Starts(1, sched.Event{Kind: sched.Heartbeat, Node: 1})
		}
		d.At(1, policytest.StartOf(starts[0]))
		d.At(2, arrives(2, policytest.Claims("b", 1, 12)))
		is := d.told(2)
		if (is.Word == sched.Promised) == strange || strange && (is.Chance < 800_000 || is.By < units.Time(25*units.Second) || is.Half > units.Time(5*units.Second)) {
			t.Errorf("behind a task of a class that nobody knows: %v: it is told %+v", strange, is)
		}
	}
}

// Many small jobs of which nothing is known hold together what one of them does not.
func TestWaitsForManyGuesses(t *testing.T) {
	d := newDesk(t, usual)
	opening := policytest.Opening()[0]
	opening.Detail = &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(40, 40)}}}
	events := []sched.Event{opening, learned(0.1, 0.1)}
	for i := range sched.JobID(40) {
		job := policytest.Claims(fmt.Sprint("strange", i), 1, 0)
		job.Class, job.Deadline = "nobody knows", units.Never
		events = append(events, arrives(i+1, job))
	}
	starts := d.Starts(0, events...)
	if len(starts) == 0 {
		starts = d.Starts(1, sched.Event{Kind: sched.Heartbeat, Node: 1})
	}
	var begun []sched.Event
	for i, s := range starts {
		e := policytest.StartOf(s)
		e.Attempt = sched.AttemptID(i + 1)
		begun = append(begun, e)
	}
	d.At(1, begun...)
	if d.At(2, arrives(41, policytest.Claims("b", 40, 15))); len(starts) != 40 || d.told(41).Word == sched.Promised {
		t.Errorf("behind %d tasks of which nothing is known it is told %+v", len(starts), d.told(41))
	}
}

// An age tells of a job's factor once five of six such jobs' tasks have ended: of a guess, counted from its middle, and
// else from the mean, which is above that.
func TestFrom(t *testing.T) {
	for _, x := range []struct {
		age   float64
		guess bool
		tells bool
	}{{1.5, false, false}, {1.7, false, true}, {1.9, true, false}, {2, true, true}} {
		if is, _ := (&law{Mean: 1, Shared: 1}).aged(x.age, 1, x.guess); (is > 0) != x.tells || x.tells && is < x.age {
			t.Errorf("of one that runs for %.1f means half take %.3f (a guess: %v)", x.age, is, x.guess)
		}
	}
}

// One task that runs for long says nothing of the others where each varies by itself; many that do say all.
func TestStraggler(t *testing.T) {
	l := law{Mean: 1, Shared: 0.05, Variance: 1, Few: 1e-3}
	one, _ := l.aged(6, 1, false)
	all, _ := l.aged(6, 1000, false)
	if one > 1.1 || all < 6 {
		t.Errorf("one task that has run for 6 means has the others take %.2f, a thousand %.2f", one, all)
	}
}

// Where nothing has outlived all, no score has a job end later for it, however far what is told has moved.
func TestNothingOutlives(t *testing.T) {
	for _, z := range []float64{-mostOff, 0, 3, 2*mostOff + 3} {
		if is := (&statement{}).outlived(z); is != 0 {
			t.Errorf("at a score of %v a job ends %v s later", z, is)
		}
	}
}
