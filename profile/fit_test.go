package profile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/workload"
)

var mapsOnN = Key{Stage: workload.Map, Node: "n"}

// taughtBy makes a class that so many jobs have taught, of so many tasks each: their bytes are drawn, and their times
// are lognormal around fixed + perByte · bytes.
func taughtBy(seed uint64, jobs, tasks int, fixed, perByte, shared, own float64) *Class {
	c := New("x")
	r := rand.New(rand.NewPCG(seed, 7))
	var g Gather
	for range jobs {
		s := math.Exp(shared * r.NormFloat64())
		for range tasks {
			bytes := math.Exp(math.Log(1e6) + 5*r.Float64())
			g.Add(mapsOnN, bytes, -1, (fixed+perByte*bytes)*s*math.Exp(own*r.NormFloat64()))
		}
		c.Learn(&g, nil)
	}
	return c
}

// A model finds the line and the two deviations that its tasks were made with, and with little to
// learn from its quantiles are farther out than with much.
func TestModelFindsWhatMadeItsTasks(t *testing.T) {
	const fixed, perByte = 5, 1e-7
	for _, c := range []struct {
		jobs, tasks int
		shared, own float64
		off         float64 // of the line and the deviations, at most
	}{{200, 20, 0.1, 0.2, 0.04}, {200, 20, 0.4, 0.1, 0.1}, {200, 20, 0.01, 0.5, 0.08}, {30, 20, 0.1, 0.2, 0.08}, {500, 1, 0, 0.3, 0.06}} {
		class := taughtBy(1, c.jobs, c.tasks, fixed, perByte, c.shared, c.own)
		Fit([]*Class{class})
		m := class.Model(workload.Map, "n", Run)
		for _, bytes := range []float64{1e6, 2e7, 1e8} {
			if got, want := m.Typical(bytes, -1), fixed+perByte*bytes; math.Abs(got/want-1) > 2*c.off {
				t.Errorf("%+v: %v s for %v bytes, want %v", c, got, bytes, want)
			}
		}
		if c.tasks > 1 && (math.Abs(m.Shared.deviation()-c.shared) > c.off || math.Abs(m.Own.deviation()-c.own) > c.off) {
			t.Errorf("%+v: shared %v, own %v", c, m.Shared.deviation(), m.Own.deviation())
		}
		if got, want := m.Total.deviation(), math.Hypot(c.shared, c.own); math.Abs(got-want) > c.off {
			t.Errorf("%+v: total %v, want %v", c, got, want)
		}
	}
	wider := math.Inf(1)
	for _, jobs := range []int{1, 3, 10, 30, 100} {
		class := taughtBy(2, jobs, 5, fixed, perByte, 0.1, 0.2)
		Fit([]*Class{class})
		m := class.Model(workload.Map, "n", Run)
		f := m.TotalAt(2e7, -1)
		p99 := f.Quantile(0.99)
		if p99 > wider*1.1 || p99 < math.Exp(0.224*2.33)*0.9 {
			t.Errorf("after %d jobs the quantile at 99 %% is %v times the median, before %v", jobs, p99, wider)
		}
		wider = p99
	}
}

// A task that straggles keeps most of its factor, and does not spread it over the others of its job: of
// tasks that share nothing, of which 3 % take five times as long, nearly as many exceed 3 by the model.
// Taking all of a job's mean off its six tasks leaves 2.3 %.
func TestOwnFactorOfStragglers(t *testing.T) {
	const rate, models = 0.03, 40
	slow := 0.0
	for seed := range uint64(models) {
		c := New("x")
		r := rand.New(rand.NewPCG(seed, 3))
		for range 80 {
			var g Gather
			for range 6 {
				x := 20 * math.Exp(0.2*r.NormFloat64())
				if r.Float64() < rate {
					x *= 5
				}
				g.Add(mapsOnN, 1e8, -1, x)
			}
			c.Learn(&g, nil)
		}
		Fit([]*Class{c})
		slow += (1 - c.Model(workload.Map, "n", Run).Own.CDF(3)) / models
	}
	if math.Abs(slow/rate-1) > 0.18 {
		t.Errorf("%.4f of the tasks take three times as long, drawn were %.4f", slow, rate)
	}
}

// Where no job had two tasks, nothing tells what they share; but both factors together are what one task
// varies by. Found apart, each with its own doubt, they gave a 99 % quantile of 55 s.
func TestFactorsOfJobsWithOneTask(t *testing.T) {
	const steps = 300
	c := New("x")
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var g Gather
		g.Add(mapsOnN, 1e8, -1, 20+20*r.Float64())
		c.Learn(&g, nil)
	}
	Fit([]*Class{c})
	m := c.Model(workload.Map, "n", Run)
	var products []float64
	for i := range steps {
		for k := range steps {
			products = append(products, m.Own.Quantile((float64(i)+0.5)/steps)*m.Shared.Quantile((float64(k)+0.5)/steps))
		}
	}
	slices.Sort(products)
	typical := m.Typical(1e8, -1)
	for _, want := range []struct{ p, least, most float64 }{{0.5, 28, 32}, {0.9, 36, 41}, {0.99, 39, 45}} {
		if got := typical * products[int(want.p*steps*steps)]; got < want.least || got > want.most {
			t.Errorf("%v %% of tasks take up to %.1f s; of times between 20 and 40 s it should be %v to %v s", want.p*100, got, want.least, want.most)
		}
	}
}

// Joules are learned by class of nodes and kind of container. What a meter says once a job has ended counts for its own
// joules, and for nothing else.
func TestJoulesByContainer(t *testing.T) {
	key := func(box string) Key { return Key{workload.Map, "n", box, Energy} }
	teach := func(watts float64) *Class {
		c, r, g := New("x"), rand.New(rand.NewPCG(3, 7)), Gather{}
		for range 20 {
			for range 10 {
				bytes, seconds := 1e6*(1+9*r.Float64()), math.Exp(0.1*r.NormFloat64())
				g.Add(mapsOnN, bytes, -1, seconds*bytes/1e6)
				g.Add(key("cpu"), bytes, -1, 8*watts*seconds*bytes/1e6)
				g.Add(key("gpu"), bytes, -1, watts*seconds*bytes/1e6)
			}
			c.Learn(&g, nil)
		}
		return c
	}
	known, c := teach(1), teach(1)
	Fit([]*Class{known, c})
	run := *c.Exact(mapsOnN)
	holds := func(what string, c *Class, box string, least, most float64) {
		t.Helper()
		if got := c.Exact(key(box)).Typical(5e6, -1); got < 0.95*least || got > 1.05*most {
			t.Errorf("%s: %v J in %s, want %v to %v", what, got, box, least, most)
		}
	}
	holds("as gathered", c, "cpu", 40, 40)
	holds("as gathered", c, "gpu", 5, 5)
	c.Metered(nil, 3)
	holds("metered", c, "cpu", 120, 120)
	holds("metered", c, "gpu", 15, 15)
	c.Metered(known, 1) // as many jobs drew 5 J before
	holds("with what was known", c, "gpu", 6, 14)
	holds("what was known", known, "gpu", 5, 5)
	if *c.Exact(mapsOnN) != run {
		t.Error("a meter of joules has changed times")
	}
}
