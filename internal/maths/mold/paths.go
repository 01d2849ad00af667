package mold

import (
	"math/bits"

	"github.com/slackline/slackline/units"
)

// paths are jobs that wait for each other, each with a time.
type paths struct {
	jobs   []Job
	behind [][]int
	time   []units.Duration
	start  []units.Duration // the earliest
	tail   []units.Duration // of the longest path behind a job, without it
	open   numbers          // jobs to be looked at again; empty but within set
}

func newPaths(jobs []Job, time func(i int) units.Duration) *paths {
	p := &paths{jobs: jobs, behind: behind(jobs), time: make([]units.Duration, len(jobs)), start: make([]units.Duration, len(jobs)), tail: make([]units.Duration, len(jobs)), open: make(numbers, (len(jobs)+63)/64)}
	for i := range jobs {
		p.time[i] = time(i)
	}
	p.measure()
	return p
}

// behind lists for each job those that wait for it.
func behind(jobs []Job) [][]int {
	list := make([][]int, len(jobs))
	for i := range jobs {
		for _, b := range jobs[i].After {
			list[b] = append(list[b], i)
		}
	}
	return list
}

// measure finds earliest starts and tails.
func (p *paths) measure() {
	for i := range p.jobs {
		p.start[i] = p.earliest(i)
	}
	for i := len(p.jobs) - 1; i >= 0; i-- {
		p.tail[i] = p.longest(i)
	}
}

func (p *paths) earliest(i int) (at units.Duration) {
	for _, b := range p.jobs[i].After {
		at = max(at, p.start[b]+p.time[b])
	}
	return at
}

func (p *paths) longest(i int) (tail units.Duration) {
	for _, b := range p.behind[i] {
		tail = max(tail, p.from(b))
	}
	return tail
}

// through is the length of the longest path through a job.
func (p *paths) through(i int) units.Duration { return p.start[i] + p.time[i] + p.tail[i] }

// from is the length of the longest path that begins with a job.
func (p *paths) from(i int) units.Duration { return p.time[i] + p.tail[i] }

// next is the job behind another one on its longest path; -1: it is the last.
func (p *paths) next(i int) int {
	for _, b := range p.behind[i] {
		if p.from(b) == p.tail[i] {
			return b
		}
	}
	return -1
}

// length is that of the longest path of all.
func (p *paths) length() (all units.Duration) {
	for i := range p.jobs {
		all = max(all, p.from(i))
	}
	return all
}

// set changes the time of a job, and what follows from it. What does not change goes no further.
func (p *paths) set(i int, time units.Duration) {
	p.quicken(i, time)
	p.open.add(p.behind[i])
	for k := p.open.first(i); k >= 0; k = p.open.first(k) {
		if x := p.earliest(k); x != p.start[k] {
			p.start[k] = x
			p.open.add(p.behind[k])
		}
	}
}

// quicken changes the time of a job and the tails that follow from it. Starts stay as they were.
func (p *paths) quicken(i int, time units.Duration) {
	p.time[i] = time
	p.open.add(p.jobs[i].After)
	for k := p.open.last(i); k >= 0; k = p.open.last(k) {
		if x := p.longest(k); x != p.tail[k] {
			p.tail[k] = x
			p.open.add(p.jobs[k].After)
		}
	}
}

// numbers is a set of numbers that is emptied in their order.
type numbers []uint64

func (n numbers) add(list []int) {
	for _, x := range list {
		n[x/64] |= 1 << (x % 64)
	}
}

// first takes out the first number, of those that are all at least from; -1: there is none.
func (n numbers) first(from int) int {
	for w := from / 64; w < len(n); w++ {
		if x := n[w]; x != 0 {
			n[w] = x & (x - 1)
			return w*64 + bits.TrailingZeros64(x)
		}
	}
	return -1
}

// last takes out the last number, of those that are all at most from; -1: there is none.
func (n numbers) last(from int) int {
	for w := from / 64; w >= 0; w-- {
		if x := n[w]; x != 0 {
			at := bits.Len64(x) - 1
			n[w] = x &^ (1 << at)
			return w*64 + at
		}
	}
	return -1
}

// Least is how long a workflow takes if every job is run its fastest, each with all the machines that it wants: no
// deadline before that can be met.
func Least(jobs []Job) units.Duration { return fastest(jobs).length() }

// Critical is the longest path if every job is run its fastest.
func Critical(jobs []Job) (path []int) {
	p := fastest(jobs)
	first := 0
	for i := range jobs {
		if p.from(i) > p.from(first) {
			first = i
		}
	}
	for i := first; i >= 0; i = p.next(i) {
		path = append(path, i)
	}
	return path
}

func fastest(jobs []Job) *paths {
	return newPaths(jobs, func(i int) units.Duration { return jobs[i].fastest().Time })
}
