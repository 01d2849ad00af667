package ledger

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"

	"github.com/slackline/slackline/sched"
)

// late is a desk of a world that binds late: three nodes, 1 and 2 in rack 1, 3 in rack 2, a job of
// four maps.
func late(t *testing.T) *desk {
	d := open(t, sched.Capabilities{Kill: true}, nil)
	d.told(nodeUp(1, 1, 9, 0), nodeUp(2, 1, 9, 0), nodeUp(3, 2, 9, 0), jobOf(1, "j", maps(4)))
	d.decide(admit(1))
	return d
}

func demand(count int32, upTo sched.ItemID, places ...sched.LocationDemand) sched.Event {
	e := sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: count, Item: upTo}
	if len(places) > 0 {
		e.Detail = &sched.Detail{Demand: places}
	}
	return e
}

func (d *desk) localities(want ...sched.Locality) {
	d.Helper()
	for i, w := range want {
		d.is("nearest for node "+string(rune('1'+i)), d.Nearest(sched.NodeID(i+1), 1, sched.Map), w)
	}
}

func TestDemandByPlace(t *testing.T) {
	const anywhere, node, rack, remote, none = sched.Anywhere, sched.NodeLocal, sched.RackLocal, sched.Remote, sched.NoLocality
	d := late(t)
	d.told(demand(2, 0))
	d.localities(anywhere, anywhere, anywhere)
	d.told(demand(2, 0, sched.LocationDemand{Node: 1, Count: 2}))
	d.localities(node, remote, remote)
	d.told(demand(2, 0, sched.LocationDemand{Rack: 1, Count: 2}))
	d.localities(rack, rack, remote)
	d.told(demand(2, 0, sched.LocationDemand{Node: 2, Count: 1}, sched.LocationDemand{Rack: 1, Count: 2}, sched.LocationDemand{Count: 0}))
	d.localities(rack, node, none)
	// The last Demand alone counts: racks that an older one named are nothing to this.
	d.told(demand(2, 0))
	d.localities(anywhere, anywhere, anywhere)
	d.told(demand(2, 0, sched.LocationDemand{Rack: 2, Count: 2}, sched.LocationDemand{Count: 2}))
	d.localities(remote, remote, rack)
}

// One container is taken off at each level, and given back at those it was taken from.
func TestDemandIsTakenAndGivenBack(t *testing.T) {
	d := late(t)
	d.told(demand(2, 0, sched.LocationDemand{Node: 1, Count: 1}, sched.LocationDemand{Rack: 1, Count: 2}, sched.LocationDemand{Count: 2}))
	first := d.one(start(1, sched.Map, 1, 4))
	d.is("count, of one locality", first.Count, int32(1))
	d.is("locality", first.Locality, sched.NodeLocal)
	d.localities(sched.RackLocal, sched.RackLocal, sched.Remote)
	second := d.one(start(1, sched.Map, 2, 4))
	d.is("locality", second.Locality, sched.RackLocal)
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(0))
	d.localities(sched.NoLocality, sched.NoLocality, sched.NoLocality)
	d.told(sched.Event{Kind: sched.Refused, Item: second.ID})
	d.localities(sched.RackLocal, sched.RackLocal, sched.Remote)
	d.told(sched.Event{Kind: sched.Refused, Item: first.ID})
	d.localities(sched.NodeLocal, sched.RackLocal, sched.Remote)
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(2))
}

// A Demand counts items up to the one it names, that one included: later promises are taken off it,
// and none else.
func TestDemandCountsItems(t *testing.T) {
	d := late(t)
	d.told(demand(4, 0))
	a, b, c := d.one(start(1, sched.Map, 1, 1)), d.one(start(1, sched.Map, 1, 1)), d.one(start(1, sched.Map, 3, 1))
	for _, x := range []struct {
		upTo sched.ItemID
		open int32
	}{{a.ID - 1, 1}, {a.ID, 2}, {b.ID, 3}, {c.ID - 1, 3}, {c.ID, 4}} {
		d.told(demand(4, x.upTo))
		d.is("open", d.Job(1).Stages[sched.Map].Open, x.open)
	}
	d.told(demand(4, b.ID, sched.LocationDemand{Rack: 2, Count: 2}))
	d.is("nearest", d.Nearest(3, 1, sched.Map), sched.RackLocal)
	d.told(demand(4, b.ID, sched.LocationDemand{Rack: 2, Count: 1}))
	d.is("nearest, the one in the rack is promised", d.Nearest(3, 1, sched.Map), sched.Remote)
}

// What the world refuses of an item that its demand counts is in that demand already, though both
// come in one batch; and as the last demand says otherwise, so it goes.
func TestDemandCountsRefusals(t *testing.T) {
	d := late(t)
	d.told(demand(1, 0))
	a := d.one(start(1, sched.Map, 1, 1))
	d.told(demand(0, a.ID), sched.Event{Kind: sched.Refused, Item: a.ID}) // another has done it
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(0))
	d.is("occupied", d.Job(1).Stages[sched.Map].Occupied, int32(0))
	d.told(demand(2, a.ID))
	b := d.one(start(1, sched.Map, 1, 1))
	d.told(demand(2, b.ID))
	d.told(demand(2, a.ID), sched.Event{Kind: sched.Refused, Item: b.ID})
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(2))
}

