package rtmr

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ends is the second in which a job is done by the schedule.
func (d *desk) ends(second int, j sched.JobID) units.Time {
	_, at, _ := d.s.plan.Estimate(units.Time(second)*1e9, j)
	return at / 1e9
}

// A job whose first task the world does not start keeps its place, and all its tasks are still to run. So
// there is no promise for c, which a would break. While the scheduler watches, a has not started at all.
func TestRefusedStartIsNoStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  []sched.Event // before the jobs
		answer func(told []sched.Event, start sched.Item) []sched.Event
		ends   int64 // when c, which comes at 15 s and takes 10, is done by the schedule; 0 = too late
		starts sched.JobID
	}{
		{"started", nil, func(_ []sched.Event, it sched.Item) []sched.Event { return []sched.Event{policytest.StartOf(it)} }, 30, 0},
		{"stale", nil, func(_ []sched.Event, it sched.Item) []sched.Event { return []sched.Event{policytest.Stale(it)} }, 0, 1},
		{"void", nil, func(told []sched.Event, _ sched.Item) []sched.Event {
			return append([]sched.Event{{Kind: sched.Resync}}, told...) // which knows of no start
		}, 0, 1},
		{"watched", policytest.Watch, func([]sched.Event, sched.Item) []sched.Event { return nil }, 25, 3},
	} {
		d := newDesk(t, usual)
		told := policytest.Opening(policytest.Claims("a", 2, 200))
		first := d.Starts(0, append(append(c.first, told...), beat1)...)
		if len(first) != 1 || first[0].Job != 1 {
			t.Fatalf("%s: %+v", c.name, first)
		}
		d.Starts(1, c.answer(told, first[0])...)
		asked := d.Policy.Ask(d.Book, 15e9, policytest.Claims("c", 1, 31)) // nothing is decided in between
		d.Starts(15, sched.Event{Kind: sched.JobArrived, Job: 3, Detail: &sched.Detail{Job: policytest.Claims("c", 1, 31)}})
		ends := int64(0)
		for _, it := range d.Plan.Items {
			switch {
			case it.Verb == sched.Admit && it.Job == 3:
				ends = int64(it.Outlook.By / 1e9)
			case it.Verb == sched.Rank:
				t.Errorf("%s: job %d is ranked again", c.name, it.Job)
			}
		}
		if ends != c.ends || int64(asked.Outlook.By/1e9) != c.ends {
			t.Errorf("%s: c is told %d s, and %v when asked before; want %d", c.name, ends, asked.Outlook.By, c.ends)
		}
		next := sched.JobID(0)
		for _, it := range d.Starts(16, beat1) {
			next = it.Job
		}
		if next != c.starts {
			t.Errorf("%s: a slot goes to job %d, want %d", c.name, next, c.starts)
		}
	}
}

// A job whose first start was refused stays before those that started behind it.
func TestRefusedStartKeepsItsPlace(t *testing.T) {
	for _, void := range []bool{false, true} {
		d := newDesk(t, usual)
		told := policytest.Opening(policytest.Claims("a", 1, 15), policytest.Claims("b", 8, 300))
		told[0].Detail.Node.Class.Capacity = units.Slots(2, 1)
		first := d.Starts(0, append(told, beat1)...)
		if len(first) != 2 || first[0].Job != 1 || first[1].Job != 2 {
			t.Fatalf("%+v", first)
		}
		answer := []sched.Event{policytest.Stale(first[0]), policytest.StartOf(first[1])}
		if void {
			answer = append(append([]sched.Event{{Kind: sched.Resync}}, told...), policytest.StartOf(first[1]))
			answer[len(answer)-1].Age = units.Second
		}
		d.Starts(1, answer...)
		if again := d.Starts(1, beat1); len(again) == 0 || again[0].Job != 1 || d.ends(1, 1) != 11 {
			t.Errorf("void %v: the free slot goes to %+v, and a ends at %d s", void, again, d.ends(1, 1))
		}
	}
}

// So does one without maps that the start of a job behind it has put among those that have started.
func TestRefusedStartOfOneAhead(t *testing.T) {
	d := newDesk(t, usual)
	k, j := policytest.Claims("k", 1, 16), policytest.Claims("j", 1, 300)
	k.Stages[0].Kind = workload.Reduce
	j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)})
	told := policytest.Opening(k, j)
	told[1].Detail.Profile.At(workload.Reduce, "n").Task.Add(10)
	var answer []sched.Event
	for _, it := range d.Starts(0, append(told, beat1)...) {
		if it.Job == 1 {
			answer = append(answer, policytest.Stale(it))
		} else {
			answer = append(answer, policytest.StartOf(it))
		}
	}
	d.Starts(1, answer...)
	if again := d.Starts(1, beat1); len(answer) != 2 || len(again) != 1 || again[0].Job != 1 {
		t.Errorf("%d starts; on the free slot starts %+v", len(answer), again)
	}
}

// That an ApplicationMaster runs, outside of the slots, does not start its job.
func TestRefusedStartBehindAMaster(t *testing.T) {
	for _, first := range [][]sched.Event{nil, policytest.Watch} {
		d := newDesk(t, usual)
		told := cluster2(withMaster("a", 2, 200, 1))
		told = append(told[:1], told[2:]...) // one node
		d.Starts(0, append(append(first, told...), beat1)...)
		if first == nil {
			d.Starts(1, d.began(1, 1, 1))
		} else {
			d.Starts(1, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Task: 1, Node: 1, Locality: sched.Anywhere})
		}
		d.Starts(3, mapsReady)
		var answer []sched.Event
		for _, it := range d.Starts(3, beat1) {
			if first == nil {
				answer = append(answer, policytest.Stale(it))
			}
		}
		d.Starts(4, answer...)
		d.Starts(20)
		if at := d.ends(20, 1); at < 30 {
			t.Errorf("watched %v: none of two maps has started, and the job ends at %d s", first != nil, at)
		}
	}
}

// While the scheduler watches, a job starts when the stock scheduler starts it.
func TestStockStartsWhileWatching(t *testing.T) {
	for _, promised := range []bool{false, true} { // before it watched
		d := newDesk(t, usual)
		told := policytest.Opening(policytest.Claims("a", 1, 200))
		if promised {
			d.Starts(0, told...)
		}
		d.Starts(0, append(slices.Clone(policytest.Watch), told...)...)
		d.Starts(1, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Task: 1, Node: 1, Locality: sched.Anywhere})
		d.Starts(8, beat1)
		if at := d.ends(8, 1); at != 11 {
			t.Errorf("promised before: %v: its only map runs since 1 s, and the job ends at %d s", promised, at)
		}
	}
}
