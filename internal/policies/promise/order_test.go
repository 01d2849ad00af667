package promise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// known is a desk with one slot, on which a map of the class c takes a second, of which the logarithm deviates by so
// much.
func known(t *testing.T, c Config, own, shared float64) *desk {
	d := newDesk(t, c)
	d.At(0, policytest.Opening()[0], learned(own, shared))
	return d
}

// learned says what is known of that class.
func learned(own, shared float64) sched.Event {
	of := profile.New("c")
	of.At(sched.Map, "n").Task.Add(1)
	of.Models = []*profile.Model{{Key: profile.Key{Stage: sched.Map, Part: profile.Run}, Fixed: 1,
		Own: profile.LogNormal(own), Shared: profile.LogNormal(shared), Total: profile.LogNormal(own), Tasks: 1000, Jobs: 100}}
	return sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: of}}
}

func arrives(j sched.JobID, job *workload.Job) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: job}}
}

// On one slot, where tasks take what they are known to take, as many jobs are in time as in the best choice of them,
// and all of these are (Moore and Hodgson).
func TestAsManyAsPossible(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := known(t, usual, 1e-5, 1e-5)
		n := rapid.IntRange(1, 7).Draw(r, "jobs")
		takes, due := make([]int, n), make([]int, n)
		var events []sched.Event
		for i := range n {
			takes[i], due[i] = rapid.IntRange(1, 20).Draw(r, "takes"), rapid.IntRange(1, 60).Draw(r, "due")
			job := policytest.Claims(fmt.Sprint("j", i), takes[i], due[i])
			job.Deadline = job.Deadline.Add(units.Second / 2)
			events = append(events, arrives(sched.JobID(i+1), job))
		}
		d.At(0, events...)
		feasible := func(in func(i int) bool) bool {
			for i := range n { // all that is due no later than this one is done by then
				sum := 0
				for k := range n {
					if in(k) && due[k] <= due[i] {
						sum += takes[k]
					}
				}
				if in(i) && sum > due[i] {
					return false
				}
			}
			return true
		}
		best, is := 0, 0
		for set := range 1 << n {
			size := 0
			for i := range n {
				size += set >> i & 1
			}
			if size > best && feasible(func(i int) bool { return set>>i&1 == 1 }) {
				best = size
			}
		}
		chosen := func(i int) bool { return d.s.jobs[i+1].InTime }
		for i := range n {
			if chosen(i) {
				is++
			}
		}
		if !feasible(chosen) || is != best {
			r.Errorf("jobs that take %v, due by %v: %d can be in time, and %d of %d are chosen", takes, due, is, best, n)
		}
	})
}

// Who has less than an even chance goes behind only for others: of these that take most for their chance. Who has none
// goes at once.
func TestNobodyGoesBehindForNothing(t *testing.T) {
	d := known(t, usual, 0.1, 0.05)
	d.At(0, arrives(1, policytest.Claims("unlikely", 20, 19)), arrives(2, policytest.Claims("likely", 40, 66)), arrives(3, policytest.Claims("never", 20, 10)))
	stands := func() (list [4]bool) {
		for i := range list[:len(d.s.jobs)-1] {
			list[i] = d.s.jobs[i+1].InTime
		}
		return list
	}
	if is := stands(); is != [4]bool{true, true, false} || d.told(1).Chance > 400_000 || d.told(1).Chance < 50_000 {
		t.Fatalf("with nobody who is late in time can be %v; the first is told %+v", is, d.told(1))
	}
	d.At(1, arrives(4, policytest.Claims("more", 5, 64)))
	if is := stands(); is != [4]bool{false, true, false, true} {
		t.Errorf("for one that would be late in time can be %v, want all but the unlikely one", is)
	}
}

