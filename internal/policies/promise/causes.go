package promise

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// moved is a cause for which a promise is expected to be kept sooner or later than was last told.
func moved(name, why string, more ...sched.Number) *sched.Cause {
	return &sched.Cause{Name: name, Text: "now " + estimate.Done + ", {later} [later?later|sooner]: " + why,
		Numbers: append([]sched.Number{sched.Shift.Named("later", "how much later half of all such jobs are done than was last told", 12e9)}, more...)}
}

var missed = []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9), sched.Clock.Named("finish", "when it would be done with its confidence", 120e9),
	sched.Risk.Named("risk", "the risk to miss its deadline, in millionths", 170e3)}

// What the policy says, besides what all say who test deadlines (package estimate).
var (
	// Unlikely refuses a job that would miss its deadline too often.
	Unlikely = &sched.Cause{Name: "unlikely", Numbers: missed,
		Text: "would be done by {finish}[confidence? with {confidence}], and its deadline is at {deadline}: it would meet that with {risk}"}
	// Orphan refuses a job that can never run.
	Orphan = &sched.Cause{Name: "orphan", Text: "it waits for a job that was refused, and so would never run"}
	// Behind lets a job run that cannot be promised its deadline.
	Behind = &sched.Cause{Name: "behind", Numbers: missed,
		Text: "no promise: [finish?it will meet its deadline at {deadline} with {risk}, and is done by {finish}[confidence? with {confidence}]" +
			"|nobody can say yet when it will be done, and its deadline is at {deadline}]; it runs all the same"}
	// Owed lets a job run that others pay for if it is promised its deadline.
	Owed = &sched.Cause{Name: "owed", Numbers: missed,
		Text: "no promise: the slots that it takes are owed to jobs which were promised later deadlines[finish?; " +
			"as things stand it meets its own at {deadline} with {risk}, and is done by {finish}[confidence? with {confidence}]]"}
	// PromisedNow promises a job its deadline of whose class nothing was known when it came.
	PromisedNow = &sched.Cause{Name: "promised-now", Numbers: missed[:1],
		Text: "all that it was guessed by is known now: promised by its deadline at {deadline} with {confidence}; as things stand it is " + estimate.Done}
	// PromisedWith promises a job its deadline that needs nodes which were rented since it came.
	PromisedWith = &sched.Cause{Name: "promised-with", Numbers: missed[:1],
		Text: "with what has been rented since it came it is promised by its deadline at {deadline} with {confidence}; as things stand it is " + estimate.Done}
	// SlotsMoved tells so as slots came or went.
	SlotsMoved = moved("slots-moved", "[slots?|nodes were lost, and with them ]{slots} {slots?slot|slots}[slots? came]",
		sched.Change.Named("slots", "slots that came", -4))
	// InputMoved tells so of a job whose input was a guess, or is another one now.
	InputMoved = moved("input-moved", "it reads [later?more|less] than was expected")
	// TasksMoved tells so of a job that runs.
	TasksMoved = moved("tasks-moved", "its tasks are [later?slower|faster] than the profile says")
	// WidthMoved tells so where half of all such jobs are done when they were before.
	WidthMoved = moved("width-moved", "[later?what is left may vary more|less is left that may vary]")
	// AheadMoved tells so of a job that waits.
	AheadMoved = moved("ahead-moved", "the tasks before its own are [later?slower|faster] than expected")
)

// What the order says.
var (
	// BehindIt has a job that others wait for done in time for them.
	BehindIt = &sched.Cause{Name: "behind-it", Text: "[due?it is to be done by {due}, or jobs that wait for it are late|no job that waits for it needs it sooner than it is due itself]",
		Numbers: []sched.Number{sched.Clock.Named("due", "when it is to be done at the latest", 90e9)}}
	// LongTasks bounds a stage.
	LongTasks = &sched.Cause{Name: "long-tasks", Text: "its tasks take longer than half of all jobs have time: they leave one slot in twenty to others"}
	// OutOfTime puts a job behind all that can be in time.
	OutOfTime = &sched.Cause{Name: "behind-others-in-time", Numbers: missed[:1],
		Text: "not all jobs can be in time, and this one takes most for its chance of what makes others late, or has too little to meet its deadline at {deadline}: it goes behind"}
	// PromiseLost puts a job behind all that are promised deadlines.
	PromiseLost = &sched.Cause{Name: "promise-lost", Numbers: []sched.Number{missed[0], sched.Clock.Named("behind", "the last deadline of these", 120e9)},
		Text: "it will hardly meet its deadline at {deadline} any more: it goes behind the jobs that are promised deadlines by {behind} and have no time to spare, and stands before those that are due later"}
	// InTimeAgain brings it back among these.
	InTimeAgain = &sched.Cause{Name: "back-in-time", Numbers: missed[:1], Text: "it can meet its deadline at {deadline}, and makes nobody late"}
)
