package stat

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
	"pgregory.net/rapid"
)

// By hand: of the 8 signs of 1, 2, 3 two give a sum of 6 or -6.
func TestComparePairsByHand(t *testing.T) {
	p := ComparePairs([]float64{1, 2, 3})
	if p.N != 3 || p.Mean != 2 || p.P != 0.25 || p.Effect != 2 || p.Nil {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{1, -1}); p.Mean != 0 || p.P != 1 || p.Effect != 0 || p.Nil {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{5, 5, 5, 5, 5, 5}); p.P != 2./64 || !math.IsInf(p.Effect, 1) {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs(nil); p.P != 1 || p.N != 0 || !p.Nil {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{0, 0, 0}); p.P != 1 || !p.Nil {
		t.Errorf("%+v", p)
	}
}

// brute is the sign-flip test by its definition: every sign is tried, by counting up.
func brute(d []float64) float64 {
	sum, scale := 0.0, 0.0
	for _, x := range d {
		sum += x
		scale += math.Abs(x)
	}
	far := 0
	for signs := range 1 << len(d) {
		s := 0.0
		for i, x := range d {
			if signs>>i&1 == 1 {
				x = -x
			}
			s += x
		}
		if math.Abs(s) >= math.Abs(sum)-2e-9*scale {
			far++
		}
	}
	return float64(far) / float64(int(1)<<len(d))
}

func sample(series uint64, name string, n int, mean float64) []float64 {
	var d []float64
	for i := range uint64(n) {
		d = append(d, draw.Of(series, name).Number(i).Normal(mean, 1))
	}
	return d
}

// The test by subset sums against the test by its definition; drawn subsets against all of them.
func TestSignFlips(t *testing.T) {
	for series := range uint64(4) {
		d := sample(series, "pairs", exactPairs, 0.3)
		exact := brute(d)
		if got := ComparePairs(d).P; got != exact {
			t.Errorf("series %d: %v, counted %v", series, got, exact)
		}
		// a 0 has no sign
		if drawn := ComparePairs(append(d, 0)).P; math.Abs(drawn-exact) > 5*math.Sqrt(2*exact*(1-exact)/65536)+1e-4 {
			t.Errorf("series %d: drawn %v, exact %v", series, drawn, exact)
		}
	}
	for series := range uint64(20) { // as near to 0 as can be: each subset that counts has a complement that does not
		d := sample(series, "nothing", 20, 0)
		var s Sum
		for _, x := range d {
			s.Add(x)
		}
		for i := range d {
			d[i] -= s.Mean() * 0.999
		}
		if p := ComparePairs(d).P; p > 1 || p < 0.98 {
			t.Errorf("series %d: P of next to nothing is %v", series, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var d []float64
		if rapid.Bool().Draw(t, "whole") { // so that sums tie
			for _, x := range rapid.SliceOfN(rapid.IntRange(-3, 3), 1, 10).Draw(t, "d") {
				d = append(d, float64(x))
			}
		} else {
			d = rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 10).Draw(t, "d")
		}
		if got, want := ComparePairs(d).P, brute(d); got != want {
			t.Fatalf("P = %v, counted %v", got, want)
		}
	})
}

// What SciPy, NumPy and statsmodels give: testdata/paired.py made the file.
func TestAgainstSciPy(t *testing.T) {
	text, err := os.ReadFile("testdata/paired.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Pairs []struct {
			D    []float64
			P    float64
			Ends []struct{ Level, Low, High float64 }
		}
		Holm []struct{ P, Corrected []float64 }
	}
	if err := json.Unmarshal(text, &golden); err != nil || len(golden.Pairs) < 10 || len(golden.Holm) < 10 {
		t.Fatal(err, len(golden.Pairs), len(golden.Holm))
	}
	for i, g := range golden.Pairs {
		if got := ComparePairs(g.D).P; math.Abs(got-g.P) > 1e-12 {
			t.Errorf("pairs %d: P = %v, SciPy has %v", i, got, g.P)
		}
		for _, e := range g.Ends {
			low, high := Interval(g.D, e.Level)
			if math.Abs(low-e.Low) > 1e-6 || math.Abs(high-e.High) > 1e-6 {
				t.Errorf("pairs %d at %v: [%v, %v], by bisection of SciPy's P [%v, %v]", i, e.Level, low, high, e.Low, e.High)
			}
		}
	}
	for i, g := range golden.Holm {
		got, _ := Holm(g.P, 0.05)
		for k := range got {
			if math.Abs(got[k]-g.Corrected[k]) > 1e-12 {
				t.Errorf("family %d: %v, statsmodels has %v", i, got, g.Corrected)
				break
			}
		}
	}
}

