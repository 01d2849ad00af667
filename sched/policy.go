package sched

import (
	"fmt"
	"io"
)

// Policy decides. One that sorts jobs by an order of its own is a Ranker as well; to be an Order is not enough, and is refused.
type Policy interface {
	// Decide fills p. It is deterministic, and owns nothing but its private state.
	Decide(v View, batch []Event, p *Plan)
	// Save writes all private state, so that a Load into a new policy of the same parameters decides the same from then on.
	Save(io.Writer) error
	// Load reads what Save wrote.
	Load(io.Reader) error
}

// Cloner is a Policy that can be copied together with its book, to play on beside it: both decide the same from then on, and neither
// disturbs the other. An error says why this one cannot be.
type Cloner interface {
	Clone() (Policy, error)
}

// Ranker is a Policy that sorts jobs by an order of its own. Without one, jobs stand in order of arrival.
type Ranker interface {
	Order() Order
}

// OrderOf returns the order of the policy, nil for the order of arrival. A policy that has the methods of an Order, and is not a Ranker, is
// an error: its author means it to be used, and it would not be.
func OrderOf(p Policy) (Order, error) {
	if r, ok := p.(Ranker); ok {
		return r.Order(), nil
	}
	if _, ok := p.(Order); ok {
		return nil, fmt.Errorf("policy %T has the methods of a sched.Order, but no method Order() sched.Order, without which its order is not used (see sched.Ranker)", p)
	}
	return nil, nil
}

// Heeder is a Policy that has something to do only where a batch brings an event of certain kinds: the loop spares it the others. In a batch
// without one its Decide would plan nothing and change nothing, whatever the time is; a policy that looks at the clock asks for a Tick and
// heeds it.
type Heeder interface {
	Heeds() Events
}

// HeedsOf returns the kinds of events that the policy heeds, all unless it says so.
func HeedsOf(p Policy) Events {
	if h, ok := p.(Heeder); ok {
		return h.Heeds()
	}
	return AnyEvent
}

// Undeclared is what a policy, or a part of it, does without having declared it. Where it finds out it panics with it, and the loop ends the
// run with it as its error.
type Undeclared struct{ Does string }

// Error says what was done.
func (u *Undeclared) Error() string { return u.Does }

// Declarer is a Policy that gives reasons of its own. It lists their causes, so that whoever reads a saved book or a journal knows them.
type Declarer interface {
	Causes() []*Cause
}

// CausesOf returns the causes that the policy declares.
func CausesOf(p Policy) []*Cause {
	if d, ok := p.(Declarer); ok {
		return d.Causes()
	}
	return nil
}

// Order sorts jobs by keys. The ledger asks for a key again after each event and each planned item that touched the record it is asked
// for, that of the job or of the queue, and never else. So a key may depend on the record, but not on when a job Started or how many
// attempts are Running: what was booked counts (Occupied), not its confirmation. A key may also depend on what the policy knows besides,
// such as profiles. When that changes, the policy says so by a Rank item in the same plan, for one job or for all; an order whose
// catalogue entry says that it reads profiles need not: all its jobs are ranked anew when one is learned. The conformance suite recomputes all
// keys at the end of each batch.
type Order interface {
	// Path names the queues, from below the root down, under which the job stands; nil = directly under the root.
	Path(j *Job) []string
	// JobKey ranks a job within its queue, for a stage.
	JobKey(v View, j *Job, s Stage) Key
	// QueueKey ranks a queue within its parent, for a stage.
	QueueKey(v View, q *Queue, s Stage) Key
	// Open tells whether work below the queue may start now. It is asked while walking and may look at anything.
	Open(v View, q *Queue, s Stage) bool
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

// Ratio returns num/den as a fixed-point number that sorts exactly as the ratio does up to 2^-20: for shares, without the
// rounding of floats. num and den must not be negative, and num must be below 2^43; den = 0 counts as 1.
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
