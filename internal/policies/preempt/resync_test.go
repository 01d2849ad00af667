package preempt_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A resync voids the wake-up at which the part would have looked. A pool that starved before it, and of
// which nothing is heard any more, gets its share when the time-out runs out all the same.
func TestResync(t *testing.T) {
	for _, gone := range []bool{false, true} {
		testResync(t, gone)
	}
}

// testResync: the job that starved may be gone; another one of its pool then comes soon after the resync.
func testResync(t *testing.T, gone bool) {
	p, err := catalog.New("fair(preemption=true,fair_timeout=20s)", pools)
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.New(sched.Capabilities{Bind: true, Kill: true}, p.About().Order)
	var plan sched.Plan
	round := int64(0)
	tell := func(at units.Time, events ...sched.Event) {
		t.Helper()
		slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		round++
		all := l.Apply(at, round, events)
		l.Begin(&plan)
		p.Decide(l, all, &plan)
		l.Check(&plan)
	}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(4, 0)}
	node := sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Class: class}}}
	arrival := func(j sched.JobID, of *workload.Job) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: of}}
	}
	long, late := arrival(1, job("long", "a", 0, 10)), arrival(2, job("late", "b", 10, 4))

	tell(second(1), node, long, sched.Event{Kind: sched.Heartbeat, Node: 1})
	var running []sched.Event
	for _, it := range plan.Items {
		for _, b := range plan.Bound[it.Tasks.From:it.Tasks.To] {
			running = append(running, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(len(running) + 1), Job: 1, Stage: sched.Map, Node: 1,
				Task: b.Task, Locality: b.Locality, Item: it.ID})
		}
	}
	if len(running) != 4 {
		t.Fatalf("%d of four slots are taken", len(running))
	}
	tell(second(1), running...)
	tell(second(10), late)
	tell(second(10)+100e6, sched.Event{Kind: sched.Tick}) // soon after a look: the next one is asked for
	again := append([]sched.Event{{Kind: sched.Resync}, node, long}, running...)
	from := second(30) + 1
	if !gone {
		again = append(again, late)
	}
	for i := range again {
		again[i].Item = 0
	}
	tell(second(10)+200e6, again...)
	if gone {
		tell(second(10)+300e6, late)
		from += 300e6
	}

	for at := l.Due(); at < units.Never; at = l.Due() {
		tell(at, sched.Event{Kind: sched.Tick})
		kills := 0
		for i := range plan.Items {
			if it := &plan.Items[i]; it.Verb == sched.Kill && it.Refused == sched.OK {
				kills++
			}
		}
		if kills == 0 && at < second(60) {
			continue
		}
		if kills != 3 || at < from || at > from.Add(units.Second) {
			t.Errorf("%d kills at %v, its minimum share of three is owed from %v on", kills, at, from)
		}
		return
	}
	t.Error("nobody wakes for the pool that starves")
}
