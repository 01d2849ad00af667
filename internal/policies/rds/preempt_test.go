package rds

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// watched is a view with attempts, from the oldest on.
type watched struct {
	sched.View
	attempts []sched.Attempt
}

func (w watched) Attempt(a sched.AttemptID) *sched.Attempt { return &w.attempts[a-1] }

func (w watched) Youngest(j sched.JobID, _ sched.Stage, after sched.AttemptID) sched.AttemptID {
	if after == 0 {
		after = sched.AttemptID(len(w.attempts) + 1)
	}
	for after--; after > 0; after-- {
		if w.attempts[after-1].Job == j {
			return after
		}
	}
	return 0
}

// By hand: of four slots two jobs hold some, with maps of 600 s that began 400, 300, 200 and 100 s ago. A third one
// lacks slots that the plan has given to it. The youngest end of who is farthest above its bound, as many as lack.
func TestPreempt(t *testing.T) {
	for name, c := range map[string]struct {
		of      [4]sched.JobID // 0 = the slot is free
		limits  [2]int32
		limit   int32 // of the third job, and
		plan    int64 // what the plan gives to it, the rest is what that leaves
		preempt units.Duration
		dying   int
		due     units.Time
		ends    []sched.AttemptID
	}{
		"two are missing":                 {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 2, plan: 2000, preempt: 180, ends: []sched.AttemptID{4, 3}},
		"no more than are above":          {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{3, 0}, limit: 2, plan: 2000, preempt: 180, ends: []sched.AttemptID{4}},
		"400 s to run are not more":       {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 2, plan: 2000, preempt: 400, ends: []sched.AttemptID{4}},
		"one ends already":                {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 2, plan: 2000, preempt: 180, dying: 4, ends: []sched.AttemptID{3}},
		"what ends already is enough":     {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 1, plan: 1000, preempt: 180, dying: 4},
		"one slot is free":                {of: [4]sched.JobID{0, 1, 1, 1}, limits: [2]int32{1, 0}, limit: 2, plan: 2000, preempt: 180, ends: []sched.AttemptID{4}},
		"one is not of the plan":          {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 2, plan: 1000, preempt: 180, ends: []sched.AttemptID{4}},
		"of who is farthest above":        {of: [4]sched.JobID{1, 1, 2, 2}, limits: [2]int32{0, 1}, limit: 1, plan: 1000, preempt: 180, ends: []sched.AttemptID{2}},
		"the rest of who is next":         {of: [4]sched.JobID{1, 1, 2, 2}, limits: [2]int32{0, 1}, limit: 3, plan: 3000, preempt: 180, ends: []sched.AttemptID{2, 1, 4}},
		"nobody is above":                 {of: [4]sched.JobID{1, 1, 2, 2}, limits: [2]int32{2, 2}, limit: 1, plan: 1000, preempt: 180},
		"not while the solver is at work": {of: [4]sched.JobID{1, 1, 1, 1}, limits: [2]int32{2, 0}, limit: 2, plan: 2000, preempt: 180, due: 900e9},
	} {
		d := newDesk(t, settings{hard: 200, forgetting: 0.98, preempt: c.preempt * units.Second})
		for _, class := range []string{"a", "b", "c"} {
			d.comesWith(class, 4, 0, nil).State = sched.Admitted
		}
		d.at(800, sched.Event{Kind: sched.Tick})
		view := watched{View: d.book}
		for i, limit := range append(slices.Clone(c.limits[:]), c.limit) {
			job := d.book.Job(sched.JobID(i + 1))
			d.c.class(d.book, job).Stages[0].Mean = 600
			tally := &job.Stages[sched.Map]
			tally.Limit, tally.Occupied, tally.Ready = limit, 0, true
			m := d.c.find(job.ID)
			m.Plan, m.Fast = [2]int64{}, false
		}
		d.c.find(3).Plan[0] = c.plan
		for i, j := range c.of {
			view.attempts = append(view.attempts, sched.Attempt{Job: j, Started: units.Time(400+100*i) * 1e9, Dying: c.dying == i+1})
			if j > 0 {
				d.book.Job(j).Stages[sched.Map].Occupied++
			}
		}
		d.c.adjusted, d.c.Due = true, c.due
		var p sched.Plan
		Preempt{d.c}.Decide(view, nil, &p)
		var ends []sched.AttemptID
		for _, it := range p.Items {
			ends = append(ends, it.Attempt)
			if it.Verb != sched.Kill || it.Outcome != sched.Preempted || it.Job != c.of[it.Attempt-1] {
				t.Errorf("%s: %+v", name, it)
			}
		}
		if !slices.Equal(ends, c.ends) {
			t.Errorf("%s: %v end, want %v", name, ends, c.ends)
		}
	}
}
