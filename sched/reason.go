package sched

import (
	"fmt"

	"github.com/slackline/slackline/units"
)

// Code is the kind of a reason: why an item is in the plan, or why it was refused. The text is made when somebody reads.
type Code uint8

// Reasons of decisions. A, B, C are the numbers of Reason.
const (
	OK               Code = iota
	FirstInOrder          // the job stands first in the order; A = its place
	AdmitAll              // the policy admits every job
	SlotOfOrder           // the job's turn among those that may run; A = running jobs, B = limit
	OverLimit             // too many jobs run; A = running, B = limit
	MinShare              // the pool is below its minimum share; A = has, B = minimum, C = for how long (ns)
	FairShare             // the pool is below half of its fair share; A = has, B = fair share, C = for how long (ns)
	Deadline              // the job would be late by what is promised to others; A = deadline, B = expected finish, C = the stage in whose phase the jobs of the evidence hold so many slots until then
	Wakeup                // A = when
	Custom                // a policy's own reason; the text is in Item.Text
	Straggler             // the task is behind the others; A = its progress, B = the average, in thousandths
	MasterShare           // there is no room for one more ApplicationMaster; A = they take, B = they may take, C = of which resource (units.Dim)
	NodeIdle              // nothing has run on the node; A = since when, B = nodes awake before it sleeps
	NoRoomAwake           // tasks wait for which no node that is awake has room; A = their number
	Promised              // the job's deadline is promised; A = deadline, B = its finish as things stand: who comes later may overtake it, within the deadline
	Estimated             // so it is, by a sample that is no worst case; A = deadline, B = its finish, C = maps in the sample
	BreaksPromise         // Job, which has a promise, would miss its deadline; A = that deadline, B = its finish
	DeadlinePassed        // A = the deadline
	NotSlots              // a stage takes other containers than one slot for each task; A = the stage
	NoSlots               // no node has a slot for a stage; A = the stage
	HasLabels             // the job asks for nodes with labels, and slots are counted on all nodes alike
	NoDeadline            // the job has no deadline: it gets what no promise needs
	ClassUnknown          // nothing is known of what the job's class costs: it gets what no promise needs
	Sampling              // nothing is known of what the job's class costs; A = so many of its maps are measured
	LeftOver              // a slot that no promise needs
	SlotDue               // a slot falls due that was left over; A = tasks with a promise, or of samples, that wait, B = slots that others hold
	MapsFirst             // the job's reduces wait for its last map
	MapsOver              // the job's last map has ended
	NotProfiled           // nothing is known of what the job's class costs, so its deadline cannot be tested
	MapSlotsTaken         // the job needs so many map slots at once; A = needs, B = free, C = when; the jobs of the evidence hold so many until then at the latest
	ReduceSlotsTaken      // the same of reduce slots
	CountUnknown          // how many tasks the job has is not known yet; A = the stage
	Begun                 // the job had begun before the scheduler took over
	PlaceChanged          // what the job's place in the order follows has changed
	AllLent               // jobs without a promise hold all slots of a kind, and nobody knows how long; A = the deadline, B = the stage that takes such slots
	AloneLate             // the job alone, with all slots of the cluster, would be late at worst; A = time until its deadline, B = time it takes so, C = that of its maps (ns)
	AloneLateMean         // the same, by what its tasks take on average
	TooFewSlots           // the job needs so many slots of a stage at once, more than the cluster has; A = needs, B = has, C = the stage
	Unbounded             // by what is known of the job's class it would take longer than time can be told, with all slots of the cluster
)

