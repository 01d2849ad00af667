package rtmr

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// desk is the scheduler with its book.
type desk struct {
	*policytest.Table
	s *scheduler
}

func newDesk(t *testing.T, c config) *desk {
	t.Helper()
	s, recipe := newScheduler(c), compose.Recipe{Name: "rtmr"}
	assemble(&recipe, s)
	return &desk{policytest.NewTable(t, recipe), s}
}

// A job that is amended before it has started is judged again; what was promised to one that has
// started stays.
func TestAmended(t *testing.T) {
	d := newDesk(t, usual)
	for _, c := range []struct {
		second int
		events []sched.Event
		want   string
	}{
		{0, append(policytest.Opening(policytest.Claims("a", 2, 20), policytest.Claims("b", 1, 40)), sched.Event{Kind: sched.Heartbeat, Node: 1}),
			"admit job=1 word=promised confidence=1000000 by=20000000000 reason=promised:20000000000; admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:40000000000"},
		{1, []sched.Event{policytest.Amended(2, policytest.Claims("b", 2, 50))}, "admit job=2 word=promised confidence=1000000 by=40000000000 reason=promised:50000000000"},
		{2, []sched.Event{policytest.Amended(1, policytest.Claims("a", 2, 15))}, ""},
		{3, []sched.Event{policytest.Amended(2, policytest.Claims("b", 1, 1000))}, "admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:1000000000000"},
		{4, []sched.Event{policytest.Amended(2, policytest.Claims("b", 1, 21))}, "reject job=2 word=no-earlier by=30000000000 reason=deadline:21000000000,30000000000,1 evidence=1:20000000000:1"},
	} {
		if got := d.At(c.second, c.events...); got != c.want {
			t.Errorf("%d s: %s\nwant %s", c.second, got, c.want)
		}
	}
	if !slices.Equal(d.s.queue, []sched.JobID{1}) {
		t.Error(d.s.queue)
	}
}

// After a resync jobs have other handles, and what was promised to them stays promised, in the same
// order: b, which has started, before a.
func TestResync(t *testing.T) {
	d := newDesk(t, usual)
	d.At(0, append(policytest.Opening(policytest.Claims("b", 2, 100)), sched.Event{Kind: sched.Heartbeat, Node: 1})...)
	if got, want := d.At(1, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: policytest.Claims("a", 1, 31)}}), "admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:31000000000"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	again := append([]sched.Event{{Kind: sched.Resync}}, policytest.Opening(policytest.Claims("a", 1, 31), policytest.Claims("new", 1, 35), policytest.Claims("b", 2, 100))...)
	again = append(again, sched.Event{Kind: sched.Started, Attempt: 1, Job: 3, Stage: sched.Map, Node: 1, Task: 1, Age: 2 * units.Second})
	got := d.At(2, again...)
	want := "admit job=3 word=promised confidence=1000000 by=22000000000 reason=promised:100000000000; admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:31000000000; " +
		"reject job=2 word=no-earlier by=42000000000 reason=deadline:35000000000,42000000000,1 evidence=1:32000000000:1"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !slices.Equal(d.s.queue, []sched.JobID{3, 1}) {
		t.Error(d.s.queue)
	}
}

