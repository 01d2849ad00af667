package mold

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/units"
)

// Option is a way to run a job: in so many tasks, or on one kind of machine, or both.
type Option struct {
	Tasks int32
	Class int32          // kind of machine, where it matters
	Time  units.Duration // of the job, if all its tasks run at once
	Cost  int64          // of all of them, in microjoules
}

// Front returns the options that no other beats, from the fastest and dearest to the slowest and
// cheapest. Of equals the first stays.
func Front(all []Option) []Option {
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b Option) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Cost, b.Cost)) })
	keep := list[:0]
	for _, o := range list {
		if len(keep) == 0 || o.Cost < keep[len(keep)-1].Cost {
			keep = append(keep, o)
		}
	}
	return keep
}

// Job is a job of a workflow.
type Job struct {
	Options []Option       // a front, at least one
	Serial  units.Duration // as one task, by which paths are measured
	After   []int          // jobs that it waits for, all of them before it in the list
}

func (j *Job) fastest() *Option { return &j.Options[0] }

// gain is what a slower option saves, and the time that it takes more.
type gain struct {
	saves int64
	takes units.Duration
}

func gainOf(from, to *Option) gain { return gain{from.Cost - to.Cost, to.Time - from.Time} }

// above tells whether a gain saves more a second than another, exactly.
func (g gain) above(o gain) bool { return g.order(o) < 0 }

// order sorts gains: who saves most a second first.
func (g gain) order(o gain) int {
	hi, lo := bits.Mul64(uint64(g.saves), uint64(o.takes))
	hi2, lo2 := bits.Mul64(uint64(o.saves), uint64(g.takes))
	return cmp.Or(cmp.Compare(hi2, hi), cmp.Compare(lo2, lo))
}

// part is what it saves in a part of its time, rounded up: at least what it would.
func (g gain) part(of units.Duration) int64 {
	hi, lo := bits.Mul64(uint64(g.saves), uint64(of))
	q, r := bits.Div64(hi, lo, uint64(g.takes))
	if r > 0 {
		q++
	}
	return int64(q)
}

// Hull returns the numbers of those options of a front on its lower convex hull: from each to the next
// the saving a second falls.
func Hull(front []Option) []int {
	var hull []int
	for i := range front {
		for len(hull) > 1 {
			a, b := &front[hull[len(hull)-2]], &front[hull[len(hull)-1]]
			if !gainOf(b, &front[i]).above(gainOf(a, b)) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	return hull
}