// Reasons of refusals.
const (
	UnknownJob     Code = 64 + iota // there is no such job
	UnknownNode                     // there is no such node
	UnknownAttempt                  // there is no such attempt, or it has ended
	NotAdmitted                     // the job may not run
	NotReady                        // the stage may not start
	Withheld                        // the stage is withheld
	NoTask                          // no task of the stage is open, or none that near
	NoRoom                          // the node has no room for the container
	NodeAway                        // the node is down, asleep or draining
	WrongLabels                     // the node lacks a label that the job asks for
	AtLimit                         // the job already occupies the slots it was given; A = limit
	CannotDo                        // the world cannot do this
	GroupBroken                     // another item of its group was refused
	Expired                         // its time to live has passed
	TooLate                         // the job or stage has gone past the point where this is possible
	Stale                           // the world's state was already another one
	BadItem                         // the item makes no sense
	Gone                            // the world lost it
	Yielded                         // the stock scheduler places work, until the next TakeOver
	Watched                         // the scheduler watches: nothing it plans is done, and what it decides upon a job is advice
	Unchanged                       // advice that stands already: Plan.Add leaves it out
)

var codeNames = map[Code]string{OK: "ok", FirstInOrder: "first-in-order", AdmitAll: "admit-all", SlotOfOrder: "slot-of-order",
	OverLimit: "over-limit", MinShare: "min-share", FairShare: "fair-share", Deadline: "deadline", Wakeup: "wake-up", Custom: "custom", Straggler: "straggler", MasterShare: "master-share", NodeIdle: "node-idle", NoRoomAwake: "no-room-awake",
	Promised: "promised", Estimated: "estimated", BreaksPromise: "breaks-promise", DeadlinePassed: "deadline-passed", NotSlots: "not-slots", NoSlots: "no-slots",
	HasLabels: "has-labels", NoDeadline: "no-deadline", ClassUnknown: "class-unknown", Sampling: "sampling", LeftOver: "left-over", SlotDue: "slot-due", MapsFirst: "maps-first", MapsOver: "maps-over",
	NotProfiled: "not-profiled", MapSlotsTaken: "map-slots-taken", ReduceSlotsTaken: "reduce-slots-taken", AllLent: "all-lent", PlaceChanged: "place-changed", Begun: "begun", CountUnknown: "count-unknown",
	AloneLate: "alone-late", AloneLateMean: "alone-late-mean", TooFewSlots: "too-few-slots", Unbounded: "unbounded",
	UnknownJob: "unknown-job", UnknownNode: "unknown-node", UnknownAttempt: "unknown-attempt", NotAdmitted: "not-admitted",
	NotReady: "not-ready", Withheld: "withheld", NoTask: "no-task", NoRoom: "no-room", NodeAway: "node-away",
	WrongLabels: "wrong-labels", AtLimit: "at-limit", CannotDo: "cannot-do", GroupBroken: "group-broken", Expired: "expired",
	TooLate: "too-late", Stale: "stale", BadItem: "bad-item", Gone: "gone", Yielded: "yielded", Watched: "watched", Unchanged: "unchanged"}

// String names the code.
func (c Code) String() string {
	if s, ok := codeNames[c]; ok {
		return s
	}
	return "unknown"
}

// Reason says why, with the numbers that decided.
type Reason struct {
	Code     Code
	Job      JobID // another job that mattered
	A, B, C  int64
	Evidence Span // in the plan's arena
}

// Evidence is one piece of a longer explanation: at that time, that job held so much.
type Evidence struct {
	Job    JobID
	At     units.Time
	Amount int64
}

// Because returns a reason with up to three numbers.
func Because(c Code, numbers ...int64) Reason {
	r := Reason{Code: c}
	for i, n := range numbers {
		switch i {
		case 0:
			r.A = n
		case 1:
			r.B = n
		case 2:
			r.C = n
		}
	}
	return r
}

// String is the reason as a sentence for people who do not have the plan at hand (see Plan.Why).
func (r Reason) String() string { return r.say(nil, nil) }

