package fuzzy

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/slackline/slackline/internal/maths/dense"
)

// mackeyGlass is Jang's series: x' = 0.2 x(t-17) / (1 + x(t-17)^10) - 0.1 x, x(0) = 1.2, by Runge
// and Kutta's rule with steps of 0.1; samples t = 118 to 1117 of x(t-18), x(t-12), x(t-6), x(t), to
// foretell x(t+6). The first 500 train, the others check. What x(t-17) is within a step is not
// published: it is held at what it was at the beginning, or taken from half of the way too. The
// series is chaotic, so the second half is another one then.
func mackeyGlass(held bool) (xs, ys []float64) {
	const h, delay = 0.1, 170
	n := 11300
	x := make([]float64, n)
	x[0] = 1.2
	late := func(i int) float64 {
		if i < delay {
			return 0
		}
		return x[i-delay]
	}
	slope := func(x, late float64) float64 { return 0.2*late/(1+math.Pow(late, 10)) - 0.1*x }
	for i := range n - 1 {
		a, b := late(i), late(i+1)
		if held {
			b = a
		}
		mid := (a + b) / 2
		k1 := slope(x[i], a)
		k2 := slope(x[i]+h/2*k1, mid)
		k3 := slope(x[i]+h/2*k2, mid)
		k4 := slope(x[i]+h*k3, b)
		x[i+1] = x[i] + h/6*(k1+2*k2+2*k3+k4)
	}
	for t := 118; t <= 1117; t++ {
		xs = append(xs, x[(t-18)*10], x[(t-12)*10], x[(t-6)*10], x[t*10])
		ys = append(ys, x[(t+6)*10])
	}
	return xs, ys
}

// Jang trains 16 rules on a grid, of 104 parameters, for 500 epochs, and is off by 0.0016 on the
// first half and 0.0015 on the other. jang_test.go does the same. Ours, from clusters, have
// ten epochs; 7 rules (radius 0.5) are off by 0.0042 on the other half, 10 to 13 (0.4) by 0.0032 and
// 0.0025. Nothing is chosen by the other half.
//
//	x(t-17) within a step      from half of the way too     held
//	off on the half            first      other             first      other
//	Jang's, 10 epochs          0.0013     0.0028            0.0017     0.0022
//	Jang's, 500 epochs         0.0011     0.0027            0.0014     0.0021
//	ours, 10 epochs            0.0012     0.0024            0.0015     0.0021
//	ours, 50 epochs            0.0009     0.0025            0.0010     0.0018
//
// So 0.002 on the other half after ten epochs is less than the published rule reaches here in 500.
func TestMackeyGlass(t *testing.T) {
	for _, held := range []bool{false, true} {
		xs, ys := mackeyGlass(held)
		m := Start(xs[:2000], ys[:500], 4, 0.3, 100)
		before := m.RMSE(xs[:2000], ys[:500])
		train := m.Train(xs[:2000], ys[:500], 10)
		check := m.RMSE(xs[2000:], ys[500:])
		j := grid(xs[:2000], ys[:500])
		published := j.train(xs[:2000], ys[:500], 10)
		checked := j.rmse(xs[2000:], ys[500:])
		t.Logf("held %t: %d rules from clusters %.5f before, %.5f after, %.5f on the other half; Jang's %.5f, %.5f",
			held, len(m.Rules), before, train, check, published, checked)
		if train > 0.002 || check > 0.003 || train >= before {
			t.Errorf("held %t: RMSE %v of what it learned from, %v of the rest, %v before", held, train, check, before)
		}
		if published > 0.002 || checked > 0.003 || train > published || check > checked {
			t.Errorf("held %t: Jang's rule is off by %v and %v, ours by %v and %v", held, published, checked, train, check)
		}
	}
}

