package drive

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
)

// Seen remembers which items a world was given, so that one which comes again changes nothing.
// Items come in the order of their numbers, but for those that were held, so what was seen is a few
// ranges of numbers: its size follows the gaps, not the items that ever were. A gap stays open for
// good where a held item was dropped. Of more than maxRanges the oldest is forgotten: from then on
// nobody can tell of an item with a number up to its end whether it comes again.
type Seen struct {
	ranges    []seenRange
	forgotten sched.ItemID // items up to this number
}

// seenRange is the numbers from From to To.
type seenRange struct{ from, to sched.ItemID }

const maxRanges = 1 << 14

// Sight is whether an item was seen before.
type Sight uint8

// The sights.
const (
	First Sight = iota
	Again       // it was seen, and must change nothing
	// it is so old that nobody can tell, and has to be refused: whoever waits for it would wait for
	// good
	Forgotten
)

// Add notes an item, and tells whether it was seen before. One without a number never was.
func (s *Seen) Add(id sched.ItemID) Sight {
	if id <= 0 {
		return First
	}
	n := len(s.ranges)
	if n > 0 && id == s.ranges[n-1].to+1 {
		s.ranges[n-1].to++
		return First
	}
	i, _ := slices.BinarySearchFunc(s.ranges, id, func(r seenRange, id sched.ItemID) int { return cmp.Compare(r.to, id) })
	switch {
	case id <= s.forgotten:
		return Forgotten
	case i < n && s.ranges[i].from <= id:
		return Again
	// The number closes a gap.
	case i < n && s.ranges[i].from == id+1 && i > 0 && s.ranges[i-1].to == id-1:
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
		s.forgotten = s.ranges[0].to
		s.ranges = slices.Delete(s.ranges, 0, 1)
	}
	return First
}
