package ledger

import (
	"bytes"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func amended(id, queue string, stages ...workload.StageSpec) sched.Event {
	e := jobOf(1, id, stages...)
	e.Kind = sched.JobAmended
	e.Detail.Job.Queue, e.Detail.Job.Deadline = queue, 77
	return e
}

func moldable(s workload.StageSpec, least, most int) workload.StageSpec {
	s.MinTasks, s.MaxTasks = least, most
	return s
}

func TestSetTasks(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), jobOf(1, "j", maps(2), moldable(reduces(2), 2, 5)), jobOf(2, "k", moldable(maps(2), 0, 5)))
	d.decide(admit(1), admit(2))
	set := func(j sched.JobID, s sched.Stage, n int32) sched.Item {
		return sched.Item{Verb: sched.SetTasks, Job: j, Stage: s, Count: n}
	}
	d.want(set(1, sched.Map, 2), sched.BadItem) // it is fixed
	d.want(set(1, sched.Reduce, 1), sched.BadItem)
	d.want(set(1, sched.Reduce, 6), sched.BadItem)
	d.want(set(1, sched.Reduce, 2), sched.OK)
	d.want(set(1, sched.Reduce, 5), sched.OK)
	d.want(set(1, workload.Other0, 5), sched.BadItem)
	d.want(set(2, sched.Map, 0), sched.BadItem) // a stage without tasks never ends
	asked := d.one(set(2, sched.Map, 1))
	d.want(start(2, sched.Map, 1, 1), sched.NotReady) // it may be cut otherwise
	d.is("behind the first", d.First(1, sched.Map, 1), sched.JobID(0))
	d.told(sched.Event{Kind: sched.Refused, Job: 2, Stage: sched.Map, Item: asked.ID, Why: sched.BadItem})
	d.is("behind the first", d.First(1, sched.Map, 1), sched.JobID(2))
	d.one(start(2, sched.Map, 1, 1))
	d.want(set(2, sched.Map, 1), sched.TooLate)
}

// An amendment brings new tasks for stages that have not begun, and leaves the others alone.
func TestAmendedTasks(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), nodeUp(2, 1, 2, 1), jobOf(1, "j", maps(2, 1), reduces(2)))
	d.decide(admit(1))
	d.is("local on node 2", d.FirstLocal(2, sched.Map, 0), sched.JobID(0))
	d.told(amended("j", "", maps(3, 2), reduces(5)))
	tally := func(s sched.Stage, total, open int32) {
		t.Helper()
		d.is("total", d.Job(1).Stages[s].Total, total)
		d.is("open", d.Job(1).Stages[s].Open, open)
	}
	tally(sched.Map, 3, 3)
	tally(sched.Reduce, 5, 5)
	d.is("local on node 1", d.FirstLocal(1, sched.Map, 0), sched.JobID(0))
	d.is("local on node 2", d.FirstLocal(2, sched.Map, 0), sched.JobID(1))
	d.told(amended("j", "", maps(3, 2), reduces(5)))
	d.is("entries", d.localJobs[2][sched.Map].lines[0].n, 1)
	d.is("open of all jobs", d.Queue(sched.Root).Stages[sched.Map].Open, int32(3))

	it := d.one(start(1, sched.Map, 2, 1))
	d.told(amended("j", "", maps(9), reduces(1)))
	tally(sched.Map, 3, 2)
	tally(sched.Reduce, 1, 1)
	d.told(started(1, it, 1))
	d.told(ended(1, sched.Committed), amended("j", "", maps(9), reduces(4)))
	tally(sched.Map, 3, 2)
	tally(sched.Reduce, 4, 4)
	d.is("deadline", d.Job(1).Deadline, units.Time(77))
	again(d)

	d = late(t)
	d.told(demand(4, 0))
	d.told(amended("j", "", maps(3)))
	d.is("open, bound late, until the next demand", d.Job(1).Stages[sched.Map].Open, int32(4))
	d.told(demand(2, 0))
	d.is("open, bound late", d.Job(1).Stages[sched.Map].Open, int32(2))
	it = d.one(start(1, sched.Map, 1, 2))
	d.told(started(1, it, 0), started(2, it, 0))
	d.told(ended(1, sched.Committed), ended(2, sched.Committed))
	d.told(amended("j", "", maps(1)))
	d.is("no fewer than are done", d.Job(1).Stages[sched.Map].Total, int32(2))
}

