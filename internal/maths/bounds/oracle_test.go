package bounds

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Below, jobs are played task by task on slots, and held against their bounds.

// laws are distributions of task times with a mean of about 1; the last has a heavy tail.
var laws = map[string]func(draw.Draw) float64{
	"constant":   func(draw.Draw) float64 { return 1 },
	"uniform":    func(d draw.Draw) float64 { return 2 * d.Float64() },
	"heavy tail": func(d draw.Draw) float64 { return math.Pow(d.Float64(), -1/1.2) / 6 },
}

// times draws so many of them.
func times(d draw.Draw, law string, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = laws[law](d.Number(uint64(i)))
	}
	return list
}

// phase is what a profile would know of these times.
func phase(times []float64) Phase {
	p := Phase{Tasks: len(times)}
	for _, t := range times {
		p.Mean += t / float64(len(times))
		p.Max = max(p.Max, t)
	}
	return p
}

// play gives each task, in its turn, the slot that is free first, and tells when the last ends.
func play(free []float64, tasks []float64) float64 {
	end := 0.0
	for _, t := range tasks {
		i := slices.Index(free, slices.Min(free))
		free[i] += t
		end = max(end, free[i])
	}
	return end
}

// between fails if got is not in low to high, but for rounding.
func between(t *testing.T, what string, low, got, high float64) {
	t.Helper()
	if got < low*(1-1e-9) || got > high*(1+1e-9) {
		t.Errorf("%s: %v, which is not in %v to %v", what, got, low, high)
	}
}

// A phase on slots of its own.
func TestDedicated(t *testing.T) {
	worst := 0.0
	for law := range laws {
		for seed := range uint64(1000) {
			d := draw.Of(seed, law)
			tasks := times(d.Job("tasks"), law, 1+d.Job("n").Below(60))
			slots := 1 + d.Job("slots").Below(20)
			p := phase(tasks)
			slices.Sort(tasks) // the longest last is the worst order
			end := play(make([]float64, slots), tasks)
			between(t, law, p.Lower(float64(slots)), end, p.Upper(float64(slots)))
			worst = max(worst, end/p.Upper(float64(slots)))
		}
	}
	if worst < 0.999 {
		t.Errorf("the upper bound is never reached: %v at most", worst)
	}
}

// A job of a class: its slots come from the job before, one at once, the others when the tasks that
// hold them end; and again between maps and reduces. The first wave of reduces has its own shuffle.
func TestShared(t *testing.T) {
	worst := 0.0
	for law := range laws {
		for seed := range uint64(1000) {
			d := draw.Of(seed, law)
			n, r := 1+d.Job("maps").Below(60), d.Job("reduces").Below(30)
			maps, reduce := times(d.Job("map"), law, n), times(d.Job("reduce"), law, r)
			first, shuffle := times(d.Job("first"), law, r), times(d.Job("shuffle"), law, r)
			jobs := 1 + d.Job("jobs").Below(4)
			mapSlots, reduceSlots := 1+d.Job("map slots").Below(12), 1+d.Job("reduce slots").Below(6)
			if seed%3 == 0 {
				slices.Sort(maps)
			}

			// held are the slots of a job before, whose tasks take no longer than the longest of this one.
			held := func(d draw.Draw, slots int, longest float64) []float64 {
				free := make([]float64, slots)
				for i := range free[1:] {
					free[1+i] = longest
					if seed%2 == 0 {
						free[1+i] *= d.Number(uint64(i)).Float64()
					}
				}
				return free
			}
			end := play(held(d.Job("before"), mapSlots, phase(maps).Max), maps)
			// The first reduce on each slot has a shuffle of its own.
			longest := phase(shuffle).Max + phase(reduce).Max
			free, used := held(d.Job("reduces before"), reduceSlots, longest), make([]bool, reduceSlots)
			var waves, later []float64
			reduced := 0.0
			for i, t := range reduce {
				k := slices.Index(free, slices.Min(free))
				if used[k] {
					later = append(later, shuffle[i])
					t += shuffle[i]
				} else {
					waves = append(waves, first[i])
					t += first[i]
				}
				used[k] = true
				free[k] += t
				reduced = max(reduced, free[k])
			}
			end += reduced
			measured := func(times []float64) Time { p := phase(times); return Time{p.Mean, p.Max} }
			j := Job{Maps: n, Reduces: r, Map: measured(maps), Reduce: measured(reduce)}
			j.First, j.Shuffle = measured(waves), measured(later)
			j.Shuffle.Max = phase(shuffle).Max // of the job before as well
			h := float64(jobs)
			took := func(l Line) float64 { return l.Time(h, h*float64(mapSlots), h*float64(reduceSlots)) }
			up := took(j.Upper())
			between(t, law, took(j.Lower()), end, up)
			worst = max(worst, end/up)
		}
	}
	if worst < 0.99 {
		t.Errorf("the upper bound is never reached: %v at most", worst)
	}
}