func drawnModel(dice *rand.Rand, inputs, rules int) Model {
	m := Model{Inputs: inputs}
	for range rules {
		r := Rule{make([]float64, inputs), make([]float64, inputs), make([]float64, inputs+1)}
		for i := range inputs {
			r.Center[i], r.Width[i] = dice.NormFloat64(), 0.5+dice.Float64()
		}
		for i := range r.Then {
			r.Then[i] = dice.NormFloat64()
		}
		m.Rules = append(m.Rules, r)
	}
	return m
}

// The oracle is the difference of two values.
func TestGradient(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	m := drawnModel(dice, 3, 4)
	xs, ys := make([]float64, 60), make([]float64, 20)
	for i := range xs {
		xs[i] = dice.NormFloat64()
	}
	for i := range ys {
		ys[i] = dice.NormFloat64()
	}
	g := make([]float64, 4*6)
	m.Gradient(xs, ys, g)
	squares := func() float64 { e := m.RMSE(xs, ys); return e * e * float64(len(ys)) }
	for k := range g {
		at := &m.Rules[k/6].Center[k%3]
		if k%6 >= 3 {
			at = &m.Rules[k/6].Width[k%3]
		}
		const h = 1e-5
		*at += h
		up := squares()
		*at -= 2 * h
		down := squares()
		*at += h
		if want := (up - down) / (2 * h); math.Abs(g[k]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %v, want %v", k, g[k], want)
		}
	}
}

// With strengths frozen the model is affine, and right where they were frozen.
func TestAffine(t *testing.T) {
	dice := rand.New(rand.NewPCG(2, 1))
	m := drawnModel(dice, 3, 5)
	s, then := make([]float64, 5), make([]float64, 4)
	for range 20 {
		x := []float64{dice.NormFloat64(), dice.NormFloat64(), dice.NormFloat64()}
		m.Affine(x, s, then)
		if y, want := dense.Dot(then[:3], x)+then[3], m.Value(x, s); math.Abs(y-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%v, want %v", y, want)
		}
	}
	if y := m.Value([]float64{1e6, -1e6, 1e6}, s); math.IsNaN(y) {
		t.Error("far away it is not a number")
	}
}

// What is recursive agrees with least squares of all samples at once, weighed.
func TestLearnerIsWeighedLeastSquares(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	for _, forgetting := range []float64{1, 0.97} {
		m := drawnModel(dice, 2, 2)
		const doubt = 1e8
		l := Learn(m.Clone(), forgetting, doubt)
		l.Most = math.Inf(1)
		count := 80
		var a, b []float64
		s := make([]float64, 2)
		for k := range count {
			x := []float64{dice.NormFloat64(), dice.NormFloat64()}
			y := math.Sin(x[0]) + x[1]*x[1]
			l.Add(x, y)
			weight := math.Sqrt(math.Pow(forgetting, float64(count-1-k)))
			row := make([]float64, 6)
			m.Strengths(x, s)
			regressors(x, s, row)
			for i := range row {
				row[i] *= weight
			}
			a, b = append(a, row...), append(b, weight*y)
		}
		var q dense.QR
		want, _, _ := q.LeastSquares(a, count, 6, b, 1e-12)
		for i := range want {
			if got := l.Rules[i/3].Then[i%3]; math.Abs(got-want[i]) > 1e-4*(1+math.Abs(want[i])) {
				t.Errorf("forgetting %v: coefficient %d is %v, want %v", forgetting, i, got, want[i])
			}
		}
	}
}

// Deviations that are told hold what they promise: about two of three samples lie within one.
func TestUncertainty(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 1))
	l := Learn(drawnModel(dice, 1, 1), 0.995, 1e4)
	within, count := 0, 0
	for k := range 4000 {
		x := []float64{dice.Float64() * 10}
		y := 3 + 2*x[0] + 0.5*dice.NormFloat64()
		if guess, sd := l.Predict(x); k > 200 {
			count++
			if math.Abs(guess-y) <= sd {
				within++
			}
		}
		l.Add(x, y)
	}
	if part := float64(within) / float64(count); part < 0.62 || part > 0.74 {
		t.Errorf("%.3f lie within a standard deviation, 0.683 should", part)
	}
}