// again checks that the book can be saved and loaded where it stands.
func again(d *desk) {
	d.Helper()
	var was, is bytes.Buffer
	other := New(d.can, d.order)
	if err := d.Save(&was); err != nil {
		d.Fatal(err)
	}
	text := was.String()
	if err := other.Load(&was); err != nil {
		d.Fatal(err)
	}
	if err := other.Save(&is); err != nil || is.String() != text {
		d.Errorf("%v\nsaved  %s\nloaded %s", err, text, is.String())
	}
}

// A job is offered to no node that it avoids, and nothing of it is taken there, until it avoids it no more.
func TestAvoidedNode(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 1), nodeUp(2, 1, 2, 1), jobOf(1, "j", maps(2, 1)))
	d.decide(admit(1))
	avoid := func(nodes ...cluster.NodeID) {
		e := amended("j", "", maps(2, 1))
		e.Detail.Job.Avoids = nodes
		d.told(e)
	}
	for _, n := range []sched.NodeID{1, 2} {
		avoid(n)
		d.is("first on the node that is avoided", d.First(n, sched.Map, 0), sched.JobID(0))
		d.is("first with input there", d.FirstLocal(n, sched.Map, 0), sched.JobID(0))
		d.is("first on the other", d.First(3-n, sched.Map, 0), sched.JobID(1))
		d.want(start(1, sched.Map, n, 1), sched.Avoided)
	}
	avoid()
	d.is("first with input there", d.FirstLocal(1, sched.Map, 0), sched.JobID(1))
	d.want(start(1, sched.Map, 1, 1), sched.OK)
	avoid(1)
	d.want(start(1, sched.Map, 2, 1), sched.OK)
	again(d)
}

// What a job takes is counted where it stands, before and behind an amendment of its queue and of its containers.
func TestAmendedQueue(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 99})
	d.told(nodeUp(1, 1, 3, 1), jobOf(1, "j", maps(3), reduces(1)))
	d.decide(admit(1))
	it := d.one(start(1, sched.Map, 1, 1))
	d.told(started(1, it, 1))
	d.one(start(1, sched.Map, 1, 1)) // promised
	d.told(amended("other", "a", maps(3), reduces(1)))
	d.is("id", d.Job(1).Spec.ID, "j")
	a := d.Queue(d.Job(1).Queue)
	d.is("queue", a.Name, "a")
	d.is("occupied", a.Stages[sched.Map].Occupied, int32(2))
	d.is("open", a.Stages[sched.Map].Open, int32(1))
	d.is("used", a.Used, units.Slots(2, 0))
	d.is("runs", a.Runs, int32(1))
	d.is("jobs", a.Jobs, int32(1))
	d.told(amended("j", "x", maps(3), reduces(1)))
	d.is("occupied of the queue it left", a.Stages[sched.Map].Occupied, int32(0))
	d.is("used of the queue it left", a.Used, units.Vector{})
	d.is("runs of the queue it left", a.Runs, int32(0))
	d.is("jobs of the queue it left", a.Jobs, int32(0))
	d.is("active in the queue it left", a.Active[sched.Map], int32(0))
	d.is("used of all", d.Queue(sched.Root).Used, units.Slots(2, 0))
	d.decide(sched.Item{Verb: sched.Hold, Job: 1})
	d.is("runs", d.Queue(sched.Root).Runs, int32(0))
	d.is("discrepancies", kinds(d.told(sched.Event{Kind: sched.JobAmended, Job: 9}), sched.Discrepancy), 1)

	// A stage that has not begun may ask for other containers.
	d = open(t, bound, nil)
	d.told(nodeUp(1, 1, 1, 1), jobOf(1, "j", maps(1)))
	d.decide(admit(1))
	big := maps(1)
	big.Containers = []cluster.Container{{Name: "big", Needs: units.Slots(2, 0)}}
	d.told(amended("j", "", big))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(0))
	d.told(amended("j", "", maps(1)))
	d.is("behind the first", d.First(1, sched.Map, 1), sched.JobID(0))
}

