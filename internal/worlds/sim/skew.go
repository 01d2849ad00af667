package sim

import (
	"math"

	"github.com/slackline/slackline/sched"
)

// weigh gives the reduces of a job their shares, as factors of mean 1: the reduce of rank r gets a share of a job's
// intermediate data proportional to r^-skew, any exponent of 0 or more, and its Shuffle and Work
// grow with it; their mean over the job stays what the job states. Which reduce has which rank is
// drawn for the job. Policies do not see it: they learn it as they would in reality. O(reduces).
func (w *World) weigh(j *job) {
	s := j.stage(sched.Reduce)
	if s == nil || w.cfg.Skew == 0 {
		return
	}
	n := len(s.tasks)
	s.weights = make([]float64, n)
	sum := 0.0
	for r := range s.weights {
		s.weights[r] = math.Pow(float64(r+1), -w.cfg.Skew)
		sum += s.weights[r]
	}
	for r := range s.weights {
		s.weights[r] *= float64(n) / sum
	}
	for i := n - 1; i > 0; i-- { // Fisher and Yates
		k := below(w.bits(forRank, j.key, uint64(i), 0, 0), i+1)
		s.weights[i], s.weights[k] = s.weights[k], s.weights[i]
	}
}