// An interval holds what the test does not reject: a value inside does not differ from the mean by
// the test, a value outside does.
func TestIntervalIsTheTestInverted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 10).Draw(t, "d")
		level := rapid.Float64Range(0.003, 0.5).Draw(t, "level")
		low, high := Interval(d, level)
		at := rapid.Float64Range(-12, 12).Draw(t, "at")
		if math.Abs(at-low) < 1e-6 || math.Abs(at-high) < 1e-6 {
			return // on an end, but for rounding
		}
		shifted := make([]float64, len(d))
		for i := range d {
			shifted[i] = d[i] - at
		}
		if inside, p := low <= at && at <= high, brute(shifted); inside != (p >= level) {
			t.Fatalf("[%v, %v] at level %v, and P of %v is %v", low, high, level, at, p)
		}
		if mean := ComparePairs(d).Mean; mean < low-1e-9 || mean > high+1e-9 {
			t.Fatalf("the mean %v is outside of [%v, %v]", mean, low, high)
		}
		if bounded := !math.IsInf(low, -1) && !math.IsInf(high, 1); bounded != (len(d) >= FewestPairs(level)) {
			t.Fatalf("[%v, %v] of %d pairs at level %v, which takes %d", low, high, len(d), level, FewestPairs(level))
		}
	})
}

// The interval leaves out 0 exactly if P is below the level, also with ties and zeros, and with
// more pairs than have all signs tried.
func TestIntervalAndPAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d []float64
		if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
			d = sample(rapid.Uint64().Draw(t, "series"), "many", rapid.IntRange(17, 40).Draw(t, "n"), rapid.Float64Range(-1, 1).Draw(t, "mean"))
		} else {
			for _, x := range rapid.SliceOfN(rapid.IntRange(-2, 5), 1, 12).Draw(t, "d") {
				d = append(d, float64(x)*0.1)
			}
		}
		level := 0.05 / float64(rapid.IntRange(1, 100).Draw(t, "tests"))
		low, high := Interval(d, level)
		if p := ComparePairs(d).P; (p < level) != (low > 0 || high < 0) {
			t.Fatalf("P %v at level %v, [%v, %v]", p, level, low, high)
		}
	})
}

// Turned about, or in other units, or in another order, the differences say the same.
func TestInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 12).Draw(t, "d")
		scale := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "scale"))
		p := ComparePairs(d)
		low, high := Interval(d, 0.05)
		turned, scaled := make([]float64, len(d)), make([]float64, len(d))
		for i, x := range d {
			turned[i], scaled[i] = -x, scale*x
		}
		q := ComparePairs(turned)
		l, h := Interval(turned, 0.05)
		if q.P != p.P || q.Mean != -p.Mean || q.Effect != -p.Effect || l != -high || h != -low {
			t.Fatalf("turned: %+v [%v, %v], before %+v [%v, %v]", q, l, h, p, low, high)
		}
		q = ComparePairs(scaled)
		l, h = Interval(scaled, 0.05)
		if q.P != p.P || q.Mean != scale*p.Mean || l != scale*low || h != scale*high {
			t.Fatalf("scaled by %v: %+v [%v, %v], before %+v [%v, %v]", scale, q, l, h, p, low, high)
		}
		slices.Reverse(d)
		if q := ComparePairs(d); q.P != p.P {
			t.Fatalf("in another order P is %v, before %v", q.P, p.P)
		}
	})
}

// Where neither is better, P is below 0.05 in about one of twenty series; where one is, nearly
// always with so many pairs as EnoughPairs says; a little less than four of five at the least.
func TestPIsHonest(t *testing.T) {
	reject := func(name string, n, series int, mean, level float64) float64 {
		hits := 0
		for s := range uint64(series) {
			if ComparePairs(sample(s, name, n, mean)).P < level {
				hits++
			}
		}
		return float64(hits) / float64(series)
	}
	if r := reject("null", 10, 2000, 0, 0.05); r < 0.03 || r > 0.07 {
		t.Errorf("without a difference %.3f of the series show one", r)
	}
	if r := reject("null", 5, 500, 0, 0.05); r > 0 {
		t.Errorf("with five pairs something was found: %.3f", r)
	}
	for _, level := range []float64{0.05, 0.01} {
		enough := EnoughPairs(0.9, level)
		if r := reject("effect", enough, 300, 0.9, level); r < 0.7 || r > 0.9 {
			t.Errorf("with %d pairs a difference of d = 0.9 is found at %v in %.3f of the series", enough, level, r)
		}
	}
}

