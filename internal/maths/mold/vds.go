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
	p := fastest(jobs)
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

// Latest gives each job the latest deadline with which those behind it can be in time at their fastest.
func Latest(jobs []Job, due units.Duration) []units.Duration {
	p := fastest(jobs)
	at := make([]units.Duration, len(jobs))
	for i := range at {
		at[i] = due - p.tail[i]
	}
	return at
}

// Finishes are when jobs are done at their fastest that each begin as soon as they may.
func Finishes(jobs []Job) []units.Duration { return fastest(jobs).finishes() }

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

// equalSlack lengthens the times of all jobs by the same, until a path is as long as it may be; the jobs on it stay
// where they are then, and the others go on: no job could get more but from one that has less. Between jobs that stand
// each part that hangs together goes on by itself, so that a round measures no more than one of these.
func (p *paths) equalSlack(due units.Duration) {
	if p.length() > due {
		return
	}
	base, all := slices.Clone(p.time), make([]int, len(p.jobs))
	for i := range all {
		all[i] = i
	}
	of := make([]int, len(p.jobs)) // stands, else 0
	for parts := p.apart(all, of); len(parts) > 0; {
		part := parts[len(parts)-1]
		raise := func(by units.Duration) (over units.Duration) {
			for _, i := range part {
				p.time[i] = base[i] + by
				p.start[i] = p.earliest(i)
			}
			for _, i := range slices.Backward(part) {
				p.tail[i] = p.longest(i)
				over = max(over, p.through(i)-due)
			}
			return over
		}
		by := due // by so much each path can be longer, for each of its jobs: from above, by a longest one
		for over := raise(by); over > 0; over = raise(by) {
			first, n := slices.IndexFunc(part, func(i int) bool { return p.through(i) == due+over }), units.Duration(0)
			for i := part[first]; i >= 0 && of[i] != stands; i = p.next(i) {
				n++
			}
			by -= (over + n - 1) / n
		}
		raise(by + 1)
		full := slices.DeleteFunc(slices.Clone(part), func(i int) bool { return p.through(i) <= due })
		raise(by)
		for _, i := range full {
			of[i], p.tail[i] = stands, due-p.start[i]-p.time[i]
		}
		parts = append(parts[:len(parts)-1], p.apart(part, of)...)
	}
	p.measure()
	for i := range p.jobs { // the nanoseconds that cannot be shared go to the last jobs, which are due when all is
		if len(p.behind[i]) == 0 {
			p.time[i] = due - p.start[i]
		}
	}
}

// stands marks a job that does.
const stands = 1

// apart divides those of some jobs that do not stand into parts that no such job joins, each in the order of all.
func (p *paths) apart(jobs, of []int) (parts [][]int) {
	for _, first := range jobs {
		if of[first] != 0 {
			continue
		}
		parts = append(parts, nil)
		of[first] = -len(parts)
		for open := []int{first}; len(open) > 0; {
			i := open[len(open)-1]
			open = open[:len(open)-1]
			for _, b := range slices.Concat(p.jobs[i].After, p.behind[i]) {
				if of[b] == 0 {
					of[b], open = of[first], append(open, b)
				}
			}
		}
	}
	for _, i := range jobs {
		if k := -of[i] - 1; of[i] != stands {
			parts[k], of[i] = append(parts[k], i), 0
		}
	}
	return parts
}
