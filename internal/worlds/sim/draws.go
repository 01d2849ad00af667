package sim

import (
	"math"

	"github.com/slackline/slackline/units"
)

// A draw is keyed by what it is for, never by when it is drawn: (seed, name, job, stage, task,
// attempt). So two policies see the same task take the same time (common random numbers), and
// adding a job changes nothing for the others.

// purpose is the name of a draw.
type purpose uint64

const (
	forWork purpose = iota + 1
	forFailing
	forBreakingPoint
	forFirstCopy
	forStride
	forCopy
	forBreakdown
	forRepair
	forStraggling
	forRank
	forFile
	forFault
	forRackBreakdown
	forRackRepair
	forBlock
)

// jobKey is the part of a key that is the job: its id, so that its place in the workload does not matter (FNV-1a).
func jobKey(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h
}

// bits returns 64 bits for a key (the finalizer of SplitMix64 over each part in turn).
func (w *World) bits(p purpose, job uint64, a, b, c uint64) uint64 {
	return bitsOf(w.stem(p, job), a, b, c)
}

// stem is what all draws of a job for a purpose have in common.
func (w *World) stem(p purpose, job uint64) uint64 {
	return mix(mix(w.cfg.Seed+uint64(p)*0x9e3779b97f4a7c15) ^ job)
}

func bitsOf(stem, a, b, c uint64) uint64 { return mix(mix(stem^a<<32^b) ^ c) }

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps bits to (0,1), both ends left out.
func unit(bits uint64) float64 { return (float64(bits>>11) + 0.5) / (1 << 53) }

// below maps bits to 0 … n-1.
func below(bits uint64, n int) int { return int(bits % uint64(n)) }

// exponential draws a span of that mean, at least 1 ns.
func exponential(bits uint64, mean units.Duration) units.Duration {
	return max(1, mean.Scale(-math.Log(unit(bits))))
}
