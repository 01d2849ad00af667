package report

import (
	"testing"

	"github.com/slackline/slackline/sched"
)

// The table of all facts, by hand.
func TestOutcome(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		facts Facts
		want  Outcome
	}{
		{Facts{}, Unfinished},
		{Facts{Promised: true}, Unfinished},
		{Facts{Real: true}, Interrupted},
		{Facts{Real: true, Promised: true}, Interrupted},
		{Facts{Refused: true}, Refused},
		{Facts{Refused: true, Real: true}, Refused},
		{Facts{Refused: true, End: sched.Killed}, Refused},
		{Facts{End: sched.Committed}, Done},
		{Facts{End: sched.Committed, InTime: &yes}, Met},
		{Facts{End: sched.Committed, InTime: &no}, Late},
		{Facts{End: sched.Committed, InTime: &yes, Promised: true}, Kept},
		{Facts{End: sched.Committed, InTime: &no, Promised: true, Real: true}, Broken},
		{Facts{End: sched.Failed, Promised: true}, Failed},
		{Facts{End: sched.Killed}, Killed},
		{Facts{End: sched.Lost}, Killed},
	} {
		if got := c.facts.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.facts, got, c.want)
		}
	}
}

// Each job counts once, and a deadline counts whatever became of its job: who refuses gains nothing.
func TestTally(t *testing.T) {
	due, before, after, work := 100.0, 90.0, 110.0, 7.0
	r := &Run{}
	for i, o := range Outcomes {
		j := Job{Outcome: o, Deadline: &due, SoftDeadline: &before, TaskTime: &work, Admitted: o != Refused}
		switch {
		case o == Done:
			j.Deadline, j.Finished = nil, &after
		case o.InTime():
			j.Finished = &before
		case o.Finished():
			j.Finished = &after
		}
		for range i + 1 {
			r.Jobs = append(r.Jobs, j)
		}
	}
	r.Tally()
	r.Tally() // counts again
	s := &r.Summary
	if s.Refused != 1 || s.Kept != 2 || s.Broken != 3 || s.Met != 4 || s.Late != 5 || s.Done != 6 || s.Failed != 7 || s.Killed != 8 || s.Interrupted != 9 || s.Unfinished != 10 {
		t.Errorf("%+v", s)
	}
	if s.Jobs != 55 || s.Admitted != 54 || s.Deadlines != 49 || s.InTime != 6 || s.Finished() != 20 || s.SoftDeadlines != 55 || s.SoftInTime != 6 {
		t.Errorf("%+v", s)
	}
	if *s.DeadlineWork != 49*7 || *s.WorkInTime != 6*7 {
		t.Errorf("work: %v of %v", *s.WorkInTime, *s.DeadlineWork)
	}
	r.Jobs[0].TaskTime = nil
	if r.Tally(); s.DeadlineWork != nil || s.WorkInTime != nil {
		t.Error("of one job nobody knows the work, and the sum is told")
	}
	// Of a job that had finished before nobody knows whether that was in time.
	r.Jobs = []Job{{Outcome: Done, Before: true, Deadline: &due, Finished: &before}, {Outcome: Late, Before: true, Deadline: &due, Finished: &before}}
	if r.Tally(); s.Deadlines != 1 || s.InTime != 0 || s.Done != 1 || s.Late != 1 {
		t.Errorf("%+v", s)
	}
}

// Promises given and promises kept are counted over the same jobs, those that had finished before
// an interruption among them where it is known what became of them; nobody can keep more than was
// given.
func TestPromisesAcrossAnInterruption(t *testing.T) {
	by := 100.0
	r := &Run{Jobs: []Job{
		{Outcome: Kept, Before: true, Deadline: &by},                // as the store knows it
		{Outcome: Broken, Before: true, Deadline: &by},              // so too
		{Outcome: Done, Before: true, Promised: &by, Deadline: &by}, // nobody knows when it finished
		{Outcome: Met, Before: true, Deadline: &by},                 // was not promised
		{Outcome: Kept, Promised: &by, Deadline: &by},
		{Outcome: Broken, Promised: &by, Deadline: &by},
		{Outcome: Failed, Promised: &by, Deadline: &by},  // a promise too
		{Outcome: Refused, Promised: &by, Deadline: &by}, // taken back before anything ran
	}}
	r.Tally()
	if s := &r.Summary; s.Promised != 5 || s.Kept != 2 || s.Broken != 2 {
		t.Errorf("%d promises, %d kept, %d broken", s.Promised, s.Kept, s.Broken)
	}
	for i := range metrics {
		if m := &metrics[i]; m.name == kept {
			if f, has := m.of(&pair{a: r, b: r}); !has || f.x != 2.0/5 {
				t.Errorf("the metric says %v, the table 2 of 5", f.x)
			}
		}
	}
}
