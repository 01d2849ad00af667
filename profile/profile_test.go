package profile

import (
	"math"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// The oracle keeps all values and goes over them twice.
func TestEstimates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		var one, a, b Estimate
		for i, x := range all {
			one.Add(x)
			if i < cut {
				a.Add(x)
			} else {
				b.Add(x)
			}
		}
		a.Merge(b)
		mean, lo, hi := 0.0, all[0], all[0]
		for _, x := range all {
			mean += x / float64(len(all))
			lo, hi = math.Min(lo, x), math.Max(hi, x)
		}
		squares := 0.0
		for _, x := range all {
			squares += (x - mean) * (x - mean)
		}
		std := 0.0
		if len(all) > 1 {
			std = math.Sqrt(squares / float64(len(all)-1))
		}
		for name, e := range map[string]Estimate{"added": one, "merged": a} {
			if e.N != int64(len(all)) || e.Min != lo || e.Max != hi || math.Abs(e.Mean-mean) > 1e-6 || math.Abs(e.Std()-std) > 1e-6*(1+std) {
				t.Fatalf("%s: %+v (std %v), want mean %v std %v in %v to %v", name, e, e.Std(), mean, std, lo, hi)
			}
		}
	})
	if (Estimate{}).String() != "unknown" {
		t.Error("nothing is known of nothing")
	}
}

func TestClasses(t *testing.T) {
	c := New("words")
	c.Attempt(workload.Reduce, "slow", 0, 5*units.Second, 2*units.Second)
	c.Attempt(workload.Map, "slow", units.MB, 4*units.Second, 0)
	c.Attempt(workload.Map, "fast", units.MB, 2*units.Second, 0)
	if len(c.Stages) != 3 || c.Stages[0].Node != "fast" || c.Stages[1].Node != "slow" || c.Stages[2].Stage != workload.Reduce {
		t.Errorf("not sorted by stage and node: %+v", c.Stages)
	}
	if m := c.Any(workload.Map); m.Task.N != 2 || m.Task.Mean != 3 || math.Abs(m.PerByte.Mean*float64(units.MB)-3) > 1e-9 {
		t.Errorf("%+v", m)
	}
	if r := c.Any(workload.Reduce); r.Shuffle.Mean != 2 || r.PerByte.N != 0 {
		t.Errorf("%+v", r)
	}
	d := New("words")
	d.Runs = 2
	d.Attempt(workload.Map, "fast", 0, 8*units.Second, 0)
	d.At(workload.Map, "fast").Share = 0.5
	c.Merge(d)
	if f := c.At(workload.Map, "fast"); c.Runs != 2 || f.Task.N != 2 || f.Task.Mean != 5 || f.Share != 0.5 {
		t.Errorf("%+v", c)
	}
}
