package draw_test

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// The numbers of a seed are a promise: published runs name their seed.
func TestGolden(t *testing.T) {
	d := draw.Of(1, "task time").Job("j17").At(1, 2, 3)
	if got, want := d.Uint64(), uint64(2715270467555475422); got != want {
		t.Errorf("Uint64 = %d, want %d", got, want)
	}
	if got, want := draw.Of(1, "task time").Number(17).Uint64(), uint64(15776565448382280800); got != want {
		t.Errorf("of job number 17: %d, want %d", got, want)
	}
	if got, want := d.Below(1000), 147; got != want {
		t.Errorf("Below(1000) = %d, want %d", got, want)
	}
	if got, want := d.Permutation(8), []int{4, 5, 3, 6, 0, 2, 7, 1}; !slices.Equal(got, want) {
		t.Errorf("Permutation(8) = %v, want %v", got, want)
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"Float64", d.Float64(), 0.147195106990},
		{"Between", d.Between(-1, 3), -0.411219572038},
		{"Exponential", d.Exponential(20), 38.319926275874},
		{"Normal", d.Normal(10, 2), 10.061510348618},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s = %.12f, want %.12f", x.name, x.got, x.want)
		}
	}
}

// A draw depends on its key and on nothing else.
func TestOrderOfDrawingDoesNotMatter(t *testing.T) {
	keys := []draw.Draw{}
	for job := range 4 {
		for task := range 5 {
			keys = append(keys, draw.Of(7, "x").Number(uint64(job)).At(1, task, 1))
		}
	}
	var first []uint64
	for _, k := range keys {
		first = append(first, k.Uint64())
	}
	for i := range keys {
		k := keys[len(keys)-1-i]
		k.Normal(0, 1)
		k.Permutation(9)
		if got := k.Uint64(); got != first[len(keys)-1-i] {
			t.Fatalf("draw %d changed from %d to %d", len(keys)-1-i, first[len(keys)-1-i], got)
		}
	}
}

// Every part of a key matters, and moving a number from one part to the next makes another key.
func TestKeysDiffer(t *testing.T) {
	seen := map[uint64]string{}
	put := func(name string, d draw.Draw) {
		if other, dup := seen[d.Uint64()]; dup {
			t.Errorf("%s draws what %s draws", name, other)
		}
		seen[d.Uint64()] = name
	}
	base := draw.Of(1, "a").Job("j").At(1, 2, 3)
	put("base", base)
	put("seed", draw.Of(2, "a").Job("j").At(1, 2, 3))
	put("name", draw.Of(1, "b").Job("j").At(1, 2, 3))
	put("empty name", draw.Of(1, "").Job("j").At(1, 2, 3))
	put("job", draw.Of(1, "a").Job("k").At(1, 2, 3))
	put("name and job joined", draw.Of(1, "aj").At(1, 2, 3))
	put("name and job swapped", draw.Of(1, "j").Job("a").At(1, 2, 3))
	put("stage", draw.Of(1, "a").Job("j").At(2, 2, 3))
	put("task", draw.Of(1, "a").Job("j").At(1, 3, 3))
	put("attempt", draw.Of(1, "a").Job("j").At(1, 2, 4))
	put("task and attempt swapped", draw.Of(1, "a").Job("j").At(1, 3, 2))
	put("number", draw.Of(1, "a").Number(1))
	put("seed xor number", draw.Of(0, "a").Number(0))
}

// chi2 is the statistic of equal bins; with k bins its mean is k-1 and its deviation √(2(k-1)).
func chi2(counts []int, n int) float64 {
	want := float64(n) / float64(len(counts))
	sum := 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// Neighbouring keys, which is how simulations ask, draw uniform and independent numbers. The bounds
// lie five deviations out; the draws are fixed, so the test cannot flicker.
func TestUniform(t *testing.T) {
	const n, bins = 200_000, 100
	bound := bins - 1 + 5*math.Sqrt(2*(bins-1))
	byTask := func(i int) draw.Draw { return draw.Of(42, "u").Job("j1").At(1, i+1, 1) }
	bySeed := func(i int) draw.Draw { return draw.Of(uint64(i), "u").Job("j1").At(1, 1, 1) }
	byJob := func(i int) draw.Draw { return draw.Of(42, "u").Number(uint64(i)).At(1, 1, 1) }
	for name, key := range map[string]func(int) draw.Draw{"task": byTask, "seed": bySeed, "job": byJob} {
		one, below, pairs := make([]int, bins), make([]int, bins), make([]int, bins)
		last := 0
		for i := range n {
			d := key(i)
			f := d.Float64()
			if f <= 0 || f >= 1 {
				t.Fatalf("%s: Float64 = %v lies outside", name, f)
			}
			one[int(f*bins)]++
			below[d.Below(bins)]++
			pairs[last*10+int(f*10)]++
			last = int(f * 10)
		}
		for what, c := range map[string][]int{"Float64": one, "Below": below, "pairs of neighbours": pairs} {
			if x := chi2(c, n); x > bound {
				t.Errorf("%s by %s: chi-squared is %.1f, above %.1f", what, name, x, bound)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	const n = 200_000
	mean := func(f func(draw.Draw) float64) (m, v float64) {
		for i := range n {
			x := f(draw.Of(9, "m").Number(uint64(i)))
			m += x
			v += x * x
		}
		m /= n
		return m, v/n - m*m
	}
	near := func(name string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %.4f, want %.4f", name, got, want)
		}
	}
	m, v := mean(func(d draw.Draw) float64 { return d.Exponential(3) })
	near("mean of Exponential(3)", m, 3, 5*3/math.Sqrt(n))
	near("variance of Exponential(3)", v, 9, 0.4)
	m, v = mean(func(d draw.Draw) float64 { return d.Normal(5, 2) })
	near("mean of Normal(5,2)", m, 5, 5*2/math.Sqrt(n))
	near("variance of Normal(5,2)", v, 4, 0.1)
	m, _ = mean(func(d draw.Draw) float64 { return d.Between(-2, 6) })
	near("mean of Between(-2,6)", m, 2, 5*8/math.Sqrt(12*n))
	m, _ = mean(func(d draw.Draw) float64 {
		if d.Chance(0.3) {
			return 1
		}
		return 0
	})
	near("Chance(0.3)", m, 0.3, 5*0.46/math.Sqrt(n))
}

// All orders of four are equally likely.
func TestPermutation(t *testing.T) {
	const n = 24_000
	counts := map[[4]int]int{}
	for i := range n {
		counts[[4]int(draw.Of(3, "p").Number(uint64(i)).Permutation(4))]++
	}
	var flat []int
	for _, c := range counts {
		flat = append(flat, c)
	}
	if len(flat) != 24 {
		t.Fatalf("%d orders of 24 were drawn", len(flat))
	}
	if x := chi2(flat, n); x > 23+5*math.Sqrt(46) {
		t.Errorf("chi-squared is %.1f", x)
	}
	if got := draw.Of(1, "p").Permutation(0); len(got) != 0 {
		t.Errorf("Permutation(0) = %v", got)
	}
}

func TestNoAllocation(t *testing.T) {
	sink := 0.0
	if n := testing.AllocsPerRun(100, func() {
		sink += draw.Of(1, "task time").Job("j1").At(1, 2, 3).Exponential(1)
	}); n != 0 {
		t.Errorf("a draw allocates %v times", n)
	}
}
