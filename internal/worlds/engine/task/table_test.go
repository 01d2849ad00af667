package task

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Keys that differ in length only, in zeros only, and behind long common beginnings.
func keys() *rapid.Generator[[]byte] {
	alphabet := rapid.SampledFrom([]rune("a\x00b"))
	return rapid.Map(rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "12345678", "1234567812345678", strings.Repeat("x", 40)}).Draw(t, "start")
		return start + rapid.StringOfN(alphabet, 0, 18, -1).Draw(t, "rest")
	}), func(s string) []byte { return []byte(s) })
}

// manyOf draws few or many: left to itself, rapid draws few nearly always.
func manyOf[T any](t *rapid.T, one *rapid.Generator[T]) []T {
	n := rapid.SampledFrom([]int{0, 3, 30, 100, 400}).Draw(t, "how many")
	return rapid.SliceOfN(one, n, n).Draw(t, "all")
}

// The table against Go's map, with keys that end where their memory ends and others that do not.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, want := newTable(), map[string]int64{}
		for _, key := range manyOf(t, keys()) {
			if rapid.Bool().Draw(t, "roomy") {
				key = append(append([]byte("##"), key...), "0123456789abcdefghij"...)[2 : 2+len(key)]
			} else {
				key = slices.Clip(key)
			}
			s, made := h.find(key)
			if _, known := want[string(key)]; known == made {
				t.Fatalf("find(%q) says new: %v", key, made)
			}
			s.n++
			want[string(key)]++
		}
		got := map[string]int64{}
		for i := range h.slots {
			if s := &h.slots[i]; s.size > 0 {
				got[string(h.key(s))] = s.n
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || h.used != len(want) {
			t.Fatalf("%d keys (-want +got):\n%s", h.used, diff)
		}
	})
}

func TestTableGrows(t *testing.T) {
	h := newTable()
	for i := range 20_000 {
		s, _ := h.find([]byte{byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0, 0, byte(i % 3)})
		s.n = int64(i)
	}
	for i := range 20_000 {
		if s, made := h.find([]byte{byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0, 0, byte(i % 3)}); made || s.n != int64(i) {
			t.Fatalf("key %d: new %v, %d", i, made, s.n)
		}
	}
}

// sortEntries is a stable sort by the whole key.
func TestSortEntriesIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := keys()
		if rapid.Bool().Draw(t, "zeros") { // many keys that differ in length only
			kind = rapid.Map(rapid.IntRange(0, 20), func(n int) []byte { return make([]byte, n) })
		}
		list := manyOf(t, kind)
		entries := make([]entry, len(list))
		for i, k := range list {
			entries[i] = entry{prefix: prefix(k), off: uint32(i)}
		}
		sortEntries(entries, make([]entry, len(list)), func(e entry) []byte { return list[e.off] })
		want := make([]int, len(list))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return bytes.Compare(list[a], list[b]) })
		for i := range want {
			if int(entries[i].off) != want[i] {
				t.Fatalf("place %d holds key %d (%q), want %d (%q)", i, entries[i].off, list[entries[i].off], want[i], list[want[i]])
			}
		}
	})
}
