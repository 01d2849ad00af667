package admit

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What bounds say.
var (
	// SlotOfOrder lets a job in.
	SlotOfOrder = &sched.Cause{Name: "slot-of-order", Text: "its turn: {running} of at most {limit} {limit?job|jobs} are running",
		Numbers: []sched.Number{sched.Count.Named("running", "jobs that run", 2), sched.Count.Named("limit", "the limit", 5)}}
	// OverLimit holds one.
	OverLimit = &sched.Cause{Name: "over-limit", Text: "waits: {running} {running?job runs|jobs run}, the limit is {limit}",
		Numbers: []sched.Number{sched.Count.Named("running", "jobs that run", 5), sched.Count.Named("limit", "the limit", 5)}}
	// MasterShare holds one until there is room for its ApplicationMaster.
	MasterShare = &sched.Cause{Name: "master-share", Text: "waits: masters use {use} of {may} allowed",
		Numbers: []sched.Number{sched.Resource.Named("use", "what masters use", int64(8*units.GB)), sched.Resource.Named("may", "what they may use", int64(10*units.GB)), sched.Count.Named("resource", "of which resource", int64(units.Memory))}}
)

// What the Deadline Constraint scheduler says, besides what all say who test deadlines (package estimate).
var (
	// NotProfiled refuses a job of a class that nobody has seen.
	NotProfiled = &sched.Cause{Name: "not-profiled", Text: "there is no profile of its class, so its deadline cannot be tested"}
	// MapSlotsTaken refuses a job whose slots others have. The evidence says who, and until when at the latest.
	MapSlotsTaken = &sched.Cause{Name: "map-slots-taken", Text: "it needs {needs} map {needs?slot|slots} at {when}, and {free} {free?is|are} free then",
		Numbers: taken, Each: estimate.Holders("map", " at the latest")}
	// ReduceSlotsTaken says the same of reduce slots.
	ReduceSlotsTaken = &sched.Cause{Name: "reduce-slots-taken", Text: "it needs {needs} reduce {needs?slot|slots} at {when}, and {free} {free?is|are} free then",
		Numbers: taken, Each: estimate.Holders("reduce", " at the latest")}
)

var taken = []sched.Number{sched.Count.Named("needs", "slots it needs", 9), sched.Count.Named("free", "slots that are free", 4), sched.Clock.Named("when", "when", 60e9)}
