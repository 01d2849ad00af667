package sim

import (
	"math"
	"sort"

	"github.com/slackline/slackline/workload"
)

// Files lets jobs share input. Of Count files a job reads one, drawn with the popularity of its
// rank, r^-Zipf for any exponent of 0 or more (block popularity in real traces is about 1; paper
// 003, section 4.4, needs small jobs that meet at the same blocks). A job that names its file
// (workload.Job.File) reads that. Block b of a file lies on the same nodes for every job that reads
// it.
//
// A job's maps read the blocks of its file in order. Where files are of so many Blocks, each map
// reads one of these, drawn by itself and each as likely: one such file is a store in which jobs
// small and large meet at the same blocks (paper 003, section 4.4.1: 100 blocks).
type Files struct {
	Count  int // 0 = each job has a file of its own
	Zipf   float64
	Blocks int // 0 = as many as the job has maps
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

// blockOf is the block of its file that the n-th map of a job reads, from 0.
func (w *World) blockOf(job uint64, n int) int {
	if w.cfg.Files.Blocks == 0 {
		return n
	}
	return below(w.bits(forBlock, job, uint64(n), 0, 0), w.cfg.Files.Blocks)
}
