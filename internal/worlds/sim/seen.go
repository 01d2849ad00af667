package sim

import "github.com/slackline/slackline/sched"

// itemSet remembers which plan items were seen: one bit for each, in pages; a page that is full is dropped.
type itemSet struct {
	pages []*[pageWords]uint64
	count []int32 // of bits set in each page
}

const (
	pageBits  = 1 << 14
	pageWords = pageBits / 64
)

// add tells whether the item is new. An item without an id always is.
func (s *itemSet) add(id sched.ItemID) bool {
	if id <= 0 {
		return true
	}
	page, bit := int(id/pageBits), uint(id%pageBits)
	for page >= len(s.pages) {
		s.pages, s.count = append(s.pages, nil), append(s.count, 0)
	}
	if s.count[page] == pageBits {
		return false
	}
	if s.pages[page] == nil {
		s.pages[page] = new([pageWords]uint64)
	}
	word, mask := &s.pages[page][bit/64], uint64(1)<<(bit%64)
	if *word&mask != 0 {
		return false
	}
	*word |= mask
	if s.count[page]++; s.count[page] == pageBits {
		s.pages[page] = nil
	}
	return true
}
