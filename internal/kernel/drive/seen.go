package drive

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
)

// Seen remembers which items a world was given, so that one which comes again changes nothing. Items come in the order of their numbers,
// but for those that were held, so what was seen is a few ranges of numbers: its size follows the gaps, not the items that ever were. A gap
// stays open for good where a held item was dropped. Of more than maxRanges the two oldest become one.
type Seen struct{ ranges []seenRange }

// seenRange is the numbers from From to To.
type seenRange struct{ from, to sched.ItemID }

const maxRanges = 1 << 14

// Add tells whether the item is new. One without a number always is.
func (s *Seen) Add(id sched.ItemID) bool {
	if id <= 0 {
		return true
	}
	n := len(s.ranges)
	if n > 0 && id == s.ranges[n-1].to+1 {
		s.ranges[n-1].to++
		return true
	}
	i, _ := slices.BinarySearchFunc(s.ranges, id, func(r seenRange, id sched.ItemID) int { return cmp.Compare(r.to, id) })
	switch {
	case i < n && s.ranges[i].from <= id:
		return false
	case i < n && s.ranges[i].from == id+1 && i > 0 && s.ranges[i-1].to == id-1: // it closes the gap
		s.ranges[i-1].to = s.ranges[i].to
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case i < n && s.ranges[i].from == id+1:
		s.ranges[i].from--
	case i > 0 && s.ranges[i-1].to == id-1:
		s.ranges[i-1].to++
	default:
		s.ranges = slices.Insert(s.ranges, i, seenRange{id, id})
	}
	if len(s.ranges) > maxRanges {
		s.ranges[1].from = s.ranges[0].from
		s.ranges = slices.Delete(s.ranges, 0, 1)
	}
	return true
}
