package avail

import (
	"math/rand/v2"
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

// TestOracle plays random histories on steps and on the vector of all slots. Small spans make equal
// instants, large ones many steps.
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

// TestManySteps is TestOracle with more steps than a block holds: slots that are free from instants
// of their own, and jobs that take many of them at once. What is random comes from a seed, as rapid
// draws mostly small numbers.
func TestManySteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		slots := 1 + r.IntN(1000)
		span := []int{300, 10_000, 1e9}[r.IntN(3)]
		s, v := New(0), vector{}
		for range slots {
			at := units.Time(r.IntN(span))
			v = append(v, at)
			s.Resize(s.Slots()+1, at)
		}
		slices.Sort(v)
		from, kinds := units.Time(0), 8
		if r.IntN(2) == 0 {
			kinds = 1 // nothing but tasks, so that many blocks are used up
		}
		for i := range 1 + r.IntN(40) {
			switch 7 - r.IntN(kinds) {
			case 0:
				ends := make([]units.Time, r.IntN(40))
				for k := range ends {
					ends[k] = from + units.Time(r.IntN(span))
				}
				s.Replace(ends)
				v.replace(ends)
			case 1:
				n, at := 1+slots/2+r.IntN(slots), units.Time(r.IntN(span))
				s.Resize(n, at)
				v = v.resize(n, at)
			case 2:
				c := New(3)
				c.Run(2, 3, 4)
				c.Copy(s)
				s = c
			case 3:
				var c Steps
				c.Load(s.Save(nil))
				s = &c
			default:
				from += units.Time(r.IntN(span / 10))
				n, each := 1+r.IntN(1+r.IntN(200)), units.Duration(r.IntN(span))
				ends := slices.Clone(s.Ends(n, from, each))
				got := s.Run(n, from, each)
				if want := v.run(n, from, each); got != want || got != ends[len(ends)-1].At {
					t.Fatalf("operation %d: Run(%d, %v, %v) = %v, the vector says %v, Ends %v", i, n, from, each, got, want, ends)
				}
			}
			if got := flat(s); !slices.Equal(got, v) || s.Slots() != len(v) || len(v) > 0 && s.First() != v[0] {
				t.Fatalf("operation %d: %v, the vector is %v", i, got, v)
			}
			check(t, s)
		}
	})
}

// TestHugeSpans holds the ends of time: sums stop at Never, without a slot nothing ends.
func TestHugeSpans(t *testing.T) {
	s := New(2)
	if at := s.Run(5, 1, units.Duration(units.Never)/2); at != units.Never {
		t.Errorf("five tasks of half of all time on two slots end at %v", at)
	}
	if at := s.Run(1_000_000_000, 1, units.Duration(units.Never)); at != units.Never {
		t.Errorf("tasks without an end end at %v", at)
	}
	if at := New(1).Run(200_000, 0, 24*units.Hour); at != units.Never {
		t.Errorf("200,000 tasks of a day, one after the other, end at %v", at)
	}
	s.Resize(0, 0)
	if at := s.Run(1, 1, 1); at != units.Never || s.First() != units.Never {
		t.Errorf("without a slot a task ends at %v", at)
	}
	if at := s.Run(0, 1, 1); at != 1 {
		t.Errorf("no task from 1ns on ends at %v", at)
	}
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

// New returns a vector of that many slots, all free from 0.
func New(slots int) *Steps {
	s := &Steps{}
	s.Resize(slots, 0)
	return s
}