// Containers that a stage has are of the kinds that it named when they were promised. So these stay,
// and others may be added.
func TestAmendedContainers(t *testing.T) {
	sized := func(tasks int, slots ...int) workload.StageSpec {
		st := maps(tasks)
		for _, n := range slots {
			st.Containers = append(st.Containers, cluster.Container{Name: "c", Needs: units.Slots(n, 0)})
		}
		return st
	}
	for name, st := range map[string]workload.StageSpec{"final": maps(4), "growing": growing(maps(4)), "named": sized(4, 1)} {
		d := open(t, sched.Capabilities{Kill: true}, nil)
		d.told(nodeUp(1, 1, 9, 0), jobOf(1, "j", st))
		d.told(demand(4, 0))
		d.decide(admit(1))
		it := d.one(start(1, sched.Map, 1, 2))
		d.told(started(1, it, 0))
		free := func(want int) {
			t.Helper()
			d.is(name+": free", d.Node(1).Free, units.Slots(want, 0))
			again(d)
		}
		free(7)
		for _, bad := range []workload.StageSpec{sized(4, 3), sized(4, 3, 1)} {
			d.is(name+": notes", kinds(d.told(amended("j", "", bad)), sched.Discrepancy), 1)
			free(7)
		}
		d.is(name+": notes", kinds(d.told(amended("j", "", sized(5, 1, 3))), sched.Discrepancy), 0)
		d.is(name+": total", d.Job(1).Stages[sched.Map].Total, int32(5))
		big := started(2, it, 0)
		big.Item, big.Container = 0, 1
		d.told(big)
		free(4)
		d.is(name+": notes", kinds(d.told(amended("j", "", sized(5, 1))), sched.Discrepancy), 1)
		d.told(ended(2, sched.Committed))
		free(7)
		d.told(ended(1, sched.Committed), sched.Event{Kind: sched.Refused, Item: it.ID})
		free(9)
	}
}

// A virtual deadline stands beside the job's own: orders read it where there is one, an amendment
// of the job's own leaves it, and a policy can take it back. Only a resync voids it, as it does all
// that was decided.
func TestVirtualDeadline(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 99})
	first, second := jobOf(1, "j", maps(2)), jobOf(2, "k", maps(2))
	first.Detail.Job.Deadline, second.Detail.Job.Deadline = 900, 800
	d.told(nodeUp(1, 1, 2, 1), first, second)
	d.decide(admit(1), admit(2))
	d.is("first by their own deadlines", d.First(1, sched.Map, 0), sched.JobID(2))
	set := func(at units.Time) sched.Item { return sched.Item{Verb: sched.SetDeadline, Job: 1, At: at} }
	d.want(set(500), sched.OK)
	d.is("first by the virtual one", d.First(1, sched.Map, 0), sched.JobID(1))
	d.is("its own deadline", d.Job(1).Deadline, units.Time(900))
	amend := amended("j", "", maps(2))
	amend.Detail.Job.Deadline = 950
	d.told(amend)
	d.is("its own deadline, amended", d.Job(1).Deadline, units.Time(950))
	d.is("first after an amendment", d.First(1, sched.Map, 0), sched.JobID(1))
	again(d)
	d.want(set(-1), sched.BadItem)
	amend = amended("j", "", maps(2))
	amend.Detail.Job.Deadline, amend.Detail.Job.Virtual = 950, 700
	d.told(amend)
	d.is("the virtual one, amended", d.Job(1).Virtual, units.Time(700))
	d.told(amend)
	d.want(set(500), sched.OK)
	d.told(amend)
	d.is("the virtual one, amended to what it was", d.Job(1).Virtual, units.Time(500))
	d.want(set(0), sched.OK)
	d.is("first when it was taken back", d.First(1, sched.Map, 0), sched.JobID(2))
	d.want(set(500), sched.OK)
	d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 2, 1), first, second)
	d.decide(admit(1), admit(2))
	d.is("first after a resync", d.First(1, sched.Map, 0), sched.JobID(2))
}

// A question about a job is asked with the record that the book opens when it comes.
func TestAskedIsWhatTheBookOpens(t *testing.T) {
	d := open(t, bound, testOrder{ceiling: 99})
	d.told(nodeUp(1, 1, 2, 1), jobOf(1, "j", maps(2)))
	comes := jobOf(2, "k", maps(3))
	comes.Detail.Job.Deadline, comes.Detail.Job.Virtual = 900, 77
	asked := *sched.Asked(sched.At(d.Ledger, d.Now()+1), comes.Detail.Job)
	d.told(comes)
	asked.Seq, asked.Queue = d.Job(2).Seq, d.Job(2).Queue
	d.is("asked", asked, *d.Job(2))
}
