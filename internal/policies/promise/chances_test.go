package promise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
)

// Chances come true as often as stated, whatever scores mean: where they are off by much, too sure, or too wide, and
// where that changes.
func TestChancesComeTrue(t *testing.T) {
	for name, of := range map[string]func(i int, z float64) float64{
		"as stated": func(_ int, z float64) float64 { return z },
		"too low":   func(_ int, z float64) float64 { return z + 1 },
		"too sure":  func(_ int, z float64) float64 { return z/2 - 0.3 },
		"too wide":  func(_ int, z float64) float64 { return 1.5 * z },
		"changes":   func(i int, z float64) float64 { return z + 1 - 1.2*float64(i/4000) },
	} {
		random := rand.New(rand.NewPCG(1, 2))
		var c chances
		var b bySize
		sums, met, n := [5]float64{}, [5]float64{}, [5]float64{}
		for i := range 8000 {
			z := random.NormFloat64()
			line := finish.Chance(c.of(z))
			chance, truth := b.of(line), finish.Chance(of(i, z))
			inTime := random.Float64() < truth
			if i > 500 {
				k := min(4, int(5*chance))
				sums[k] += chance
				n[k]++
				if inTime {
					met[k]++
				}
			}
			b.met(line, inTime)
			c.met(z, inTime)
		}
		for k := range n {
			if n[k] > 300 && math.Abs(sums[k]-met[k])/n[k] > 0.04 {
				t.Errorf("%s, fifth %d: stated %.3f, met %.3f of %.0f", name, k, sums[k]/n[k], met[k]/n[k], n[k])
			}
		}
		if z := c.needs(1.5); math.Abs(c.of(z)-1.5) > 1e-9 {
			t.Errorf("%s: a score of 1.5 needs %v, which has %v", name, z, c.of(z))
		}
	}
}

// Where no line of scores says how likely deadlines are, chances come true all the same, and grow with the score.
func TestBentChances(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var c chances
	var b bySize
	truth := func(z float64) float64 {
		switch {
		case z < -0.3:
			return 0.35
		case z < 0.8:
			return 0.55
		}
		return 0.99
	}
	var line, told [10]float64
	for i := range 8000 {
		z := random.NormFloat64()
		inTime := random.Float64() < truth(z)
		if i > 1000 {
			for _, x := range []struct {
				off    *[10]float64
				chance float64
			}{{&line, finish.Chance(c.of(z))}, {&told, b.of(finish.Chance(c.of(z)))}} {
				at := min(9, int(10*x.chance))
				if x.off[at] += x.chance; inTime {
					x.off[at]--
				}
			}
		}
		b.met(finish.Chance(c.of(z)), inTime)
		c.met(z, inTime)
	}
	sum := func(off *[10]float64) (all float64) {
		for _, x := range off {
			all += math.Abs(x) / 7000
		}
		return all
	}
	if sum(&line) < 0.04 || sum(&told) > 0.03 {
		t.Errorf("chances are off by %.3f, and by %.3f by the line alone", sum(&told), sum(&line))
	}
	last := 0.0
	for z := -4.0; z < 4; z += 0.01 {
		if is := b.of(finish.Chance(c.of(z))); is < last || is > 1 {
			t.Fatalf("a score of %.2f has a chance of %v, a lower one %v", z, is, last)
		} else {
			last = is
		}
	}
}

// The fit is the one that maximises the likelihood of all outcomes, as a search without derivatives finds it, as long
// as hardly anything is forgotten.
func TestChancesAreMostLikely(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var c chances
	type outcome struct {
		z  float64
		in bool
	}
	var all []outcome
	for range 200 {
		z := random.NormFloat64()
		in := random.Float64() < finish.Chance(0.7+0.8*z)
		c.met(z, in)
		all = append(all, outcome{z, in})
	}
	likely := func(at, by float64) float64 {
		sum := -startAt*at*at/2 - startBy*(by-1)*(by-1)/2
		for i, o := range all {
			p := min(max(finish.Chance(at+by*o.z), 1e-12), 1-1e-12)
			if !o.in {
				p = 1 - p
			}
			sum += math.Log(p) * math.Pow(1-1/mostMet, float64(len(all)-1-i))
		}
		return sum
	}
	best, at, by := math.Inf(-1), 0.0, 0.0
	for a := -1.0; a < 2; a += 0.01 {
		for b := 0.3; b < 2; b += 0.01 {
			if l := likely(a, b); l > best {
				best, at, by = l, a, b
			}
		}
	}
	if math.Abs(c.At-at) > 0.08 || math.Abs(1+c.More-by) > 0.08 {
		t.Errorf("the fit is %.3f + %.3f z, the most likely %.3f + %.3f z", c.At, 1+c.More, at, by)
	}
}

// A deadline counts once: when it has passed, or at the end of its job.
func TestDeadlinesCountOnce(t *testing.T) {
	e, r := errs{}, record{Until: 5e9, First: first{Deadline: true, Score: 0.5}}
	e.passes(&r, 5e9)
	if e.Of[inTime] != (standing{}) {
		t.Fatalf("at the deadline: %+v", e.Of[inTime])
	}
	e.passes(&r, 5e9+1)
	if e.Of[inTime].At >= 0 || e.Of[gone] != (standing{}) {
		t.Fatalf("behind it: %+v, %+v", e.Of[inTime], e.Of[gone])
	}
	was := e.Of[inTime]
	e.passes(&r, 6e9)
	e.met(&r, 7e9)
	if e.Of[inTime] != was {
		t.Errorf("it counts again: %+v", e.Of[inTime])
	}
	r = record{Until: 5e9, First: first{Deadline: true, Score: 0.5, Like: gone}}
	if e.met(&r, 5e9); e.Of[inTime] != was || e.Of[gone].At <= 0 {
		t.Errorf("one behind others that is in time: %+v, %+v", e.Of[inTime], e.Of[gone])
	}
}

// Who takes less than was asked for is promised with the most that can be promised.
func TestMostThatCanBePromised(t *testing.T) {
	own := finish.Sure(0)
	for i := range own {
		own[i] = 10 * finish.Score(finish.Chance(float64(i)/2-4))
	}
	st := statement{expected: 100, scale: 1, own: &own, errs: &errs{}}
	r := record{Asked: 10_000, Least: 120_000}
	for _, x := range []finish.Risk{10_000, 30_000, 50_000, 100_000, 120_000} {
		if got := r.best(&st, st.promises(x)+1e-6); got != x {
			t.Errorf("a deadline that can be promised with a risk of %d is with %d", x, got)
		}
	}
	if got := r.best(&st, st.promises(120_000)-0.1); got != 0 {
		t.Errorf("less than the least is promised: %d", got)
	}
	r.Least = 0
	if got := r.best(&st, st.promises(30_000)); got != 0 {
		t.Errorf("less than asked for is promised: %d", got)
	}
}
