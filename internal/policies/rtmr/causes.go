package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// What the scheme says, besides what all say who test deadlines (package estimate).
var (
	// Estimated lets a job in by what a sample of its maps took.
	Estimated = &sched.Cause{Name: "estimated", Text: "is expected to finish by {by}, deadline at {deadline}: an estimate from a sample of {measured} {measured?map|maps}, not a worst case",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9)}}
	// Late refuses a job that would be late by what is promised to others. The evidence says who
	// holds slots until then.
	Late = &sched.Cause{Name: "deadline", Text: tooLate,
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9), sched.Clock.Named("finish", "its expected finish", 120e9), sched.Container.Named("stage", "the stage in which it waits for slots", int64(sched.Map))}, Each: estimate.Holders("{stage}", "")}
	// BreaksPromise refuses a job for the sake of another one.
	BreaksPromise = &sched.Cause{Name: "breaks-promise", Text: "would make {job} miss its promised deadline: that " + tooLate,
		Numbers: []sched.Number{sched.Clock.Named("deadline", "the deadline of that job", 90e9), sched.Clock.Named("finish", "its finish then", 120e9)}}
	// DeadlinePassed refuses a job that waited for too long to be tested.
	DeadlinePassed = &sched.Cause{Name: "deadline-passed", Text: "its deadline at {deadline} has passed",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9)}}
	// ClassUnknown lets a job in without a promise.
	ClassUnknown = &sched.Cause{Name: "class-unknown",
		Text: "there is no profile of its class: it runs without a promise, on slots that no promise needs"}
	// Sampling measures some maps of a job.
	Sampling = &sched.Cause{Name: "sampling", Text: "there is no profile of its class: {maps} of its maps are measured first",
		Numbers: []sched.Number{sched.Count.Named("maps", "maps that are measured", 3)}}
	// HasLabels refuses a job that cannot run everywhere.
	HasLabels = &sched.Cause{Name: "has-labels", Text: "it asks for nodes with labels, but slots are promised on all nodes alike"}
	// NoMasterRoom refuses a job whose ApplicationMaster could not start at once.
	NoMasterRoom = &sched.Cause{Name: "no-master-room", Text: "no node has room for its ApplicationMaster, which must start at once for a promise to hold"}
	// LeftOver starts a task without a promise.
	LeftOver = &sched.Cause{Name: "left-over", Text: "a slot that no promise needs"}
	// SlotDue kills one.
	SlotDue = &sched.Cause{Name: "slot-due", Text: "a lent slot falls due: {wait} {wait?task with a promise or of a sample waits|tasks with a promise or of a sample wait}, others hold {hold} {hold?slot|slots}",
		Numbers: []sched.Number{sched.Count.Named("wait", "tasks with a promise, or of samples, that wait", 3), sched.Count.Named("hold", "slots that others hold", 5)}}
	// Deadlock kills a master with a promise.
	Deadlock = &sched.Cause{Name: "deadlock", Text: "ApplicationMasters hold all of {slots} map {slots?slot|slots} and wait for each other's: this one makes room for {job}",
		Numbers: []sched.Number{sched.Count.Named("slots", "map slots in service", 2)}}
)

// tooLate says when something would finish, and how much later than its deadline that is.
const tooLate = "[finish?would finish at {finish}, {finish-deadline} after its deadline|would never finish; its deadline is at {deadline}]"
