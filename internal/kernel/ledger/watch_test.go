package ledger

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// watch begins to watch, with these facts.
func (d *desk) watch(facts ...sched.Event) []sched.Event {
	return d.told(append([]sched.Event{{Kind: sched.Resync}, control(sched.Watch)}, facts...)...)
}

// While the scheduler watches it sees its own plan, and nothing of it is done; what it decides on jobs
// stands beside what they are.
func TestWatching(t *testing.T) {
	can := bound
	can.Heartbeat = units.Second
	d := open(t, can, nil)
	beat := sched.Event{Kind: sched.Heartbeat, Node: 1}
	notes := d.watch(nodeUp(1, 1, 3, 0), nodeUp(2, 1, 3, 0), jobOf(1, "j", maps(4)), jobOf(2, "k", maps(2)), jobOf(3, "l", maps(2)), beat)
	d.is("discrepancies", kinds(notes, sched.Discrepancy), 0)
	d.told(beat)
	d.Begin(&d.plan)
	d.is("admitted", d.plan.Admit(1, sched.Outlook{}, sched.Reason{}), true)
	d.is("state", d.Job(1).State, sched.Pending)
	d.is("advice", d.Job(1).Advice, sched.Admitted)
	d.is("standing", d.Job(1).Standing(), sched.Admitted)
	d.is("runs", d.Queue(sched.Root).Runs, int32(1))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(1))
	d.is("started", d.plan.Start(1, sched.Map, 1, 2, sched.Remote, sched.Reason{}), true)
	d.is("free in the plan", d.Node(1).Free[units.MapSlots], int64(1))
	d.is("open in the plan", d.Job(1).Stages[sched.Map].Open, int32(2))
	d.plan.Reject(2, sched.Offer(7, true), sched.Reason{})
	d.plan.Hold(3, sched.Reason{})
	for _, it := range []sched.Item{start(1, sched.Map, 2, 1), {Verb: sched.Sleep, Node: 2}, {Verb: sched.Sleep, Node: 1}, {Verb: sched.SetSlots, Job: 1, Stage: sched.Map, Count: 3},
		{Verb: sched.WakeMe, At: d.at + 9}, {Verb: sched.Rank}, {Verb: sched.Kill, Job: 1, Stage: sched.Map, Count: 1}} {
		d.plan.Add(it)
	}
	d.Check(&d.plan)
	for i, want := range []sched.Code{sched.Watched, sched.Watched, sched.Watched, sched.Watched, sched.Watched, sched.Watched, sched.Watched, sched.Watched, sched.OK, sched.OK, sched.UnknownAttempt} {
		d.is(d.plan.Items[i].Verb.String(), d.plan.Items[i].Refused, want)
		d.is(d.plan.Items[i].Verb.String()+" is held", d.plan.Items[i].Held, false)
	}
	d.is("free", d.Node(1).Free[units.MapSlots], int64(3))
	d.is("since", d.Node(1).Since, units.Time(1))
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(4))
	d.is("sleeps", d.Node(2).State, sched.Awake)
	d.is("drains", d.Node(1).State, sched.Awake)
	d.is("limit", d.Job(1).Stages[sched.Map].Limit, int32(3))
	d.is("due", d.Due(), d.at+9)

	// What would have acted comes back, what is advice stays, and is not said again.
	got := d.told(beat)
	d.is("refusals", kinds(got, sched.Refused), 5)
	again(d)
	d.is("first for a job that is refused", d.First(1, sched.Map, 1), sched.JobID(0))
	d.is("items", len(d.decide(admit(1), sched.Item{Verb: sched.Hold, Job: 3}, sched.Item{Verb: sched.SetSlots, Job: 1, Stage: sched.Map, Count: 3})), 0)
	d.want(sched.Item{Verb: sched.Reject, Job: 2}, sched.TooLate)
	d.want(admit(3), sched.Watched)
	d.is("runs", d.Queue(sched.Root).Runs, int32(2))

	// The stock scheduler starts what it likes, and is expected to.
	got = d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 2, Stage: sched.Map, Task: 1, Node: 2})
	d.is("discrepancies", kinds(got, sched.Discrepancy), 0)
	d.want(sched.Item{Verb: sched.Kill, Attempt: 1}, sched.Watched)
	d.is("dying", d.Attempt(1).Dying, false)
	d.told(ended(1, sched.Committed), sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed})
	d.is("runs", d.Queue(sched.Root).Runs, int32(1))
	d.is("done", d.Job(2).Stages[sched.Map].Done, int32(1))
	other := open(t, can, nil)
	load(other, d)
	d.is("watched by a book that was loaded", other.one(start(3, sched.Map, 1, 1)).Refused, sched.Watched)

	// It begins and ends with a void book only.
	for _, c := range []sched.ControlVerb{sched.TakeOver, sched.Yield, sched.Watch} {
		d.is("discrepancies", kinds(d.told(control(c)), sched.Discrepancy), 1)
	}
	d.told(beat)
	d.want(start(3, sched.Map, 1, 1), sched.Watched)
	d.told(sched.Event{Kind: sched.Resync}, control(sched.TakeOver), nodeUp(1, 1, 3, 0), jobOf(1, "k", maps(2)), beat)
	d.is("advice", d.Job(1).Advice, sched.NoJob)
	d.is("state", d.Job(1).State, sched.Pending)
	d.want(start(1, sched.Map, 1, 1), sched.NotAdmitted)
	d.want(admit(1), sched.OK)
	d.is("state", d.Job(1).State, sched.Admitted)
	d.want(start(1, sched.Map, 1, 1), sched.OK)
	d.is("discrepancies", kinds(d.told(control(sched.Watch)), sched.Discrepancy), 1)
	d.told(beat)
	d.want(start(1, sched.Map, 1, 1), sched.OK)
}

