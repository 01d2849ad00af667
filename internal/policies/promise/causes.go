package promise

import (
	"fmt"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// with is the confidence that a job is told.
func with(r *sched.Said) string {
	if r.Outlook.Confidence == 0 {
		return ""
	}
	return " with " + estimate.Sure(&r.Outlook)
}

// pace says what makes a job later, or sooner.
func pace(later int64) string {
	if later > 0 {
		return "slower"
	}
	return "faster"
}

// moved is a cause for which a promise is expected to be kept sooner or later than was last told.
func moved(name, number string, why func(*sched.Said) string) *sched.Cause {
	c := &sched.Cause{Name: name, Numbers: []string{"how much later half of all such jobs are done than was last told"}, Example: [3]int64{12e9}}
	if number != "" {
		c.Numbers, c.Example[1] = append(c.Numbers, number), -4
	}
	c.Say = func(r *sched.Said) string {
		said := "now " + estimate.Done(r)
		if r.A > 0 {
			return said + ", " + r.Time(r.A) + " later: " + why(r)
		}
		return said + ", " + r.Time(-r.A) + " sooner: " + why(r)
	}
	return c
}

// What the policy says, besides what all say who test deadlines (package estimate).
var (
	// Unlikely refuses a job that would miss its deadline too often.
	Unlikely = &sched.Cause{Name: "unlikely", Numbers: []string{"its deadline", "when it would be done with its confidence", "the risk to miss its deadline, in millionths"}, Example: [3]int64{90e9, 120e9, 170e3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("would be done by %s%s, and its deadline is at %s: it would meet that with %s", r.Time(r.B), with(r), r.Time(r.A), estimate.Chance(r.C))
		}}
	// Behind lets a job run that cannot be promised its deadline.
	Behind = &sched.Cause{Name: "behind", Numbers: []string{"its deadline", "when it would be done with its confidence", "the risk to miss its deadline, in millionths"}, Example: [3]int64{90e9, 120e9, 170e3},
		Say: func(r *sched.Said) string {
			if r.B == 0 || units.Time(r.B) == units.Never {
				return fmt.Sprintf("no promise: nobody can say yet when it will be done, and its deadline is at %s; it runs all the same", r.Time(r.A))
			}
			return fmt.Sprintf("no promise: it will meet its deadline at %s with %s, and is done by %s%s; it runs all the same",
				r.Time(r.A), estimate.Chance(r.C), r.Time(r.B), with(r))
		}}
	// PromisedNow promises a job its deadline of whose class nothing was known when it came.
	PromisedNow = &sched.Cause{Name: "promised-now", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("its class is known now: promised by its deadline at %s with %s; as things stand it is %s",
				r.Time(r.A), estimate.Sure(&r.Outlook), estimate.Done(r))
		}}
	// SlotsMoved tells so as slots came or went.
	SlotsMoved = moved("slots-moved", "slots that came", func(r *sched.Said) string {
		if r.B < 0 {
			return "nodes were lost, and with them " + r.Count(-r.B, "slot", "slots")
		}
		return r.Count(r.B, "slot", "slots") + " came"
	})
	// TasksMoved tells so of a job that runs.
	TasksMoved = moved("tasks-moved", "", func(r *sched.Said) string { return "its tasks are " + pace(r.A) + " than the profile says" })
	// WidthMoved tells so where half of all such jobs are done when they were before.
	WidthMoved = moved("width-moved", "", func(r *sched.Said) string {
		if r.A > 0 {
			return "what is ahead of it may vary more"
		}
		return "less is left that may vary"
	})
	// AheadMoved tells so of a job that waits.
	AheadMoved = moved("ahead-moved", "", func(r *sched.Said) string { return "the tasks before its own are " + pace(r.A) + " than expected" })
)

// What the order says.
var (
	// LongTasks bounds a stage.
	LongTasks = &sched.Cause{Name: "long-tasks", Text: "its tasks take longer than half of all jobs have time: they leave one slot in twenty to others"}
	// OutOfTime puts a job behind all that can be in time.
	OutOfTime = &sched.Cause{Name: "behind-others-in-time", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("not all jobs can be in time, and this one takes most of what makes others late, or has less than an even chance to meet its deadline at %s: it goes behind", r.Time(r.A))
		}}
	// InTimeAgain brings it back among these.
	InTimeAgain = &sched.Cause{Name: "even-chance", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return "it has an even chance to meet its deadline at " + r.Time(r.A)
		}}
)
