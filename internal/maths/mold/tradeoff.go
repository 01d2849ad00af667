package mold

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/units"
)

// TradeOff chooses an option for each job of a workflow so that all are done by a time, at little
// cost. All begin with their cheapest option. While the longest path is too long, that job on it gets
// a faster one whose seconds cost least; then time that is left over is given back to those that save
// most by it. It is false if even the fastest options take longer: then they are what is chosen.
func TradeOff(jobs []Job, due units.Duration) (choice []int, fits bool) {
	hulls := make([][]int, len(jobs))
	at := make([]int, len(jobs)) // place in the hull
	for i := range jobs {
		hulls[i] = Hull(jobs[i].Options)
		at[i] = len(hulls[i]) - 1
	}
	option := func(i, place int) *Option { return &jobs[i].Options[hulls[i][place]] }
	p := newPaths(jobs, func(i int) units.Duration { return option(i, at[i]).Time })
	roots := heap.Heap[root]{Before: (*root).before}
	for i := range jobs {
		if len(jobs[i].After) == 0 {
			roots.Push(root{i, p.from(i)})
		}
	}
	for {
		for r := &roots.List[0]; r.length > p.from(r.job); roots.Fix(0) { // paths only get shorter
			r.length = p.from(r.job)
		}
		first := roots.List[0]
		if fits = first.length <= due; fits {
			break
		}
		job, best := -1, gain{}
		for i := first.job; i >= 0; i = p.next(i) {
			if at[i] == 0 {
				continue
			}
			if g := gainOf(option(i, at[i]-1), option(i, at[i])); job < 0 || best.above(g) {
				job, best = i, g
			}
		}
		if job < 0 {
			break // all on the path are as fast as they can be, and so it is the others' turn in vain
		}
		at[job]--
		p.quicken(job, option(job, at[job]).Time)
	}
	choice = make([]int, len(jobs))
	if fits {
		for i := range jobs {
			choice[i] = hulls[i][at[i]]
		}
		p.measure()
		p.giveBack(choice, due)
	}
	return choice, fits
}

// root is a job that waits for none, with the longest path that begins with it as it was when last looked at.
type root struct {
	job    int
	length units.Duration
}

func (r *root) before(o *root) bool {
	return r.length > o.length || r.length == o.length && r.job < o.job
}

// giveBack spends time that is left over, in rounds: those first that would save most a second, each job takes the
// option with which it saves most a second and every path through it is in time.
func (p *paths) giveBack(choice []int, due units.Duration) {
	type move struct {
		job, to int
		gain
	}
	for moved := true; moved; {
		var moves []move
		for i := range p.jobs {
			options := p.jobs[i].Options
			m, left := move{job: -1}, due-p.through(i)
			for o := choice[i] + 1; o < len(options) && options[o].Time-options[choice[i]].Time <= left; o++ {
				if g := gainOf(&options[choice[i]], &options[o]); m.job < 0 || g.above(m.gain) {
					m = move{i, o, g}
				}
			}
			if m.job >= 0 {
				moves = append(moves, m)
			}
		}
		slices.SortStableFunc(moves, func(a, b move) int { return a.order(b.gain) })
		moved = false
		for _, m := range moves {
			if m.takes <= due-p.through(m.job) {
				choice[m.job], moved = m.to, true
				p.set(m.job, p.jobs[m.job].Options[m.to].Time)
			}
		}
	}
}