// What is told of each job is when it ends in the order that holds: by deadline who can be in time, behind them
// the others by their work, and last, as they came, those without a deadline.
func TestToldInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := known(t, usual, 1e-5, 1e-5)
		n := rapid.IntRange(1, 6).Draw(r, "jobs")
		takes, due := make([]int, n), make([]int, n)
		var events []sched.Event
		for i := range n {
			takes[i], due[i] = rapid.IntRange(1, 20).Draw(r, "takes"), rapid.IntRange(1, 60).Draw(r, "due")
			job := policytest.Claims(fmt.Sprint("j", i), takes[i], due[i])
			if job.Deadline = job.Deadline.Add(units.Second / 2); rapid.Bool().Draw(r, "none") {
				job.Deadline, due[i] = units.Never, 0
			}
			events = append(events, arrives(sched.JobID(i+1), job))
		}
		d.At(0, events...)
		group := func(i int) int {
			switch {
			case due[i] == 0:
				return 2
			case !d.s.jobs[i+1].InTime:
				return 1
			}
			return 0
		}
		before := func(a, b int) bool {
			of := [][]int{due, takes, make([]int, n)}[group(a)]
			if group(a) != group(b) {
				return group(a) < group(b)
			}
			return of[a] < of[b] || of[a] == of[b] && a < b
		}
		for i := range n {
			ahead := 0
			for k := range n {
				if before(k, i) {
					ahead += takes[k]
				}
			}
			want := float64(ahead + takes[i])
			if half := d.told(sched.JobID(i + 1)).Half.Sub(0).Seconds(); half < 0.98*want || half > 1.02*want+0.01 {
				r.Errorf("jobs that take %v, due by %v: %d is told %v s, want %v", takes, due, i+1, half, want)
			}
			if ahead == 0 && d.Book.First(1, sched.Map, 0) != sched.JobID(i+1) {
				r.Errorf("jobs that take %v, due by %v: %d does not go first", takes, due, i+1)
			}
		}
	})
}

// A job that misses its level by little keeps its place, and nothing of it is killed for a promise that comes.
func TestNoCliff(t *testing.T) {
	d := known(t, Config{Most: 1000}, 0.3, 0.15)
	d.At(0, arrives(1, policytest.Claims("a", 30, 41)))
	if is := d.told(1); is.Word != sched.Unpromised || is.Chance < 900_000 || is.Chance > 999_000 {
		t.Fatalf("it is told %+v, which is no such job", is)
	}
	starts := d.Starts(0, sched.Event{Kind: sched.Heartbeat, Node: 1})
	if len(starts) != 1 || starts[0].Job != 1 {
		t.Fatalf("starts %+v, want one of the job", starts)
	}
	d.At(1, policytest.StartOf(starts[0]), arrives(2, policytest.Claims("b", 2, 200)))
	if is := d.told(2); is.Word != sched.Promised {
		t.Errorf("the other is told %+v, want a promise", is)
	}
	for i := range d.Plan.Items {
		if it := &d.Plan.Items[i]; it.Verb == sched.Kill {
			t.Errorf("an attempt is killed because %v", it.Reason.Cause.Name)
		}
	}
	if !d.s.jobs[1].InTime {
		t.Error("it goes behind")
	}
}

// First tasks tell also if they take many times what was guessed: what is told of four of them is not sure of less than
// they took.
func TestFirstTasksTellOfLongOnes(t *testing.T) {
	for _, takes := range []float64{1, 30, 100, 300} {
		d := known(t, usual, 0.1, 0.1) // where tasks take a second
		strange := policytest.Claims("a", 40, 90000)
		strange.Class = "nobody knows"
		d.At(0, arrives(1, strange))
		for range 4 {
			e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
			e.Spans[0] = units.FromSeconds(takes)
			d.s.ended(d.Book, d.Book.Job(1), sched.Map, 0, &e)
		}
		if is := d.s.task(&d.s.jobs[1], 0); is < takes/2 || is > 1.1*takes {
			t.Errorf("four maps took %.0f s, and the next is said to take %.1f s", takes, is)
		}
	}
}

// The Tick of an older wish ends the newer one, as when a class was taught in between: the next look is asked for
// again.
func TestLooksGoOn(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, policytest.Claims("a", 50, 9000)))
	d.s.next = units.Time(13 * units.Second)
	if plan := d.At(11, sched.Event{Kind: sched.Tick}); !strings.Contains(plan, "wake") || d.s.next != units.Time(13*units.Second) {
		t.Errorf("nobody asks for the look at 13 s: %q", plan)
	}
}

