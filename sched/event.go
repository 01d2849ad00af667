package sched

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// EventKind says what happened. The order of the constants is the order of the events of one
// instant: first what worlds say of themselves, then what ended, then what arrived, and last who
// asks for work.
type EventKind uint8

// The events. Each comment begins with the fields of Event that the kind uses. The world sends an
// event unless the comment says otherwise.
const (
	// NoEvent is the kind of an event that was never filled in.
	NoEvent EventKind = iota
	// Resync uses no field, and is the first of its batch. The book is void. The rest of the batch
	// is the full state of the world; the book takes in attempts last.
	Resync
	// Control uses Control: take over, yield or watch.
	Control
	// NodeUp uses Node, Detail.Node, State and Age. A node has joined, come back or woken up, and is
	// Awake unless State says otherwise. It is empty: if the book has attempts on it that do not end in
	// this batch, they are lost. With Age, the node was up before, and nothing has ended on it for that
	// long; one that is Waking has been asked for that long ago.
	NodeUp
	// NodeChanged uses Node, X, State, Age and Detail.Node. X is a speed factor on top of the node's
	// class, and State where the node stands now; 0 = as before. Detail.Node is the new description, or
	// nil. One that is Offered may be new. With Age, it has been so for that long.
	NodeChanged
	// NodeDown uses Node. The node is gone. Ended with the outcome Lost, and OutputLost, follow for
	// what it held.
	NodeDown
	// SupplyChanged uses Of, X and Age. X is how much there is of the supply.
	SupplyChanged
	// ForecastIssued uses Of and Detail.Forecast, which replaces the last forecast of the supply.
	ForecastIssued
	// ProfileLearned uses Detail.Profile: what is known of a class from now on.
	ProfileLearned
	// Granted uses Item and Count. The world has accepted the item; for a start, so many containers
	// of it (0 = all). The rest is refused.
	Granted
	// Started uses Attempt, Job, Stage, Task, Node, Container, Locality, Age and Item. An attempt
	// runs. Item is 0 if no plan asked for it: a stock scheduler granted it, or it was found after
	// a restart.
	Started
	// Progress uses Attempt and X, the part of its work that is done, from 0 to 1.
	Progress
	// Ended uses Attempt, Outcome, Age, Bytes, OutBytes, X, Spans, Text and Detail.Account. An attempt
	// is over. X is the energy in joules that it has drawn above idle, 0 = nobody knows. Text says why it
	// failed.
	Ended
	// OutputLost uses Job, Stage and Task. A committed result is gone, and the task has to run again.
	OutputLost
	// JobEnded uses Job, Outcome, Age, Text and Detail.Account. The job has committed, failed or been
	// killed. It is the last event of the job: with Age, attempts of it may have ended after it had.
	JobEnded
	// JobCancelled uses Job. Its user wants it gone. JobEnded follows.
	JobCancelled
	// JobAmended uses Job, Detail.Job and Item. The new description may have another deadline,
	// weight, priority or queue, other nodes that the job avoids, and another number of tasks in stages
	// that have not begun. Item is the SetTasks that this answers, if any.
	JobAmended
	// JobArrived uses Job, Detail.Job and Age. A job has been submitted.
	JobArrived
	// StageReady uses Job and Stage. Tasks of the stage may start: slow start is reached, or all
	// predecessors have committed. For the first stage of a job without predecessors the book says
	// it itself.
	StageReady
	// Demand uses Job, Stage, Count, Item and Detail.Demand: the open demand by location, in
	// absolute numbers. The stage may start. The demand accounts for all items up to Item, and for
	// all that has started: if one of those is refused later, it stays as it is. The book takes off
	// what else it has promised, the last item first. Only worlds that bind late send it.
	Demand
	// Refused uses Item, Job, Stage, Node, Count and Why. The book or the world did not do what the
	// item asked.
	Refused
	// Tick uses no field. It is the wake-up that was asked for.
	Tick
	// Discrepancy uses Text. An event did not fit the book, which then followed the event. Only the
	// ledger makes it.
	Discrepancy
	// Heartbeat uses Node. The node can be served in this batch.
	Heartbeat
	// EventKinds is the number of kinds.
	EventKinds
)

var eventNames = [EventKinds]string{"none", "resync", "control", "node-up", "node-changed", "node-down",
	"supply-changed", "forecast-issued", "profile-learned", "granted", "started", "progress", "ended", "output-lost",
	"job-ended", "job-cancelled", "job-amended", "job-arrived", "stage-ready", "demand", "refused",
	"tick", "discrepancy", "heartbeat"}

// String names the kind.
func (k EventKind) String() string { return nameOf(eventNames[:], int(k)) }

// Confirms tells whether the event only confirms what was planned. Such an event does not wake
// Decide by itself.
func (k EventKind) Confirms() bool {
	return k == Granted || k == Started || k == Progress || k == Discrepancy
}

// Events is a set of kinds of events.
type Events uint64

