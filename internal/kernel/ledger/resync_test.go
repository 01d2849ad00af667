package ledger

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// old says that an event holds for so long already.
func old(age units.Duration, e sched.Event) sched.Event {
	e.Age = age
	return e
}

// A resync tells old facts as old: jobs stand by when they arrived, attempts by when they started,
// whatever order they are told in.
func TestFactsKeepTheirTime(t *testing.T) {
	for _, can := range []sched.Capabilities{{Kill: true}, bound} {
		d := open(t, can, nil)
		d.at = 400 // told is at 401
		young, elder := jobOf(1, "young", maps(3)), jobOf(2, "elder", maps(4))
		elder.Detail.Job.Stages[0].Done = []int32{1, 3}
		run := func(a sched.AttemptID, task sched.TaskID) sched.Event {
			e := sched.Event{Kind: sched.Started, Attempt: a, Job: 2, Stage: sched.Map, Node: 1}
			if can.Bind {
				e.Task = task
			}
			return e
		}
		got := d.told(sched.Event{Kind: sched.Resync}, old(300, nodeUp(1, 1, 9, 1)), old(100, run(1, 2)), old(398, run(2, 4)),
			old(301, young), old(401, elder))
		d.is("discrepancies", kinds(got, sched.Discrepancy), 0)
		d.is("arrived", d.Job(1).Arrived, units.Time(100))
		d.is("arrived, elder", d.Job(2).Arrived, units.Time(0))
		d.is("elder first", d.Job(2).Seq < d.Job(1).Seq, true)
		d.is("started", d.Attempt(1).Started, units.Time(301))
		d.is("started, elder", d.Attempt(2).Started, units.Time(3))
		d.is("the job's start", d.Job(2).Started, units.Time(3))
		d.is("youngest", d.Youngest(2, sched.Map, 0), sched.AttemptID(1))
		d.is("second youngest", d.Youngest(2, sched.Map, 1), sched.AttemptID(2))
		d.is("oldest", d.Youngest(2, sched.Map, 2), sched.AttemptID(0))
		d.is("done", d.Job(2).Stages[sched.Map].Done, int32(2))
		d.is("idle since", d.Node(1).Since, units.Time(101))
		again(d)

		// An old attempt that is told of late, without a resync, takes its place among the others.
		d.told(old(200, run(3, 1)))
		var line []sched.AttemptID
		for a := d.Youngest(2, sched.Map, 0); a != 0; a = d.Youngest(2, sched.Map, a) {
			line = append(line, a)
		}
		if !slices.Equal(line, []sched.AttemptID{1, 3, 2}) {
			t.Errorf("from the youngest: %v", line)
		}
		again(d)

		// What nobody can know counts as of now.
		got = d.told(old(-5, jobOf(3, "future", maps(1))))
		d.is("arrived in the future", d.Job(3).Arrived, d.at)
		d.is("discrepancies", kinds(got, sched.Discrepancy), 1)
	}
}

// A node has been idle since the last of its attempts ended, whatever order their ends are told in, and
// however late.
func TestLateToldEnds(t *testing.T) {
	end := func(a sched.AttemptID) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed}
	}
	for _, ends := range [][]sched.Event{{old(30, end(1)), old(20, end(2))}, {old(20, end(2)), old(30, end(1))}} {
		d := open(t, bound, nil)
		d.told(nodeUp(1, 1, 9, 1), nodeUp(2, 1, 9, 1), jobOf(1, "a", maps(3)))
		for a := sched.AttemptID(1); a <= 3; a++ {
			d.told(sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: sched.Map, Task: sched.TaskID(a), Node: 1 + sched.NodeID(a)/3})
		}
		d.at = 100
		d.told(append(ends, end(3))...)
		d.is("idle since", d.Node(1).Since, units.Time(81))
		d.is("idle since, told at once", d.Node(2).Since, units.Time(101))
	}
	// The node came up after what ended on its earlier life.
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "a", maps(3)))
	d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Task: 1, Node: 1})
	d.at = 100
	d.told(old(50, nodeUp(1, 1, 9, 1)), old(70, end(1)))
	d.is("up since", d.Node(1).Since, units.Time(51))
}

// What was refused and not yet told is void too: its handles may be others' by then.
func TestRefusalsAreVoid(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "a", maps(3)))
	d.want(start(1, sched.Map, 1, 1), sched.NotAdmitted)
	d.is("waiting", d.Refuses(), true)
	d.is("refusals", kinds(d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 9, 1), jobOf(1, "b", maps(3))), sched.Refused), 0)
	d.is("refusals later", kinds(d.told(), sched.Refused), 0)
}

// Without an order jobs stand by arrival, also one that is told of late.
func TestLateToldArrival(t *testing.T) {
	d := open(t, bound, nil)
	d.at = 10
	d.told(nodeUp(1, 1, 9, 1), jobOf(1, "a", maps(1)))
	d.told(old(9, jobOf(2, "b", maps(1))))
	d.decide(admit(1), admit(2))
	d.is("first", d.First(1, sched.Map, 0), sched.JobID(2))
}

// When a job began is a fact that a world cannot tell again once its first attempt has ended: the book
// remembers it across a resync, of the same job.
func TestJobsKeepTheirStart(t *testing.T) {
	for _, can := range []sched.Capabilities{{Kill: true}, bound} {
		d := open(t, can, nil)
		run := func(a sched.AttemptID) sched.Event {
			e := sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: sched.Map, Node: 1}
			if can.Bind {
				e.Task = sched.TaskID(a)
			}
			return e
		}
		d.told(nodeUp(1, 1, 9, 1), jobOf(1, "j", maps(4)), jobOf(2, "idle", maps(1)))
		d.at = 10
		d.told(run(1), run(2))
		d.at = 20
		d.told(ended(1, sched.Committed))
		d.at = 100
		d.told(sched.Event{Kind: sched.Resync}, old(99, nodeUp(1, 1, 9, 1)), old(100, jobOf(3, "j", maps(4))), old(100, jobOf(1, "idle", maps(1))),
			old(50, func() sched.Event { e := run(2); e.Job = 3; return e }()))
		d.is("start", d.Job(3).Started, units.Time(11))
		d.is("start of what has not begun", d.Job(1).Started, units.Never)
		again(d)
		d.at = 200
		d.told(sched.Event{Kind: sched.Resync}, old(99, nodeUp(1, 1, 9, 1)), old(200, jobOf(1, "j", maps(4))))
		d.is("start, though nothing runs", d.Job(1).Started, units.Time(11))
		d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 9, 1), old(100, jobOf(1, "j", maps(4))))
		d.is("start of another job of that name", d.Job(1).Started, units.Never)
		d.told(run(3))
		d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 9, 1))
		d.told(old(202, jobOf(1, "j", maps(4))))
		d.is("start of one that was gone", d.Job(1).Started, units.Never)
	}
}
