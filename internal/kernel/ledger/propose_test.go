package ledger

import (
	"bytes"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Each reason for which a start is refused, while all else would be right.
func TestStartIsRefused(t *testing.T) {
	d := open(t, bound, nil)
	picky := jobOf(2, "picky", maps(1))
	picky.Detail.Job.Labels = []string{"fast"}
	d.told(nodeUp(1, 1, 1, 1), nodeUp(2, 1, 1, 1, "fast"), nodeUp(3, 1, 2, 1), nodeUp(4, 1, 1, 1), nodeUp(5, 1, 1, 1),
		jobOf(1, "j", maps(9), reduces(1)), picky, jobOf(3, "k", maps(1)))
	d.decide(admit(1), admit(2), start(1, sched.Map, 3, 1), sched.Item{Verb: sched.Sleep, Node: 3}, sched.Item{Verb: sched.Sleep, Node: 4})
	d.told(sched.Event{Kind: sched.NodeDown, Node: 5})
	d.want(start(1, sched.Reduce, 1, 1), sched.NotReady)
	d.want(start(3, sched.Map, 1, 1), sched.NotAdmitted)
	d.want(start(2, sched.Map, 1, 1), sched.WrongLabels)
	d.want(start(1, sched.Map, 3, 1), sched.NodeAway)
	d.want(start(1, sched.Map, 4, 1), sched.NodeAway)
	d.want(start(1, sched.Map, 5, 1), sched.NodeAway)
	d.want(start(1, sched.Map, 9, 1), sched.UnknownNode)
	d.want(start(9, sched.Map, 1, 1), sched.UnknownJob)
	d.want(start(1, sched.Map, 1, 0), sched.BadItem)
	d.want(start(1, sched.Map, 1, -1), sched.BadItem)
	d.want(start(1, workload.Other0, 1, 1), sched.BadItem)
	for n := sched.NodeID(3); n <= 5; n++ {
		d.is("first on a node that is away", d.First(n, sched.Map, 0), sched.JobID(0))
		d.is("first local on a node that is away", d.FirstLocal(n, sched.Map, 0), sched.JobID(0))
	}
	d.is("first on the node without the label", d.First(1, sched.Map, 1), sched.JobID(0))
	d.is("first on the node with it", d.First(2, sched.Map, 1), sched.JobID(2))

	d.want(sched.Item{Verb: sched.Wake, Node: 1}, sched.TooLate)
	d.want(sched.Item{Verb: sched.Wake, Node: 4}, sched.OK)
	d.want(start(1, sched.Map, 4, 1), sched.NodeAway) // until it says that it is up
	d.told(nodeUp(4, 1, 1, 1))
	d.is("containers", d.one(start(1, sched.Map, 4, 3)).Count, int32(1))
	d.want(start(1, sched.Map, 4, 1), sched.NoRoom)
	d.want(sched.Item{Verb: sched.Sleep, Node: 3}, sched.NodeAway) // it drains
	d.want(sched.Item{Verb: sched.Withhold, Job: 1, Stage: sched.Map}, sched.OK)
	d.want(start(1, sched.Map, 1, 1), sched.Withheld)
	d.want(sched.Item{Verb: sched.Release, Job: 1, Stage: sched.Map}, sched.OK)
	d.told(nodeUp(3, 1, 2, 1)) // it is back, and drains no more
	d.want(start(1, sched.Map, 3, 1), sched.OK)
	d.want(start(1, sched.Map, 1, 1), sched.OK)
	locality := start(1, sched.Map, 2, 1)
	locality.Locality = sched.NodeLocal
	locality.Job = 2
	d.is("a task without hosts is at home anywhere", d.one(locality).Refused, sched.OK)
}

// The book keeps why a job stands where it does, and what it was last told of its finish, also over a Save.
func TestOutlookIsKept(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 1, 1), jobOf(1, "j", maps(2)))
	why := sched.Because(sched.AdmitAll, 7)
	first := sched.Outlook{Word: sched.Promised, Confidence: 900_000, By: 90, Half: 50, Ninety: 90}
	d.Begin(&d.plan)
	d.is("admitted", d.plan.Admit(1, first, d.plan.Because(why, sched.Evidence{Job: 1})), true)
	d.is("why", d.Job(1).Why, why)
	d.is("told", d.Job(1).Outlook, first)
	later := sched.Outlook{Word: sched.Promised, Confidence: 900_000, By: 95}
	d.is("foretold", d.plan.Foretell(1, later, sched.Because(sched.Begun)), true)
	d.is("foretold of no job", d.plan.Foretell(9, later, sched.Reason{}), false)
	d.is("told later", d.Job(1).Outlook, later)
	d.is("why of the verdict", d.Job(1).Why, why)
	d.is("state", d.Job(1).State, sched.Admitted)
	d.Check(&d.plan)
	var text bytes.Buffer
	if err := d.Save(&text); err != nil {
		t.Fatal(err)
	}
	l := New(bound, nil)
	if err := l.Load(&text); err != nil {
		t.Fatal(err)
	}
	d.is("told, loaded", l.Job(1).Outlook, later)
	d.is("why, loaded", l.Job(1).Why, why)
	d.Begin(&d.plan)
	d.is("rejected", d.plan.Reject(1, sched.Offer(99, true), sched.Reason{}), true)
	d.is("foretold of a job that is refused", d.plan.Foretell(1, later, sched.Reason{}), false)
}

