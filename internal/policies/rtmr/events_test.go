package rtmr

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// desk is a policy with its book, told event by event.
type desk struct {
	t      *testing.T
	s      *scheduler
	policy *compose.Policy
	book   *ledger.Ledger
	round  int64
	plan   sched.Plan
}

func newDesk(t *testing.T, c Config) *desk {
	t.Helper()
	d := &desk{t: t, s: newScheduler(c)}
	recipe := compose.Recipe{Name: "rtmr"}
	assemble(&recipe, d.s)
	var err error
	if d.policy, err = compose.New(recipe); err != nil {
		t.Fatal(err)
	}
	d.book = ledger.New(sched.Capabilities{World: "desk", Bind: true, Kill: true, Power: true}, d.policy.About().Order)
	return d
}

// at tells what has happened at a second, and returns what is planned, without starts.
func (d *desk) at(second int, events ...sched.Event) string {
	d.t.Helper()
	d.round++
	batch := d.book.Apply(units.Time(second)*1e9, d.round, events)
	d.book.Begin(&d.plan)
	d.policy.Decide(d.book, batch, &d.plan)
	d.book.Check(&d.plan)
	if j, s := d.book.Misranked(); j != 0 {
		d.t.Errorf("at %d s job %d does not stand where its key for its %v puts it", second, j, s)
	}
	var lines []string
	for i := range d.plan.Items {
		it := d.plan.Items[i]
		if it.Refused != sched.OK {
			d.t.Errorf("%v of job %d is refused: %v", it.Verb, it.Job, it.Refused)
		}
		if it.ID = 0; it.Verb != sched.Start {
			lines = append(lines, strings.TrimSpace(string(journal.AppendItem(nil, &d.plan, &it))))
		}
	}
	return strings.Join(lines, "; ")
}

// claims is a job of so many maps, whose class is c.
func claims(id string, maps int, deadline int) *workload.Job {
	j := &workload.Job{ID: id, Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(deadline) * 1e9, SlowStart: 1}
	j.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}
	return j
}

func opening(jobs ...*workload.Job) []sched.Event {
	class := profile.New("c")
	class.At(workload.Map, "n").Task.Add(10)
	n := &cluster.Node{Name: "n1", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(1, 1)}}
	events := []sched.Event{{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, {Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}}}
	for i, j := range jobs {
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: j}})
	}
	return events
}