// The least P of n pairs is 2/2^n; with more than sixteen it stays at that of sixteen.
func TestFewestPairs(t *testing.T) {
	for _, c := range []struct {
		level float64
		want  int
	}{{0.05, 6}, {0.05 / 5, 8}, {0.05 / 30, 11}, {0.05 / 1638, 16}, {0.05 / 1639, 0}} {
		if got := FewestPairs(c.level); got != c.want {
			t.Errorf("level %v takes %d pairs, want %d", c.level, got, c.want)
		}
		for n := range 24 {
			same := slices.Repeat([]float64{1}, n)
			if found := ComparePairs(same).P < c.level; found != (c.want > 0 && n >= c.want) {
				t.Errorf("%d equal differences, level %v: found is %v", n, c.level, found)
			}
		}
	}
	if EnoughPairs(0, 0.05) != 0 || EnoughPairs(100, 0.05) != 6 || EnoughPairs(math.Inf(-1), 0.05) != 6 || EnoughPairs(1, 1e-6) != 0 {
		t.Error(EnoughPairs(0, 0.05), EnoughPairs(100, 0.05), EnoughPairs(math.Inf(-1), 0.05), EnoughPairs(1, 1e-6))
	}
}

func TestHolm(t *testing.T) {
	got, steps := Holm([]float64{0.04, 0.01, 0.03, 0.5}, 0.05)
	for i, want := range []float64{0.09, 0.04, 0.09, 0.5} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v, want %v at %d", got, want, i)
		}
	}
	if !slices.Equal(steps, []int{3, 4, 3, 3}) { // the second test is not passed, which ends the procedure
		t.Errorf("corrected for %v", steps)
	}
	// equal ones are equal
	if _, steps := Holm([]float64{0.001, 0.002, 0.001, 0.04}, 0.05); !slices.Equal(steps, []int{4, 2, 4, 1}) {
		t.Errorf("corrected for %v", steps)
	}
	if list, _ := Holm(nil, 0.05); len(list) != 0 {
		t.Error("something from nothing")
	}
}

// A P is below the level at its step exactly if the corrected one is below the level.
func TestHolmAndItsStepsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ps []float64
		for _, k := range rapid.SliceOfN(rapid.IntRange(1, 1024), 1, 40).Draw(t, "ps") {
			ps = append(ps, float64(k)/1024/float64(rapid.SampledFrom([]int{1, 64}).Draw(t, "smaller")))
		}
		corrected, steps := Holm(ps, 0.05)
		for i := range ps {
			if (corrected[i] < 0.05) != (ps[i] < 0.05/float64(steps[i])) {
				t.Fatalf("P %v, corrected %v for %d", ps[i], corrected[i], steps[i])
			}
		}
	})
}

// A family in which nothing differs shows something in at most one of twenty experiments, also
// where all are compared with one and the same, as policies are. Where things differ each interval
// holds the true difference in nineteen of twenty.
func TestFamilyWiseError(t *testing.T) {
	const experiments, others, seeds = 1000, 4, 9
	wrong, missed := 0, 0
	for e := range uint64(experiments) {
		control := sample(e, "control", seeds, 0)
		var ds [][]float64
		var ps []float64
		for o := range others {
			d := sample(e*others+uint64(o), "other", seeds, 0)
			for i := range d {
				d[i] = math.Exp(d[i]) - math.Exp(control[i]) // skewed, as times are
			}
			ds, ps = append(ds, d), append(ps, ComparePairs(d).P)
		}
		corrected, _ := Holm(ps, 0.05)
		if slices.Min(corrected) < 0.05 {
			wrong++
		}
		for o, d := range ds { // the same differences about other means, two of them clear
			for i := range d {
				d[i] += float64(o/2) * 9
			}
			ps[o] = ComparePairs(d).P
		}
		_, steps := Holm(ps, 0.05)
		for o, d := range ds {
			if low, high := Interval(d, 0.05/float64(steps[o])); low > float64(o/2)*9 || high < float64(o/2)*9 {
				missed++
			}
		}
	}
	noise := func(n float64) float64 { return 3 * math.Sqrt(0.05*0.95/n) }
	if part := float64(wrong) / experiments; part > 0.05+noise(experiments) {
		t.Errorf("%.3f of the families show what is not there", part)
	}
	if part := float64(missed) / (experiments * others); part > 0.05+noise(experiments*others) {
		t.Errorf("%.3f of the intervals miss the difference", part)
	}
}
