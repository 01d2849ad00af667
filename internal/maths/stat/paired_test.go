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

func normals(series uint64, name string, n int, mean float64) []float64 {
	var d []float64
	for i := range uint64(n) {
		d = append(d, draw.Of(series, name).Number(i).Normal(mean, 1))
	}
	return d
}

// By hand: the sixteen differences have a mean of 1 and, being symmetrical, no skewness. Their
// deviation is 4/√15, so t is √15, t²/15 is 1, and the wager comes to (2/(1+1/145))⁸/√145.
func TestComparePairsByHand(t *testing.T) {
	d := slices.Concat(slices.Repeat([]float64{2}, 8), slices.Repeat([]float64{0}, 8))
	want := math.Sqrt(145) / math.Pow(2/(1+1./145), 8)
	if p := ComparePairs(d); p.N != 16 || p.Mean != 1 || math.Abs(p.P-want) > 1e-12 || math.Abs(p.Effect-math.Sqrt(15)/4) > 1e-12 || p.Nil {
		t.Errorf("%+v, want P %v", p, want)
	}
	if p := ComparePairs([]float64{1, -1}); p.Mean != 0 || p.P != 1 || p.Effect != 0 || p.Nil {
		t.Errorf("%+v", p)
	}
	// what one pair in ten may bring, forty equal ones may not have met
	if p := ComparePairs(slices.Repeat([]float64{-5}, 40)); math.Abs(p.P-2*math.Pow(0.9, 40)) > 1e-12 || !math.IsInf(p.Effect, -1) {
		t.Errorf("%+v", p)
	}
	// as clear as can be, and no more than fourteen pairs
	if p := ComparePairs(append(slices.Repeat([]float64{5}, 13), 5.001)); math.Abs(p.P-2*math.Pow(0.75, 14)) > 1e-12 {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs(nil); p.P != 1 || p.N != 0 || !p.Nil {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{0, 0, 0}); p.P != 1 || !p.Nil {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{3}); p.P != 1 || p.Mean != 3 {
		t.Errorf("%+v", p)
	}
}

// What SciPy and statsmodels give: testdata/paired.py made the file.
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
			Once [2]float64
		}
		Holm []struct{ P, Corrected []float64 }
	}
	if err := json.Unmarshal(text, &golden); err != nil || len(golden.Pairs) < 10 || len(golden.Holm) < 10 {
		t.Fatal(err, len(golden.Pairs), len(golden.Holm))
	}
	for i, g := range golden.Pairs {
		if got := ComparePairs(g.D).P; math.Abs(got-g.P) > 1e-6*g.P {
			t.Errorf("pairs %d: P = %v, SciPy has %v", i, got, g.P)
		}
		for _, e := range g.Ends {
			low, high := Interval(g.D, e.Level)
			if math.Abs(low-e.Low) > 1e-6 || math.Abs(high-e.High) > 1e-6 {
				t.Errorf("pairs %d at %v: [%v, %v], by bisection of SciPy's P [%v, %v]", i, e.Level, low, high, e.Low, e.High)
			}
		}
		low, high := IntervalOnce95(g.D) // our quantiles of t have three digits, and one row for 30 to 40
		if wide := 0.01 * (high - low); math.Abs(low-g.Once[0]) > wide || math.Abs(high-g.Once[1]) > wide {
			t.Errorf("pairs %d, for one look: [%v, %v], by SciPy %v", i, low, high, g.Once)
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

// drawnDifferences are a few or many, also with ties and zeros, or all the same.
func drawnDifferences(t *rapid.T) (d []float64) {
	for _, x := range rapid.SliceOfN(rapid.IntRange(-200, 500), 1, 60).Draw(t, "d") {
		d = append(d, float64(x)/100)
	}
	switch rapid.IntRange(0, 3).Draw(t, "ties") {
	case 0:
		for i := range d {
			d[i] = math.Trunc(d[i])
		}
	case 1:
		for i := range d {
			d[i] = d[0]
		}
	case 2:
		for i := range d { // a clear difference
			d[i] += 4
		}
	}
	return d
}

// An interval holds what the test does not reject: a value inside does not differ from the mean by
// the test, a value outside does. So it leaves out 0 exactly if P is below the level.
func TestIntervalIsTheTestInverted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnDifferences(t)
		level := 0.05 / float64(rapid.IntRange(1, 100).Draw(t, "tests"))
		low, high := Interval(d, level)
		p := ComparePairs(d)
		if (p.P < level) != (low > 0 || high < 0) {
			t.Fatalf("P %v at level %v, [%v, %v]", p.P, level, low, high)
		}
		if p.Mean < low-1e-9 || p.Mean > high+1e-9 {
			t.Fatalf("the mean %v is outside of [%v, %v]", p.Mean, low, high)
		}
		if l, h := IntervalOnce95(d); len(d) > 1 && (p.Mean < l || p.Mean > h || math.IsInf(h-l, 0) || low > l || high < h) && !p.Nil {
			t.Fatalf("for one look [%v, %v] about %v, for all [%v, %v]", l, h, p.Mean, low, high)
		}
		at := float64(rapid.IntRange(-12000, 12000).Draw(t, "at"))/1000 + 0.0005
		if math.Abs(at-low) < 1e-6 || math.Abs(at-high) < 1e-6 {
			return // on an end, but for rounding
		}
		shifted := make([]float64, len(d))
		for i := range d {
			shifted[i] = d[i] - at
		}
		if s := sampleOf(d); s.same || s.none { // with the least rounding they are not the same any more
			return
		}
		if inside, p := low <= at && at <= high, ComparePairs(shifted).P; inside != (p >= level) {
			t.Fatalf("[%v, %v] at level %v, and P of %v is %v", low, high, level, at, p)
		}
	})
}

