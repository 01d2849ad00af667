package rtmr

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// withMaster is a job of so many maps of class c, whose masters take 5 s to start up and maps 10 s; its
// own takes so much memory, or if that is 0 a map slot.
func withMaster(id string, maps, deadline int, memory int64) *workload.Job {
	j := policytest.Claims(id, maps, deadline)
	st := workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)}
	if memory > 0 {
		st.Containers = []cluster.Container{{Name: "master", Needs: units.Vector{units.Memory: memory}}}
	}
	j.Stages = slices.Insert(j.Stages, 0, st)
	return j
}

// cluster2 is two nodes of two map slots and one unit of memory each, and what is known of the class.
func cluster2(jobs ...*workload.Job) (events []sched.Event) {
	class := profile.New("c")
	class.At(workload.Map, "n").Task.Add(10)
	class.At(workload.Master, "n").Start.Add(5)
	capacity := units.Slots(2, 1)
	capacity[units.Memory] = 1
	for n := sched.NodeID(1); n <= 2; n++ {
		spec := &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: capacity}}
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: spec}})
	}
	events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}})
	for i, j := range jobs {
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: j}})
	}
	return events
}

var (
	beat1, beat2 = sched.Event{Kind: sched.Heartbeat, Node: 1}, sched.Event{Kind: sched.Heartbeat, Node: 2}
	mapsReady    = sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Map}
)

// began says that the master of a job has begun on a node, as the last plan said.
func (d *desk) began(attempt, job int, node sched.NodeID) sched.Event {
	d.T.Helper()
	for _, it := range d.Plan.Items {
		if it.Verb == sched.Start && it.Job == sched.JobID(job) && it.Stage == sched.Master && it.Node == node {
			return sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(attempt), Job: it.Job, Task: 1, Node: node, Item: it.ID, Locality: sched.Anywhere}
		}
	}
	d.T.Errorf("the master of job %d was not started on node %d", job, node)
	return sched.Event{}
}

// finishes is when the schedule expects job 1 to.
func (d *desk) finishes(second int) int {
	_, at, _ := d.s.plan.Estimate(units.Time(second)*1e9, 1)
	return int(at / 1e9)
}

// A master that dies before it is up starts again, and the schedule counts from then on; one that dies
// later holds nobody up.
func TestMasterDies(t *testing.T) {
	for _, memory := range []int64{1, 0} {
		for _, up := range []bool{false, true} {
			d := newDesk(t, usual)
			if got, want := d.At(0, append(cluster2(withMaster("a", 2, 100, memory)), beat1)...), "admit job=1 word=promised confidence=1000000 by=15000000000 reason=promised:100000000000"; got != want {
				t.Fatalf("%s\nwant %s", got, want)
			}
			d.At(1, d.began(1, 1, 1))
			want := 4 + 5 + 10
			if up {
				d.At(3, mapsReady) // sooner than at worst: its maps may start now
				if got := d.finishes(3); got != 3+10 {
					t.Errorf("memory %d: up at 3s it would finish at %ds, want 13", memory, got)
				}
				if want = 4 + 10; memory == 0 {
					want = 3 + 10 // it has started, and both maps could at 3s
				}
			}
			d.At(4, sched.Event{Kind: sched.Ended, Attempt: 1, Outcome: sched.Failed})
			if got := d.finishes(4); got != want {
				t.Errorf("memory %d, up %v: it would finish at %ds, want %d", memory, up, got, want)
			}
			d.At(5, beat2)
			d.began(2, 1, 2)
		}
	}
}