// What a world cannot do is refused whatever it is about.
func TestWorldCannot(t *testing.T) {
	d := open(t, sched.Capabilities{Bind: true}, nil)
	d.told(nodeUp(1, 1, 1, 1), jobOf(1, "j", moldable(maps(2), 1, 4)))
	for _, v := range []sched.Verb{sched.Kill, sched.Speculate, sched.SetTasks, sched.Sleep, sched.Wake} {
		d.want(sched.Item{Verb: v, Job: 1, Node: 1, Stage: sched.Map, Count: 2}, sched.CannotDo)
	}
}

// A bound on slots cuts a start to what is left of it, and counts what is promised as well as what runs.
func TestSetSlotsCutsStarts(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(9)))
	d.decide(admit(1))
	slots := func(n int32) sched.Item {
		return sched.Item{Verb: sched.SetSlots, Job: 1, Stage: sched.Map, Count: n}
	}
	d.want(slots(3), sched.OK)
	it := d.one(start(1, sched.Map, 1, 2))
	d.told(started(1, it, 1))
	d.is("containers", d.one(start(1, sched.Map, 1, 5)).Count, int32(1))
	last := d.one(start(1, sched.Map, 1, 1))
	d.is("refused", last.Refused, sched.AtLimit)
	d.is("limit", last.Reason.A, int64(3))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(0))
	d.told(ended(1, sched.Committed))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(1))
	d.want(slots(-1), sched.OK)
	d.is("containers", d.one(start(1, sched.Map, 1, 4)).Count, int32(4))
}

// A task has two attempts at most, and one that is done or not begun has no second.
func TestSecondAttempts(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 4, 1), nodeUp(2, 2, 4, 1), jobOf(1, "j", maps(3, 1)))
	d.decide(admit(1))
	second := func(task sched.TaskID) sched.Item {
		return sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: task, Node: 2}
	}
	d.want(second(1), sched.NoTask)
	it := d.one(start(1, sched.Map, 1, 2))
	d.want(second(1), sched.NoTask) // promised
	d.told(started(1, it, 1), started(2, it, 2))
	got := d.one(second(1))
	d.is("second", got.Refused, sched.OK)
	d.is("bound", d.plan.Bound[got.Tasks.From], sched.Bound{Task: 1, Locality: sched.Remote})
	d.want(second(1), sched.NoTask)
	d.told(started(3, got, 1))
	d.want(second(1), sched.NoTask)
	d.told(ended(1, sched.Failed))
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(1)) // the second goes on
	d.want(second(1), sched.OK)
	d.told(ended(2, sched.Committed))
	d.want(second(2), sched.NoTask)
	d.want(second(0), sched.NoTask)

	// One that the world refuses, whether or not it names the task, leaves the first alone, and the
	// task to be tried again.
	for _, task := range []sched.TaskID{1, 0} {
		d = open(t, bound, nil)
		d.told(nodeUp(1, 1, 4, 1), nodeUp(2, 2, 4, 1), jobOf(1, "j", maps(3, 1)))
		d.decide(admit(1))
		d.told(started(1, d.one(start(1, sched.Map, 1, 1)), 1))
		d.told(sched.Event{Kind: sched.Refused, Item: d.one(second(1)).ID, Task: task, Count: 1})
		d.want(second(1), sched.OK)
		d.told(sched.Event{Kind: sched.Refused, Item: d.lastItem, Task: task, Count: 1}, ended(1, sched.Failed))
		d.is("open", d.Job(1).Stages[sched.Map].Open, int32(3))
	}
	d.told(started(1, d.one(start(1, sched.Map, 1, 1)), 1))
	d.want(second(4), sched.NoTask)
}

