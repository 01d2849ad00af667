package mold

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/units"
)

// MinD gives each job of a workflow that is due after some time a virtual deadline (paper 001, section
// V-C). Options are the kinds of machines now. All begin as if on the fastest. In the order of least
// work of the jobs that a path joins them to, each may move to the next slower and cheaper one as long
// as the workflow is in time, again and again until none can; then equal slack is given to all. work
// is that of each job. If even the fastest are not in time, the deadlines are when they would be done.
func MinD(jobs []Job, work []int64, due units.Duration) (levels []int, deadlines []units.Duration) {
	p := newPaths(jobs, func(i int) units.Duration { return jobs[i].fastest().Time })
	levels = make([]int, len(jobs))
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	joined := joinedWork(jobs, work)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(joined[a], joined[b]) })
	for moved := true; moved; {
		moved = false
		for _, i := range order {
			to := levels[i] + 1
			if to == len(jobs[i].Options) || p.start[i]+jobs[i].Options[to].Time+p.tail[i] > due {
				continue
			}
			p.set(i, jobs[i].Options[to].Time)
			levels[i], moved = to, true
		}
	}
	p.equalSlack(due)
	return levels, p.finishes()
}

// Latest gives each job the latest deadline with which those behind it can be in time.
func Latest(jobs []Job, times []units.Duration, due units.Duration) []units.Duration {
	p := newPaths(jobs, func(i int) units.Duration { return times[i] })
	at := make([]units.Duration, len(jobs))
	for i := range at {
		at[i] = due - p.tail[i]
	}
	return at
}

func (p *paths) finishes() []units.Duration {
	at := make([]units.Duration, len(p.jobs))
	for i := range at {
		at[i] = p.start[i] + p.time[i]
	}
	return at
}

// joinedWork is for each job the work of all others that a path leads to, or from.
func joinedWork(jobs []Job, work []int64) []int64 {
	sums := make([]int64, len(jobs))
	words := (len(jobs) + 63) / 64
	before := make([]uint64, len(jobs)*words) // those before each job
	for i := range jobs {
		own := before[i*words : (i+1)*words]
		for _, b := range jobs[i].After {
			for w, x := range before[b*words : (b+1)*words] {
				own[w] |= x
			}
			own[b/64] |= 1 << (b % 64)
		}
		for w, x := range own {
			for ; x != 0; x &= x - 1 {
				b := w*64 + bits.TrailingZeros64(x)
				sums[i] += work[b]
				sums[b] += work[i]
			}
		}
	}
	return sums
}

// equalSlack lengthens the times of all jobs by the same, until a path is as long as it may be; the
// jobs on it stay, and the others go on: no job could get more but from one that has less.
func (p *paths) equalSlack(due units.Duration) {
	base := slices.Clone(p.time)
	given := units.Duration(0)
	fixed := make([]bool, len(p.jobs))
	raise := func(by units.Duration) {
		for i := range p.jobs {
			if !fixed[i] {
				p.time[i] = base[i] + by
			}
		}
		p.measure()
	}
	if p.length() > due {
		return
	}
	for left := len(p.jobs); left > 0; {
		// By so much each path can be longer, for each of its jobs that is not fixed; from above, by the longest path.
		by := due
		for raise(by); p.length() > due; raise(by) {
			over, n := p.length()-due, p.unfixed(fixed)
			by -= max(1, (over+n-1)/n)
		}
		given = by
		raise(given + 1)
		full := make([]bool, len(p.jobs))
		any := false
		for i := range p.jobs {
			full[i] = !fixed[i] && p.through(i) > due
			any = any || full[i]
		}
		for i := range p.jobs {
			if full[i] || !any && !fixed[i] {
				p.time[i], base[i], fixed[i] = base[i]+given, base[i]+given, true
				left--
			}
		}
	}
	raise(given)
}

// unfixed is how many jobs that are not fixed stand on a longest path.
func (p *paths) unfixed(fixed []bool) (n units.Duration) {
	length := p.length()
	first := 0
	for p.from(first) != length {
		first++
	}
	for i := first; i >= 0; i = p.next(i) {
		if !fixed[i] {
			n++
		}
	}
	return max(n, 1)
}
