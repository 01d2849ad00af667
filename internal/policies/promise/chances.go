package promise

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/units"
)

// A deadline says something of its job that no law knows: who gives a job an hour mostly knows that it takes less. So
// the chance of a deadline is held against what became of earlier ones: of those that lay at a score of the told
// instants,
//
//	chance = Φ(at + by · score)
//
// with at = 0 and by = 1 before any has come true or passed. Both are fitted as they do (probit regression by Newton's
// steps, in which what came last counts most), once for jobs that stand among those that can be in time, and once for
// those that went behind: these are in time if others are sooner done than expected. No line says it all: by what
// chances of a size were too low of late the next ones are higher, apart for jobs of unknown classes.

// chances is that fit. The zero value has seen nothing.
type chances struct {
	At   float64    `json:"at,omitempty"`
	More float64    `json:"more,omitempty"` // by, less 1
	Info [3]float64 `json:"info,omitzero"`  // on both, less that of the start: of at, of both, of by
}

// The sizes of chances: the middles of tenths, more near to 1, where most are, and the ends, of which there is nothing
// to say.
var sizes = [...]float64{0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.93, 0.975, 0.995, 1}

// What chances of a size were off by counts as if it had been nothing so often at first, and by so many at most.
const (
	startSeen = 20.0
	mostSeen  = 200.0
)

// bySize is by how much chances of these sizes were too low. The zero value has seen nothing.
type bySize struct {
	Low  [len(sizes)]float64 `json:"low,omitzero"`
	Seen [len(sizes)]float64 `json:"seen,omitzero"` // outcomes that say so, and no more than count
}

// met counts what became of a deadline that had such a chance.
func (b *bySize) met(chance float64, inTime bool) {
	i, y := 1, 0.0
	for i+2 < len(sizes) && units.Rounded(chance) > units.Rounded((sizes[i]+sizes[i+1])/2) {
		i++
	}
	if inTime {
		y = 1
	}
	b.Seen[i] = min(b.Seen[i]+1, mostSeen)
	b.Low[i] = units.Rounded(b.Low[i] + (y-chance-b.Low[i])/(startSeen+b.Seen[i]))
}

// of is a chance as such ones came true.
func (b *bySize) of(chance float64) float64 {
	is := sizes
	for i := 1; i+1 < len(sizes); i++ {
		is[i] = min(1, max(is[i-1], sizes[i]+b.Low[i]))
	}
	return units.Rounded(through(sizes[:], is[:], chance))
}

// A fit starts as if so much were known of at and by, and the last so many outcomes count. No outcome says more than
// one at the far score.
const (
	startAt  = 5.0
	startBy  = 15.0
	mostMet  = 400.0
	farScore = 2.5
)

// met counts what became of a deadline.
func (c *chances) met(score float64, inTime bool) {
	z := max(-farScore, min(farScore, score))
	is := max(-farScore, min(farScore, c.of(z)))
	p, y := finish.Chance(is), 0.0
	if inTime {
		y = 1
	}
	density := math.Exp(-float64(is*is)/2) / math.Sqrt(2*math.Pi)
	slope := density / float64(p*(1-p))
	weight, pull := float64(density*slope), float64((y-p)*slope)
	const lose = 1 / mostMet
	for i, x := range [3]float64{weight, float64(weight * z), float64(weight * z * z)} {
		c.Info[i] = units.Rounded(float64(c.Info[i]*(1-lose)) + x)
	}
	// As the information is forgotten, the fit goes back to its start.
	a := pull - float64(lose*startAt*c.At)
	b := float64(pull*z) - float64(lose*startBy*c.More)
	ofAt, ofBoth, ofBy := c.Info[0]+startAt, c.Info[1], c.Info[2]+startBy
	det := float64(ofAt*ofBy) - float64(ofBoth*ofBoth)
	c.At = units.Rounded(c.At + (float64(ofBy*a)-float64(ofBoth*b))/det)
	c.More = units.Rounded(max(-0.8, min(2, c.More+(float64(ofAt*b)-float64(ofBoth*a))/det)))
}

// of is the score of the chance of a deadline at that score.
func (c *chances) of(score float64) float64 { return c.At + float64((1+c.More)*score) }

// needs is the score at which a deadline has a chance of that score.
func (c *chances) needs(score float64) float64 { return (score - c.At) / (1 + c.More) }