// Samples that say nothing new for a long time must not make the next one throw everything over.
func TestCovarianceGuard(t *testing.T) {
	l := Learn(drawnModel(rand.New(rand.NewPCG(5, 1)), 1, 1), 0.9, 100)
	for range 20 {
		l.Add([]float64{1}, 2)
		l.Add([]float64{2}, 3)
	}
	for range 5000 {
		l.Add([]float64{1}, 2)
	}
	trace := l.Covariance[0] + l.Covariance[3]
	if trace > 200*(1+1e-9) || math.IsNaN(trace) {
		t.Errorf("the trace is %v", trace)
	}
	l.Add([]float64{math.NaN()}, 1)
	l.Add([]float64{1}, math.Inf(1))
	if y, sd := l.Predict([]float64{1}); math.Abs(y-2) > 1e-6 || math.IsNaN(sd) {
		t.Errorf("%v ± %v", y, sd)
	}
}

// One that is saved and read, and a copy, go on alike.
func TestSaveAndClone(t *testing.T) {
	dice := rand.New(rand.NewPCG(6, 1))
	l := Learn(drawnModel(dice, 2, 3), 0.98, 1e3)
	teach := func(l *Learner, dice *rand.Rand) {
		for range 30 {
			x := []float64{dice.NormFloat64(), dice.NormFloat64()}
			l.Add(x, x[0]*x[1])
		}
	}
	teach(l, dice)
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var read Learner
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	cloned := l.Clone()
	for _, o := range []*Learner{l, &read, cloned} {
		teach(o, rand.New(rand.NewPCG(7, 1)))
	}
	if !reflect.DeepEqual(l.Rules, read.Rules) || !reflect.DeepEqual(l.Rules, cloned.Rules) || !reflect.DeepEqual(l.Covariance, cloned.Covariance) {
		t.Error("they go different ways")
	}
}

// Three heaps give three rules, and a constant input or none at all no harm.
func TestCenters(t *testing.T) {
	dice := rand.New(rand.NewPCG(8, 1))
	var xs, ys []float64
	for i := range 90 {
		xs = append(xs, float64(i%3)*5+0.2*dice.NormFloat64(), 7)
		ys = append(ys, float64(i%3))
	}
	found := Centers(xs, 2, 0.5, 10)
	heaps := map[int]bool{}
	for _, c := range found {
		heaps[c%3] = true
	}
	if len(found) != 3 || len(heaps) != 3 {
		t.Errorf("centers %v", found)
	}
	m := Start(xs, ys, 2, 0.5, 10)
	if e := m.RMSE(xs, ys); e > 0.1 {
		t.Errorf("RMSE %v", e)
	}
	if m := Start(nil, nil, 2, 0.5, 10); len(m.Rules) != 0 {
		t.Error("rules without samples")
	}
}

func TestLearnerAllocatesNothing(t *testing.T) {
	l := Learn(drawnModel(rand.New(rand.NewPCG(9, 1)), 4, 3), 0.98, 1e3)
	x := []float64{1, 2, 3, 4}
	l.Add(x, 1)
	if n := testing.AllocsPerRun(50, func() { l.Add(x, 1); l.Predict(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLearner(b *testing.B) {
	l := Learn(drawnModel(rand.New(rand.NewPCG(9, 1)), 4, 3), 0.98, 1e3)
	x := []float64{1, 2, 3, 4}
	b.ReportAllocs()
	for b.Loop() {
		x[0] += 0.1
		l.Add(x, x[0])
	}
}

func BenchmarkTrain(b *testing.B) {
	dice := rand.New(rand.NewPCG(10, 1))
	var xs, ys []float64
	for range 5000 {
		x := []float64{dice.Float64(), dice.Float64(), dice.Float64(), dice.Float64()}
		xs, ys = append(xs, x...), append(ys, math.Sin(5*x[0])*x[1]+x[2]*x[3])
	}
	for b.Loop() {
		m := Start(xs, ys, 4, 0.5, 8)
		b.ReportMetric(m.Train(xs, ys, 10), "rmse")
	}
}
