package mold

import "github.com/slackline/slackline/units"

// paths are jobs that wait for each other, each with a time.
type paths struct {
	jobs   []Job
	behind [][]int
	time   []units.Duration
	start  []units.Duration // the earliest
	tail   []units.Duration // of the longest path behind a job, without it
}

func newPaths(jobs []Job, time func(i int) units.Duration) *paths {
	p := &paths{jobs: jobs, behind: behind(jobs), time: make([]units.Duration, len(jobs)), start: make([]units.Duration, len(jobs)), tail: make([]units.Duration, len(jobs))}
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
		tail = max(tail, p.time[b]+p.tail[b])
	}
	return tail
}

// through is the length of the longest path through a job.
func (p *paths) through(i int) units.Duration { return p.start[i] + p.time[i] + p.tail[i] }

// length is that of the longest path of all.
func (p *paths) length() (all units.Duration) {
	for i := range p.jobs {
		if len(p.jobs[i].After) == 0 {
			all = max(all, p.time[i]+p.tail[i])
		}
	}
	return all
}

// set changes the time of a job, and what follows from it. What does not change goes no further.
func (p *paths) set(i int, time units.Duration) {
	p.time[i] = time
	p.walk(p.behind[i], func(k int) []int { return p.behind[k] }, p.start, p.earliest, false)
	p.walk(p.jobs[i].After, func(k int) []int { return p.jobs[k].After }, p.tail, p.longest, true)
}

// walk finds values again from some jobs on, each when those before it on the way stand.
func (p *paths) walk(from []int, next func(int) []int, of []units.Duration, value func(int) units.Duration, down bool) {
	var open ordered
	open.down = down
	for _, k := range from {
		open.add(k)
	}
	for len(open.list) > 0 {
		k := open.pop()
		if x := value(k); x != of[k] {
			of[k] = x
			for _, n := range next(k) {
				open.add(n)
			}
		}
	}
}

// ordered is a set of numbers, the least first, or the greatest.
type ordered struct {
	list []int // a heap
	down bool
}

func (o *ordered) before(a, b int) bool { return a != b && (a < b) != o.down }

func (o *ordered) add(x int) {
	o.list = append(o.list, x)
	for i := len(o.list) - 1; i > 0 && o.before(o.list[i], o.list[(i-1)/2]); i = (i - 1) / 2 {
		o.list[i], o.list[(i-1)/2] = o.list[(i-1)/2], o.list[i]
	}
}

// pop takes the first, as often as it is there.
func (o *ordered) pop() int {
	x := o.list[0]
	for len(o.list) > 0 && o.list[0] == x {
		n := len(o.list) - 1
		o.list[0] = o.list[n]
		o.list = o.list[:n]
		for i := 0; ; {
			k := 2*i + 1
			if k+1 < n && o.before(o.list[k+1], o.list[k]) {
				k++
			}
			if k >= n || !o.before(o.list[k], o.list[i]) {
				break
			}
			o.list[i], o.list[k] = o.list[k], o.list[i]
			i = k
		}
	}
	return x
}

// Least is how long a workflow takes if every job is run its fastest, each with all the machines that it wants: no
// deadline before that can be met.
func Least(jobs []Job) units.Duration {
	return newPaths(jobs, func(i int) units.Duration { return jobs[i].fastest().Time }).length()
}