// Room is kept for each master from the verdict on: of three jobs two find some. Where the node of one
// goes, its master starts on another; a job whose master cannot start at once has no promise.
func TestMasterRoom(t *testing.T) {
	d := newDesk(t, usual)
	got := d.At(0, cluster2(withMaster("a", 1, 100, 1), withMaster("b", 1, 100, 1), withMaster("c", 1, 100, 1))...)
	if want := "admit job=1 word=promised confidence=1000000 by=15000000000 reason=promised:100000000000; admit job=2 word=promised confidence=1000000 by=15000000000 reason=promised:100000000000; reject job=3 reason=no-master-room"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if a, b := d.s.of(1).Room, d.s.of(2).Room; a != 1 || b != 2 {
		t.Errorf("room is kept on nodes %d and %d", a, b)
	}
	d = newDesk(t, usual)
	d.At(0, cluster2(withMaster("a", 1, 100, 1))...)
	d.At(1, sched.Event{Kind: sched.NodeDown, Node: 1})
	if room := d.s.of(1).Room; room != 2 {
		t.Errorf("node 1 is gone, and room is kept on node %d", room)
	}
	if got := d.finishes(1); got != 1+5+10 {
		t.Errorf("it would finish at %ds", got)
	}
	d.At(2, beat2)
	d.began(1, 1, 2)
}

// While a's master starts up, map slots are kept for its maps: b's master is up sooner, and gets what
// is left.
func TestSlotsAreKept(t *testing.T) {
	d := newDesk(t, usual)
	d.At(0, append(cluster2(withMaster("b", 4, 100, 1), withMaster("a", 3, 50, 1)), beat1, beat2)...)
	d.At(1, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Task: 1, Node: 1, Item: 3, Locality: sched.Anywhere})
	d.At(2, mapsReady, beat1, beat2)
	if got := d.Book.Job(1).Stages[sched.Map].Occupied; got != 1 {
		t.Errorf("of four slots %d went to b, want 1", got)
	}
}

// After a resync what was promised stays promised: a master that is up costs nothing more, one that was
// not starts up once more at worst.
func TestResyncWithMasters(t *testing.T) {
	for _, memory := range []int64{1, 0} {
		for _, up := range []bool{true, false} {
			d := newDesk(t, usual)
			d.At(0, append(cluster2(withMaster("a", 2, 100, memory)), beat1)...)
			d.At(1, d.began(1, 1, 1))
			again := append([]sched.Event{{Kind: sched.Resync}}, cluster2(withMaster("a", 2, 100, memory))...)
			again = append(again, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Task: 1, Node: 1, Locality: sched.Anywhere, Age: units.Second})
			want := 20 + 5 + 10
			if up {
				again, want = append(again, mapsReady), 20+10
			}
			if got := d.At(20, again...); !strings.HasPrefix(got, "admit job=1 word=promised confidence=1000000 by=") {
				t.Error(got)
			}
			if got := d.finishes(20); got != want || d.s.mastered != 1 {
				t.Errorf("memory %d, up %v: it would finish at %ds, want %d; %d jobs have masters", memory, up, got, want, d.s.mastered)
			}
		}
	}
}

// of a job of an unknown class a sample is measured, which its master starts for, unless that takes a
// slot: such a job runs without a promise.
func TestUnknownWithMaster(t *testing.T) {
	c := usual
	c.BestEffort, c.Sample = false, 2
	for memory, want := range map[int64]string{
		1: "hold job=1 reason=sampling:2; sample job=1 count=1 reason=sampling:2; sample job=1 stage=map count=2 reason=sampling:2; wake-me at=100000000000 reason=wake-up:100000000000",
		0: "admit job=1 word=unpromised reason=class-unknown",
	} {
		d := newDesk(t, c)
		a := withMaster("a", 4, 100, memory)
		a.Class = "unknown"
		if got := d.At(0, append(cluster2(a), beat1)...); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if memory == 0 {
			continue
		}
		// It dies once, and is let start again.
		d.At(1, d.began(1, 1, 1))
		if got, want := d.At(2, sched.Event{Kind: sched.Ended, Attempt: 1, Outcome: sched.Failed}, beat1), "sample job=1 count=1 reason=sampling:2"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		d.began(2, 1, 1)
	}
}