// A sample is so many tasks of a job that is not admitted; what was refused of it may be tried
// again, and a verdict ends it.
func TestSample(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(9)))
	sample := sched.Item{Verb: sched.Sample, Job: 1, Stage: sched.Map, Count: 2}
	left := func() int32 { return d.Job(1).Stages[sched.Map].Sample }
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(0))
	d.want(sample, sched.OK)
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(1))
	it := d.one(start(1, sched.Map, 1, 5))
	d.is("containers", it.Count, int32(2))
	d.is("left", left(), int32(0))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(0))
	d.want(start(1, sched.Map, 1, 1), sched.NotAdmitted)
	d.told(started(1, it, 1), sched.Event{Kind: sched.Refused, Item: it.ID, Task: 2, Count: 1})
	d.is("left when one was refused", left(), int32(1))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(1))
	d.want(admit(1), sched.OK)
	d.is("left", left(), int32(-1))
	d.want(sample, sched.TooLate)
	d.is("containers", d.one(start(1, sched.Map, 1, 5)).Count, int32(5))
}

// A victim whose kill the world refuses lives on and can be chosen again; until then it is chosen once only.
func TestKillRefused(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(3)))
	d.decide(admit(1))
	it := d.one(start(1, sched.Map, 1, 3))
	d.told(started(1, it, 1), started(2, it, 2), started(3, it, 3))
	youngest := sched.Item{Verb: sched.Kill, Job: 1, Stage: sched.Map, Count: 2}
	kill := func(want ...sched.AttemptID) {
		t.Helper()
		got := d.one(youngest)
		for i, w := range want {
			d.is("victim", d.plan.Victims[int(got.Attempts.From)+i], w)
		}
		d.is("victims", got.Attempts.Len(), len(want))
	}
	kill(3, 2)
	kill(1)
	d.want(youngest, sched.UnknownAttempt)
	d.want(sched.Item{Verb: sched.Kill, Attempt: 2}, sched.UnknownAttempt)
	d.told(sched.Event{Kind: sched.Refused, Job: 1, Stage: sched.Map, Attempt: 2, Count: 1, Why: sched.Stale})
	d.is("dying", d.Attempt(3).Dying, true)
	kill(2)
	d.told(sched.Event{Kind: sched.Refused, Job: 1, Stage: sched.Map, Count: 3, Why: sched.Stale})
	kill(3, 2)
}

// Runs of a queue are counted up and down with verdicts, ends and rejections.
func TestRuns(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 9})
	for j := sched.JobID(1); j <= 3; j++ {
		e := jobOf(j, string(rune('a'+j)), maps(1))
		e.Detail.Job.Queue = "x"
		d.told(e)
	}
	runs := func(want int32) {
		t.Helper()
		for q := d.Job(1).Queue; q != 0; q = d.Queue(q).Parent {
			d.is("runs", d.Queue(q).Runs, want)
		}
	}
	runs(0)
	d.decide(admit(1), admit(1), admit(2), admit(3))
	runs(3)
	d.decide(sched.Item{Verb: sched.Hold, Job: 1}, sched.Item{Verb: sched.Hold, Job: 1})
	runs(2)
	d.decide(sched.Item{Verb: sched.Reject, Job: 2})
	runs(1)
	d.told(sched.Event{Kind: sched.JobEnded, Job: 3, Outcome: sched.Committed})
	runs(0)
	d.is("verdict on one that was rejected", d.one(admit(2)).Refused, sched.TooLate)
	d.told(sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Killed})
	runs(0)
	d.decide(admit(1))
	runs(1)
}