// Turned about, or in other units, or in another order, the differences say the same.
func TestInvariance(t *testing.T) {
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-7*math.Abs(a) }
	rapid.Check(t, func(t *rapid.T) {
		d := drawnDifferences(t)
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
		if q := ComparePairs(d); !near(q.P, p.P) {
			t.Fatalf("in another order P is %v, before %v", q.P, p.P)
		}
	})
}

// A law whose mean is 0, and how often looking after each pair may call it another.
type law struct {
	name string
	draw func(draw.Draw) float64
}

var laws = []law{
	{"normal", func(d draw.Draw) float64 { return d.Normal(0, 1) }},
	{"Student's t with 3 degrees of freedom", func(d draw.Draw) float64 {
		squares := 0.0
		for i := range uint64(3) {
			x := d.Number(i+1).Normal(0, 1)
			squares += x * x
		}
		return d.Normal(0, 1) / math.Sqrt(squares/3)
	}},
	{"exponential", func(d draw.Draw) float64 { return -math.Log1p(-d.Float64()) - 1 }},
	{"lognormal", func(d draw.Draw) float64 { return math.Exp(d.Normal(0, 1)) - math.Sqrt(math.E) }},
	{"rare large losses", func(d draw.Draw) float64 {
		if d.Float64() < 0.1 {
			return -9
		}
		return 1
	}},
	{"many ties", func(d draw.Draw) float64 {
		switch u := d.Float64(); {
		case u < 1./6:
			return -1
		case u < 1./3:
			return 1
		}
		return 0
	}},
}

// series are so many differences by a law.
func (l law) series(of uint64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = l.draw(draw.Of(of, l.name).Number(uint64(i)))
	}
	return d
}

// long is how often what is drawn is drawn again, in all in the second tier.
func long(short, all int) int {
	if os.Getenv("SLACKLINE_LONG") != "" {
		return all
	}
	return short
}

// Whoever looks after each of 200 pairs, and stops at the first P below 0.05, is wrong in no more
// than one of twenty series without a difference, whatever the law.
func TestLookingAfterEachPair(t *testing.T) {
	repetitions := long(300, 4000)
	for _, l := range laws {
		wrong := 0
		for r := range uint64(repetitions) {
			d := l.series(r, 200)
			for n := 2; n <= len(d); n++ {
				if ComparePairs(d[:n]).P < 0.05 {
					wrong++
					break
				}
			}
		}
		part := float64(wrong) / float64(repetitions)
		t.Logf("%s: %.2f %% of %d series called a difference", l.name, 100*part, repetitions)
		if part > 0.05+2*math.Sqrt(0.05*0.95/float64(repetitions)) {
			t.Errorf("%s: %.3f of the series without a difference show one", l.name, part)
		}
	}
}

// The interval for one look holds the mean in about 95 of 100 series, and in 93 if they are skewed;
// of six very skewed differences in 91. What one pair in ten brings is not in ten pairs.
func TestIntervalOnce95(t *testing.T) {
	repetitions := long(1500, 20000)
	for _, l := range laws {
		for _, n := range []int{6, 8, 10, 16, 30} {
			held := 0
			for r := range uint64(repetitions) {
				if low, high := IntervalOnce95(l.series(r, n)); low <= 1e-12 && high >= -1e-12 {
					held++
				}
			}
			part, want := float64(held)/float64(repetitions), 0.93
			switch {
			case l.name == "rare large losses":
				want = 1 - math.Pow(0.9, float64(n)) - 0.02
			case l.name == "lognormal" && n < 8:
				want = 0.91
			}
			t.Logf("%s, %d: %.1f %%", l.name, n, 100*part)
			if part < want-2*math.Sqrt(0.06*0.94/float64(repetitions)) {
				t.Errorf("%s: of %d pairs %.3f of the intervals hold the mean", l.name, n, part)
			}
		}
	}
	if low, high := IntervalOnce95([]float64{3}); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Error("one pair has an interval:", low, high)
	}
}

