package profile

import (
	"cmp"
	"math"
	"reflect"
	"slices"
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
	slow := c.At(workload.Reduce, "slow")
	if first, later := slow.Shuffles(); first.Mean != 2 || later.Mean != 2 {
		t.Errorf("waves that nobody told apart: %+v and %+v", first, later)
	}
	slow.Waves.First.Add(2)
	if first, later := slow.Shuffles(); first.Mean != 2 || later.Mean != 2 {
		t.Errorf("one wave: %+v and %+v", first, later)
	}
	more := New("words")
	more.Attempt(workload.Reduce, "other", 0, 5*units.Second, 6*units.Second)
	more.At(workload.Reduce, "other").Waves.Later.Add(6)
	more.Merge(c)
	all := more.Any(workload.Reduce)
	if first, later := all.Shuffles(); first.Max != 2 || later.Max != 6 || all.Shuffle.Mean != 4 {
		t.Errorf("two waves: %+v and %+v", first, later)
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

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

func same(a, b Estimate) bool {
	return a.N == b.N && a.Min == b.Min && a.Max == b.Max && near(a.Mean, b.Mean) && near(a.Std(), b.Std())
}

// A class is learned from attempts in any order and in any parts: what is known stays the same up
// to rounding, and in line. The oracle sorts the attempts into lists and adds each up on its own.
func TestLearningInAnyOrder(t *testing.T) {
	type attempt struct {
		stage        workload.Stage
		node         string
		input        units.Bytes
		run, shuffle units.Duration
	}
	one := rapid.Custom(func(t *rapid.T) attempt {
		return attempt{
			stage: rapid.SampledFrom([]workload.Stage{workload.Map, workload.Reduce}).Draw(t, "stage"), node: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "node"),
			input: units.Bytes(rapid.Int64Range(0, 3).Draw(t, "input")), run: units.Duration(rapid.Int64Range(1, 1e12).Draw(t, "run")), shuffle: units.Duration(rapid.Int64Range(0, 1e11).Draw(t, "shuffle")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(one, 1, 30).Draw(t, "attempts")
		parts := []*Class{New("x"), New("x"), New("x")}
		for _, a := range all {
			c := parts[rapid.IntRange(0, 2).Draw(t, "part")]
			c.Runs++
			c.Attempt(a.stage, a.node, a.input, a.run, a.shuffle)
		}
		forth, back := New("x"), New("x")
		for i := range parts {
			forth.Merge(parts[i])
			back.Merge(parts[len(parts)-1-i])
		}
		for _, c := range []*Class{forth, back} {
			if c.Runs != int64(len(all)) || !slices.IsSortedFunc(c.Stages, func(a, b Stage) int { return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Node, b.Node)) }) {
				t.Fatalf("%d runs: %+v", c.Runs, c)
			}
			for _, s := range []workload.Stage{workload.Map, workload.Reduce} {
				for _, node := range []string{"a", "b", "c", ""} { // "" = any
					var want Stage
					for _, a := range all {
						if a.stage != s || node != "" && a.node != node {
							continue
						}
						want.Task.Add(a.run.Seconds())
						if a.input > 0 {
							want.PerByte.Add(a.run.Seconds() / float64(a.input))
							want.Work.Add(float64(a.input), a.run.Seconds())
						}
						if s == workload.Reduce {
							want.Shuffle.Add(a.shuffle.Seconds())
						}
					}
					got := c.Any(s)
					if node != "" {
						if want.Task.N == 0 {
							continue // At would make an entry
						}
						got = *c.At(s, node)
					}
					if !same(got.Task, want.Task) || !same(got.PerByte, want.PerByte) || got.Work.Bytes != want.Work.Bytes || got.Work.N != want.Work.N || !near(got.Work.Amount, want.Work.Amount) || !same(got.Shuffle, want.Shuffle) {
						t.Fatalf("%v on %q: %+v, want %+v", s, node, got, want)
					}
				}
			}
		}
	})
}

// Two thirds of the errors lie within what Off says, up to a bin's width, and an odd one changes little.
func TestOff(t *testing.T) {
	c := New("x")
	if _, known := c.Off(0); known {
		t.Error("nothing was predicted")
	}
	for i := range 100 {
		c.Predicted(1 + float64(i*37%100)/100) // in an order that tells of no change
	}
	if _, known := c.Off(101); known {
		t.Error("100 are not 101")
	}
	// 1, 1.01, … 1.99 are 1.5 on average, and two thirds of them within 0.34 of that
	if off, known := c.Off(100); !known || math.Abs(off-0.34/1.5) > 0.05 || math.Abs(c.Bias()-1.5) > 0.02 {
		t.Error(off, c.Bias())
	}
	c.Predicted(1e6)
	if off, _ := c.Off(3); math.Abs(off-0.34/1.5) > 0.05 || math.Abs(c.Bias()-1.5) > 0.03 {
		t.Error(off, c.Bias())
	}
	few := New("x")
	for range biased - 1 {
		few.Predicted(2)
	}
	if off, _ := few.Off(3); few.Bias() != 1 || off < 0.9 || off > 1.1 {
		t.Error("four predictions correct the next one:", few.Bias(), off)
	}
	d := New("x")
	d.Merge(c)
	before, _ := c.Off(3)
	if after, _ := d.Off(3); before != after {
		t.Error(before, after)
	}
}

func TestAtKeepsTheLine(t *testing.T) {
	c := New("x")
	for _, node := range []string{"m", "z", "a", "m"} {
		if s := c.At(workload.Map, node); s.Node != node || s.Stage != workload.Map || s.Task.N != 0 {
			t.Errorf("%+v", s)
		}
	}
	if c.At(workload.Master, "z"); len(c.Stages) != 4 || c.Stages[0].Stage != workload.Master || c.Stages[1].Node != "a" || c.Stages[3].Node != "z" {
		t.Errorf("%+v", c.Stages)
	}
	c.At(workload.Map, "a").Share = 0.5
	d := New("x")
	d.At(workload.Map, "a")
	if c.Merge(d); c.At(workload.Map, "a").Share != 0.5 {
		t.Error("a share that is unknown has taken the place of one that is known")
	}
	if any := c.Any(workload.Reduce); !reflect.DeepEqual(any, Stage{Stage: workload.Reduce}) {
		t.Errorf("%+v", any)
	}
	var e Estimate
	e.Add(2)
	e.Add(4)
	if e.String() != "3 ± 1.4 (max 4, n 2)" {
		t.Error(e)
	}
}
