package rtmr

import (
	"testing"

	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
)

// A task without a promise that goes on while its node is out of service, and when it is back,
// stands in the schedule where it is lent again: behind a job that has started meanwhile. Its real
// end must not stand for that of the job.
func TestLentAgain(t *testing.T) {
	s := stream{Nodes: 2, Maps: 2, Reduces: 1, Steps: []sim.SizeStep{{At: 4 * second}, {At: 5 * second, Nodes: 1}}, Jobs: []streamJob{
		{Maps: []int{1, 1, 1, 1, 1}, Map: 1, Reduces: []int{3, 1, 1, 1}, Reduce: 3, Known: true, SlowStart: 1},
		{Arrive: 3, Within: 4, Map: 1, Reduces: []int{1, 1, 1}, Reduce: 2, Known: true, SlowStart: 1},
		{Arrive: 5, Within: 1, Map: 1, Reduces: []int{1}, Reduce: 1, Known: true, SlowStart: 1},
	}}
	patient := usual
	patient.FIFO, patient.Preempt = true, false
	if k, err := s.play(patient, nil); err != nil || k.broken > 0 || k.promises != 1 || k.refusals != 1 {
		t.Errorf("%d promises, %d refusals, %v; %v", k.promises, k.refusals, k.says, err)
	}
}

// A task that runs by a start which a resync made void holds its slot like any other: of 10 s that it
// takes 9 are left, so there is no slot in time for a job that is due in 14.
func TestLeaseOfAVoidStart(t *testing.T) {
	patient := usual
	patient.Preempt = false
	d := newDesk(t, patient)
	told := append(opening(forever(claims("be", 1, 0))), beat1)
	first := d.starts(0, told...)
	again := d.starts(1, append([]sched.Event{{Kind: sched.Resync}}, told...)...) // which knows of no start
	if len(first) != 1 || len(again) != 1 {
		t.Fatalf("%d and %d starts", len(first), len(again))
	}
	d.starts(1, startOf(first[0]), stale(again[0]))
	d.starts(2, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: claims("b", 1, 16)}})
	for _, it := range d.plan.Items {
		if it.Verb == sched.Admit {
			t.Errorf("a promise: %v", it.Reason.Cause.Name)
		}
	}
}

// Slots that were released and lent again, as when a sample was judged, are those of tasks that run: no
// lease ends as if its task had not begun.
func TestLentAfterRelease(t *testing.T) {
	patient := usual
	patient.Preempt = false
	d := newDesk(t, patient)
	first := d.starts(0, append(opening(forever(claims("be", 1, 0))), beat1)...)
	d.starts(1, startOf(first[0]))
	d.s.giveBack(d.book, nil)
	r := d.s.of(1)
	if len(r.Leases) != 1 || r.Leases[0].Seen != 1 {
		t.Fatalf("leases %v", r.Leases)
	}
	d.s.release(second, r)
	d.s.leaseRunning(d.book, d.book.Job(1))
	d.s.giveBack(d.book, nil)
	if len(r.Leases) != 1 || r.Leases[0].Seen != 1 {
		t.Errorf("lent again: leases %v", r.Leases)
	}
}
