package mold

import (
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// mostCells bounds what pipeline looks at. Beyond that its first bound, which rounds the linear relaxation, is the
// answer: with so many jobs it is near.
const mostCells = 20_000_000

// pipeline chooses an option for each of some jobs that run one after another, by the numbers of the
// options: in all by a time, and at most 1 + ε times as dear as the cheapest choice, ε in thousandths.
// It is false if there is none.
//
// It is the restricted shortest path, or multiple-choice knapsack, by scaling: costs become whole
// multiples of ε · lower bound / n, rounded down, and of each sum of these the fastest choice is kept.
// The bounds are those of the linear relaxation, and of it rounded. What time is left over then goes back
// to whoever saves most by it, unless it is kept.
func pipeline(fronts [][]Option, within units.Duration, eps int64, keep bool) (choice []int, fits bool) {
	choice, least, most, fits := bounds(fronts, within)
	if !fits || least >= most {
		return choice, fits
	}
	n := int64(len(fronts))
	unit := max(1, least/1000*eps/n)
	levels, options := most/unit+1, 0
	for _, f := range fronts {
		options += len(f)
	}
	if levels > math.MaxInt32 || levels*int64(options) > mostCells {
		return choice, true
	}
	const never = units.Duration(math.MaxInt64)
	best, next := make([]units.Duration, levels), make([]units.Duration, levels)
	for i := range best {
		best[i] = never
	}
	best[0] = 0
	chosen := make([][]int16, n)
	for k, front := range fronts {
		chosen[k] = make([]int16, levels)
		for i := range next {
			next[i] = never
		}
		for o := range front {
			cost := front[o].Cost / unit
			for i := int64(0); i+cost < levels; i++ {
				if best[i] != never && best[i]+front[o].Time < next[i+cost] {
					next[i+cost] = best[i] + front[o].Time
					chosen[k][i+cost] = int16(o)
				}
			}
		}
		best, next = next, best
	}
	level := int64(slices.IndexFunc(best, func(t units.Duration) bool { return t <= within }))
	if level < 0 {
		return choice, true // rounding has lost it, and the bound stands
	}
	left := within - best[level]
	for k := n - 1; k >= 0; k-- {
		choice[k] = int(chosen[k][level])
		level -= fronts[k][choice[k]].Cost / unit
	}
	if !keep {
		giveBack(fronts, choice, left)
	}
	return choice, true
}

// giveBack spends time that is left over: a slower option of one job after the other, that which saves
// most a second.
func giveBack(fronts [][]Option, choice []int, left units.Duration) {
	for {
		job, to, best := -1, 0, gain{}
		for k, front := range fronts {
			for o := choice[k] + 1; o < len(front) && front[o].Time-front[choice[k]].Time <= left; o++ {
				if g := gainOf(&front[choice[k]], &front[o]); job < 0 || g.above(best) {
					job, to, best = k, o, g
				}
			}
		}
		if job < 0 {
			return
		}
		choice[job] = to
		left -= best.takes
	}
}

// bounds returns a choice that fits, what it costs, and what every choice costs at least: that of the
// linear relaxation, from which options off the convex hull are out.
func bounds(fronts [][]Option, within units.Duration) (choice []int, least, most int64, fits bool) {
	choice = make([]int, len(fronts))
	left := within
	type move struct {
		job, to int
		gain
	}
	var moves []move
	for k, front := range fronts {
		left -= front[0].Time
		most += front[0].Cost
		hull := Hull(front)
		for i := 1; i < len(hull); i++ {
			moves = append(moves, move{k, hull[i], gainOf(&front[hull[i-1]], &front[hull[i]])})
		}
	}
	if left < 0 {
		return choice, 0, most, false
	}
	slices.SortStableFunc(moves, func(a, b move) int { return a.order(b.gain) })
	least = most
	full := make([]bool, len(fronts)) // an option of the job did not fit: nor do those behind it
	cut := false
	for _, m := range moves {
		switch {
		case m.takes <= left && !full[m.job]:
			if !cut {
				least -= m.saves
			}
			choice[m.job], most, left = m.to, most-m.saves, left-m.takes
		case !cut:
			least -= m.part(left)
			fallthrough
		default:
			cut, full[m.job] = true, true
		}
	}
	return choice, least, most, true
}