// Where one is better it is found by so many pairs as EnoughPairs says in about four series of five,
// of few pairs in two of three.
func TestEnoughPairs(t *testing.T) {
	for _, effect := range []float64{0.5, 1, 1.5} {
		for _, level := range []float64{0.05, 0.01} {
			enough, found := EnoughPairs(effect, level), 0
			const series = 300
			for s := range uint64(series) {
				d := normals(s, "effect", enough, effect)
				for n := 2; n <= enough; n++ {
					if ComparePairs(d[:n]).P < level {
						found++
						break
					}
				}
			}
			if part := float64(found) / series; part < 0.65 || part > 0.97 {
				t.Errorf("by %d pairs an effect of %v is found at %v in %.3f of the series", enough, effect, level, part)
			}
		}
	}
	if EnoughPairs(0, 0.05) != 0 || EnoughPairs(100, 0.05) != 13 || EnoughPairs(math.Inf(-1), 0.05) != 36 {
		t.Error(EnoughPairs(0, 0.05), EnoughPairs(100, 0.05), EnoughPairs(math.Inf(-1), 0.05))
	}
	if n := EnoughPairs(0.001, 1e-6); n < 1e6 {
		t.Error(n)
	}
}

// No P of n pairs is below 2·0.75ⁿ, and of equal ones below 2·0.9ⁿ.
func TestFewestPairs(t *testing.T) {
	for _, c := range []struct {
		level       float64
		pairs, same int
	}{{0.05, 13, 36}, {0.05 / 3, 17, 46}, {0.05 / 10, 21, 57}, {0.05 / 35, 26, 69}} {
		if pairs, same := FewestPairs(c.level), FewestSame(c.level); pairs != c.pairs || same != c.same {
			t.Errorf("level %v takes %d pairs, %d equal ones, want %d, %d", c.level, pairs, same, c.pairs, c.same)
		}
		for n := range 70 {
			d := slices.Repeat([]float64{1}, n)
			if found := ComparePairs(d).P < c.level; found != (n >= c.same) {
				t.Errorf("%d equal differences, level %v: found is %v", n, c.level, found)
			}
			if d = append(d, 1.01); (ComparePairs(d).P < c.level) != (n+1 >= c.pairs) && n > 0 {
				t.Errorf("%d clear differences, level %v: P is %v", n+1, c.level, ComparePairs(d).P)
			}
		}
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

// A family in which nothing differs shows something in at most one of twenty experiments to whoever
// looks after each seed, also where all are compared with one and the same, as policies are, and
// differences are skewed. Where things differ each interval holds the true difference at every look
// in nineteen of twenty.
func TestFamilyWiseError(t *testing.T) {
	const others, seeds = 4, 60
	experiments := long(200, 2000)
	wrong, missed := 0, 0
	for e := range uint64(experiments) {
		control := normals(e, "control", seeds, 0)
		var ds [others][]float64
		for o := range others {
			ds[o] = normals(e*others+uint64(o), "other", seeds, 0)
			for i := range ds[o] {
				ds[o][i] = math.Exp(ds[o][i]) - math.Exp(control[i]) // skewed, as times are
			}
		}
		// looks tells whether there is a seed after which this happens, where some of the differences are these.
		looks := func(difference [others]float64, happens func(o int, d []float64, corrected float64, step int) bool) bool {
			for n := 2; n <= seeds; n++ {
				var now [others][]float64
				var ps []float64
				for o, d := range ds {
					now[o] = slices.Clone(d[:n])
					for i := range now[o] {
						now[o][i] += difference[o]
					}
					ps = append(ps, ComparePairs(now[o]).P)
				}
				corrected, steps := Holm(ps, 0.05)
				for o := range now {
					if happens(o, now[o], corrected[o], steps[o]) {
						return true
					}
				}
			}
			return false
		}
		if looks([others]float64{}, func(_ int, _ []float64, corrected float64, _ int) bool { return corrected < 0.05 }) {
			wrong++
		}
		clear := [others]float64{0, 0, 9, 9}
		if looks(clear, func(o int, d []float64, _ float64, step int) bool {
			low, high := Interval(d, 0.05/float64(step))
			return low > clear[o] || high < clear[o]
		}) {
			missed++
		}
	}
	t.Logf("of %d families %d show what is not there, and in %d an interval misses", experiments, wrong, missed)
	if most := 0.05 + 2*math.Sqrt(0.05*0.95/float64(experiments)); float64(wrong) > most*float64(experiments) || float64(missed) > most*float64(experiments) {
		t.Errorf("of %d families %d show what is not there, and in %d an interval misses", experiments, wrong, missed)
	}
}
