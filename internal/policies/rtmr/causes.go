package rtmr

import (
	"fmt"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
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
		Say: func(r *sched.Said) string { return lateBy(r, r.B, r.A) + estimate.Holders(r, r.C, "") }}
	// BreaksPromise refuses a job for the sake of another one.
	BreaksPromise = &sched.Cause{Name: "breaks-promise", Numbers: []string{"the deadline of that job", "its finish then"}, Example: [3]int64{90e9, 120e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("would make %s miss its promised deadline: that %s", r.JobName(r.Job), lateBy(r, r.B, r.A))
		}}
	// DeadlinePassed refuses a job that waited for too long to be tested.
	DeadlinePassed = &sched.Cause{Name: "deadline-passed", Numbers: []string{"its deadline"}, Example: [3]int64{90e9},
		Say: func(r *sched.Said) string { return fmt.Sprintf("its deadline at %s has passed", r.Time(r.A)) }}
	// ClassUnknown lets a job in without a promise.
	ClassUnknown = &sched.Cause{Name: "class-unknown",
		Text: "there is no profile of its class: it runs without a promise, on slots that no promise needs"}
	// Sampling measures some maps of a job.
	Sampling = &sched.Cause{Name: "sampling", Numbers: []string{"maps that are measured"}, Example: [3]int64{3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("there is no profile of its class: %d of its maps are measured first", r.A)
		}}
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

// lateBy says when something would finish, and how much later than its deadline that is.
func lateBy(r *sched.Said, finish, deadline int64) string {
	if units.Time(finish) == units.Never {
		return "would never finish; its deadline is at " + r.Time(deadline)
	}
	return fmt.Sprintf("would finish at %s, %s after its deadline", r.Time(finish), r.Time(finish-deadline))
}
