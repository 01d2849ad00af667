package sched

import "github.com/slackline/slackline/units"

// Code says why an item was refused, by the book or by the world.
type Code uint8

// The refusals.
const (
	// OK is no refusal.
	OK Code = 0
	// UnknownJob says that there is no such job.
	UnknownJob Code = 64 + iota - 1
	// UnknownNode says that there is no such node.
	UnknownNode
	// UnknownAttempt says that there is no such attempt, or that it has ended.
	UnknownAttempt
	// NotAdmitted says that the job may not run.
	NotAdmitted
	// NotReady says that the stage may not start.
	NotReady
	// Withheld says that the policy withholds the stage.
	Withheld
	// NoTask says that no task of the stage is open, or none that near.
	NoTask
	// NoRoom says that the node has no room for the container.
	NoRoom
	// NodeAway says that the node is down, asleep or draining.
	NodeAway
	// WrongLabels says that the node lacks a label that the job asks for.
	WrongLabels
	// AtLimit says that the stage already occupies the slots it was given, which are A of the reason.
	AtLimit
	// CannotDo says that the world cannot do this.
	CannotDo
	// GroupBroken says that another item of the group was refused.
	GroupBroken
	// TooLate says that the job or stage is past the point where this is possible.
	TooLate
	// Stale says that the world's state had changed already.
	Stale
	// BadItem says that the item makes no sense.
	BadItem
	// Gone says that the world lost the item.
	Gone
	// Yielded says that the stock scheduler places work, until the next TakeOver.
	Yielded
	// Watched says that the scheduler watches: nothing that it plans is done, and what it decides
	// about a job is advice.
	Watched
	// Unchanged is advice that holds already. Plan.Add leaves the item out.
	Unchanged
	// Avoided says that the job avoids the node.
	Avoided
	// Needed says that the last copy of a block or of a map output lies on the node.
	Needed
	codes
)

// refusals holds the name and the sentence of each.
var refusals = [codes - UnknownJob][2]string{
	{"unknown-job", "there is no such job"},
	{"unknown-node", "there is no such node"},
	{"unknown-attempt", "there is no such attempt, or it has ended"},
	{"not-admitted", "the job may not run yet"},
	{"not-ready", "the stage may not start yet"},
	{"withheld", "the stage is withheld"},
	{"no-task", "no open task is that near"},
	{"no-room", "the node has no room for the container"},
	{"node-away", "the node is down, asleep or draining"},
	{"wrong-labels", "the node lacks a label that the job asks for"},
	{"at-limit", "the job already occupies the slots it was given"},
	{"cannot-do", "this world cannot do that"},
	{"group-broken", "another item of its group was refused"},
	{"too-late", "it is too late for that"},
	{"stale", "the world has moved on"},
	{"bad-item", "the item makes no sense"},
	{"gone", "the world lost it"},
	{"yielded", "the stock scheduler places work now"},
	{"watched", "the scheduler only watches"},
	{"unchanged", "it is so already"},
	{"avoided", "the job avoids the node"},
	{"needed", "the last copy of a block or of a map output lies on the node"},
}

// String names the code.
func (c Code) String() string {
	switch {
	case c == OK:
		return "ok"
	case c < UnknownJob || c >= codes:
		return "unknown"
	}
	return refusals[c-UnknownJob][0]
}

// Sentence says for people what the code means.
func (c Code) Sentence() string {
	if c < UnknownJob || c >= codes {
		return c.String()
	}
	return refusals[c-UnknownJob][1]
}

// Cause is a kind of reason for which policies do things. It is declared once, beside the rule, as
// a package variable that nobody changes, and listed in the catalogue entry. Journals write its
// name. The sentence is made when somebody reads it.
type Cause struct {
	// Name is in lower-case words with hyphens between. No two causes share one.
	Name string
	// Text is the sentence, as data: a policy may be in another process. {n} is the number of that
	// name, {n-m} the difference of two, {n?slot|slots} the word for so many, {job} the job;
	// [n?text|else] is the text where that number is above 0 and not units.Never. Besides those of
	// Numbers there is what the job is told: {by}, {confidence}, {half}, {ninety}, {measured}.
	Text string
	// Numbers say what A, B and C of a reason are, in that order.
	Numbers []Number
	// Each says the evidence, a piece behind another: the first the first, and the last all that follow.
	Each []Piece
	// Told says that reports and logs tell it of the item's job: that is what the item is for.
	Told bool
}

// Causes that many policies share.
var (
	// FirstInOrder: the job stands first in the order.
	FirstInOrder = &Cause{Name: "first-in-order", Text: "first in the order with work for this node"}
	// AdmitAll: the policy admits every job.
	AdmitAll = &Cause{Name: "admit-all", Text: "this policy admits every job"}
	// Begun: the job had begun before the scheduler took over.
	Begun = &Cause{Name: "begun", Text: "it had begun before the scheduler took over"}
	// PlaceChanged: what the job's place in the order depends on has changed.
	PlaceChanged = &Cause{Name: "place-changed", Text: "what its place in the order depends on has changed"}
	// Wakeup: the policy wants to look again at A.
	Wakeup = &Cause{Name: "wake-up", Text: "asked to be woken at {when}", Numbers: []Number{Clock.Named("when", "when", 60e9)}}
)

// String is the name.
func (c *Cause) String() string {
	if c == nil {
		return OK.String()
	}
	return c.Name
}

// Equal tells whether both have the same name: a cause read from a file is the one declared under
// that name.
func (c *Cause) Equal(o *Cause) bool { return c.String() == o.String() }

// MarshalText writes the name.
func (c *Cause) MarshalText() ([]byte, error) { return []byte(c.Name), nil }

// UnmarshalText reads the name and nothing else; see CauseNamed.
func (c *Cause) UnmarshalText(text []byte) error {
	*c = Cause{Name: string(text)}
	return nil
}

// general are the causes that any policy may name without declaring them.
var general = []*Cause{FirstInOrder, AdmitAll, Begun, PlaceChanged, Wakeup}

// CauseNamed finds a cause among those declared and those that any policy may name. If there is
// none, it makes one of the name alone, whose sentence is the name with the numbers as they are.
func CauseNamed(name string, declared []*Cause) *Cause {
	for _, list := range [][]*Cause{declared, general} {
		for _, c := range list {
			if c.Name == name {
				return c
			}
		}
	}
	return &Cause{Name: name}
}

// Reason says why an item is in the plan, with the numbers that decided.
type Reason struct {
	// Cause is the kind of reason, nil = none is given.
	Cause *Cause
	// Job is another job that mattered, 0 = none.
	Job JobID
	// A, B and C are the numbers; Cause.Numbers says what they mean.
	A, B, C int64
	// Evidence is a longer explanation, in Plan.Evidence.
	Evidence Span
}

// Same tells whether two reasons say the same, but for their evidence.
func (r *Reason) Same(o *Reason) bool {
	return r.Cause.Equal(o.Cause) && r.Job == o.Job && r.A == o.A && r.B == o.B && r.C == o.C
}

// Evidence is one piece of a longer explanation: at that time, that job held so much.
type Evidence struct {
	// Job is the job that held something.
	Job JobID
	// At is when.
	At units.Time
	// Amount is how much; what of, the cause says.
	Amount int64
}

// Because returns a reason with up to three numbers.
func Because(c *Cause, numbers ...int64) Reason {
	r := Reason{Cause: c}
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
func (r Reason) String() string { return r.say(Outlook{}, nil, nil) }