// A promise that has no chance any more is not kept at the cost of others.
func TestLostPromiseGoesBehind(t *testing.T) {
	for maps, in := range map[int]bool{5: true, 100: false} {
		d := known(t, usual, 0.1, 0.1)
		d.At(0, arrives(1, policytest.Claims("a", 5, 20)))
		if d.s.jobs[1].Promised == 0 {
			t.Fatal("it is not promised")
		}
		more := policytest.Claims("a", maps, 20)
		d.At(1, policytest.Amended(1, more), arrives(2, policytest.Claims("b", 2, 9000)))
		if r := &d.s.jobs[1]; r.Promised == 0 || r.InTime != in {
			t.Errorf("of %d maps it can be in time: %v, want %v, and its promise stays: %v", maps, r.InTime, in, r.Promised)
		}
	}
}

// A promise that is lost goes behind those that have no time to spare for it, and before what is due later than these.
func TestLostPromiseKeepsAPlace(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, policytest.Claims("lost", 5, 20)), arrives(2, policytest.Claims("kept", 5, 90)), arrives(3, policytest.Claims("spare", 5, 8000)))
	plan := d.At(1, policytest.Amended(1, policytest.Claims("lost", 100, 20)), sched.Event{Kind: sched.Tick})
	d.At(2, arrives(4, policytest.Claims("sooner", 2, 80)), arrives(5, policytest.Claims("later", 2, 9000)))
	var in []sched.JobID
	for range 5 {
		j := d.Book.First(1, sched.Map, 0)
		in = append(in, j)
		d.At(3, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: sched.Committed})
	}
	if want := []sched.JobID{4, 2, 1, 3, 5}; !slices.Equal(in, want) || !strings.Contains(plan, "promise-lost:20000000000,90000000000") {
		t.Errorf("jobs go first in the order %v, want %v: %s", in, want, plan)
	}
}

// A job that reads more than was expected is told so, not that its tasks are slow.
func TestTellsOfMoreInput(t *testing.T) {
	reads := func(maps int) *workload.Job {
		j := policytest.Claims("a", maps, 2000)
		for i := range maps {
			j.Stages[0].Tasks[i].Input = units.MB
		}
		return j
	}
	d := known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, reads(5)))
	if plan := d.At(1, policytest.Amended(1, reads(100))); !strings.Contains(plan, "input-moved") || strings.Contains(plan, "tasks-moved") {
		t.Errorf("it is told %q", plan)
	}
}

// A promise survives a resync, also in another process, and is told with its reason; one to a job that has another
// deadline since is not.
func TestPromisesSurvive(t *testing.T) {
	for _, other := range []bool{false, true} {
		d := known(t, usual, 0.1, 0.1)
		job := policytest.Claims("a", 5, 20)
		d.At(0, arrives(1, job))
		was := d.told(1)
		if was.Word != sched.Promised {
			t.Fatalf("told %+v, want a promise", was)
		}
		text, err := d.s.save()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.s.load(text); err != nil {
			t.Fatal(err)
		}
		if other {
			job.Deadline = units.Time(1e9)
		}
		opening := append([]sched.Event{{Kind: sched.Resync}}, policytest.Opening()[:1]...)
		d.At(0, append(opening, arrives(1, job))...)
		if is := d.told(1); !other && is != was || other && is.Word != sched.Unpromised {
			t.Errorf("another deadline: %v: told %+v, before %+v", other, is, was)
		}
	}
}

// What it says while it watches is no promise: from the resync on that ends it each job is judged as if it came.
func TestWatchingPromisesNothing(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	job := policytest.Claims("a", 5, 20)
	opening := policytest.Opening()[:1]
	d.Starts(1, append(append([]sched.Event{policytest.Watch[0], policytest.Watch[1]}, opening...), arrives(1, job))...)
	d.At(18, append(append([]sched.Event{{Kind: sched.Resync}}, opening...), arrives(1, job))...)
	if is := d.told(1); is.Word != sched.Unpromised || is.By <= job.Deadline {
		t.Errorf("it is told %+v 2 s before its deadline, and takes 5", is)
	}
}