// A rule of lending says when the slots of one of two jobs go to the other.
type lending int

const (
	atTheEnd  lending = iota // when the job has ended
	whenSpare                // as soon as the job has no task waiting
)

// together plays two jobs that start at the same time, each with slots of its own that it lends.
func together(rule lending, tasks [2][]float64, own [2]int) (ends [2]float64) {
	type slot struct {
		owner int
		free  float64
	}
	var slots []slot
	for job, n := range own {
		for range n {
			slots = append(slots, slot{owner: job})
		}
	}
	next := [2]int{}
	for next[0] < len(tasks[0]) || next[1] < len(tasks[1]) {
		i := 0
		for j := range slots {
			if slots[j].free < slots[i].free {
				i = j
			}
		}
		s := &slots[i]
		job := s.owner
		if next[job] == len(tasks[job]) {
			if job = 1 - job; rule == atTheEnd && s.free < ends[s.owner] {
				s.free = ends[s.owner]
				continue
			}
		}
		s.free += tasks[job][next[job]]
		next[job]++
		ends[job] = max(ends[job], s.free)
	}
	return ends
}

func TestTwoJobs(t *testing.T) {
	early, late := 0, 0 // cases in which the other rule of lending breaks a bound
	for law := range laws {
		for seed := range uint64(1000) {
			d := draw.Of(seed, law)
			var tasks [2][]float64
			for i := range tasks {
				tasks[i] = times(d.Number(uint64(i)), law, 1+d.Job("n").Number(uint64(i)).Below(40))
			}
			own := [2]int{1 + d.Job("k").Below(8), 1 + d.Job("l").Below(8)}
			slots := float64(own[0] + own[1])
			share := float64(own[0]) / slots
			a, b := phase(tasks[0]), phase(tasks[1])
			first, last := TwoLower(a, b, share, slots)

			ends := together(atTheEnd, tasks, own)
			ups := [2]float64{a.UpperBeside(b, share, slots), b.UpperBeside(a, 1-share, slots)}
			between(t, law+", the first to end", first, min(ends[0], ends[1]), math.Inf(1))
			between(t, law+", the last to end", last, max(ends[0], ends[1]), math.Inf(1))
			if ends[0] > ups[0]*(1+1e-9) || ends[1] > ups[1]*(1+1e-9) {
				late++
			}
			ends = together(whenSpare, tasks, own)
			between(t, law+", the last to end", last, max(ends[0], ends[1]), math.Inf(1))
			between(t, law+", the one", 0, ends[0], ups[0])
			between(t, law+", the other", 0, ends[1], ups[1])
			if min(ends[0], ends[1]) < first*(1-1e-9) {
				early++
			}
		}
	}
	if early == 0 || late == 0 {
		t.Errorf("with the other rule of lending %d pairs end too early, %d too late: want some", early, late)
	}
}

// The examples of the doc comment, by hand. Of four slots each job has two.
func TestLendingBreaksBounds(t *testing.T) {
	one, three := []float64{10}, []float64{4, 4, 4}
	first, _ := TwoLower(phase(one), phase(three), 0.5, 4)
	ends := together(whenSpare, [2][]float64{one, three}, [2]int{2, 2})
	if first != 5 || ends != [2]float64{10, 4} {
		t.Errorf("no job ends before %v, they do at %v", first, ends)
	}
	eight := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	up := phase(eight).UpperBeside(phase(one), 0.25, 4)
	ends = together(atTheEnd, [2][]float64{eight, one}, [2]int{1, 3})
	if up != 5.25 || ends[0] != 8 {
		t.Errorf("the job ends at %v at most, it does at %v", up, ends[0])
	}
}
