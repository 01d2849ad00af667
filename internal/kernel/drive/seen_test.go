package drive

import (
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/sched"
)

// Each number is new once, in whatever order they come; when all have come, nothing but one range is left of them.
func TestSeen(t *testing.T) {
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 1))
		var s Seen
		was := map[sched.ItemID]bool{}
		for range 300 {
			id := sched.ItemID(1 + dice.IntN(120))
			if got := s.Add(id); (got == Again) != was[id] || got == Forgotten {
				t.Fatalf("seed %d: item %d is new: %v", seed, id, got)
			}
			was[id] = true
		}
		for id := sched.ItemID(1); id <= 120; id++ {
			s.Add(id)
		}
		if len(s.ranges) != 1 || s.ranges[0] != (seenRange{1, 120}) {
			t.Fatalf("seed %d: %v", seed, s.ranges)
		}
	}
	var s Seen
	if first, second := s.Add(0), s.Add(0); first != First || second != First || len(s.ranges) > 0 {
		t.Error("an item without a number is seen")
	}
}

// What never comes leaves gaps, and only so many of them. An item that comes into an older one, be
// it for the first time or not, is not passed over in silence.
func TestSeenGaps(t *testing.T) {
	var s Seen
	for id := sched.ItemID(2); id <= 10*maxRanges; id += 2 {
		if s.Add(id) != First {
			t.Fatalf("item %d was seen", id)
		}
	}
	if len(s.ranges) != maxRanges {
		t.Errorf("%d ranges", len(s.ranges))
	}
	for id := sched.ItemID(1); id <= 10*maxRanges; id++ {
		want := First
		switch {
		case id <= 8*maxRanges:
			want = Forgotten
		case id%2 == 0:
			want = Again
		}
		if got := s.Add(id); got != want {
			t.Fatalf("item %d: %v, it was expected %v", id, got, want)
		}
	}
	if len(s.ranges) != 1 {
		t.Errorf("%d ranges are left when all gaps are closed", len(s.ranges))
	}
}
