package sched

import "io"

// Policy decides.
type Policy interface {
	// About says what the policy is. It does not change.
	About() About
	// Decide fills p. It is deterministic, and owns nothing but its private state.
	Decide(v View, batch []Event, p *Plan)
	// Save writes all private state. A new policy of the same parameters that Loads it decides the
	// same from then on.
	Save(io.Writer) error
	// Load reads what Save wrote.
	Load(io.Reader) error
}

// About is what a policy says of itself. Zero fields promise nothing.
type About struct {
	// Order is that by which the book sorts jobs; nil: they stand in order of arrival.
	Order Order
	// Causes are those of its reasons, but for those that any policy may give. Whoever reads a saved
	// book or a journal looks them up here.
	Causes []*Cause
	// Heeds are the kinds of events on which it may have something to do; none = any. The loop passes
	// it over in other batches: there its Decide must plan nothing and change nothing, whatever the
	// time is. A policy that looks at the clock asks for a Tick and heeds it.
	Heeds Events
}

// Cloner is a Policy that can be copied together with its book.
type Cloner interface {
	// Clone returns a copy that decides the same from now on. Neither disturbs the other. The error
	// says why this policy cannot be copied.
	Clone() (Policy, error)
}

// Undeclared is something that a policy, or a part of it, does without having declared it. Whoever
// notices panics with it, and the loop ends the run with it as the error.
type Undeclared struct {
	// Does says what the policy did without declaring it.
	Does string
}

// Error says what was done.
func (u *Undeclared) Error() string { return u.Does }

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
	// Follows says which tallies the keys follow, and nothing else that changes as attempts are
	// planned or end. The ledger does not ask for the keys that the others cannot change.
	Follows() Tallies
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

// Follows says that keys may follow all tallies.
func (Flat) Follows() Tallies { return AllTallies }