// A job with predecessors waits until the world says that it may start, whatever the book has seen
// of them; also if it says so as soon as the job comes.
func TestPredecessors(t *testing.T) {
	for _, o := range []sched.Outcome{sched.Failed, sched.Killed, sched.Committed} {
		d := open(t, bound, nil)
		behind := jobOf(3, "behind", maps(1))
		behind.Detail.Job.After = []string{"a", "b"}
		d.told(jobOf(1, "a", maps(1)), jobOf(2, "b", maps(1)), behind)
		d.decide(admit(3))
		d.is("state", d.Job(3).State, sched.Waiting)
		d.is("told ready", kinds(d.told(sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}), sched.StageReady), 0)
		again(d)
		d.is("told ready", kinds(d.told(sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: o}), sched.StageReady), 0)
		d.is("state", d.Job(3).State, sched.Waiting)
		late := jobOf(4, "late", maps(1))
		late.Detail.Job.After = []string{"b"}
		if o == sched.Committed {
			d.is("told ready", kinds(d.told(sched.Event{Kind: sched.StageReady, Job: 3, Stage: sched.Map}, late, sched.Event{Kind: sched.StageReady, Job: 4, Stage: sched.Map}), sched.StageReady), 2)
			d.is("state of one that arrives behind it", d.Job(4).State, sched.Pending)
			d.is("state", d.Job(3).State, sched.Admitted)
			d.is("ready", d.Job(3).Stages[sched.Map].Ready, true)
			continue
		}
		d.is("ready", d.Job(3).Stages[sched.Map].Ready, false)
		d.told(late)
		d.is("state of one that arrives behind it", d.Job(4).State, sched.Waiting)
	}
}

// A node's speed is that of its class times the last factor; a new description brings capacity, and keeps the factor.
func TestNodeChanged(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), jobOf(1, "j", maps(4)))
	d.decide(admit(1))
	change := func(x float64, maps int) {
		e := sched.Event{Kind: sched.NodeChanged, Node: 1, X: x}
		if maps >= 0 {
			e.Detail = nodeUp(1, 1, maps, 0).Detail
			e.Detail.Node.Class.Speed = 10
		}
		d.told(e)
	}
	is := func(speed float64, free, capacity units.Vector) {
		t.Helper()
		d.is("speed", d.Node(1).Speed, speed)
		d.is("free", d.Node(1).Free, free)
		d.is("capacity", *d.Capacity(), capacity)
	}
	is(2, units.Slots(2, 1), units.Slots(2, 1))
	change(0.5, -1)
	is(1, units.Slots(2, 1), units.Slots(2, 1))
	change(0, -1)
	is(1, units.Slots(2, 1), units.Slots(2, 1))
	it := d.one(start(1, sched.Map, 1, 2))
	d.told(started(1, it, 1))
	change(0, 1)
	is(5, units.Slots(-1, 0), units.Slots(1, 0))
	d.want(start(1, sched.Map, 1, 1), sched.NoRoom)
	change(3, 4)
	is(30, units.Slots(2, 0), units.Slots(4, 0))
	d.told(sched.Event{Kind: sched.NodeDown, Node: 1})
	change(0, 7)
	is(30, units.Slots(-2, 0), units.Vector{})
	d.told(nodeUp(1, 1, 2, 1))
	is(2, units.Slots(1, 1), units.Slots(2, 1)) // what ran is lost, what was promised is not
	d.is("notes", kinds(d.told(sched.Event{Kind: sched.NodeChanged, Node: 9}), sched.Discrepancy), 1)
}

// A task that is open again is found on its node, in its rack and from afar, before those that were never started.
func TestReopenedTaskIsFound(t *testing.T) {
	for _, how := range []string{"failed", "refused", "lost output"} {
		d := open(t, bound, nil)
		d.told(nodeUp(1, 1, 4, 1), nodeUp(2, 1, 4, 1), nodeUp(3, 2, 4, 1), jobOf(1, "j", maps(2, 1), reduces(1)))
		d.decide(admit(1))
		it := d.one(start(1, sched.Map, 2, 2)) // in the rack: the cursors pass both
		for i := range 2 {
			d.is("locality", d.plan.Bound[int(it.Tasks.From)+i].Locality, sched.RackLocal)
		}
		d.is("nearest", d.Nearest(3, 1, sched.Map), sched.NoLocality)
		switch how {
		case "failed":
			d.told(started(1, it, 1), started(2, it, 2))
			d.told(ended(1, sched.Failed))
		case "refused":
			d.told(sched.Event{Kind: sched.Refused, Item: it.ID, Task: 1, Count: 1})
		default:
			d.told(started(1, it, 1), started(2, it, 2))
			d.told(ended(1, sched.Committed))
			d.told(sched.Event{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 1})
		}
		for n, want := range []sched.Locality{sched.NodeLocal, sched.RackLocal, sched.Remote} {
			d.is(how+": nearest", d.Nearest(sched.NodeID(n+1), 1, sched.Map), want)
		}
		again := d.one(start(1, sched.Map, 2, 1))
		d.is(how+": task", d.plan.Bound[again.Tasks.From], sched.Bound{Task: 1, Locality: sched.RackLocal})
	}
}
