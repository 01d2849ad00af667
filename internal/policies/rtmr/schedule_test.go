package rtmr

import (
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

const second = units.Time(units.Second)

// TestNotOvertaken is the golden case of lines 552 to 554 and 604 to 606: one slot of each kind,
// and a short job that would fit only before the one that has started.
func TestNotOvertaken(t *testing.T) {
	s := NewSchedule(1, 1)
	long := Claim{Job: 1, Seq: 1, Deadline: 1000 * second, Maps: 1, Reduces: 1, Map: 100 * units.Second, Reduce: units.Second}
	short := Claim{Job: 2, Seq: 2, Arrived: second, Deadline: 20 * second, Maps: 1, Reduces: 1, Map: 10 * units.Second, Reduce: units.Second}
	if v := s.Test(0, long); !v.OK || v.MapsEnd != 100*second || v.Finish != 101*second {
		t.Fatalf("the first job: %+v", v)
	}
	s.Admit(0, long)
	if v := s.Test(0, short); !v.OK || v.Finish != 11*second {
		t.Errorf("before the other has started: %+v", v)
	}
	s.Start(0, 1)
	v := s.Test(second, short)
	if want := (Hold{Job: 1, Stage: 1, Slots: 1, Until: 100 * second}); v.OK || v.Late != 0 || v.Finish != 111*second || v.Hold != want {
		t.Errorf("after it has started: %+v", v)
	}
	if d := s.Offer(second, short); d != 111*second {
		t.Errorf("the earliest deadline is %v", d)
	}
}

// Without feedback a job that has finished keeps its slots in the chain, and its handle may be
// another job's: even that of the one that asks. It is named no more.
func TestDeadHandle(t *testing.T) {
	s := NewSchedule(1, 0)
	s.Admit(0, Claim{Job: 1, Seq: 1, Deadline: 100, Maps: 1, Map: 10})
	s.Start(0, 1)
	s.Admit(0, Claim{Job: 2, Seq: 2, Deadline: 100, Maps: 1, Map: 20})
	s.Start(0, 2)
	s.Finish(5, 2, []units.Time{5}, nil, 1, false)
	v := s.Test(6, Claim{Job: 2, Seq: 3, Arrived: 6, Deadline: 7, Maps: 1, Map: 1})
	if want := (Hold{Stage: sched.Map, Slots: 1, Until: 30}); v.OK || v.Hold != want {
		t.Errorf("%+v, want %+v", v.Hold, want)
	}
}
