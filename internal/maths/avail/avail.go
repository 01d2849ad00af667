// Package avail holds slot-available vectors: for each slot of a cluster the instant from which it
// is free, as the RTMR scheduler keeps them (paper 003, section 5.2.1: T^m and T^r).
//
// The paper's vector has one entry for each slot and is sorted again after each task. Only the
// sorted order of the entries counts, never which slot is which, so slots that are free from the
// same instant are kept as one step: an instant and a number of slots. Equal tasks move whole steps
// at once, and whole rounds of them at once. A cluster of 100,000 slots usually has some thousand
// steps.
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

// Steps is a sorted vector of slots. The zero Steps has no slots. It is not safe for use by several
// goroutines, not even to read.
type Steps struct {
	slots  int
	blocks blocks
	moved  []Step // scratch of give: the slots that tasks were given, sorted by when these end
}

// Slots returns how many slots there are.
func (s *Steps) Slots() int { return s.slots }

// First returns the instant from which the first slot is free, Never if there are no slots.
func (s *Steps) First() units.Time {
	if s.slots == 0 {
		return units.Never
	}
	return s.blocks.order[s.blocks.head].first
}

// Each calls yield with each step, by rising instant, until it returns false.
func (s *Steps) Each(yield func(at units.Time, slots int) bool) {
	for i := s.blocks.head; i < len(s.blocks.order); i++ {
		for _, p := range s.blocks.of(i) {
			if !yield(p.At, p.Slots) {
				return
			}
		}
	}
}

// Load makes s hold the given steps, which are sorted by instant, with no two at the same.
func (s *Steps) Load(steps []Step) {
	s.slots = 0
	for _, p := range steps {
		s.slots += p.Slots
	}
	s.blocks.load(steps)
}

// Copy makes s hold what o holds.
func (s *Steps) Copy(o *Steps) {
	s.slots = o.slots
	s.blocks.copy(&o.blocks)
}

// Save appends the steps of s, by rising instant, to buf.
func (s *Steps) Save(buf []Step) []Step {
	n := 0
	for i := s.blocks.head; i < len(s.blocks.order); i++ {
		n += len(s.blocks.of(i))
	}
	buf = slices.Grow(buf, n)
	for i := s.blocks.head; i < len(s.blocks.order); i++ {
		buf = append(buf, s.blocks.of(i)...)
	}
	return buf
}

// Run gives n equal tasks to the slots, one after the other: the smallest entry t becomes max(t,
// from)+each (algorithm 5.2 with from the current time, algorithm 5.3 with from the end of the
// maps). It returns the end of the last task: from if there is no task, Never if there is no slot.
// It costs O(steps touched), not O(n).
func (s *Steps) Run(n int, from units.Time, each units.Duration) units.Time {
	moved, left := s.give(n, from, each)
	if len(moved) == 0 {
		return nothing(n, from)
	}
	s.blocks.cut(left)
	s.blocks.insert(moved)
	return moved[len(moved)-1].At
}

// Last returns what Run would, and changes nothing.
func (s *Steps) Last(n int, from units.Time, each units.Duration) units.Time {
	if moved, _ := s.give(n, from, each); len(moved) > 0 {
		return moved[len(moved)-1].At
	}
	return nothing(n, from)
}

// Ends returns the slots that Run would give to tasks, each with the end of its last task, by
// rising instant. It changes nothing; what it returns is good until the next call of a method.
func (s *Steps) Ends(n int, from units.Time, each units.Duration) []Step {
	moved, _ := s.give(n, from, each)
	return moved
}

// Lag returns by how much an entry of s is later than that of o in the same place, at most. Entries
// before from count as from; behind until the two vectors, which have as many slots, must be the
// same.
func (s *Steps) Lag(o *Steps, from, until units.Time) units.Duration {
	most, ahead := units.Duration(0), 0 // so many more slots of s than of o have been passed
	k, steps := s.blocks.head-1, []Step(nil)
	for i := o.blocks.head; i < len(o.blocks.order); i++ {
		for _, p := range o.blocks.of(i) {
			if p.At > until {
				return most
			}
			for ahead -= p.Slots; ahead < 0; ahead, steps = ahead+steps[0].Slots, steps[1:] {
				if len(steps) == 0 {
					k++
					steps = s.blocks.of(k)
				}
				most = max(most, max(steps[0].At, from).Sub(max(p.At, from)))
			}
		}
	}
	return most
}

// nothing is the end of tasks that get no slot: there are none of them, or no slot.
func nothing(n int, from units.Time) units.Time {
	if n <= 0 {
		return from
	}
	return units.Never
}