// A job that waits for others is advised too. What is decided of it counts once they are done, a refusal at
// once.
func TestAdviceForJobsThatWait(t *testing.T) {
	d := open(t, bound, nil)
	behind := func(j sched.JobID, id string) sched.Event {
		e := jobOf(j, id, maps(1))
		e.Detail.Job.After = []string{"p"}
		return e
	}
	d.watch(nodeUp(1, 1, 3, 0), jobOf(1, "p", maps(1)), behind(2, "a"), behind(3, "r"))
	d.want(admit(2), sched.Watched)
	d.want(sched.Item{Verb: sched.Reject, Job: 3}, sched.Watched)
	d.is("standing", d.Job(2).Standing(), sched.Waiting)
	d.is("standing", d.Job(3).Standing(), sched.Rejected)
	d.is("runs", d.Queue(sched.Root).Runs, int32(0))
	again(d)
	d.told(sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}, sched.Event{Kind: sched.StageReady, Job: 2, Stage: sched.Map},
		sched.Event{Kind: sched.StageReady, Job: 3, Stage: sched.Map})
	d.is("standing", d.Job(2).Standing(), sched.Admitted)
	d.is("state", d.Job(2).State, sched.Pending)
	d.is("state", d.Job(3).State, sched.Pending)
	d.is("runs", d.Queue(sched.Root).Runs, int32(1))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(2))
	d.is("next", d.First(1, sched.Map, 2), sched.JobID(0))
}

