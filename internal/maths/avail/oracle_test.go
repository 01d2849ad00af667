package avail

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// A vector is the paper's: one entry for each slot, sorted again after each task.
type vector []units.Time

// run is algorithm 5.2, lines 2 to 9, and algorithm 5.3, lines 3 to 10, word by word.
func (v vector) run(n int, from units.Time, each units.Duration) units.Time {
	last := from
	for range n {
		if len(v) == 0 {
			return units.Never
		}
		v[0] = max(v[0], from)
		v[0] = v[0].Add(each)
		last = v[0]
		slices.Sort(v)
	}
	return last
}

// replace is algorithm 5.6, lines 7 to 11.
func (v vector) replace(ends []units.Time) {
	for _, e := range slices.Sorted(slices.Values(ends)) {
		if len(v) == 0 {
			return
		}
		v[0] = e
		slices.Sort(v)
	}
}

func (v vector) resize(slots int, at units.Time) vector {
	for len(v) < slots {
		v = append(v, at)
	}
	slices.Sort(v)
	return v[:slots]
}

func flat(s *Steps) vector {
	v := vector{}
	for at, n := range s.Each {
		for range n {
			v = append(v, at)
		}
	}
	return v
}

// TestOracle plays random histories on steps and on the vector of all slots. Small spans make equal instants, large ones many steps.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, 400)).Draw(t, "slots")
		span := rapid.SampledFrom([]int{3, 20, 1000, 1e9}).Draw(t, "span")
		instant := func(name string) units.Time { return units.Time(rapid.IntRange(0, 4*span).Draw(t, name)) }
		s, v := New(slots), make(vector, slots)
		for i := range rapid.IntRange(1, 40).Draw(t, "operations") {
			switch rapid.SampledFrom([]string{"run", "run", "run", "run", "replace", "resize", "copy"}).Draw(t, "operation") {
			case "run":
				n := rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 3*slots+3)).Draw(t, "n")
				from, each := instant("from"), units.Duration(rapid.IntRange(0, span).Draw(t, "each"))
				if promised := s.Last(n, from, each); promised != s.Run(n, from, each) {
					t.Fatalf("operation %d: Last says %v, Run another end", i, promised)
				} else if want := v.run(n, from, each); promised != want {
					t.Fatalf("operation %d: Run(%d, %v, %v) = %v, the vector says %v", i, n, from, each, promised, want)
				}
			case "replace":
				ends := make([]units.Time, rapid.IntRange(0, 10).Draw(t, "ends"))
				for k := range ends {
					ends[k] = instant("end")
				}
				s.Replace(ends)
				v.replace(ends)
			case "resize":
				n, at := rapid.IntRange(0, 2*slots).Draw(t, "to"), instant("at")
				s.Resize(n, at)
				v = v.resize(n, at)
			case "copy":
				var c Steps
				c.Load(s.Save(nil))
				s.Run(3, 5, 7)
				s = &c
			}
			if got := flat(s); !slices.Equal(got, v) || s.Slots() != len(v) {
				t.Fatalf("operation %d: %v, the vector is %v", i, got, v)
			}
			check(t, s)
		}
	})
}

// check finds steps that are out of order, empty or could be one.
func check(t *rapid.T, s *Steps) {
	last := units.Time(-1)
	for at, n := range s.Each {
		if at <= last || n <= 0 {
			t.Fatalf("a step of %d slots at %v after one at %v", n, at, last)
		}
		last = at
	}
}