// say is the reason as a sentence, with its evidence. name says what a job is called; nil: by its handle.
func (r Reason) say(evidence []Evidence, name func(JobID) string) string {
	if name == nil {
		name = byHandle
	}
	switch r.Code {
	case OK:
		return ""
	case FirstInOrder:
		return "first in the order with work for this node"
	case AdmitAll:
		return "this policy admits every job"
	case SlotOfOrder:
		return fmt.Sprintf("its turn: %d of at most %s run", r.A, counted(r.B, "job", "jobs"))
	case OverLimit:
		return fmt.Sprintf("waits: %s, the limit is %d", counted(r.A, "job runs", "jobs run"), r.B)
	case MinShare:
		return fmt.Sprintf("a pool has had %s of its minimum share of %d for %s", counted(r.A, "slot", "slots"), r.B, span(r.C))
	case FairShare:
		return fmt.Sprintf("a pool has had %s, below half of its fair share of %d, for %s", counted(r.A, "slot", "slots"), r.B, span(r.C))
	case Deadline:
		return lateBy(r.B, r.A) + holders(evidence, stageOf(r.C).String()+" ", "", name)
	case AloneLate:
		return aloneLate(r.A, r.B, r.C, "at worst")
	case AloneLateMean:
		return aloneLate(r.A, r.B, r.C, "on average")
	case Promised:
		return fmt.Sprintf("accepted: expected to finish by %s as things stand, promised by its deadline at %s", span(r.B), span(r.A))
	case Estimated:
		return fmt.Sprintf("is expected to finish by %s, deadline at %s: an estimate from a sample of %s, not a worst case", span(r.B), span(r.A), counted(r.C, "map", "maps"))
	case BreaksPromise:
		return fmt.Sprintf("would make %s miss its deadline, which is promised: that %s", name(r.Job), lateBy(r.B, r.A))
	case DeadlinePassed:
		return fmt.Sprintf("its deadline at %s has passed", span(r.A))
	case NotSlots:
		return fmt.Sprintf("its %v stage takes more or other than one slot for each task, and slots are all that can be promised", stageOf(r.A))
	case NoSlots:
		return fmt.Sprintf("it needs %v slots, and no node has one", stageOf(r.A))
	case MapSlotsTaken, ReduceSlotsTaken:
		kind := Map.String()
		if r.Code == ReduceSlotsTaken {
			kind = Reduce.String()
		}
		return fmt.Sprintf("it needs %s at %s, and %s free then", counted(r.A, kind+" slot", kind+" slots"), span(r.C), counted(max(0, r.B), "is", "are")) +
			holders(evidence, kind+" ", " at the latest", name)
	case TooFewSlots:
		return fmt.Sprintf("it needs %s at once, and the cluster has %d", counted(r.A, stageOf(r.C).String()+" slot", stageOf(r.C).String()+" slots"), r.B)
	case AllLent:
		return fmt.Sprintf("jobs without a promise hold all %v slots, and how long is not known; deadline at %s", stageOf(r.B), span(r.A))
	case CountUnknown:
		return fmt.Sprintf("how many %v tasks it has is not known yet, and its deadline is not tested before", stageOf(r.A))
	case Sampling:
		return fmt.Sprintf("nothing is known of what its class costs: %d of its maps are measured first", r.A)
	case SlotDue:
		return fmt.Sprintf("a slot falls due that was left over: %s, others hold %s",
			counted(r.A, "task with a promise or of a sample waits", "tasks with a promise or of a sample wait"), counted(r.B, "slot", "slots"))
	case Straggler:
		return fmt.Sprintf("it is through %.1f %% of its work, the tasks of its stage through %.1f %% on average", float64(r.A)/10, float64(r.B)/10)
	case MasterShare:
		d := units.Dim(min(max(r.C, 0), int64(units.Dims)))
		if d == units.Memory {
			return fmt.Sprintf("waits: masters use %v of %v allowed", units.Bytes(r.A), units.Bytes(r.B))
		}
		return fmt.Sprintf("waits: masters use %d of %d allowed (%v)", r.A, r.B, d)
	case NodeIdle:
		return fmt.Sprintf("nothing has run on it since %s, and %s awake", span(r.A), counted(r.B, "node is", "nodes are"))
	case NoRoomAwake:
		return fmt.Sprintf("%s for which no node that is awake has room", counted(r.A, "task waits", "tasks wait"))
	case Wakeup:
		return fmt.Sprintf("asked to be woken at %s", span(r.A))
	case AtLimit:
		return fmt.Sprintf("the job already occupies the %s it was given", counted(r.A, "slot", "slots"))
	}
	if s, ok := plainTexts[r.Code]; ok {
		return s
	}
	return r.Code.String()
}

