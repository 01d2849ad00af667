package experiment

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/rds"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A job of ten maps by hand. At 0 it is given three slots, which hold from 2 s on: one start before that does not
// count, the next two wait 1 s and 4 s; a fourth start is on a slot that it had. At 600 s, with two maps
// running, it is given three again: no more. At 1,200 s it is given four, and has one: its start waits 6 s.
func TestActivation(t *testing.T) {
	spec := &workload.Job{ID: "a", Stages: []workload.StageSpec{{Kind: sched.Map, Tasks: make([]workload.Task, 10)}}}
	job := &follow.Job{Spec: spec}
	w := newWatch()
	at := func(s float64) units.Time { return units.Time(s * 1e9) }
	begins := func(when float64) {
		a := &follow.Attempt{Job: job, Began: at(when), Stage: sched.Map}
		_ = w.Batch(at(when), []follow.Record{{At: at(when), Event: &sched.Event{Kind: sched.Started}, Attempt: a, Job: job}})
	}
	ends := func(began, when float64) {
		a := &follow.Attempt{Job: job, Began: at(began), Stage: sched.Map}
		e := &sched.Event{Kind: sched.Ended, Outcome: sched.Committed}
		_ = w.Batch(at(when), []follow.Record{{At: at(when), Event: e, Attempt: a, Job: job}})
	}
	gives := func(when, holds float64, n int32, expects int64) {
		it := &sched.Item{Verb: sched.SetSlots, Stage: sched.Map, Count: n, At: at(holds), Reason: sched.Because(rds.PlannedSlots, 0, 0, expects)}
		_ = w.Plan(at(when), []follow.Decision{{Item: it, Job: job}})
	}
	gives(0, 2, 3, 300000) // three tenths of the job are expected
	begins(1)
	begins(3)
	begins(6)
	ends(1, 101)
	begins(101) // all three had begun
	ends(3, 103)
	ends(6, 106)
	begins(110)
	gives(600, 601, 3, 200000)
	begins(602)
	ends(101, 620)
	ends(110, 621)
	ends(602, 702)
	gives(1200, 1201, 4, 100000)
	begins(1207)
	s := &w.jobs["a"].stages[0]
	if s.waits != 3 || s.waited != 11*units.Second {
		t.Errorf("%d starts waited %v", s.waits, s.waited)
	}

	// Three of ten maps were done in the first interval, and three in the next: three tenths and two were expected.
	o := &Outcome{Jobs: []Job{*w.jobs["a"]}}
	want := math.Sqrt((0+0.1*0.1)/2) / 0.3
	if got := modelError("", false).Of(o); math.Abs(got-want) > 1e-9 {
		t.Errorf("the error is %v, want %v", got, want)
	}
}