// Jobs without a deadline whose masters take map slots leave slots for the tasks that these wait for:
// the run ends.
func TestMastersLeaveRoom(t *testing.T) {
	j := streamJob{Maps: []int{3, 3}, Map: 3, Known: true, Master: inMapSlot, Start: 1, Startup: 1}
	s := stream{Nodes: 1, Maps: 2, Reduces: 1, Jobs: slices.Repeat([]streamJob{j}, 5)}
	c := usual
	if k, err := play(s, c, nil); err != nil || k.committed != 5 {
		t.Errorf("%d jobs committed; %v", k.committed, err)
	}
	c.Masters = 1
	if _, err := play(s, c, nil); err == nil || !strings.Contains(err.Error(), "stuck") {
		t.Errorf("with room for all masters the run ends: %v", err)
	}
}

// What is lent dies for a promise, and a master behind its tasks: of a lent job's master and maps in
// four slots, three maps go for one with a promise.
func TestMastersDieLast(t *testing.T) {
	s := stream{Nodes: 1, Maps: 4, Reduces: 1, Jobs: []streamJob{
		{Maps: []int{50, 50, 50}, Map: 50, Known: true, Master: inMapSlot, Start: 1, Startup: 1},
		{Arrive: 10, Within: 30, Maps: []int{5, 5, 5}, Map: 5, Known: true},
	}}
	var said starts
	if k, err := play(s, usual, nil, &said); err != nil || k.preempted != 3 || k.promises != 1 {
		t.Errorf("%v: %d killed, %d promises; %v", err, k.preempted, k.promises, said.lines)
	}
	for _, l := range said.lines {
		if strings.Contains(l, "kill") && !strings.Contains(l, "stage=map") {
			t.Error(l)
		}
	}
}

// Where nodes are served at intervals a master waits for its beat as each task does: of 10 s and 1 s for
// the master, and of 10 s and 5 s for the map, from 1 s on.
func TestMasterWaitsForABeat(t *testing.T) {
	for _, where := range []masterKind{outside, inMapSlot} {
		s := stream{Nodes: 1, Maps: 2, Reduces: 1, Rooms: 1, Heartbeat: 10 * units.Second, Jobs: []streamJob{
			{Arrive: 1, Within: 100, Maps: []int{5}, Map: 5, Known: true, Master: where, Start: 1, Startup: 1, Takes: 1}}}
		var said starts
		_, err := play(s, usual, nil, &said)
		if want := "1s admit id=1 job=1 word=promised confidence=1000000 by=27000000000 reason=promised:101000000000"; err != nil || !slices.Contains(said.lines, want) {
			t.Errorf("%s: %v; %v, want %s", where, err, said.lines, want)
		}
	}
}

// An ApplicationMaster that asks for more tasks than were assumed has its job judged again, with the time that is left,
// unless one of them runs; nobody is judged again for having fewer, or another deadline.
func TestMasterAsksForMore(t *testing.T) {
	demand := func(maps int32) sched.Event {
		return sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: maps}
	}
	for _, c := range []struct {
		name           string
		maps, deadline int
		runs           bool
		want           string
	}{
		{"more", 5, 100, false, "admit job=1 word=promised confidence=1000000 by=26000000000 reason=promised:100000000000"},
		{"too many", 41, 100, false, "reject job=1 word=no-earlier by=116000000000 reason=alone-late:94000000000,110000000000,110000000000"},
		{"too many, and they run", 41, 100, true, ""},
		{"as many", 2, 100, false, ""},
		{"fewer", 1, 7, false, ""},
		{"another deadline", 2, 7, false, ""},
	} {
		d := newDesk(t, usual)
		d.At(0, append(cluster2(withMaster("a", 2, 100, 1)), beat1)...)
		up := []sched.Event{d.began(1, 1, 1), mapsReady, demand(2)}
		if c.runs {
			up = append(up, beat1)
		}
		d.At(5, up...)
		if got := d.At(6, policytest.Amended(1, withMaster("a", c.maps, c.deadline, 1)), demand(int32(c.maps))); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