// A job that is refused is offered a deadline that is accepted.
func TestOffer(t *testing.T) {
	d := known(t, Config{Most: 10_000, Reject: true}, 0.3, 0.1)
	d.At(0, arrives(1, policytest.Claims("a", 10, 5)))
	if is := d.Book.Job(1); is.State != sched.Rejected || is.Outlook.By <= is.Deadline {
		t.Fatalf("it is %v with an offer of %v", is.State, is.Outlook.By)
	}
	again := policytest.Claims("b", 10, 0)
	again.Deadline = d.told(1).By
	d.At(0, arrives(2, again))
	if is := d.told(2); is.Word != sched.Promised {
		t.Errorf("the deadline that was offered, %v, is told %+v", again.Deadline, is)
	}
}

// A job waits for none that was rejected in the same instant.
func TestNobodyWaitsForARejectedJob(t *testing.T) {
	d := known(t, Config{Most: 10_000, Reject: true}, 0.1, 0.1)
	d.At(0, arrives(1, policytest.Claims("a", 10, 11)), arrives(2, policytest.Claims("b", 10, 20)))
	if a, b := d.Book.Job(1), d.Book.Job(2); a.Standing() != sched.Rejected || b.Outlook.Word != sched.Promised {
		t.Errorf("the first stands as %v, the second is told %+v", a.Standing(), b.Outlook)
	}
}

// No more than so many jobs of a class are rejected in a row: nothing would ever be learned of it again. Who asks is
// told the same.
func TestOneInFiveRuns(t *testing.T) {
	d := known(t, Config{Most: 10_000, Reject: true}, 0.1, 0.1)
	for i := range sched.JobID(12) {
		job := policytest.Claims(fmt.Sprint("j", i), 50, int(i)+20)
		asked := admission{d.s}.Ask(d.Book, sched.Asked(d.Book, job))
		d.At(int(i), arrives(i+1, job))
		is := d.Book.Job(i+1).Standing() == sched.Rejected
		if want := i%5 != 4; is != want || (asked.Verb == sched.Reject) != want {
			t.Errorf("job %d is rejected: %v, want %v, and was told %v", i, is, want, asked.Verb)
		}
	}
}

// Who comes with the deadline that was offered is promised it, whoever stands there.
func TestOffersHold(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := known(t, usual, 0.2, rapid.SampledFrom([]float64{0.05, 0.5}).Draw(r, "shared"))
		var events []sched.Event
		for i := range rapid.IntRange(1, 12).Draw(r, "jobs") {
			job := policytest.Claims(fmt.Sprint("j", i), rapid.IntRange(1, 40).Draw(r, "maps"), rapid.IntRange(20, 900).Draw(r, "due"))
			events = append(events, arrives(sched.JobID(i+1), job))
		}
		d.At(0, events...)
		d.At(1, sched.Event{Kind: sched.Tick})
		job := policytest.Claims("asked", rapid.IntRange(1, 30).Draw(r, "asked"), rapid.IntRange(2, 300).Draw(r, "by"))
		ask := func() sched.Answer { return admission{d.s}.Ask(d.Book, sched.Asked(d.Book, job)) }
		first := ask()
		if first.Outlook.Word == sched.Promised {
			return
		}
		if job.Deadline = first.Offer.By; job.Deadline == 0 {
			r.Fatalf("it is told %+v for %v, and offered nothing", first.Outlook, first.Reason)
		}
		if again := ask(); again.Outlook.Word != sched.Promised {
			r.Fatalf("it is offered %v, and told %+v for %v with that", job.Deadline, again.Outlook, again.Reason)
		}
	})
}

