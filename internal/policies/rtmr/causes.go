package rtmr

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

// What the scheme says, besides what all say who test deadlines (package estimate).
var (
	// Estimated lets a job in by what a sample of its maps took.
	Estimated = &sched.Cause{Name: "estimated", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("is expected to finish by %s, deadline at %s: an estimate from a sample of %s, not a worst case", r.Time(int64(r.Outlook.By)), r.Time(r.A), r.Count(int64(r.Outlook.Measured), "map", "maps"))
		}}
	// ClassUnknown lets a job in without a promise.
	ClassUnknown = &sched.Cause{Name: "class-unknown",
		Text: "there is no profile of its class: it runs without a promise, on slots that no promise needs"}
	// Sampling measures some maps of a job.
	Sampling = &sched.Cause{Name: "sampling", Numbers: []string{"maps that are measured"}, Example: [3]int64{3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("there is no profile of its class: %d of its maps are measured first", r.A)
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
	// Unlikely refuses a job that would miss its deadline too often.
	Unlikely = &sched.Cause{Name: "unlikely", Numbers: []string{"its deadline", "when it would be done with its confidence", "the risk to miss its deadline, in millionths"}, Example: [3]int64{90e9, 120e9, 170e3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("would be done by %s%s, and its deadline is at %s: it would meet that with %s", r.Time(r.B), with(r), r.Time(r.A), estimate.Chance(r.C))
		}}
	// Overdrawn refuses a job for the sake of another promise.
	Overdrawn = &sched.Cause{Name: "overdrawn", Numbers: []string{"by how much the risk of that job would rise, in millionths", "how much its promise can bear", "the risk of the job itself"}, Example: [3]int64{4000, 1000, 2000},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("would make %s miss its promised deadline in %s more of all cases, and its promise can bear %s", r.JobName(r.Job), estimate.Part(r.A), estimate.Part(r.B))
		}}
	// Behind lets a job run that cannot be promised its deadline.
	Behind = &sched.Cause{Name: "behind", Numbers: []string{"its deadline", "when it would be done with its confidence", "the risk to miss its deadline, in millionths"}, Example: [3]int64{90e9, 120e9, 170e3},
		Say: func(r *sched.Said) string {
			said := fmt.Sprintf("it would meet its deadline at %s with %s", r.Time(r.A), estimate.Chance(r.C))
			if r.Job != 0 {
				said = fmt.Sprintf("it would put that of %s at risk", r.JobName(r.Job))
			}
			if len(r.Proof) > 0 && r.Proof[0].At < units.Never {
				said += fmt.Sprintf(", and %s is the earliest that would be promised", r.Time(int64(r.Proof[0].At)))
			}
			return fmt.Sprintf("no promise: %s; it runs behind all promises", said)
		}}
	// Overtaken tells that a promise is expected to be kept at another time, as a job was let in before it.
	Overtaken = moved("overtaken", "", func(r *sched.Said) string { return r.JobName(r.Job) + " was let in before it" })
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
	// HasLabels refuses a job that cannot run everywhere.
	HasLabels = &sched.Cause{Name: "has-labels", Text: "it asks for nodes with labels, but slots are promised on all nodes alike"}
	// NoMasterRoom refuses a job whose ApplicationMaster could not start at once.
	NoMasterRoom = &sched.Cause{Name: "no-master-room", Text: "no node has room for its ApplicationMaster, which must start at once for a promise to hold"}
	// LeftOver starts a task without a promise.
	LeftOver = &sched.Cause{Name: "left-over", Text: "a slot that no promise needs"}
	// SlotDue kills one.
	SlotDue = &sched.Cause{Name: "slot-due", Numbers: []string{"tasks with a promise, or of samples, that wait", "slots that others hold"}, Example: [3]int64{3, 5},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("a lent slot falls due: %s, others hold %s",
				r.Count(r.A, "task with a promise or of a sample waits", "tasks with a promise or of a sample wait"), r.Count(r.B, "slot", "slots"))
		}}
	// Deadlock kills a master with a promise.
	Deadlock = &sched.Cause{Name: "deadlock", Numbers: []string{"map slots in service"}, Example: [3]int64{2},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("ApplicationMasters hold all of %s and wait for each other's: this one makes room for %s", r.Count(r.A, "map slot", "map slots"), r.JobName(r.Job))
		}}
)
