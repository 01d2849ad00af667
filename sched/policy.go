package sched

import (
	"fmt"
	"io"
)

// Policy decides. A policy that sorts jobs by an order of its own is also a Ranker. It is not
// enough that it has the methods of an Order: that is refused (OrderOf).
type Policy interface {
	// Decide fills p. It is deterministic, and owns nothing but its private state.
	Decide(v View, batch []Event, p *Plan)
	// Save writes all private state. A new policy of the same parameters that Loads it decides the
	// same from then on.
	Save(io.Writer) error
	// Load reads what Save wrote.
	Load(io.Reader) error
}

// Cloner is a Policy that can be copied together with its book.
type Cloner interface {
	// Clone returns a copy that decides the same from now on. Neither disturbs the other. The error
	// says why this policy cannot be copied.
	Clone() (Policy, error)
}

// Ranker is a Policy that sorts jobs by an order of its own. Otherwise jobs stand in order of arrival.
type Ranker interface {
	// Order returns the order by which the book sorts jobs.
	Order() Order
}

// OrderOf returns the order of the policy, nil for the order of arrival. A policy that has the
// methods of an Order and is not a Ranker is an error: its author means the order to be used, and
// it would not be.
func OrderOf(p Policy) (Order, error) {
	if r, ok := p.(Ranker); ok {
		return r.Order(), nil
	}
	if _, ok := p.(Order); ok {
		return nil, fmt.Errorf("policy %T has the methods of a sched.Order, but no method Order() sched.Order, without which its order is not used (see sched.Ranker)", p)
	}
	return nil, nil
}

// Heeder is a Policy that has something to do only when a batch brings an event of certain kinds.
// The loop passes it over in other batches: there its Decide must plan nothing and change nothing,
// whatever the time is. A policy that looks at the clock asks for a Tick and heeds it.
type Heeder interface {
	// Heeds returns these kinds.
	Heeds() Events
}

// HeedsOf returns the kinds of events that the policy heeds: all of them, unless it is a Heeder.
func HeedsOf(p Policy) Events {
	if h, ok := p.(Heeder); ok {
		return h.Heeds()
	}
	return AnyEvent
}

// Bider is a Heeder that may be told late of starts and ends of attempts that it heeds: with
// whatever else happens next. It still hears at once of an end by which a stage of a job has all
// its tasks done, or after which no task of the job runs.
type Bider interface {
	// Bides returns these kinds.
	Bides() Events
}

// BidesOf returns the kinds of events of which the policy may be told late: none, unless it is a Bider.
func BidesOf(p Policy) Events {
	if b, ok := p.(Bider); ok {
		return b.Bides()
	}
	return 0
}

// Undeclared is something that a policy, or a part of it, does without having declared it. Whoever
// notices panics with it, and the loop ends the run with it as the error.
type Undeclared struct {
	// Does says what the policy did without declaring it.
	Does string
}

// Error says what was done.
func (u *Undeclared) Error() string { return u.Does }

// Declarer is a Policy that gives reasons of its own. It lists their causes, for those who read a
// saved book or a journal.
type Declarer interface {
	// Causes returns the causes of its reasons.
	Causes() []*Cause
}

// CausesOf returns the causes that the policy declares.
func CausesOf(p Policy) []*Cause {
	if d, ok := p.(Declarer); ok {
		return d.Causes()
	}
	return nil
}

// Order sorts jobs by keys. The ledger asks for a key again after each event and each planned item
// that changed the record of the job or queue, and at no other time. So a key may depend on that
// record, except for when a job Started and how many attempts are Running: what was booked counts
// (Occupied), not its confirmation.
//
// A key may also depend on what else the policy knows, such as profiles. When that changes, the
// policy says so by a Rank item in the same plan, for one job or for all. An order whose catalogue
// entry says that it reads profiles need not do so: all its jobs are ranked again when a profile is
// learned. The conformance suite recomputes all keys at the end of each batch.
type Order interface {
	// Path names the queues above the job, from the one below the root down; nil = directly under
	// the root.
	Path(j *Job) []string
	// JobKey ranks a job within its queue, for a stage.
	JobKey(v View, j *Job, s Stage) Key
	// QueueKey ranks a queue within its parent, for a stage.
	QueueKey(v View, q *Queue, s Stage) Key
	// Open tells whether work below the queue may start now. It is asked on each walk, and may look
	// at anything.
	Open(v View, q *Queue, s Stage) bool
}

// Tallies says which counts of attempts in a record (Tally, QueueTally, Used) the keys of an Order
// follow.
type Tallies uint8

// The sets of tallies.
const (
	// AllTallies are those of all stages, and what a queue has Used.
	AllTallies Tallies = iota
	// OwnTally is that of the stage for which the key is. What happens in one stage changes no key
	// of another.
	OwnTally
	// NoTally is none: no key changes when an attempt is planned or ends.
	NoTally
)

// Tallied is an Order that says which tallies its keys follow, and nothing else that changes as
// attempts are planned or end. The ledger does not ask for the keys that these cannot change.
type Tallied interface {
	Order
	// Follows returns them.
	Follows() Tallies
}

// TalliesOf returns what the order says, AllTallies of one that does not.
func TalliesOf(o Order) Tallies {
	if t, ok := o.(Tallied); ok {
		return t.Follows()
	}
	return AllTallies
}

// Key ranks: smaller goes first, compared from the left. Equal keys go by order of arrival.
type Key [3]int64

// Less tells whether k goes before o.
func (k Key) Less(o Key) bool {
	if k[0] != o[0] {
		return k[0] < o[0]
	}
	if k[1] != o[1] {
		return k[1] < o[1]
	}
	return k[2] < o[2]
}

// Ratio returns num/den as a fixed-point number, which sorts exactly as the ratio does up to 2^-20.
// It is for shares, without the rounding of floats. num and den must not be negative, and num must
// be below 2^43. If den is 0 it counts as 1.
func Ratio(num, den int64) int64 {
	if den == 0 {
		den = 1
	}
	const one = 1 << 20
	whole := num / den
	return whole*one + (num%den)*one/den
}

// Flat is the part of an Order that has no queues. Embed it.
type Flat struct{}

// Path puts every job under the root.
func (Flat) Path(*Job) []string { return nil }

// QueueKey ranks nothing.
func (Flat) QueueKey(View, *Queue, Stage) Key { return Key{} }

// Open closes nothing.
func (Flat) Open(View, *Queue, Stage) bool { return true }