// counted is a number of things in words.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func byHandle(j JobID) string { return fmt.Sprintf("job %d", j) }

// span is a time, or a span of time, in a sentence.
func span(ns int64) string {
	if units.Time(ns) == units.Never {
		return "never"
	}
	return units.Span(units.Duration(ns).Seconds())
}

// lateBy says when something would finish, and how much later than its deadline that is.
func lateBy(finish, deadline int64) string {
	if units.Time(finish) == units.Never {
		return "would never finish; its deadline is at " + span(deadline)
	}
	return fmt.Sprintf("would finish at %s, %s after its deadline", span(finish), span(finish-deadline))
}

// aloneLate says that a job takes longer than it has, and which part of it takes how much.
func aloneLate(left, takes, maps int64, how string) string {
	parts := ""
	if maps > 0 && maps < takes {
		parts = fmt.Sprintf(" (its maps %s, its reduces %s)", span(maps), span(takes-maps))
	}
	until := "is in " + span(left)
	switch {
	case left <= 0:
		until = "has passed"
	case span(left) == span(takes):
		until = "is " + span(takes-left) + " before that"
	}
	return fmt.Sprintf("alone on this cluster it takes %s %s%s, and its deadline %s", span(takes), how, parts, until)
}

// mostHolders is how many of those who hold slots a sentence names.
const mostHolders = 3

// holders says who holds slots, and until when. A job below 0 is one without a promise, and 0 one that has finished.
func holders(evidence []Evidence, kind, latest string, name func(JobID) string) string {
	said := ""
	for i, e := range evidence {
		if i == mostHolders {
			slots := int64(0)
			for _, more := range evidence[i:] {
				slots += more.Amount
			}
			return said + fmt.Sprintf("; %s hold %s", counted(int64(len(evidence)-i), "more job", "more jobs"), counted(slots, kind+"slot", kind+"slots"))
		}
		who := "what was promised to jobs that have finished"
		switch {
		case e.Job > 0:
			who = name(e.Job)
		case e.Job < 0:
			who = "what runs without a promise"
		}
		said += fmt.Sprintf("; %s holds %s until %s%s", who, counted(e.Amount, kind+"slot", kind+"slots"), span(int64(e.At)), latest)
	}
	return said
}

func stageOf(n int64) Stage { return Stage(min(max(n, 0), int64(Stages))) }

// plainTexts are the sentences without numbers.
var plainTexts = map[Code]string{
	HasLabels:      "it asks for nodes with labels, and slots are promised on all nodes alike",
	NoDeadline:     "it has no deadline: it gets the slots that no promise needs",
	ClassUnknown:   "nothing is known of what its class costs: it gets the slots that no promise needs, and no promise",
	NotProfiled:    "nothing is known of what its class costs, so its deadline cannot be tested",
	Unbounded:      "what is known of its class sets no time by which it would finish, so no deadline can be promised",
	LeftOver:       "a slot that no promise needs",
	MapsFirst:      "its reduces wait for its last map",
	MapsOver:       "its last map has ended",
	Begun:          "it had begun before the scheduler took over",
	PlaceChanged:   "what its place in the order follows has changed",
	UnknownJob:     "there is no such job",
	UnknownNode:    "there is no such node",
	UnknownAttempt: "there is no such attempt, or it has ended",
	NotAdmitted:    "the job may not run yet",
	NotReady:       "the stage may not start yet",
	Withheld:       "the stage is withheld",
	NoTask:         "no open task is that near",
	NoRoom:         "the node has no room for the container",
	NodeAway:       "the node is down, asleep or draining",
	WrongLabels:    "the node lacks a label that the job asks for",
	CannotDo:       "this world cannot do that",
	GroupBroken:    "another item of its group was refused",
	Expired:        "its time to live has passed",
	TooLate:        "it is too late for that",
	Stale:          "the world has moved on",
	BadItem:        "the item makes no sense",
	Gone:           "the world lost it",
	Yielded:        "the stock scheduler places work now",
	Watched:        "the scheduler only watches",
	Unchanged:      "it stands so already",
}
