package sim

import (
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// Law is a family of distributions of task times, each with mean 1.
type Law uint8

// The laws.
const (
	Constant    Law = iota
	Uniform         // on [1-√3·CV, 1+√3·CV], CV at most 1/√3
	Normal          // cut off at 0.05 below and 1.95 above, so that the mean stays
	Exponential     // CV is 1 whatever Times says
	LogNormal       // long tail
	Pareto          // heavier tail: P(X > x) = (xm/x)^α, with α = 1 + √(1 + 1/CV²) and xm = (α-1)/α
	Empirical       // one of Values, each as likely as the others, over their mean
)

// Times is the distribution of the factor on a task's Work.
type Times struct {
	Law    Law
	CV     float64   // standard deviation over mean
	Values []float64 // Empirical: times that were measured, in any unit; all above 0
}

// normalized returns the times with values of mean 1.
func (t Times) normalized() Times {
	sum := 0.0
	for _, x := range t.Values {
		sum += x
	}
	t.Values = slices.Clone(t.Values)
	for i := range t.Values {
		t.Values[i] *= float64(len(t.Values)) / sum
	}
	return t
}

// factor turns a uniform draw into the factor on a task's work, of mean 1.
func (t Times) factor(u float64) float64 {
	switch t.Law {
	case Uniform:
		return 1 + t.CV*math.Sqrt(3)*(2*u-1)
	case Normal:
		if t.CV == 0 {
			return 1
		}
		const cut = 0.95 // symmetrical, so that the mean stays 1
		return 1 + t.CV*math.Sqrt2*math.Erfinv((2*u-1)*math.Erf(cut/(t.CV*math.Sqrt2)))
	case Exponential:
		return -math.Log(u)
	case LogNormal:
		v := math.Log(1 + t.CV*t.CV)
		return math.Exp(math.Sqrt(2*v)*math.Erfinv(2*u-1) - v/2)
	case Pareto:
		if t.CV == 0 {
			return 1
		}
		a := 1 + math.Sqrt(1+1/(t.CV*t.CV))
		return (a - 1) / a * math.Pow(u, -1/a)
	case Empirical:
		return t.Values[int(u*float64(len(t.Values)))]
	}
	return 1
}

// drawWork returns the work of an attempt in nanoseconds at speed 1, and whether it breaks at the
// end of that. An attempt that breaks does so at a point of its work that is drawn uniformly.
func (w *World) drawWork(j *job, s *stage, said units.Duration, task, try, node int32) (work float64, breaks bool) {
	work = float64(said)
	if w.cfg.Times.Law != Constant {
		work *= w.cfg.Times.factor(unit(w.bits(forWork, j.key, uint64(s.kind), uint64(task), uint64(try))))
	}
	if w.cfg.Stragglers.Rate > 0 {
		work *= w.straggles(j, s, task, try)
	}
	if s.weights != nil {
		work *= s.weights[task-1]
	}
	if p := w.failureRate(node); p > 0 && unit(w.bits(forFailing, j.key, uint64(s.kind), uint64(task), uint64(try))) < p {
		return work * unit(w.bits(forBreakingPoint, j.key, uint64(s.kind), uint64(task), uint64(try))), true
	}
	return work, false
}