// What is taken back is taken back exactly, however often: rows of demand as YARN sums them, and samples.
func TestWatchingLeavesDemandAlone(t *testing.T) {
	d := open(t, sched.Capabilities{Kill: true}, nil)
	d.watch(nodeUp(1, 1, 9, 0), nodeUp(2, 1, 9, 0), nodeUp(3, 2, 9, 0), jobOf(1, "j", maps(4)))
	d.told(demand(3, 0, sched.LocationDemand{Node: 1, Count: 3}, sched.LocationDemand{Node: 2, Count: 0}, sched.LocationDemand{Rack: 1, Count: 1}, sched.LocationDemand{Count: 3}))
	for range 3 {
		d.decide(admit(1), start(1, sched.Map, 1, 2), start(1, sched.Map, 2, 1), start(1, sched.Map, 3, 1))
		d.localities(sched.NodeLocal, sched.RackLocal, sched.Remote)
		d.is("open", d.Job(1).Stages[sched.Map].Open, int32(3))
		d.told()
	}
	d.is("places", len(d.jobs[1].tasks[sched.Map].Demand), 2)
	d.is("rack", d.jobs[1].tasks[sched.Map].ByRack[0].Count, int32(1))
	d.is("node", d.jobs[1].tasks[sched.Map].Demand[0].Count, int32(3))
	d.told(sched.Event{Kind: sched.Resync}, control(sched.Watch), nodeUp(1, 1, 9, 0), jobOf(1, "j", maps(4)), demand(3, 0))
	for range 2 {
		d.decide(sched.Item{Verb: sched.Sample, Job: 1, Stage: sched.Map, Count: 2}, start(1, sched.Map, 1, 2))
		d.is("sample", d.Job(1).Stages[sched.Map].Sample, int32(2))
	}
}

// A verdict that stands for the same reason is left out; one for another reason is news, and the
// job comes to stand where the order puts it by now, whether it is said or not.
func TestAdviceForAnotherReason(t *testing.T) {
	order := testOrder{ceiling: 99, back: make(map[sched.JobID]int64)}
	d := open(t, bound, order)
	d.watch(nodeUp(1, 1, 3, 0), jobOf(1, "a", maps(1)), jobOf(2, "b", maps(1)))
	because := func(j sched.JobID, numbers ...int64) sched.Item {
		return sched.Item{Verb: sched.Admit, Job: j, Reason: sched.Because(mine, numbers...)}
	}
	d.decide(because(1, 7), because(2))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(1))
	again(d)
	order.back[1] = 5
	d.is("items for the same reason", len(d.decide(because(1, 7))), 0)
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(2))
	d.is("items for another number", len(d.decide(because(1, 8))), 1)
	d.is("items for another cause", len(d.decide(sched.Item{Verb: sched.Admit, Job: 1, Reason: sched.Because(sched.AdmitAll, 8)})), 1)
	other := open(t, bound, order)
	load(other, d)
	d.is("items of a book that was loaded", len(other.decide(sched.Item{Verb: sched.Admit, Job: 1, Reason: sched.Because(sched.AdmitAll, 8)})), 0)
}

// byUse ranks queues by the virtual cores that they use, whatever the stage.
type byUse struct{ testOrder }

func (byUse) QueueKey(_ sched.View, q *sched.Queue, _ sched.Stage) sched.Key {
	return sched.Key{q.Used[units.VCores]}
}

// What a job takes moves its queue in the order of all stages, those that the job does not have included.
func TestQueuesMoveInAllStages(t *testing.T) {
	d := open(t, bound, byUse{testOrder{ceiling: 99}})
	node := nodeUp(1, 1, 9, 9)
	node.Detail.Node.Class.Capacity[units.VCores] = 4
	of := func(j sched.JobID, queue string, st workload.StageSpec) sched.Event {
		e := jobOf(j, queue, st)
		e.Detail.Job.ID += string(rune('0' + j))
		e.Detail.Job.Queue = queue
		return e
	}
	large := maps(1)
	large.Containers = []cluster.Container{{Needs: units.Vector{units.VCores: 1}}}
	d.told(node, of(1, "a", reduces(1)), of(2, "x", reduces(1)), of(3, "a", large))
	d.decide(admit(1), admit(2), admit(3))
	d.is("first", d.First(1, sched.Reduce, 0), sched.JobID(1))
	d.want(start(3, sched.Map, 1, 1), sched.OK)
	d.is("first when a uses more", d.First(1, sched.Reduce, 0), sched.JobID(2))
	if j, s := d.Misranked(); j != 0 {
		t.Errorf("job %d is misranked for %v", j, s)
	}
}
