package sched

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// EventKind says what happened. The order of the constants is the order of events of one instant: first what worlds know
// of themselves, then what ended, then what arrived, at last who asks for work.
type EventKind uint8

// The events. Behind each stand the fields of Event that it uses.
const (
	NoEvent        EventKind = iota
	Resync                   // first in its batch: the book is void; the rest is the world's full state, taken in with attempts last
	Control                  // Control: take over, yield or watch
	NodeUp                   // Node, Detail.Node, Power, Age: a node came, came back or woke, empty, so that what the book has on it is lost; or it is told again, since when nothing has ended on it
	NodeChanged              // Node, X = speed factor on top of its class (0 = as before), Detail.Node = new description or nil
	NodeDown                 // Node: it is gone. Ended (lost) and OutputLost follow for what it held
	SupplyChanged            // Of, X = so much of it there is, Age
	ForecastIssued           // Of, Detail.Forecast: what is expected of a supply, in place of what was expected before
	ProfileLearned           // Detail.Profile: what is known of a class from now on
	Granted                  // Item, Count: the world took over the item, of a start so many containers (0 = all); the rest is refused
	Started                  // Attempt, Job, Stage, Task, Node, Container, Locality, Age, Item (0 = unplanned: a stock scheduler's grant, recovery)
	Progress                 // Attempt, X = part done, in [0,1]
	Ended                    // Attempt, Outcome, Bytes read, OutBytes written, Spans, Text = why it failed, Detail.Account
	OutputLost               // Job, Stage, Task: a committed result is gone, the task is to run again
	JobEnded                 // Job, Outcome, Text, Detail.Account: committed, failed or killed; the last event on this job
	JobCancelled             // Job: its user wants it gone (JobEnded follows)
	JobAmended               // Job, Detail.Job: new deadline, weight, priority or queue, and tasks of stages that have not begun; Item = the SetTasks that it answers
	JobArrived               // Job, Detail.Job, Age
	StageReady               // Job, Stage: its tasks may start now (slow start reached; predecessors done: of the first stage of a job with any, the world says so)
	Demand                   // Job, Stage, Count, Detail.Demand: absolute open demand by place, counting items up to Item: a refusal of one of these changes it no more
	Refused                  // Item, Job, Stage, Node, Count, Why: the book or the world did not do it
	Tick                     // the wake-up that was asked for
	Discrepancy              // Text: what an event said that did not fit the book, which followed it. Only the ledger makes it
	Heartbeat                // Node: it can be served in this batch
	EventKinds               // their number
)

var eventNames = [EventKinds]string{"none", "resync", "control", "node-up", "node-changed", "node-down",
	"supply-changed", "forecast-issued", "profile-learned", "granted", "started", "progress", "ended", "output-lost",
	"job-ended", "job-cancelled", "job-amended", "job-arrived", "stage-ready", "demand", "refused",
	"tick", "discrepancy", "heartbeat"}

// String names the kind.
func (k EventKind) String() string { return nameOf(eventNames[:], int(k)) }

// Confirms tells whether the event only confirms what was planned, so that it does not wake Decide by itself.
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
	NoControl ControlVerb = iota
	TakeOver              // place work from now on, as from the start of a run
	Yield                 // leave placement to the stock scheduler until the next TakeOver
	Watch                 // decide, and do nothing: with a Resync only, and until the next
	Controls              // their number
)

var controlNames = [Controls]string{"none", "take-over", "yield", "watch"}

// String names the verb.
func (c ControlVerb) String() string { return nameOf(controlNames[:], int(c)) }

// Phase is a part of an attempt's life.
type Phase uint8

// The phases.
const (
	PhaseShuffle Phase = iota // waiting for and fetching map output
	PhaseSort                 // sorting and merging
	PhaseRun                  // the user's code
	Phases
)

// Event is something that happened. It is flat and reused by the loop: copy what outlives Decide. Zero fields say nothing.
type Event struct {
	Kind      EventKind
	Stage     Stage
	Locality  Locality
	Outcome   Outcome
	Container uint8 // index into the stage's kinds of containers
	Control   ControlVerb
	Derived   bool // made by the ledger from other events, not sent by the world
	Why       Code
	Of        SupplyKind
	Power     PowerState
	Job       JobID
	Node      NodeID
	Attempt   AttemptID
	Task      TaskID
	Count     int32
	Item      ItemID
	Age       units.Duration // for how long it has been so already, 0 = since now: of what is told again, or late
	Bytes     units.Bytes    // read
	OutBytes  units.Bytes    // written
	X         float64
	Spans     [Phases]units.Duration
	Text      string
	Detail    *Detail
}

// Detail is the large part of rare events. Only the field that the event's kind names is set. What it points to never changes.
type Detail struct {
	Job      *workload.Job
	Node     *cluster.Node
	Profile  *profile.Class
	Demand   []LocationDemand
	Forecast *Forecast
	Account  *Account
}

// Account is what a real attempt or job did, for whoever keeps a run. Policies do not read it, and a journal leaves it out.
type Account struct {
	Try      int              // of an attempt: which of its task it was, from 1
	Counters map[string]int64 // of a committed attempt, or of all whose work counts in a job, by group.name
	Said     string           // by the attempt's program beside its output, the end of it, and the stack of a panic
}

// LocationDemand is open demand for one location, as YARN states it: a count on a node, in a rack, or
// anywhere. Several rows of one location, such as those of several priorities, add up.
type LocationDemand struct {
	Node  NodeID         // 0: not for one node
	Rack  cluster.RackID // 0: not for one rack
	Count int32
}