func amended(handle int, j *workload.Job) sched.Event {
	return sched.Event{Kind: sched.JobAmended, Job: sched.JobID(handle), Detail: &sched.Detail{Job: j}}
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
		{0, append(opening(claims("a", 2, 20), claims("b", 1, 40)), sched.Event{Kind: sched.Heartbeat, Node: 1}),
			"admit job=1 word=promised confidence=1000000 by=20000000000 reason=promised:20000000000; admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:40000000000"},
		{1, []sched.Event{amended(2, claims("b", 2, 50))}, "admit job=2 word=promised confidence=1000000 by=40000000000 reason=promised:50000000000"},
		{2, []sched.Event{amended(1, claims("a", 2, 15))}, ""},
		{3, []sched.Event{amended(2, claims("b", 1, 1000))}, "admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:1000000000000"},
		{4, []sched.Event{amended(2, claims("b", 1, 21))}, "reject job=2 word=no-earlier by=30000000000 reason=deadline:21000000000,30000000000,1 evidence=1:20000000000:1"},
	} {
		if got := d.at(c.second, c.events...); got != c.want {
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
	d.at(0, append(opening(claims("b", 2, 100)), sched.Event{Kind: sched.Heartbeat, Node: 1})...)
	if got, want := d.at(1, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: claims("a", 1, 31)}}), "admit job=2 word=promised confidence=1000000 by=30000000000 reason=promised:31000000000"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	again := append([]sched.Event{{Kind: sched.Resync}}, opening(claims("a", 1, 31), claims("new", 1, 35), claims("b", 2, 100))...)
	again = append(again, sched.Event{Kind: sched.Started, Attempt: 1, Job: 3, Stage: sched.Map, Node: 1, Task: 1, Age: 2 * units.Second})
	got := d.at(2, again...)
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
	d := newDesk(t, Config{Feedback: true, Sample: 1, Skew: 1})
	first, waits, maps := claims("first", 1, 50), claims("waits", 1, 100), claims("maps", 1, 200)
	first.Stages[0].Kind, waits.Stages[0].Kind = sched.Reduce, sched.Reduce
	events := opening(first, waits, maps)
	events[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
	d.at(0, events...)
	got := d.at(1, sched.Event{Kind: sched.Heartbeat, Node: 1})
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
		j := claims(id, maps, deadline)
		j.Stages[0].Grows = true
		return j
	}
	d := newDesk(t, usual)
	for _, c := range []struct {
		second int
		events []sched.Event
		want   string
	}{
		{0, opening(grows("a", 0, 100), grows("b", 1, 90), grows("c", 1, 80)),
			"admit job=1 word=unpromised reason=count-unknown:1; admit job=2 word=unpromised reason=count-unknown:1; admit job=3 word=unpromised reason=count-unknown:1"},
		{1, []sched.Event{amended(2, grows("b", 2, 90))}, "admit job=2 word=unpromised reason=count-unknown:1"},
		{2, []sched.Event{amended(1, claims("a", 2, 100))}, "admit job=1 word=promised confidence=1000000 by=22000000000 reason=promised:100000000000"},
		{3, []sched.Event{amended(2, claims("b", 9, 90))}, "reject job=2 word=no-earlier by=113000000000 reason=alone-late:87000000000,90000000000,90000000000"},
		{4, []sched.Event{{Kind: sched.Started, Attempt: 1, Job: 3, Stage: sched.Map, Task: 1, Node: 1}, amended(3, claims("c", 1, 5))},
			// it is still without a promise
			"kill job=3 stage=map node=1 attempt=1 count=1 outcome=preempted reason=slot-due:2,1 attempts=1"},
	} {
		if got := d.at(c.second, c.events...); got != c.want {
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
		return sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: claims("b", 1, deadline)}}
	}
	both := func(id string, maps, deadline int) *workload.Job {
		j := claims(id, maps, deadline)
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
		{"in time", claims, nil, 100, nil, "admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; "},
		{"late", claims, nil, 31, nil, "; "},
		{"the next job is late behind it", claims, nil, 100, []sched.Event{other(41)},
			"admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; reject job=2 word=no-earlier by=42000000000 reason=deadline:41000000000,42000000000,1 evidence=1:32000000000:1"},
		{"the next job is in time behind it", claims, nil, 100, []sched.Event{other(42)},
			"admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; admit job=2 word=promised confidence=1000000 by=42000000000 reason=promised:42000000000"},
		{"it stands before a job that waits", claims, []sched.Event{other(42)}, 100, nil, "admit job=1 word=promised confidence=1000000 by=32000000000 reason=promised:100000000000; "},
		{"a job that waits would be late", claims, []sched.Event{other(41)}, 100, nil, "; "},
		{"a reduce waits in its slot for maps", both, []sched.Event{{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce}, started(2, sched.Reduce, 0)}, 100, nil, "; "},
	} {
		d := newDesk(t, usual)
		d.book = ledger.New(late, d.policy.About().Order)
		grows := c.job("a", 1, 100)
		grows.Stages[0].Grows = true
		events := opening(grows)
		events[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
		d.at(0, append(events, demand(1, sched.Map, 1), sched.Event{Kind: sched.Heartbeat, Node: 1})...)
		item := d.plan.Items[len(d.plan.Items)-1]
		if item.Verb != sched.Start {
			t.Fatalf("it is not lent a slot: %v", item.Verb)
		}
		d.at(1, append([]sched.Event{started(1, sched.Map, item.ID)}, c.runs...)...)
		got := d.at(2, amended(1, c.job("a", 3, c.last)), demand(1, sched.Map, 2)) + "; " + d.at(3, c.then...)
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
