package experiment

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/units"
)

// bawmee names BAWMEE as far as paper 001 tells of it: each workflow is mapped when it comes, whole, onto what earlier
// ones leave, and stays so. As all times are known that need not be played. Assumptions, as its own paper is another
// one: paths are mapped as by algorithm 1, which the same authors made of it, but with numbers of tasks and kinds of
// machines chosen together; each job then has the cheapest choice that is done by its virtual finish on cores that
// nobody has booked, or the one that is done first.
const bawmee = "bawmee"

// booking are cores of a kind of machine for a job.
type booking struct {
	kind     int32
	cores    int
	from, to units.Duration
}

// statically is what workflows cost by it in joules, and how many are late.
func (c *computed) statically(list []drawnWorkflow) (joules float64, late int) {
	var booked []booking
	for i := range list {
		w := &list[i]
		came, due := units.FromSeconds(w.at), units.FromSeconds(w.due)
		booked = slices.DeleteFunc(booked, func(b booking) bool { return b.to <= came })
		jobs, done := make([]mold.Job, len(w.jobs)), make([]units.Duration, len(w.jobs))
		for k := range jobs {
			front := c.options(&w.jobs[k])
			jobs[k] = mold.Job{Options: front, Serial: front[len(front)-1].Time, After: w.jobs[k].after}
		}
		for k, at := range mold.Partition(jobs, due, 200) {
			ready, best, cost := came, booking{to: math.MaxInt64}, int64(0)
			for _, b := range jobs[k].After {
				ready = max(ready, done[b])
			}
			for _, o := range slices.Backward(jobs[k].Options) {
				if b := c.free(booked, o, ready); b.to < best.to {
					best, cost = b, o.Cost
				}
				if best.to <= came+at.Finish {
					break
				}
			}
			booked, done[k], joules = append(booked, best), best.to, joules+float64(cost)/1e6
		}
		if slices.Max(done) > came+due {
			late++
		}
	}
	return joules, late
}

// free finds the first time from which on nobody has booked the cores that a choice takes, for as long as it takes.
func (c *computed) free(booked []booking, o mold.Option, from units.Duration) booking {
	left := func(at units.Duration) int {
		n := machines[o.Class].cores*c.Machines - int(o.Tasks)
		for _, b := range booked {
			if b.kind == o.Class && b.from <= at && at < b.to {
				n -= b.cores
			}
		}
		return n
	}
	for {
		to, next, fits := from+o.Time, units.Duration(math.MaxInt64), left(from) >= 0
		for _, b := range booked {
			if b.kind == o.Class && b.to > from {
				next = min(next, b.to)
				fits = fits && (b.from <= from || b.from >= to || left(b.from) >= 0)
			}
		}
		if fits {
			return booking{o.Class, int(o.Tasks), from, to}
		}
		from = next
	}
}
