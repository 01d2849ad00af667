package sched

import (
	"fmt"

	"github.com/slackline/slackline/units"
)

// Code says why an item was refused, by the book or by the world.
type Code uint8

// The refusals. OK is none.
const (
	OK             Code = 0
	UnknownJob     Code = 64 + iota - 1 // there is no such job
	UnknownNode                         // there is no such node
	UnknownAttempt                      // there is no such attempt, or it has ended
	NotAdmitted                         // the job may not run
	NotReady                            // the stage may not start
	Withheld                            // the stage is withheld
	NoTask                              // no task of the stage is open, or none that near
	NoRoom                              // the node has no room for the container
	NodeAway                            // the node is down, asleep or draining
	WrongLabels                         // the node lacks a label that the job asks for
	AtLimit                             // the job already occupies the slots it was given; A = limit
	CannotDo                            // the world cannot do this
	GroupBroken                         // another item of its group was refused
	Expired                             // its time to live has passed
	TooLate                             // the job or stage has gone past the point where this is possible
	Stale                               // the world's state was already another one
	BadItem                             // the item makes no sense
	Gone                                // the world lost it
	Yielded                             // the stock scheduler places work, until the next TakeOver
	Watched                             // the scheduler watches: nothing it plans is done, and what it decides upon a job is advice
	Unchanged                           // advice that stands already: Plan.Add leaves it out
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
	{"expired", "its time to live has passed"},
	{"too-late", "it is too late for that"},
	{"stale", "the world has moved on"},
	{"bad-item", "the item makes no sense"},
	{"gone", "the world lost it"},
	{"yielded", "the stock scheduler places work now"},
	{"watched", "the scheduler only watches"},
	{"unchanged", "it stands so already"},
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

// Cause is a kind of reason for which policies do things. Whoever gives a reason declares its cause beside its rule, once, as a package
// variable that nobody changes, and lists it in its catalogue entry. Journals write its name; the sentence is made when somebody reads.
type Cause struct {
	Name    string               // lower-case words with hyphens between; no two causes share one
	Text    string               // the sentence of a cause without numbers
	Numbers []string             // what A, B and C of a reason mean, in that order
	Say     func(r *Said) string // the sentence with its numbers
	Example [3]int64             // numbers for which the catalogue shows the sentence
	Word    Word                 // what the admission of a job for this reason means for its deadline
}

// Word is what a job was told of its deadline when it was let in.
type Word uint8

// The words.
const (
	NoWord    Word = iota // nothing
	Promise               // it will be met; B = the finish as things stand
	Estimate              // it is expected to be met, by what is no worst case; B = the expected finish
	NoPromise             // it gets what promises leave, and the sentence says why
)

// Causes that many policies share.
var (
	// FirstInOrder: the job stands first in the order.
	FirstInOrder = &Cause{Name: "first-in-order", Text: "first in the order with work for this node"}
	// AdmitAll: the policy admits every job.
	AdmitAll = &Cause{Name: "admit-all", Text: "this policy admits every job"}
	// Begun: the job had begun before the scheduler took over.
	Begun = &Cause{Name: "begun", Text: "it had begun before the scheduler took over"}
	// PlaceChanged: what the job's place in the order follows has changed.
	PlaceChanged = &Cause{Name: "place-changed", Text: "what its place in the order follows has changed"}
	// Wakeup: the policy wants to look again at A.
	Wakeup = &Cause{Name: "wake-up", Numbers: []string{"when"}, Example: [3]int64{60e9},
		Say: func(r *Said) string { return "asked to be woken at " + r.Time(r.A) }}
)

// String is the name.
func (c *Cause) String() string {
	if c == nil {
		return OK.String()
	}
	return c.Name
}

// Equal tells whether both have one name, as a cause that was read from a file has that of one that was declared.
func (c *Cause) Equal(o *Cause) bool { return c.String() == o.String() }

// MarshalText writes the name.
func (c *Cause) MarshalText() ([]byte, error) { return []byte(c.Name), nil }

// UnmarshalText reads the name and nothing else; see CauseNamed.
func (c *Cause) UnmarshalText(text []byte) error {
	*c = Cause{Name: string(text)}
	return nil
}

// general are the causes that need not be declared to be known from their names: policies of one's own give them too.
var general = []*Cause{FirstInOrder, AdmitAll, Begun, PlaceChanged, Wakeup}

// CauseNamed finds a cause among those declared and those that any policy may name. One that is not there is known by its name alone: it is
// told with its numbers as they are.
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
	Cause    *Cause // nil: no reason is given
	Job      JobID  // another job that mattered
	A, B, C  int64
	Evidence Span // in the plan's arena
}

// Same tells whether two reasons say the same, but for their evidence.
func (r *Reason) Same(o *Reason) bool {
	return r.Cause.Equal(o.Cause) && r.Job == o.Job && r.A == o.A && r.B == o.B && r.C == o.C
}

// Evidence is one piece of a longer explanation: at that time, that job held so much.
type Evidence struct {
	Job    JobID
	At     units.Time
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
func (r Reason) String() string { return r.say(nil, nil) }

// say is the reason as a sentence, with its evidence. name says what a job is called; nil: by its handle.
func (r *Reason) say(evidence []Evidence, name func(JobID) string) string {
	switch c := r.Cause; {
	case c == nil:
		return ""
	case c.Say != nil:
		return c.Say(&Said{*r, evidence, name})
	case c.Text != "":
		return c.Text
	case r.A != 0 || r.B != 0 || r.C != 0:
		return fmt.Sprintf("%s (%d, %d, %d)", c.Name, r.A, r.B, r.C)
	}
	return r.Cause.Name
}

// Said is a reason that is being told: what makes its sentence finds here its numbers, its evidence, and how to put them.
type Said struct {
	Reason
	Proof []Evidence // its evidence
	name  func(JobID) string
}

// JobName is what a job is called.
func (r *Said) JobName(j JobID) string {
	if r.name == nil {
		return byHandle(j)
	}
	return r.name(j)
}

// Count is a number of things in words.
func (r *Said) Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Time is a time, or a span of time, in nanoseconds.
func (r *Said) Time(ns int64) string {
	if units.Time(ns) == units.Never {
		return "never"
	}
	return units.Span(units.Duration(ns).Seconds())
}

// Stage names a stage.
func (r *Said) Stage(n int64) string { return Stage(min(max(n, 0), int64(Stages))).String() }

// Slots is a number of slots of a stage.
func (r *Said) Slots(n, stage int64) string {
	kind := r.Stage(stage)
	return r.Count(n, kind+" slot", kind+" slots")
}

func byHandle(j JobID) string { return fmt.Sprintf("job %d", j) }
