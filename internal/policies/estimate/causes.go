package estimate

import "github.com/slackline/slackline/sched"

// What those who test deadlines say alike.
var (
	// Promised lets a job in whose deadline is kept. Who comes later may overtake it, within the
	// deadline.
	Promised = &sched.Cause{Name: "promised", Numbers: deadline,
		Text: "accepted: [by?expected to finish by {by} as things stand, ]promised by its deadline at {deadline}"}
	// Likely lets a job in whose deadline is kept with a probability. The evidence is its risk; and of each
	// promise that it puts at more risk, from what to what.
	Likely = &sched.Cause{Name: "likely", Numbers: deadline,
		Text: "accepted: promised by its deadline at {deadline} with {confidence}; as things stand it is " + Done}
	// NoDeadline lets a job in that asks for none.
	NoDeadline = &sched.Cause{Name: "no-deadline", Text: "it has no deadline: it gets the slots that no promise needs"}
	// CountUnknown lets a job run without a promise of which nobody can tell yet how much it has to
	// do.
	CountUnknown = &sched.Cause{Name: "count-unknown", Text: "how many {stage} tasks it has is not known yet: it runs without a promise",
		Numbers: []sched.Number{sched.Container.Named("stage", "the stage", int64(sched.Reduce))}}
	// NotSlots refuses a job whose tasks take other containers.
	NotSlots = &sched.Cause{Name: "not-slots", Text: "its {stage} stage takes something other than one slot for each task, and only slots can be promised",
		Numbers: []sched.Number{sched.Container.Named("stage", "the stage", int64(sched.Map))}}
	// NoSlots refuses a job that no node could serve.
	NoSlots = &sched.Cause{Name: "no-slots", Text: "it needs {stage} slots, but no node has one", Numbers: CountUnknown.Numbers}
	// TooFewSlots refuses a job that needs more slots at once than there are.
	TooFewSlots = &sched.Cause{Name: "too-few-slots", Text: "it needs {needs} {stage} {needs?slot|slots} at once, but the cluster has {has}",
		Numbers: []sched.Number{sched.Count.Named("needs", "slots it needs", 9), sched.Count.Named("has", "slots of the cluster", 4), sched.Container.Named("stage", "the stage", int64(sched.Reduce))}}
	// AloneLate refuses a job that would be late at worst, had it all slots of the cluster.
	AloneLate = &sched.Cause{Name: "alone-late", Text: takes + "at worst" + tooLong, Numbers: alone}
	// AloneLateMean refuses one that would be so by what its tasks take on average.
	AloneLateMean = &sched.Cause{Name: "alone-late-mean", Text: takes + "on average" + tooLong, Numbers: alone}
	// Unbounded refuses a job of a class that holds all kinds of jobs.
	Unbounded = &sched.Cause{Name: "unbounded", Text: "the profile of its class gives no worst case, so no deadline can be promised"}
	// MapsFirst withholds reduces.
	MapsFirst = &sched.Cause{Name: "maps-first", Text: "its reduces wait for its last map"}
	// MapsOver releases them.
	MapsOver = &sched.Cause{Name: "maps-over", Text: "its last map has ended"}
)

// Done says when a job is done by what it is told: with its confidence, half of all such jobs, and 90 %.
const Done = "done by {by} with {confidence}[half?, by {half} with 50 %][ninety?, by {ninety} with 90 %]"

// A job takes longer than it has, and a part of it takes so much.
const (
	takes   = "alone on this cluster it takes {takes} "
	tooLong = "[maps?[takes-maps? (its maps {maps}, its reduces {takes-maps})]], and its deadline [left?is in {left}, {takes-left} before that|has passed]"
)

var (
	deadline = []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9)}
	alone    = []sched.Number{sched.Clock.Named("left", "time until its deadline", 180e9), sched.Clock.Named("takes", "time it takes with all slots", 240e9), sched.Clock.Named("maps", "of that, its maps", 60e9)}
)

// MostHolders is how many of those who hold slots evidence lists.
const MostHolders = 3

// Holders says who holds slots of a kind, by the evidence, and until when.
func Holders(kind, latest string) []sched.Piece {
	slots := "{amount} " + kind + " {amount?slot|slots}"
	return []sched.Piece{{Text: "; [others?{others} more {others?job|jobs} hold " + slots + "|{job} holds " + slots + " until {at}" + latest + "]"}}
}
