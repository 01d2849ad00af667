package profile

import (
	"math"
	"slices"
)

// Score says how well the models of a part foretold tasks of jobs that came after they were fitted:
// how often these lay where they should, and the pinball loss, which is least for the true quantiles,
// in parts of the median that was foretold. Of old tasks half are forgotten now and then.
type Score struct {
	Key
	Tasks  float64    `json:"tasks"`
	Within float64    `json:"within"` // tasks between the quantiles at 5 and 95 %
	Below  [3]float64 `json:"below"`  // tasks below those at 50, 90 and 99 %
	Loss   [3]float64 `json:"loss"`   // sum of the pinball losses of these
}

// ScoredAt are the probabilities of the quantiles that are scored.
var ScoredAt = [3]float64{0.5, 0.9, 0.99}

// forgetful is how many tasks a score counts before it forgets half.
const forgetful = 1 << 14

// take counts tasks of one job that came after the model was fitted.
func (s *Score) take(m *Model, tasks []Measure) {
	for _, t := range tasks {
		f, x := m.TotalAt(t[0], t[1]), m.off(&t)
		s.Tasks++
		if x >= f.Quantile(0.05) && x <= f.Quantile(0.95) {
			s.Within++
		}
		for i, p := range ScoredAt {
			q := f.Quantile(p)
			if x <= q {
				s.Below[i]++
			}
			s.Loss[i] += min(max(p*(x-q), (p-1)*(x-q)), 1e6)
		}
	}
	if s.Tasks > forgetful {
		s.Tasks, s.Within = s.Tasks/2, s.Within/2
		for i := range s.Below {
			s.Below[i], s.Loss[i] = s.Below[i]/2, s.Loss[i]/2
		}
	}
}

func (s *Score) merge(o *Score) {
	s.Tasks, s.Within = s.Tasks+o.Tasks, s.Within+o.Within
	for i := range s.Below {
		s.Below[i] += o.Below[i]
		s.Loss[i] += o.Loss[i]
	}
}

// score returns the score of that key, and makes it if need be.
func (c *Class) score(k Key) *Score {
	i, found := slices.BinarySearchFunc(c.Scores, k, func(s Score, k Key) int { return s.Key.compare(k) })
	if !found {
		c.Scores = slices.Insert(c.Scores, i, Score{Key: k})
	}
	return &c.Scores[i]
}

func (s *Score) wrong() (what, why string) {
	counts := append([]float64{s.Within}, s.Below[:]...)
	if !(s.Tasks >= 0 && s.Tasks <= math.MaxInt64) {
		return "tasks", "it is negative, or more than can be counted"
	}
	for _, n := range counts {
		if !(n >= 0 && n <= s.Tasks) {
			return "below", "there are more tasks than were scored"
		}
	}
	for _, l := range s.Loss {
		if l < 0 {
			return "loss", "a loss must not be negative"
		}
	}
	return "", ""
}
