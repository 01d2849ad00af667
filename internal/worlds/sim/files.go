package sim

import (
	"fmt"
	"math"
	"sort"

	"github.com/slackline/slackline/workload"
)

// Files lets jobs share input. Of Count files a job reads one, drawn with the popularity of its rank, r^-Zipf for any exponent of 0
// or more (block popularity in real traces is about 1; paper 003, section 4.4, needs small jobs that meet at the same blocks). A job
// that names its file (workload.Job.File) reads that. Block b of a file lies on the same nodes for every job that reads it.
type Files struct {
	Count int // 0 = each job has a file of its own
	Zipf  float64
}

func (f Files) validate() error {
	if f.Count < 0 || !(f.Zipf >= 0) || math.IsInf(f.Zipf, 0) {
		return fmt.Errorf("files: %d files of popularity rank^-%v, neither must be negative", f.Count, f.Zipf)
	}
	return nil
}

// newPopularity returns the popularity of the files, summed up from the first.
func newPopularity(f Files) []float64 {
	sums := make([]float64, f.Count)
	sum := 0.0
	for r := range sums {
		sum += math.Pow(float64(r+1), -f.Zipf)
		sums[r] = sum
	}
	return sums
}

// fileKey is the key of the placement of a job's input: that of its file.
func (w *World) fileKey(spec *workload.Job, key uint64) uint64 {
	switch n := len(w.popular); {
	case spec.File != "":
		return jobKey(spec.File) ^ uint64(forFile)
	case n > 0:
		u := unit(w.bits(forFile, key, 0, 0, 0)) * w.popular[n-1]
		return mix(uint64(sort.SearchFloat64s(w.popular, u)))
	}
	return key
}
