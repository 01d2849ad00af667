package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// beating is a desk of a world with heartbeats: two nodes with two map slots, a job with six maps
// and two reduces, admitted.
func beating(t *testing.T) *desk {
	can := bound
	can.Heartbeat = units.Second
	d := open(t, can, nil)
	d.told(nodeUp(1, 1, 2, 1), nodeUp(2, 1, 2, 1), jobOf(1, "j", maps(6), reduces(2)))
	d.decide(admit(1))
	return d
}

func beat(n sched.NodeID) sched.Event { return sched.Event{Kind: sched.Heartbeat, Node: n} }

// A start waits for its node's beat, and keeps its number.
func TestStartsWaitForABeat(t *testing.T) {
	d := beating(t)
	kept := d.one(start(1, sched.Map, 2, 1))
	d.is("held", kept.Held, true)
	d.is("due", d.Due(), units.Never)
	d.told(beat(1))
	d.is("items when another node beats", len(d.decide()), 0)
	d.told(beat(2))
	items := d.decide()
	if len(items) != 1 || items[0].ID != kept.ID || items[0].Held || items[0].Refused != sched.OK || items[0].Count != 1 {
		t.Errorf("when its node beats: %+v", items)
	}
	d.told(beat(2))
	d.is("items", len(d.decide()), 0)
}

// An item with At is done then, and checked then. The ledger asks to be woken at the earliest of
// all times that it waits for.
func TestDueTimes(t *testing.T) {
	d := beating(t)
	later := sched.Item{Verb: sched.SetSlots, Job: 1, Stage: sched.Map, Count: 1, At: d.at + 2}
	d.is("held", d.one(later).Held, true)
	d.is("due", d.Due(), later.At)
	start := start(1, sched.Map, 1, 1)
	start.At = later.At + 5
	d.one(start)
	d.is("due", d.Due(), later.At)
	d.told()
	d.is("items", len(d.decide()), 0)
	d.is("limit", d.Job(1).Stages[sched.Map].Limit, int32(-1))
	d.told()
	d.is("items", len(d.decide()), 1)
	d.is("limit", d.Job(1).Stages[sched.Map].Limit, int32(1))
	d.is("due", d.Due(), start.At)
	d.is("refusals", kinds(d.told(), sched.Refused), 0)
	wake := func(at units.Time) sched.Code { return d.one(sched.Item{Verb: sched.WakeMe, At: at}).Refused }
	d.is("wake now", wake(d.at), sched.TooLate)
	d.is("wake later", wake(d.at+50), sched.OK)
	d.is("due", d.Due(), start.At)
	for d.at < start.At {
		d.told()
	}
	d.is("wake sooner", wake(d.at+9), sched.OK)
	d.is("due", d.Due(), d.at+9)
	d.is("wake later again", wake(d.at+20), sched.OK)
	d.is("due", d.Due(), d.at+9)
	d.told(sched.Event{Kind: sched.Tick})
	d.is("due, as the tick came too soon", d.Due(), d.at+8)
	d.at += 8
	d.told(sched.Event{Kind: sched.Tick})
	d.is("due", d.Due(), units.Never)
	d.is("wake later", wake(d.at+20), sched.OK)
	d.told(sched.Event{Kind: sched.Resync})
	d.is("due after a resync", d.Due(), units.Never)
}

// A group is done wholly or not at all: what its items have booked is taken back, starts, second
// attempts and kills alike.
func TestGroups(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), nodeUp(2, 1, 2, 1), jobOf(1, "j", maps(6), reduces(2)))
	d.decide(admit(1))
	first := d.one(start(1, sched.Map, 1, 1))
	d.told(started(1, first, 1))
	in := func(it sched.Item, group int32) sched.Item { it.Group = group; return it }
	before := d.Job(1).Stages[sched.Map]
	room := d.Node(2).Free
	kill := sched.Item{Verb: sched.Kill, Attempt: 1, Group: 1}
	second := sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: 1, Node: 2, Group: 1}
	items := d.decide(in(start(1, sched.Map, 2, 1), 1), second, kill, in(start(1, sched.Map, 1, 2), 1), in(start(1, sched.Map, 1, 1), 2))
	for i, want := range []sched.Code{sched.GroupBroken, sched.GroupBroken, sched.GroupBroken, sched.NoTask, sched.OK} {
		d.is("item", items[i].Refused, want)
	}
	d.told(sched.Event{Kind: sched.Refused, Item: items[4].ID})
	after := d.Job(1).Stages[sched.Map]
	d.is("tally", after, before)
	d.is("room", d.Node(2).Free, room)
	d.is("dying", d.Attempt(1).Dying, false)
	d.is("grants", d.grants.n, 0)
	again(d)

	items = d.decide(in(start(1, sched.Map, 2, 1), 1), second, kill)
	for i := range items {
		d.is("item", items[i].Refused, sched.OK)
	}
	d.is("dying", d.Attempt(1).Dying, true)
	d.is("occupied", d.Job(1).Stages[sched.Map].Occupied, int32(3))
	d.is("group of a verdict", d.one(sched.Item{Verb: sched.Admit, Job: 1, Group: 1}).Refused, sched.BadItem)
	d.is("group with a time", d.one(sched.Item{Verb: sched.Kill, Attempt: 1, Group: 1, At: d.at + 1}).Refused, sched.BadItem)
}
