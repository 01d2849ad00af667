package ledger

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"pgregory.net/rapid"
)

// A ranking is a sorted set; the oracle is a slice that is sorted again after each change.
func TestRankingIsASortedSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranking
		var all []entry
		less := func(a, b entry) int {
			if a.before(b.key, b.seq) {
				return -1
			}
			if b.before(a.key, a.seq) {
				return 1
			}
			return 0
		}
		spread := rapid.Int64Range(1, 50).Draw(t, "spread") // few different keys make long runs of ties
		seed := rapid.Uint64().Draw(t, "seed")
		draw := func(n int64) int64 { // many cheap draws from one
			seed ^= seed << 13
			seed ^= seed >> 7
			seed ^= seed << 17
			return int64(seed>>1) % n
		}
		if seed == 0 {
			seed = 1
		}
		for i := range rapid.IntRange(1, 600).Draw(t, "steps") {
			if len(all) > 0 && draw(3) == 0 {
				k := int(draw(int64(len(all))))
				if draw(3) > 0 {
					from := all[k].key
					if all[k].key = (sched.Key{draw(spread), draw(2)}); draw(2) == 0 { // a short way
						all[k].key = sched.Key{from[0] + draw(3) - 1, from[1]}
					}
					r.move(from, all[k])
				} else {
					r.remove(all[k].key, all[k].seq)
					all = slices.Delete(all, k, k+1)
				}
			} else {
				e := entry{key: sched.Key{draw(spread), draw(2)}, seq: int64(i), elem: int32(i + 1)}
				r.insert(e)
				all = append(all, e)
			}
			slices.SortFunc(all, less)
			if draw(20) != 0 {
				continue
			}
			var got []entry
			for e := r.first(); e != nil; e = r.after(e.key, e.seq) {
				got = append(got, *e)
			}
			if !slices.Equal(got, all) || r.n != len(all) {
				t.Fatalf("after step %d: %v (n %d), want %v", i, got, r.n, all)
			}
			probe := sched.Key{draw(spread), draw(2)}
			seq := draw(600)
			var want *entry
			for k := range all {
				if !all[k].before(probe, seq) && (all[k].key != probe || all[k].seq != seq) {
					want = &all[k]
					break
				}
			}
			if e := r.after(probe, seq); (e == nil) != (want == nil) || e != nil && *e != *want {
				t.Fatalf("after %v %d: %v, want %v", probe, seq, e, want)
			}
		}
	})
}
