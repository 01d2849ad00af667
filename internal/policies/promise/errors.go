package promise

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/units"
)

// What statements were off by says what the next ones are off by. Of each job that has ended it is known how likely
// its statement had it to be done by then. If statements are right, the normal scores of these probabilities have mean
// 0 and deviation 1; if all are late, or too narrow, they have not. So the scores of a statement are shifted and
// stretched as those of the last jobs were (Kuleshov and others, Accurate Uncertainties for Deep Learning Using
// Calibrated Regression, 2018, with two numbers in place of a curve).

// first is what was stated of a job when it came.
type first struct {
	At       units.Time `json:"at,omitempty"`
	Expected float64    `json:"expected,omitempty"`
	Scale    float64    `json:"scale,omitempty"`
	Off      float64    `json:"off,omitempty"`
}

// errs are the scores of the last jobs, the oldest first.
type errs struct {
	Last    []float64 `json:"last,omitempty"`
	Shift   float64   `json:"shift,omitempty"`
	Stretch float64   `json:"stretch,omitempty"` // less 1
	counted bool
}

// mostErrors is how many are remembered; so many count as right before there is any.
const (
	mostErrors = 200
	noErrors   = 20
)

// met notes when a job was done.
func (e *errs) met(r *record, at units.Time) {
	f := &r.First
	if f.Scale == 0 || r.Deviation == nil {
		return
	}
	st := statement{expected: f.Expected, scale: f.Scale, off: f.Off, own: r.Deviation, errs: &errs{}}
	if len(e.Last) == mostErrors {
		e.Last = slices.Delete(e.Last, 0, mostErrors/10)
	}
	e.counted = false
	e.Last = append(e.Last, units.Rounded(min(4, max(-4, -finish.Score(st.risk(at.Sub(f.At).Seconds()).Share())))))
}

// count finds by how much scores are to be shifted and stretched: by medians, so that no single job does.
func (e *errs) count() {
	n := float64(len(e.Last))
	if n < noErrors || e.counted {
		return
	}
	e.counted = true
	sorted := slices.Clone(e.Last)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(units.Rounded(a), units.Rounded(b)) })
	at := func(percent int) float64 { return sorted[percent*(len(sorted)-1)/100] }
	part := n / (n + noErrors)
	e.Shift = units.Rounded(part * at(50))
	e.Stretch = units.Rounded(part * (min(2, max(0.5, (at(84)-at(16))/2)) - 1))
}

// out is the score of the law at which a statement of that score lies, in its inverse.
func (e *errs) out(z float64) float64 { return e.Shift + z*(1+e.Stretch) }
func (e *errs) in(z float64) float64  { return (z - e.Shift) / (1 + e.Stretch) }
