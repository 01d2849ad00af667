package sched

import "github.com/slackline/slackline/units"

// Outlook is what a job is told of its finish. Admit, Reject, Foretell and an Answer carry one, and the
// book keeps it (Job.Outlook). Whoever counts, shows or audits promises reads it, and nothing else, and no
// schedule depends on it. Zero fields say nothing.
type Outlook struct {
	// Word is what the job is told of its deadline.
	Word Word
	// Measured is how many tasks of a sample this rests on.
	Measured int32
	// Confidence is the probability with which By holds, in millionths; Certain = in the worst case.
	Confidence int32
	// By is when the job is done with the confidence, as things stand. Of a Reject it is the earliest
	// deadline that would be accepted.
	By units.Time
	// Half is when half of all such jobs are done.
	Half units.Time
	// Ninety is when 90 % of them are.
	Ninety units.Time
	// Chance is the probability that the job's deadline is met, in millionths; 0 = nobody has said.
	Chance int32
}

// Certain is the confidence of the worst case.
const Certain = 1_000_000

// Foreseen tells whether the outlook says when the job is done.
func (o *Outlook) Foreseen() bool { return o.By != 0 && o.Word < NoEarlier }

// Word is what a job is told of its deadline.
type Word uint8

// The words.
const (
	// NoWord says nothing.
	NoWord Word = iota
	// Promised says that the deadline will be met, with the confidence.
	Promised
	// Expected says that the deadline is expected to be met, by less than a worst case.
	Expected
	// Unpromised says that the job gets what promises leave; the reason says why.
	Unpromised
	// NoEarlier says of a Reject that no deadline before By would be accepted.
	NoEarlier
	// MaybeEarlier says of a Reject that an earlier one than By might be accepted as well.
	MaybeEarlier
	// Words is the number of words.
	Words
)

var wordNames = [Words]string{"none", "promised", "expected", "unpromised", "no-earlier", "maybe-earlier"}

// String names the word.
func (w Word) String() string { return nameOf(wordNames[:], int(w)) }

// Binds tells whether the word is one by which the deadline counts as given: a promise or an estimate.
func (w Word) Binds() bool { return w == Promised || w == Expected }

// Offer is what a refusal tells of the earliest deadline that would be accepted: nothing if that is
// units.Never or 0, and whether an earlier one might be.
func Offer(by units.Time, exact bool) Outlook {
	switch {
	case by == 0 || by == units.Never:
		return Outlook{}
	case exact:
		return Outlook{Word: NoEarlier, By: by}
	}
	return Outlook{Word: MaybeEarlier, By: by}
}
