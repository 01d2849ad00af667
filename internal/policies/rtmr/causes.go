package rtmr

import (
	"fmt"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// What the scheme says, besides what all say who test deadlines (package estimate).
var (
	// Estimated lets a job in by what a sample of its maps took.
	Estimated = &sched.Cause{Name: "estimated", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("is expected to finish by %s, deadline at %s: an estimate from a sample of %s, not a worst case", r.Time(int64(r.Outlook.By)), r.Time(r.A), r.Count(int64(r.Outlook.Measured), "map", "maps"))
		}}
	// Late refuses a job that would be late by what is promised to others. The evidence says who
	// holds slots until then.
	Late = &sched.Cause{Name: "deadline", Numbers: []string{"its deadline", "its expected finish", "the stage in which it waits for slots"}, Example: [3]int64{90e9, 120e9, int64(sched.Map)},
		Say: func(r *sched.Said) string { return estimate.LateBy(r, r.B, r.A) + estimate.Holders(r, r.C, "") }}
	// BreaksPromise refuses a job for the sake of another one.
	BreaksPromise = &sched.Cause{Name: "breaks-promise", Numbers: []string{"the deadline of that job", "its finish then"}, Example: [3]int64{90e9, 120e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("would make %s miss its promised deadline: that %s", r.JobName(r.Job), estimate.LateBy(r, r.B, r.A))
		}}
)