// A job without a deadline is told when it will be done, and so is one that waits for it.
func TestEachJobIsTold(t *testing.T) {
	d := known(t, usual, 0.3, 0.1)
	first, then := policytest.Claims("a", 10, 0), policytest.Claims("b", 5, 100)
	first.Deadline, then.After = units.Never, []string{"a"}
	d.At(0, arrives(1, first), arrives(2, then))
	a, b := d.told(1), d.told(2)
	if a.Half == 0 || a.Chance != 0 {
		t.Errorf("without a deadline it is told %+v", a)
	}
	if b.Half <= a.Half || b.Chance == 0 {
		t.Errorf("one that waits for it is told %+v, that %+v", b, a)
	}
}

// Who has another deadline is judged by that, in its place or not; who is amended in what does not count keeps its
// promise.
func TestAmended(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, policytest.Claims("a", 10, 20)))
	was := d.told(1)
	weighs := policytest.Claims("a", 10, 20)
	weighs.Weight = 3
	d.At(0, policytest.Amended(1, weighs))
	if is := d.told(1); is != was || is.Word != sched.Promised {
		t.Errorf("with another weight it is told %+v, before %+v", is, was)
	}
	d.At(0, policytest.Amended(1, policytest.Claims("a", 10, 5)))
	if is := d.told(1); is.Word != sched.Unpromised || is.Chance > 500_000 {
		t.Errorf("half of its time before its deadline it is told %+v", is)
	}
	d.At(0, policytest.Amended(1, policytest.Claims("a", 10, 50)))
	if is := d.told(1); is.Word != sched.Promised {
		t.Errorf("with time again it is told %+v", is)
	}
}

// Jobs of which nothing is known are promised their deadlines at the instant at which their class is known, not when
// all are looked at again: by then they may be done.
func TestPromisedOnceTheClassIsKnown(t *testing.T) {
	d := newDesk(t, usual)
	const jobs = 120 // so that all are looked at every three seconds
	events := policytest.Opening()[:1]
	for i := range jobs {
		events = append(events, arrives(sched.JobID(i+1), policytest.Claims(fmt.Sprint("j", i), 1, 9000)))
	}
	d.At(0, events...)
	if out := d.told(jobs); out.Word != sched.Unpromised {
		t.Fatalf("before anything is known of it a job is told %+v", out)
	}
	if d.At(1, learned(0.1, 0.1)); d.told(jobs).Word != sched.Promised {
		t.Errorf("when its class becomes known it is told %+v", d.told(jobs))
	}
}

// What is rented and on its way counts from when it is expected: a job that it saves is promised its deadline then, and
// told why; one that comes meanwhile at once. One that it does not save is not.
func TestRentedNodesCount(t *testing.T) {
	for _, c := range []struct {
		deadline int
		boot     units.Duration
		promised bool
	}{{20, 2 * units.Second, true}, {20, 14 * units.Second, false}, {60, 12 * units.Second, true}} {
		d := known(t, usual, 0.1, 0.1)
		class := &cluster.Class{Name: "m", Speed: 1, Most: 4, WakeTime: c.boot, Capacity: units.Slots(1, 1)}
		var offers, wakes []sched.Event
		for n := sched.NodeID(2); n <= 5; n++ {
			offers = append(offers, sched.Event{Kind: sched.NodeChanged, Node: n, State: sched.Offered, Detail: &sched.Detail{Node: &cluster.Node{Name: "x", Rack: 1, Class: class}}})
			wakes = append(wakes, sched.Event{Kind: sched.NodeChanged, Node: n, State: sched.Waking})
		}
		d.At(0, append(offers, arrives(1, policytest.Claims("a", 30, c.deadline)))...)
		if is := d.told(1); (is.Word == sched.Promised) != (c.deadline > 30) {
			t.Errorf("%+v: it is told %+v when it comes", c, is)
		}
		d.At(1, wakes...)
		if is := d.told(1); (is.Word == sched.Promised) != c.promised {
			t.Errorf("%+v: it is told %+v with four nodes on their way", c, is)
		}
	}
}