// give finds the slots that n tasks get, and what is left without them.
//
// The tasks' starts never fall, so neither do their ends: the slots given away form a queue that is
// sorted by itself, and the smallest entry is its head or the first step not given away yet. Of
// equal ones it is the latter.
func (s *Steps) give(n int, from units.Time, each units.Duration) ([]Step, mark) {
	if s.slots == 0 || n <= 0 {
		return nil, mark{}
	}
	each = max(each, 0)
	moved, taken, first := s.moved[:0], 0, units.Never // first is the head of the queue
	for k := s.blocks.head; k < len(s.blocks.order); k++ {
		for i, p := range s.blocks.of(k) {
			if p.At > first {
				s.moved = moved
				return s.again(n, taken, from, each, mark{block: k, step: i})
			}
			at := max(p.At, from)
			if at = at + units.Time(each); at < 0 {
				at = units.Never
			}
			c := min(n, p.Slots)
			if last := len(moved) - 1; last >= 0 && moved[last].At == at {
				moved[last].Slots += c
			} else {
				moved = append(moved, Step{at, c})
				first = moved[0].At
			}
			if n -= c; n == 0 {
				s.moved = moved
				if c == p.Slots {
					return moved, mark{block: k, step: i + 1}
				}
				return moved, mark{block: k, step: i, slots: c}
			}
			taken += c
		}
	}
	s.moved = moved
	return s.again(n, taken, from, each, mark{block: len(s.blocks.order)})
}

// again continues give once a slot gets its second task. All slots before the mark are in the queue.
func (s *Steps) again(n, taken int, from units.Time, each units.Duration, left mark) ([]Step, mark) {
	moved, head := s.moved, 0 // the queue is moved[head:]
	var next []Step           // the block of the next step, nil behind the last
	if left.block < len(s.blocks.order) {
		next = s.blocks.of(left.block)
	}
	for n > 0 {
		if next != nil && next[left.step].At <= moved[head].At {
			p := next[left.step]
			c := min(n, p.Slots)
			moved = push(moved, head, Step{max(p.At, from).Add(each), c})
			n, taken = n-c, taken+c
			if c < p.Slots {
				left.slots = c
				break
			}
			if left.step++; left.step == len(next) {
				left, next = mark{block: left.block + 1}, nil
				if left.block < len(s.blocks.order) {
					next = s.blocks.of(left.block)
				}
			}
			continue
		}
		until := units.Never
		if next != nil {
			until = next[left.step].At
		}
		if q := rounds(n, taken, moved[len(moved)-1].At, until, each, next == nil); q > 0 {
			for i := range moved[head:] {
				moved[head+i].At = after(moved[head+i].At, q, each)
			}
			n -= q * taken
			continue
		}
		c := min(n, moved[head].Slots)
		at := moved[head].At.Add(each)
		if moved[head].Slots -= c; moved[head].Slots == 0 {
			head++
		}
		moved = push(moved, head, Step{at, c})
		n -= c
	}
	s.moved = moved
	return moved[head:], left
}

// push appends to the queue, or adds to its last step.
func push(moved []Step, head int, p Step) []Step {
	if k := len(moved) - 1; k >= head && moved[k].At == p.At {
		moved[k].Slots += p.Slots
		return moved
	}
	return append(moved, p)
}

// rounds tells how many whole rounds of the queue come before the next step: in a round each of its
// slots gets one more task. Of equal entries that of the next step is taken first. The entries of
// the queue lie within the time of a task, so no slot gets two tasks before another got one.
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

// Replace takes in what really happened: each end in turn, by rising instant, takes the place of
// the smallest entry (algorithm 5.6, for the vector of one stage). Ends that are not sorted are
// sorted first.
func (s *Steps) Replace(ends []units.Time) {
	if s.slots == 0 {
		return
	}
	if !slices.IsSorted(ends) {
		ends = slices.Sorted(slices.Values(ends))
	}
	for _, e := range ends {
		s.Take()
		s.Put(e)
	}
}

// Take takes away the slot that is free first, and returns the instant from which it is: Never if there
// is no slot.
func (s *Steps) Take() units.Time {
	if s.slots == 0 {
		return units.Never
	}
	first := mark{block: s.blocks.head}
	step := s.blocks.of(first.block)[0]
	if step.Slots > 1 {
		first.slots = 1
	} else {
		first.step = 1
	}
	s.blocks.cut(first)
	s.slots--
	return step.At
}

// Put adds a slot that is free from an instant on.
func (s *Steps) Put(at units.Time) {
	s.moved = append(s.moved[:0], Step{at, 1})
	s.blocks.insert(s.moved)
	s.slots++
}

// Resize makes it that many slots: new ones are free from at, and if there are too many the latest entries go.
func (s *Steps) Resize(slots int, at units.Time) {
	slots = max(slots, 0)
	if more := slots - s.slots; more > 0 {
		s.blocks.insert([]Step{{at, more}})
	} else if more < 0 {
		s.blocks.trim(-more)
	}
	s.slots = slots
}
