package promise

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/units"
)

// What statements were off by says what the next ones are off by. A job is told instants by which one in ten of such
// jobs are done, half, nine, and 99 of 100. Whenever one comes true, its like are told for a little sooner, and where
// it passes, for later, by so much that in the long run as many come true as stated, whatever the law (Gibbs, Candès,
// Adaptive Conformal Inference Under Distribution Shift, 2021). A job that runs still when its instant passes is such
// an error at once. What moves is where these instants lie among the normal scores of the law, and so all others too.

// The instants that are followed: how likely each is, its normal score, and what a miss of it moves that by, which
// is a hundredth of probability.
var (
	shell  = [4]float64{0.1, 0.5, 0.9, 0.99}
	scores = func() (z [len(shell)]float64) {
		for i, p := range shell {
			z[i] = units.Rounded(finish.Score(p))
		}
		return z
	}()
	steps = func() (by [len(shell)]float64) {
		for i, z := range scores {
			by[i] = stepAt(z)
		}
		return by
	}()
)

// stepAt is what a hundredth of probability is at a score.
func stepAt(z float64) float64 { return units.Rounded(0.01 * math.Sqrt(2*math.Pi) * math.Exp(z*z/2)) }

// mostOff is how far a score may move.
const mostOff = 6

// A promise asks for less than that: jobs that can be promised are those with time to spare, and to hold them
// against what all others miss drops promises that would be kept. So it goes by the law, where half of all jobs
// put it, and by what becomes of promises: one that is broken raises the score that the next ones ask for, and one
// that is kept lowers it (Bao and others, Selective Conformal Inference, 2024), but never below their level.
// Beyond what all jobs are told for that level it asks for a third as much, as bursts of broken promises would end
// them else.
const beyondTold = 3

// errs are what statements were off by.
type errs struct {
	Of   [3]standing `json:"of,omitzero"`
	Came [2]bySize   `json:"came,omitzero"`  // of jobs of classes of which something was known, and of others
	Sure float64     `json:"sure,omitempty"` // what promises ask for besides
}

// Whose statements are off alike, by where a job stood when it came.
const (
	inTime  = iota // among those that can be in time
	inChain        // so too, and waits for others, of which each may be late
	gone           // behind, so that it waits for whoever comes
)

// standing are the scores by which the law of statements tells the instants, less their own, and what chances came
// to.
type standing struct {
	Off [len(shell)]float64 `json:"off"`
	chances
}

// first is what was stated of a job when it came: the instants, and how many of them have passed.
type first struct {
	By   [len(shell)]units.Time `json:"by"`
	Past int                    `json:"past,omitempty"`

	Deadline bool    `json:"deadline,omitempty"` // it has one that has not passed
	Score    float64 `json:"score,omitempty"`    // of that
	Chance   float64 `json:"chance,omitempty"`   // by its score alone, at least what it was promised with
	Strange  bool    `json:"strange,omitempty"`  // nothing was known of its class
	Like     int     `json:"like,omitempty"`     // where it stood

	Broken bool `json:"broken,omitempty"` // its promise
}

// states notes what is stated of a job that came.
func (f *first) states(now units.Time, st *statement) {
	for i, p := range shell {
		f.By[i] = now.Add(ofSeconds(st.by(finish.RiskOf(1 - p))))
	}
}

// passes counts the instants that a job has missed that has not ended, and its deadline, if that is promised.
func (e *errs) passes(r *record, now units.Time) {
	f := &r.First
	if f.Deadline && now > r.Until {
		e.came(f, false)
	}
	if r.Promised > 0 && now > r.Until && !f.Broken {
		f.Broken = true
		e.promised(r.Promised, false)
	}
	for ; f.Past < len(shell) && f.By[f.Past] != 0 && now > f.By[f.Past]; f.Past++ {
		e.Of[f.Like].move(f.Past, steps[f.Past]*shell[f.Past])
	}
}

// met counts what came of what a job was told that ended then.
func (e *errs) met(r *record, at units.Time) {
	e.passes(r, at)
	f := &r.First
	if f.Deadline {
		e.came(f, true)
	}
	if r.Promised > 0 && !f.Broken {
		e.promised(r.Promised, true)
	}
	for i := f.Past; i < len(shell) && f.By[i] != 0; i++ {
		e.Of[f.Like].move(i, steps[i]*(shell[i]-1))
	}
}

// came counts what became of a deadline.
func (e *errs) came(f *first, inTime bool) {
	f.Deadline = false
	if e.Came[kept(f.Strange)].met(f.Chance, inTime); !f.Strange {
		e.Of[f.Like].met(f.Score, inTime)
	}
}

// kept is where what came of such jobs is.
func kept(strange bool) int {
	if strange {
		return 1
	}
	return 0
}

// promised counts a promise that leaves such a risk.
func (e *errs) promised(risk finish.Risk, kept bool) {
	z, by := units.Rounded(finish.Score(1-risk.Share())), 1-risk.Share()
	if kept {
		by--
	}
	e.Sure = units.Rounded(min(mostOff, max(0, e.Sure+units.Rounded(stepAt(z)*by))))
}

// sure is out for a promise.
func (e *errs) sure(like int, z float64) float64 {
	of := &e.Of[like]
	z = of.needs(z)
	ask, told := z+of.Off[1]+e.Sure, of.out(z)
	return min(ask, told+max(0, ask-told)/beyondTold)
}

func (e *standing) move(i int, by float64) {
	e.Off[i] = units.Rounded(min(mostOff, max(-mostOff, e.Off[i]+by)))
}

// out is the score of the law at which a statement of that score lies, in its inverse: linear between those that are
// followed, and as far off beyond them.
func (e *standing) out(z float64) float64 {
	at := e.at()
	return through(scores[:], at[:], z)
}

func (e *standing) in(z float64) float64 {
	at := e.at()
	return through(at[:], scores[:], z)
}

// at is where the law has the instants, each behind the one before.
func (e *standing) at() (z [len(shell)]float64) {
	for i := range z {
		z[i] = scores[i] + e.Off[i]
		if i > 0 {
			z[i] = max(z[i], z[i-1]+0.1)
		}
	}
	return z
}

// through maps a score.
func through(from, to []float64, z float64) float64 {
	i := 0
	for i < len(from) && units.Rounded(from[i]) < units.Rounded(z) {
		i++
	}
	switch {
	case i == 0:
		return to[0] + z - from[0]
	case i == len(from):
		return to[i-1] + z - from[i-1]
	}
	return to[i-1] + (to[i]-to[i-1])*(z-from[i-1])/(from[i]-from[i-1])
}
