package ledger

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"pgregory.net/rapid"
)

// A ranking is a sorted set; the oracle is a slice that is sorted anew after each change.
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

// The radix sort against the library's.
func TestSortByKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Uint64Range(1, 1<<rapid.IntRange(1, 31).Draw(t, "bits")-1)
		var pairs []uint64
		for task := range rapid.IntRange(0, 50).Draw(t, "tasks") {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				pairs = append(pairs, keys.Draw(t, "key")<<32|uint64(task))
			}
		}
		want := slices.Clone(pairs)
		slices.Sort(want)
		if got := sortByKey(pairs, make([]uint64, len(pairs)), 1<<31); !slices.Equal(got, want) {
			t.Fatalf("%x, want %x", got, want)
		}
	})
}

// Places by counting and by sorting hold the same, whatever is asked of them.
func TestPlacesInBothForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.IntRange(1, 12).Draw(t, "keys")
		n := rapid.IntRange(1, 20).Draw(t, "tasks")
		var pairs []uint64
		for task := 1; task <= n; task++ {
			for range rapid.IntRange(0, 3).Draw(t, "hosts") {
				pairs = append(pairs, uint64(rapid.IntRange(1, largest).Draw(t, "key"))<<32|uint64(task))
			}
		}
		counting, sorting := &Ledger{pairs: slices.Clone(pairs)}, &Ledger{pairs: slices.Clone(pairs)}
		a, b := counting.indexByCounting(largest), sorting.indexBySorting(uint64(largest))
		list := func(p *taskIndex) (keys []int32) {
			for k := int32(1); k <= int32(largest); k++ {
				if p.holds(k) {
					keys = append(keys, k)
				}
			}
			return keys
		}
		if !slices.Equal(list(&a), list(&b)) {
			t.Fatalf("%v, %v", list(&a), list(&b))
		}
		state := make([]taskState, n+1)
		for range 60 {
			key := int32(rapid.IntRange(-1, largest+2).Draw(t, "asked"))
			if a.holds(key) != b.holds(key) {
				t.Fatalf("key %d: %v, %v", key, a.holds(key), b.holds(key))
			}
			x, y := a.first(key, state), b.first(key, state)
			if x != y {
				t.Fatalf("key %d: task %d, %d", key, x, y)
			}
			if x > 0 && rapid.Bool().Draw(t, "take") {
				state[x] = taskLive
			}
			if again := sched.TaskID(rapid.IntRange(1, n).Draw(t, "again")); state[again] == taskLive {
				state[again] = taskOpen
				for k := range int32(largest + 1) {
					a.reopen(k, again)
					b.reopen(k, again)
				}
			}
		}
	})
}