// Nodes that sleep serve once they have woken, and no sooner.
func TestSleepersWakeFirst(t *testing.T) {
	for wake, promised := range map[units.Duration]bool{2 * units.Second: true, 15 * units.Second: false} {
		d := known(t, usual, 0.1, 0.1)
		admission{d.s}.CountSleepers()
		class := &cluster.Class{Name: "m", Speed: 1, WakeTime: wake, Capacity: units.Slots(1, 1)}
		var events []sched.Event
		for n := sched.NodeID(2); n <= 5; n++ {
			events = append(events, sched.Event{Kind: sched.NodeUp, Node: n, State: sched.Asleep, Detail: &sched.Detail{Node: &cluster.Node{Name: "x", Rack: 1, Class: class}}})
		}
		d.At(0, append(events, arrives(1, policytest.Claims("a", 30, 20)))...)
		if is := d.told(1); (is.Word == sched.Promised) != promised {
			t.Errorf("four nodes of five wake in %v: it is told %+v", wake, is)
		}
		events = events[:0]
		for n := sched.NodeID(2); n <= 5; n++ {
			events = append(events, sched.Event{Kind: sched.NodeChanged, Node: n, State: sched.Waking})
		}
		d.At(0, append(events, arrives(2, policytest.Claims("b", 1, 1000)))...)
		if end := d.s.jobs[1].End.At; end < units.Time(wake) {
			t.Errorf("they wake in %v, and it is done at %v", wake, end)
		}
	}
}

// What the job's own tasks took is known still when it gets another deadline, and after a resync: of a guess nothing
// else says much.
func TestFirstTasksAreRemembered(t *testing.T) {
	strange := func(deadline int) *workload.Job {
		j := policytest.Claims("a", 40, deadline)
		j.Class = "nobody knows"
		return j
	}
	for name, next := range map[string][]sched.Event{
		"another deadline": {policytest.Amended(1, strange(8000))},
		"a resync":         {{Kind: sched.Resync}, policytest.Opening()[0], learned(0.1, 0.1), arrives(1, strange(9000))},
	} {
		d := known(t, usual, 0.1, 0.1)
		d.At(0, arrives(1, strange(9000)))
		for range 64 {
			e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
			e.Spans[0] = 20 * units.Second
			d.s.ended(d.Book, d.Book.Job(1), sched.Map, 0, &e)
		}
		before := d.s.task(&d.s.jobs[1], 0)
		if d.At(1, next...); before < 18 || d.s.task(&d.s.jobs[1], 0) < 18 {
			t.Errorf("%s: 64 maps took 20 s, the next is said to take %.1f s, and %.1f behind it", name, before, d.s.task(&d.s.jobs[1], 0))
		}
	}
}

// The next look is asked for again after a resync, which ends all wishes, and by who comes when the Tick of the last
// one found no job.
func TestLooksBegin(t *testing.T) {
	job, next := policytest.Claims("a", 50, 9000), units.Time(13*units.Second)
	d := known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, job))
	d.s.next = next
	if d.At(5, sched.Event{Kind: sched.Resync}, policytest.Opening()[0], learned(0.1, 0.1), arrives(1, job)); d.Book.Due() != next {
		t.Errorf("behind a resync the look at 13 s is asked for at %v", d.Book.Due())
	}
	d = known(t, usual, 0.1, 0.1)
	d.At(0, arrives(1, job))
	d.s.next = next
	d.At(5, sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed})
	d.At(8, sched.Event{Kind: sched.Tick})
	if d.At(9, arrives(2, policytest.Claims("b", 50, 9000))); d.Book.Due() != next {
		t.Errorf("behind an empty line the look at 13 s is asked for at %v", d.Book.Due())
	}
}

// A reduce that runs while maps are still to start works when the last of them is over.
func TestReducesEndBehindTheMaps(t *testing.T) {
	d := reducing(t)
	d.At(0, arrives(1, folded("a", 100, 9000)))
	ends := func(open, busy int32) units.Time {
		t := &d.Book.Job(1).Stages[sched.Reduce]
		t.Open, t.Occupied = open, busy
		d.s.look(d.Book, true, nil, &sched.Plan{})
		return d.s.places[0].end
	}
	if waits, runs := ends(1, 0), ends(0, 1); runs < waits {
		t.Errorf("it is expected to end at %v while its reduce runs, and at %v while it waits", runs, waits)
	}
}

