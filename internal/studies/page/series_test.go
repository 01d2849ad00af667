package page

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/units"
)

// The means, times the widths of their bins, against an integral kept without bins; never more points than allowed.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 50).Draw(t, "most")
		s := newSeries(most)
		type step struct {
			at units.Time
			x  int64
		}
		var steps []step
		at := units.Time(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			x := rapid.Int64Range(0, 1000).Draw(t, "x")
			s.advance(at)
			s.now[jobsWaiting] = x
			steps = append(steps, step{at, x})
			at += units.Time(rapid.Int64Range(0, 1e10).Draw(t, "gap"))
		}
		s.advance(at)
		means := s.means(jobsWaiting)
		if len(means) > most || len(means) != len(s.sums) {
			t.Fatalf("%d points, at most %d", len(means), most)
		}
		for i, mean := range means {
			from, to := float64(i)*float64(s.width), math.Min(float64(at), float64(i+1)*float64(s.width))
			area := 0.0
			for k, st := range steps {
				end := float64(at)
				if k+1 < len(steps) {
					end = float64(steps[k+1].at)
				}
				area += float64(st.x) * math.Max(0, math.Min(to, end)-math.Max(from, float64(st.at)))
			}
			if want := area / (to - from); math.Abs(mean-want) > 1e-6*(1+want) {
				t.Fatalf("bin %d of width %v: mean %v, want %v", i, s.width, mean, want)
			}
		}
	})
}

// The curve against counting, one value after the other.
func TestCurve(t *testing.T) {
	if c := newCurve([]float64{0, 0, -1}); c.Low != 0 || c.High != 0 || c.Zero != 10000 || c.Part[0] != 10000 || c.at(7) != 0 {
		t.Errorf("all in time, but late: %+v", c)
	}
	if c := newCurve([]float64{0, 3, 3}); c.Low != 3 || c.High != 3 {
		t.Errorf("nothing took more than 3 s: %+v", c)
	}
	if newCurve(nil) != nil {
		t.Error("nothing has a curve")
	}
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e6), rapid.Float64Range(0, 1e-6)), 1, 60).Draw(t, "sample")
		before := slices.Clone(sample)
		c := newCurve(sample)
		if !slices.Equal(before, sample) {
			t.Fatal("the sample was changed")
		}
		if len(c.Part) != curvePoints || c.Part[curvePoints-1] != 10000 {
			t.Fatalf("%d points, the last is %v", len(c.Part), c.Part[curvePoints-1])
		}
		zero := 0
		for _, x := range sample {
			if x <= 0 {
				zero++
			}
		}
		if want := math.Floor(10000 * float64(zero) / float64(len(sample))); c.Zero != want {
			t.Fatalf("%v at or below 0, want %v", c.Zero, want)
		}
		for i, part := range c.Part {
			n := 0
			for _, x := range sample {
				if x <= c.at(i) {
					n++
				}
			}
			if want := math.Floor(10000 * float64(n) / float64(len(sample))); part != want {
				t.Fatalf("point %d, x = %v: %v, want %v", i, c.at(i), part, want)
			}
		}
	})
}
