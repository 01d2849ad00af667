// Package avail holds slot-available vectors: for each slot of a cluster the instant from which it is free, as the RTMR scheduler keeps
// them (paper 003, section 5.2.1: T^m and T^r).
//
// The paper's vector has one entry for each slot and is sorted again after each task. Only the sorted order of the entries counts, never
// which slot is which, so slots that are free from the same instant are kept as one step: an instant and a number of slots. Equal tasks move whole
// steps at once, and whole rounds of them at once. A cluster of 100,000 slots usually has some thousand steps.
package avail

import (
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// A Step is a number of slots that are free from the same instant.
type Step struct {
	At    units.Time `json:"at"`
	Slots int        `json:"slots"`
}

// Steps is a sorted vector of slots. The zero Steps has no slots. It is not safe for use by several goroutines, not even to read.
type Steps struct {
	slots int
	steps []Step
	moved []Step // scratch of gather: the slots that tasks were given, sorted by when these end
}

// New returns a vector of that many slots, all free from 0.
func New(slots int) *Steps {
	s := &Steps{}
	s.Load([]Step{{0, slots}})
	return s
}

// Slots returns how many slots there are.
func (s *Steps) Slots() int { return s.slots }

// First returns the instant from which the first slot is free, Never if there are no slots.
func (s *Steps) First() units.Time {
	for at := range s.Each {
		return at
	}
	return units.Never
}

// Each calls yield with each step, by rising instant, until it returns false.
func (s *Steps) Each(yield func(at units.Time, slots int) bool) {
	for _, p := range s.steps {
		if !yield(p.At, p.Slots) {
			return
		}
	}
}

// Load makes s hold the given steps, in any order.
func (s *Steps) Load(steps []Step) {
	s.slots, s.steps = 0, s.steps[:0]
	for _, p := range steps {
		if p.Slots > 0 {
			s.slots += p.Slots
			s.steps = append(s.steps, p)
		}
	}
	slices.SortFunc(s.steps, func(a, b Step) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	s.steps = joined(s.steps)
}

// Save appends the steps of s, by rising instant, to buf.
func (s *Steps) Save(buf []Step) []Step { return append(buf, s.steps...) }

// joined makes one of neighbours with the same instant.
func joined(steps []Step) []Step {
	n := 0
	for _, p := range steps {
		if n > 0 && steps[n-1].At == p.At {
			steps[n-1].Slots += p.Slots
			continue
		}
		steps[n] = p
		n++
	}
	return steps[:n]
}

// Run gives n equal tasks to the slots, one after the other: the smallest entry t becomes max(t, from)+each (algorithm 5.2 with from the
// current time, algorithm 5.3 with from the end of the maps). It returns the end of the last task: from if there is no task, Never if
// there is no slot. It costs O(steps touched), not O(n).
func (s *Steps) Run(n int, from units.Time, each units.Duration) units.Time {
	moved := s.Ends(n, from, each)
	if len(moved) == 0 {
		return s.last(n, from)
	}
	taken := 0
	for _, p := range moved {
		taken += p.Slots
	}
	s.take(taken)
	s.steps = joined(merge(s.steps, moved))
	return moved[len(moved)-1].At
}

// Last returns what Run would, and changes nothing.
func (s *Steps) Last(n int, from units.Time, each units.Duration) units.Time {
	if moved := s.Ends(n, from, each); len(moved) > 0 {
		return moved[len(moved)-1].At
	}
	return s.last(n, from)
}

func (s *Steps) last(n int, from units.Time) units.Time {
	if n <= 0 {
		return from
	}
	return units.Never
}

// Ends returns the slots that Run would give to tasks, each with the end of its last task, by rising instant. It changes nothing; what it
// returns is good until the next call of a method.
//
// The tasks' starts never fall, so neither do their ends: the slots given away form a queue that is sorted by itself, and the smallest
// entry is its head or the first step not given away yet.
func (s *Steps) Ends(n int, from units.Time, each units.Duration) []Step {
	s.moved = s.moved[:0]
	if s.slots == 0 {
		return nil
	}
	each = max(each, 0)
	head, taken := 0, 0 // the queue is moved[head:], of taken slots
	next := 0           // the first step not given away as a whole
	for n > 0 {
		if next < len(s.steps) && (head == len(s.moved) || s.steps[next].At <= s.moved[head].At) {
			p := s.steps[next]
			c := min(n, p.Slots)
			s.push(head, Step{max(p.At, from).Add(each), c})
			n, taken = n-c, taken+c
			next++ // when only a part of it was taken, n is 0
			continue
		}
		until := units.Never
		if next < len(s.steps) {
			until = s.steps[next].At
		}
		if q := rounds(n, taken, s.moved[len(s.moved)-1].At, until, each, next == len(s.steps)); q > 0 {
			for i := range s.moved[head:] {
				s.moved[head+i].At = after(s.moved[head+i].At, q, each)
			}
			n -= q * taken
			continue
		}
		c := min(n, s.moved[head].Slots)
		at := s.moved[head].At.Add(each)
		if s.moved[head].Slots -= c; s.moved[head].Slots == 0 {
			head++
		}
		s.push(head, Step{at, c})
		n -= c
	}
	return s.moved[head:]
}

// push appends to the queue, or adds to its last step.
func (s *Steps) push(head int, p Step) {
	if k := len(s.moved) - 1; k >= head && s.moved[k].At == p.At {
		s.moved[k].Slots += p.Slots
		return
	}
	s.moved = append(s.moved, p)
}

// rounds tells how many whole rounds of the queue come before the next step: in a round each of its slots gets one more task. Of equal
// entries that of the next step is taken first. The entries of the queue lie within the time of a task, so no slot gets two tasks before another got one.
func rounds(n, slots int, last, until units.Time, each units.Duration, alone bool) int {
	q := n / slots
	if alone || q == 0 {
		return q
	}
	if last >= until {
		return 0
	}
	if each > 0 {
		if d := (until.Sub(last) - 1) / each; d < units.Duration(q) {
			q = int(d) + 1
		}
	}
	return q
}

// after is the end of q tasks in a row from t on.
func after(t units.Time, q int, each units.Duration) units.Time {
	if each > 0 && units.Duration(q) > math.MaxInt64/each {
		return units.Never
	}
	return t.Add(units.Duration(q) * each)
}

// take removes the n smallest entries.
func (s *Steps) take(n int) {
	k := 0
	for n > 0 && s.steps[k].Slots <= n {
		n -= s.steps[k].Slots
		k++
	}
	s.steps = slices.Delete(s.steps, 0, k)
	if n > 0 {
		s.steps[0].Slots -= n
	}
}

// merge joins two sorted lists in the first.
func merge(a, b []Step) []Step {
	i, j := len(a)-1, len(b)-1
	a = append(a, b...)
	for k := len(a) - 1; j >= 0; k-- {
		if i >= 0 && a[i].At > b[j].At {
			a[k], i = a[i], i-1
		} else {
			a[k], j = b[j], j-1
		}
	}
	return a
}

// Replace takes in what really happened: each end in turn, by rising instant, takes the place of the smallest entry (algorithm 5.6, for
// the vector of one stage). Ends that are not sorted are sorted first.
func (s *Steps) Replace(ends []units.Time) {
	if s.slots == 0 {
		return
	}
	if !slices.IsSorted(ends) {
		ends = slices.Sorted(slices.Values(ends))
	}
	for _, e := range ends {
		s.take(1)
		s.steps = joined(merge(s.steps, []Step{{e, 1}}))
	}
}

// Resize makes it that many slots: new ones are free from at, and if there are too many the latest entries go.
func (s *Steps) Resize(slots int, at units.Time) {
	if more := slots - s.slots; more > 0 {
		s.steps = joined(merge(s.steps, []Step{{at, more}}))
	} else if more < 0 {
		k := len(s.steps)
		for more < 0 {
			k--
			more += s.steps[k].Slots
		}
		s.steps[k].Slots = more
		s.steps = s.steps[:k+min(more, 1)]
	}
	s.slots = slots
}
