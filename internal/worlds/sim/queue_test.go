package sim

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// TestDueIsOrderedByTimeThenKey: the order of entries without a branch is that of comparing them part by part.
func TestDueIsOrderedByTimeThenKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string) due {
			return due{at: units.Time(rapid.Int64Range(0, int64(units.Never)).Draw(t, name)), key: rapid.Uint64().Draw(t, name)}
		}
		a, b := one("a"), one("b")
		if rapid.Bool().Draw(t, "same time") {
			b.at = a.at
		}
		want := a.at < b.at || a.at == b.at && a.key < b.key
		if got := a.before(&b); got != want {
			t.Errorf("%+v before %+v: %v, want %v", a, b, got, want)
		}
	})
}

// TestQueueIsASortedList: whatever the times are, near and far, alike and apart, entries come out as
// from a list that is sorted at each push.
func TestQueueIsASortedList(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 15))
		var q queue
		var list []due
		now := units.Time(0)
		for range 30 {
			spread := int64(1) << r.IntN(63)
			for range r.IntN(300) {
				at, c := now.Add(units.Duration(r.Int64N(spread))), class(r.IntN(int(progressReport)+1))
				q.push(at, c, 0, 0)
				d := due{at: at, key: uint64(c)<<56 | q.seq}
				i := sort.Search(len(list), func(i int) bool { return d.before(&list[i]) })
				list = slices.Insert(list, i, d)
			}
			for range min(r.IntN(300), len(list)) {
				if d := q.top(); d == nil || *d != list[0] {
					t.Fatalf("seed %d: %+v is first, and %+v should be", seed, d, list[0])
				}
				now, list = list[0].at, list[1:]
				q.pop()
			}
			if d := q.top(); len(list) == 0 && d != nil {
				t.Fatalf("seed %d: %+v is left, and nothing should be", seed, *d)
			}
		}
	}
}

// TestQueueWidth: when ends come in at a rate for a while, slots have a few entries each, whatever
// the rate is.
func TestQueueWidth(t *testing.T) {
	var q queue
	now := units.Time(0)
	for _, gap := range []units.Duration{units.Second, units.Microsecond, units.Millisecond} {
		for i := range 3000 {
			q.push(now.Add(units.Duration(i*7919%3000)*gap), attemptEnd, 0, 0)
		}
		for range 100_000 {
			now = q.top().at
			q.pop()
			q.push(now.Add(3000*gap), attemptEnd, 0, 0)
		}
		if wide := units.Duration(1) << q.shift; wide < gap || wide > 32*gap {
			t.Errorf("entries are %v apart, and a slot is %v wide", gap, wide)
		}
		for q.top() != nil {
			q.pop()
		}
	}
}
