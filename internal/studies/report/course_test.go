package report

import (
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A finished job teaches how its maps and reduces got on since it came. Slots of attempts that were killed count, and
// those of reduces from the end of the last map on. Who only tells policies while jobs run learns none of it.
func TestCoursesOfJobs(t *testing.T) {
	learned := func(l *Learner) {
		spec := &workload.Job{ID: "j", Class: "c", Stages: []workload.StageSpec{{Kind: sched.Map, Tasks: make([]workload.Task, 2)}, {Kind: sched.Reduce, Tasks: make([]workload.Task, 1)}}}
		job := &follow.Job{Spec: spec, Ended: units.Never}
		records := []follow.Record{{Event: &sched.Event{Kind: sched.JobArrived}, At: 100e9, Job: job}}
		for _, a := range []struct {
			stage        sched.Stage
			began, ended units.Time
			outcome      sched.Outcome
		}{{sched.Map, 100e9, 110e9, sched.Committed}, {sched.Map, 105e9, 108e9, sched.Killed}, {sched.Map, 108e9, 120e9, sched.Committed}, {sched.Reduce, 112e9, 130e9, sched.Committed}} {
			records = append(records, follow.Record{Event: &sched.Event{Kind: sched.Ended, Outcome: a.outcome}, At: a.ended, Job: job,
				Attempt: &follow.Attempt{Job: job, Stage: a.stage, Began: a.began}})
		}
		records = append(records, follow.Record{Event: &sched.Event{Kind: sched.JobEnded, Outcome: sched.Committed}, At: 130e9, Job: job})
		if err := l.Batch(130e9, records); err != nil {
			t.Fatal(err)
		}
	}
	l := NewLearner()
	learned(l)
	courses := l.Of("c").Courses
	if len(courses) != 2 || courses[0].Stage != sched.Map || courses[0].Tasks != 2 || courses[1].Stage != sched.Reduce || courses[1].Tasks != 1 {
		t.Fatalf("courses are %+v", courses)
	}
	for i, want := range [][2]float64{{2, 25}, {1, 10}} {
		if done, used := courses[i].Until(40); done != want[0] || used != want[1] {
			t.Errorf("%v: %v tasks in %v s of slots, want %v", courses[i].Stage, done, used, want)
		}
	}
	l = NewLearner()
	l.TellsPolicies()
	if learned(l); len(l.Of("c").Courses) != 0 {
		t.Errorf("policies are told of %+v", l.Of("c").Courses)
	}
}