// A job without maps that waits for a reduce slot counts as started once one behind it has: the
// book ranks it again.
func TestRankedAhead(t *testing.T) {
	d := newDesk(t, config{Feedback: true, Sample: 1, Skew: 1})
	first, waits, maps := policytest.Claims("first", 1, 50), policytest.Claims("waits", 1, 100), policytest.Claims("maps", 1, 200)
	first.Stages[0].Kind, waits.Stages[0].Kind = sched.Reduce, sched.Reduce
	events := policytest.Opening(first, waits, maps)
	events[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
	d.At(0, events...)
	got := d.At(1, sched.Event{Kind: sched.Heartbeat, Node: 1})
	if want := "rank job=1 reason=place-changed; rank job=2 reason=place-changed"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r := d.s.of(2); r == nil || r.Rank == 0 || d.s.of(3).Rank < r.Rank {
		t.Errorf("%+v", r)
	}
}

// A job of which nobody knows how many tasks it has runs without a promise; it is judged when an
// amendment says how many, unless it has begun.
func TestCountUnknown(t *testing.T) {
	grows := func(id string, maps, deadline int) *workload.Job {
		j := policytest.Claims(id, maps, deadline)
		j.Stages[0].Grows = true
		return j
	}
	d := newDesk(t, usual)
	for _, c := range []struct {
		second int
		events []sched.Event
		want   string
	}{
		{0, policytest.Opening(grows("a", 0, 100), grows("b", 1, 90), grows("c", 1, 80)),
			"admit job=1 word=unpromised reason=count-unknown:1; admit job=2 word=unpromised reason=count-unknown:1; admit job=3 word=unpromised reason=count-unknown:1"},
		{1, []sched.Event{policytest.Amended(2, grows("b", 2, 90))}, "admit job=2 word=unpromised reason=count-unknown:1"},
		{2, []sched.Event{policytest.Amended(1, policytest.Claims("a", 2, 100))}, "admit job=1 word=promised confidence=1000000 by=22000000000 reason=promised:100000000000"},
		{3, []sched.Event{policytest.Amended(2, policytest.Claims("b", 9, 90))}, "reject job=2 word=no-earlier by=113000000000 reason=alone-late:87000000000,90000000000,90000000000"},
		{4, []sched.Event{{Kind: sched.Started, Attempt: 1, Job: 3, Stage: sched.Map, Task: 1, Node: 1}, policytest.Amended(3, policytest.Claims("c", 1, 5))},
			// it is still without a promise
			"kill job=3 stage=map node=1 attempt=1 count=1 outcome=preempted reason=slot-due:2,1 attempts=1"},
	} {
		if got := d.At(c.second, c.events...); got != c.want {
			t.Errorf("%d s: %s\nwant %s", c.second, got, c.want)
		}
	}
}

// A job that has begun is judged when the number of its tasks is final: as one that has started,
// which nobody overtakes, with all its tasks still to be started. The slots that it was lent count
// once. If its deadline cannot be promised it runs on as it does.
func TestCountFinal(t *testing.T) {
	late := sched.Capabilities{World: "desk", Kill: true}
	demand := func(job sched.JobID, s sched.Stage, count int32) sched.Event {
		return sched.Event{Kind: sched.Demand, Job: job, Stage: s, Count: count}
	}
	started := func(a sched.AttemptID, s sched.Stage, item sched.ItemID) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: s, Node: 1, Item: item}
	}
	other := func(deadline int) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: policytest.Claims("b", 1, deadline)}}
	}
	both := func(id string, maps, deadline int) *workload.Job {
		j := policytest.Claims(id, maps, deadline)
		j.SlowStart = 0
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)})
		return j
	}
	for _, c := range []struct {
		name string
		job  func(id string, maps, deadline int) *workload.Job
		runs []sched.Event // at 1 s
		last int           // deadline when the number is final, at 2 s
		then []sched.Event // at 3 s
		want string        // at 2 s; at 3 s
	}{
		{"in time", policytest.Claims, nil, 100, nil, "admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; "},
		{"late", policytest.Claims, nil, 31, nil, "; "},
		{"the next job is late behind it", policytest.Claims, nil, 100, []sched.Event{other(41)},
			"admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; reject job=2 word=no-earlier by=42000000000 reason=deadline:41000000000,42000000000,1 evidence=1:32000000000:1"},
		{"the next job is in time behind it", policytest.Claims, nil, 100, []sched.Event{other(42)},
			"admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; admit job=2 word=promised confidence=1000000 by=42000000000 reason=promised:42000000000"},
		{"it stands before a job that waits", policytest.Claims, []sched.Event{other(42)}, 100, nil, "admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; "},
		{"a job that waits would be late", policytest.Claims, []sched.Event{other(41)}, 100, nil, "; "},
		{"a reduce waits in its slot for maps", both, []sched.Event{{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce}, started(2, sched.Reduce, 0)}, 100, nil, "; "},
	} {
		d := newDesk(t, usual)
		d.Book = ledger.New(late, d.Policy.About().Order)
		grows := c.job("a", 1, 100)
		grows.Stages[0].Grows = true
		events := policytest.Opening(grows)
		events[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
		d.At(0, append(events, demand(1, sched.Map, 1), sched.Event{Kind: sched.Heartbeat, Node: 1})...)
		item := d.Plan.Items[len(d.Plan.Items)-1]
		if item.Verb != sched.Start {
			t.Fatalf("it is not lent a slot: %v", item.Verb)
		}
		d.At(1, append([]sched.Event{started(1, sched.Map, item.ID)}, c.runs...)...)
		got := d.At(2, policytest.Amended(1, c.job("a", 3, c.last)), demand(1, sched.Map, 2)) + "; " + d.At(3, c.then...)
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