// Who asks is told of a rented node on its way as who comes is.
func TestAskedOfRentedNodes(t *testing.T) {
	d := known(t, usual, 0.1, 0.1)
	class := &cluster.Class{Name: "m", Speed: 1, Most: 1, WakeTime: 100 * units.Second, Capacity: units.Slots(3, 1)}
	d.At(0, sched.Event{Kind: sched.NodeChanged, Node: 2, State: sched.Offered, Detail: &sched.Detail{Node: &cluster.Node{Name: "x", Rack: 1, Class: class}}})
	d.At(1, sched.Event{Kind: sched.NodeChanged, Node: 2, State: sched.Waking})
	job := policytest.Claims("a", 30, 900)
	asked := admission{d.s}.Ask(d.Book, sched.Asked(d.Book, job))
	if d.At(1, arrives(1, job)); asked.Outlook != d.told(1) {
		t.Errorf("who asks is told %+v, and who comes %+v", asked.Outlook, d.told(1))
	}
}

// What was said of a job is remembered over a resync and another number of tasks: a promise breaks once, and one that
// waits for its class to be known is decided on still.
func TestSaidIsRemembered(t *testing.T) {
	job, more := policytest.Claims("a", 5, 20), policytest.Claims("a", 9, 20)
	strange, longer := policytest.Claims("b", 5, 900), policytest.Claims("b", 9, 900)
	strange.Class, longer.Class = "nobody knows", "nobody knows"
	for name, next := range map[string][]sched.Event{
		"other tasks": {policytest.Amended(1, more), policytest.Amended(2, longer)},
		"a resync":    {{Kind: sched.Resync}, policytest.Opening()[0], learned(0.1, 0.1), arrives(1, job), arrives(2, strange)},
	} {
		d := known(t, usual, 0.1, 0.1)
		d.At(0, arrives(1, job), arrives(2, strange))
		d.At(30, sched.Event{Kind: sched.Tick})
		was := d.s.errors.Sure
		d.s.jobs[1].Broken, d.s.jobs[1].Spent, d.s.jobs[2].Owed = 77e9, 7, 9
		d.At(31, next...)
		if r, o := &d.s.jobs[1], &d.s.jobs[2]; r.Broken != 77e9 || r.Spent != 7 || o.Owed != 9 {
			t.Errorf("%s: its place is %v, others have spent %d, and it is owed %d", name, r.Broken, r.Spent, o.Owed)
		}
		d.At(60, sched.Event{Kind: sched.Tick})
		if r := &d.s.jobs[2]; was == 0 || d.s.errors.Sure != was || !r.Unsaid {
			t.Errorf("%s: the next promises ask for %v more, and asked for %v; undecided: %v", name, d.s.errors.Sure, was, r.Unsaid)
		}
		e := learned(0.1, 0.1)
		e.Detail.Profile.Name = "nobody knows"
		if d.At(61, e); d.s.jobs[2].Unsaid {
			t.Errorf("%s: its class is known, and it is undecided still", name)
		}
	}
}

// Who rents nodes goes by how sure a job is among all that have come, also by one that came just now.
func TestSureAmongAllThatCame(t *testing.T) {
	d := known(t, usual, 0.1, 0.3)
	d.At(0, arrives(1, policytest.Claims("late", 10, 300)))
	by := admission{d.s}
	by.Asked()
	before, _ := by.Left(d.Book, d.Book.Job(1))
	looks := by.Looks()
	d.At(0, arrives(2, policytest.Claims("early", 90, 250)))
	if after, _ := by.Left(d.Book, d.Book.Job(1)); after.Sure < before.Sure+10_000 || by.Looks() == looks {
		t.Errorf("it has to be expected %d ms before its deadline, alone %d ms; %d looks, %d before", after.Sure, before.Sure, by.Looks(), looks)
	}
}