// What cannot be is noted and cut to what a cluster could have at most.
func TestDemandIsBounded(t *testing.T) {
	d := late(t)
	d.is("notes", kinds(d.told(demand(4, 0)), sched.Discrepancy), 0)
	d.is("notes", kinds(d.told(demand(2e9, 0, sched.LocationDemand{Node: 1, Count: 2e9}, sched.LocationDemand{Rack: 1<<31 - 1, Count: -5})), sched.Discrepancy), 1)
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(mostAsked))
	d.is("tasks", d.Job(1).Stages[sched.Map].Total, int32(4))
	d.is("containers", d.one(start(1, sched.Map, 1, 1<<30)).Count, int32(9))
	d.is("notes", kinds(d.told(demand(-1, 9)), sched.Discrepancy), 1)
	d.is("open", d.Job(1).Stages[sched.Map].Open, int32(0))
	d.told(demand(4, 9, sched.LocationDemand{Node: 1<<31 - 1, Count: 1}))
	d.FirstLocal(1, sched.Map, 0)
	d.told(demand(4, 9, sched.LocationDemand{Node: 1<<31 - 1, Count: 1}))
	if len(d.nodes) > 4 || len(d.jobs[1].tasks[sched.Map].ByRack) > 1 {
		t.Errorf("%d nodes and %d racks in the book", len(d.nodes), len(d.jobs[1].tasks[sched.Map].ByRack))
	}
}

// A node that comes after the demand for it, or after the job with input on it, is found by
// FirstLocal.
func TestLocalWorkOfALaterNode(t *testing.T) {
	d := late(t)
	d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(0))
	d.told(demand(2, 0, sched.LocationDemand{Node: 7, Count: 2}))
	d.told(nodeUp(7, 1, 1, 0))
	d.is("first", d.FirstLocal(7, sched.Map, 0), sched.JobID(1))

	d = open(t, bound, nil)
	d.told(nodeUp(1, 1, 1, 0), jobOf(1, "j", maps(1, 7)))
	d.decide(admit(1))
	d.is("first", d.FirstLocal(1, sched.Map, 0), sched.JobID(0))
	d.told(nodeUp(7, 1, 1, 0))
	d.is("first", d.FirstLocal(7, sched.Map, 0), sched.JobID(1))
	d.is("entries", d.localJobs[7][sched.Map].lines[0].n, 1)
	d.is("rack", d.Nearest(1, 1, sched.Map), sched.RackLocal)
}

// Rows of one place are told by priority, and add up; a row of none is none.
func TestRowsOfOnePlaceAddUp(t *testing.T) {
	d := late(t)
	row := func(n sched.NodeID, r cluster.RackID, count int32) sched.LocationDemand {
		return sched.LocationDemand{Node: n, Rack: r, Count: count}
	}
	d.told(demand(3, 0, row(1, 0, 1), row(0, 1, 2), row(0, 0, 2), row(1, 0, 1), row(2, 0, 0), row(0, 1, 1), row(0, 0, 1)))
	d.localities(sched.NodeLocal, sched.RackLocal, sched.Remote)
	for range 2 {
		d.is("nearest", d.one(start(1, sched.Map, 1, 1)).Locality, sched.NodeLocal)
	}
	d.is("nearest", d.one(start(1, sched.Map, 1, 1)).Locality, sched.RackLocal)
	d.localities(sched.NoLocality, sched.NoLocality, sched.NoLocality)
}

// Where the world binds late, the first demand of a job that waits for others says that these are
// done, and the policy hears of it as of any job that is ready: that its first stage is. So it is
// with a job that was amended while it waited, and later demand says it no more.
func TestDemandEndsWaiting(t *testing.T) {
	for _, amends := range []bool{false, true} {
		d := late(t)
		waits := jobOf(2, "waits", maps(2), reduces(1))
		waits.Detail.Job.After = []string{"j"}
		d.told(waits)
		if amends {
			amend := amended("waits", "", maps(3), reduces(1))
			amend.Job = 2
			d.told(amend)
		}
		d.is("before", d.Job(2).State, sched.Waiting)
		asks := demand(2, 0)
		asks.Job = 2
		want := []sched.Event{{Kind: sched.StageReady, Derived: true, Job: 2, Stage: sched.Map}}
		for range 2 {
			var got []sched.Event
			for _, e := range d.told(asks) {
				if e.Derived {
					got = append(got, e)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("amended %v: derived %+v, want %+v", amends, got, want)
			}
			d.is("behind", d.Job(2).State, sched.Pending)
			d.is("ready", d.Job(2).Stages[sched.Map].Ready, true)
			want = nil
		}
	}
}

// A lost output of a stage that has done nothing is noted, and nothing is counted.
func TestLostOutputOfNothing(t *testing.T) {
	d := late(t)
	d.is("discrepancies", kinds(d.told(sched.Event{Kind: sched.OutputLost, Job: 1, Stage: sched.Map}), sched.Discrepancy), 1)
	d.is("done", d.Job(1).Stages[sched.Map].Done, int32(0))
}