// AnyEvent has them all.
const AnyEvent = ^Events(0)

// EventsOf returns the set of these kinds.
func EventsOf(kinds ...EventKind) Events {
	var s Events
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has tells whether the kind is in the set.
func (s Events) Has(k EventKind) bool { return s&(1<<k) != 0 }

// ControlVerb is what a Control event asks for.
type ControlVerb uint8

// The control verbs.
const (
	// NoControl is none.
	NoControl ControlVerb = iota
	// TakeOver asks the policy to place work from now on, as from the start of a run.
	TakeOver
	// Yield leaves placement to the stock scheduler until the next TakeOver.
	Yield
	// Watch asks the policy to decide, while nothing is done. It comes only with a Resync, and
	// holds until the next.
	Watch
	// Controls is the number of control verbs.
	Controls
)

var controlNames = [Controls]string{"none", "take-over", "yield", "watch"}

// String names the verb.
func (c ControlVerb) String() string { return nameOf(controlNames[:], int(c)) }

// Phase is a part of an attempt's life.
type Phase uint8

// The phases.
const (
	// PhaseShuffle is waiting for and fetching map output; of a map, fetching its input from elsewhere.
	PhaseShuffle Phase = iota
	// PhaseSort is sorting and merging.
	PhaseSort
	// PhaseRun is the user's code.
	PhaseRun
	// Phases is the number of phases.
	Phases
)

// Event is something that happened. It is flat, and the loop reuses it: copy what outlives Decide.
// Zero fields say nothing.
type Event struct {
	// Kind says what happened, and which of the fields below it uses.
	Kind EventKind
	// Stage is the kind of stage meant.
	Stage Stage
	// Locality is how far the attempt is from its input.
	Locality Locality
	// Outcome is how an attempt or a job ended.
	Outcome Outcome
	// Container is an index into the stage's kinds of containers.
	Container uint8
	// Control is what a Control event asks for.
	Control ControlVerb
	// Derived says that the ledger made the event from others, and the world did not send it.
	Derived bool
	// Why is the reason of a refusal; of a Started, Yielded if the world's own scheduler placed it, to which the job is
	// left, or the node.
	Why Code
	// Of is the kind of supply.
	Of SupplyKind
	// State is where a node stands.
	State NodeState
	// Job is the job meant.
	Job JobID
	// Node is the node meant.
	Node NodeID
	// Attempt is the attempt meant.
	Attempt AttemptID
	// Task is the task meant, from 1 within the stage.
	Task TaskID
	// Count is how many containers are meant.
	Count int32
	// Item is the item of a plan that the event answers or accounts for, 0 = none.
	Item ItemID
	// Age is for how long it has been so already, 0 = since now. Events that are late, or that
	// repeat the state after a Resync, have one.
	Age units.Duration
	// Bytes is how much the attempt read.
	Bytes units.Bytes
	// OutBytes is how much the attempt wrote.
	OutBytes units.Bytes
	// X is a number; what it means depends on the kind.
	X float64
	// Spans is how long the attempt spent in each phase.
	Spans [Phases]units.Duration
	// Text is for people: why something failed.
	Text string
	// Detail holds what only rare events have; nil if there is none.
	Detail *Detail
}

// Detail is the large part of rare events. Only the field that the event's kind names is set. What
// it points to never changes.
type Detail struct {
	// Job describes a job that arrived or was amended.
	Job *workload.Job
	// Node describes a node that is up or was changed.
	Node *cluster.Node
	// Profile is what is known of a class.
	Profile *profile.Class
	// Demand is open demand by location.
	Demand []LocationDemand
	// Forecast is what is expected of a supply.
	Forecast *Forecast
	// Account is what a real attempt or job did.
	Account *Account
}

// Account is what a real attempt or job did, for those who keep records of runs. Policies do not
// read it, and a journal leaves it out.
type Account struct {
	// Try is which attempt of its task this was, from 1.
	Try int
	// Counters are those of a committed attempt, or of all attempts whose work counts in a job, by
	// group.name.
	Counters map[string]int64
	// Said is the end of what the attempt's program wrote beside its output, with the stack of a panic.
	Said string
}

// LocationDemand is open demand for one location, as YARN states it: a count on a node, in a rack,
// or anywhere. Several rows of one location, such as those of several priorities, add up, but no
// location has more than the demand in all. Without a row for anywhere, all of it may go anywhere.
// If no row names a node or a rack, not even with a count of 0, the work is at home everywhere.
//
// A container is taken off the rows of its node, its rack and anywhere if it is local to the node,
// off the last two if it is local to the rack, else off anywhere. Given back, it goes where it came
// from.
type LocationDemand struct {
	// Node is the node wanted, 0 if this is not for one node.
	Node NodeID
	// Rack is the rack wanted, 0 if this is not for one rack.
	Rack cluster.RackID
	// Count is the number of containers wanted there.
	Count int32
}
