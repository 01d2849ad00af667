package profile

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// laws are distributions of task times.
var laws = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"lognormal, cv 0.2", func(r *rand.Rand) float64 { return math.Exp(0.198 * r.NormFloat64()) }},
	{"lognormal, cv 1", func(r *rand.Rand) float64 { return math.Exp(0.833 * r.NormFloat64()) }},
	{"pareto, cv 1", func(r *rand.Rand) float64 { return math.Pow(r.Float64(), -1/(1+math.Sqrt2)) }},
	{"3 % stragglers, 5 times", func(r *rand.Rand) float64 {
		x := math.Exp(0.198 * r.NormFloat64())
		if r.Float64() < 0.03 {
			x *= 5
		}
		return x
	}},
	{"uniform", func(r *rand.Rand) float64 { return 20 + 20*r.Float64() }},
}

// With much to learn from, the quantile at 99 % lies where 99 % of further tasks are below it, whatever the
// distribution; with little it lies farther out, not nearer.
func TestQuantilesCoverWhatComes(t *testing.T) {
	for _, law := range laws {
		r := rand.New(rand.NewPCG(5, 5))
		truth := make([]float64, 100_000)
		for i := range truth {
			truth[i] = law.draw(r)
		}
		slices.Sort(truth)
		for _, c := range []struct {
			jobs, tasks int
			least, most float64
		}{{1, 1, 0.99, 1}, {1, 20, 0.99, 1}, {3, 20, 0.98, 1}, {10, 1, 0.95, 1}, {10, 20, 0.975, 1}, {100, 20, 0.98, 0.9995}, {1000, 1, 0.98, 0.9975}} {
			covered := 0.0
			const runs = 25
			for run := range runs {
				class, g := New("x"), Gather{}
				for r := rand.New(rand.NewPCG(uint64(run), 9)); class.jobs() < min(c.jobs, 400); {
					for range c.tasks {
						g.Add(mapsOnN, 128e6, -1, 30*law.draw(r))
					}
					if class.Learn(&g, nil); c.jobs*c.tasks > mostMeasures && class.jobs() >= mostMeasures/leastOfJob && c.tasks > 1 {
						break
					}
				}
				Fit([]*Class{class})
				m := class.Model(workload.Map, "n", Run)
				f := m.TotalAt(128e6, -1)
				below, _ := slices.BinarySearch(truth, m.Typical(128e6, -1)*f.Quantile(0.99)/30)
				covered += float64(below) / float64(len(truth)) / runs
			}
			if covered < c.least || covered > c.most+1e-9 {
				t.Errorf("%s, %d jobs of %d tasks: %.4f of tasks lie below the quantile at 0.99, want %v to %v", law.name, c.jobs, c.tasks, covered, c.least, c.most)
			}
		}
	}
}

// jobs is how many jobs its samples hold at most.
func (c *Class) jobs() (most int) {
	for i := range c.Samples {
		most = max(most, len(c.Samples[i].Jobs))
	}
	return most
}

// What few jobs share is told widely: 99 % of the next ones lie below its quantile at 99 %, or more.
func TestSharedFactorOfFewJobs(t *testing.T) {
	const deviation, seeds = 0.4, 60
	for jobs, least := range map[int]float64{2: 0.99, 3: 0.99, 6: 0.98} {
		covered := 0.0
		for seed := range uint64(seeds) {
			c := taughtBy(seed+1, jobs, 10, 10, 0, deviation, 0.05)
			Fit([]*Class{c})
			m := c.Model(workload.Map, "n", Run)
			f := m.SharedAt(2e7, -1)
			covered += phi(math.Log(m.Typical(2e7, -1)*f.Quantile(0.99)/10)/deviation) / seeds
		}
		if covered < least {
			t.Errorf("after %d jobs %.4f of further ones lie below the quantile at 99 %%, want %v", jobs, covered, least)
		}
	}
}

// Old jobs fade without a jump: a slow drift is followed.
func TestOldJobsFade(t *testing.T) {
	c, g := New("x"), Gather{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 400 {
		g.Add(mapsOnN, 1e8, -1, (10+float64(i)/20)*math.Exp(1.5*r.NormFloat64()))
		c.Learn(&g, nil)
	}
	Fit([]*Class{c})
	m := c.Model(workload.Map, "n", Run)
	all := &Sample{Jobs: slices.Clone(c.Samples[0].Jobs)}
	if m.Jump != nil || m.Jobs > 330 {
		t.Errorf("400 jobs count as %v, or there is a jump: %+v", m.Jobs, m.Jump)
	}
	slices.Reverse(all.Jobs)
	if forward, back := m.Typical(1e8, -1), fit(all, 0, unknown(), &Rest{}).Typical(1e8, -1); forward < 1.15*back {
		t.Errorf("tasks took from 10 to 30 s: the model says %v, and %v had they come the other way round", forward, back)
	}
}

// What tasks of a job differ by is their own, however few of them the job has: with pairs it is the
// same as with many.
func TestOwnFactorOfPairs(t *testing.T) {
	pairs, many := taughtBy(4, 250, 2, 5, 0, 0.05, 0.4), taughtBy(4, 60, 8, 5, 0, 0.05, 0.4)
	Fit([]*Class{pairs})
	Fit([]*Class{many})
	a, b := pairs.Model(workload.Map, "n", Run).Own, many.Model(workload.Map, "n", Run).Own
	for _, p := range []float64{0.1, 0.84, 0.95} {
		if x, y, want := a.Quantile(p), b.Quantile(p), math.Exp(0.4*phiInverse(p)); math.Abs(x/want-1) > 0.12 || math.Abs(y/want-1) > 0.12 {
			t.Errorf("quantile %v: %v of pairs, %v of jobs of 8, want %v", p, x, y, want)
		}
	}
}

// A score counts what lay where it should: nine tenths between 5 and 95 %, for a model that is right; and its losses
// are less than those of one that is not.
func TestScores(t *testing.T) {
	c := taughtBy(1, 200, 10, 5, 1e-7, 0.1, 0.2)
	Fit([]*Class{c})
	later := taughtBy(9, 300, 1, 5, 1e-7, 0.1, 0.2).Samples[0].Jobs
	right, wrong := Score{}, Score{}
	m := c.Model(workload.Map, "n", Run)
	narrow := *m
	narrow.Total = LogNormal(0.05)
	for _, tasks := range later {
		right.take(m, tasks)
		wrong.take(&narrow, tasks)
	}
	for i, want := range []float64{0.5, 0.9, 0.99} {
		if got := right.Below[i] / right.Tasks; math.Abs(got-want) > 0.06 {
			t.Errorf("%v of tasks lie below the quantile at %v", got, want)
		}
		if i > 0 && right.Loss[i] >= wrong.Loss[i] {
			t.Errorf("the loss at %v is %v, of a model that is too narrow %v", want, right.Loss[i], wrong.Loss[i])
		}
	}
	if in := right.Within / right.Tasks; in < 0.85 || in > 0.95 {
		t.Errorf("%v of tasks lie between the quantiles at 5 and 95 %%", in)
	}
	// by hand: the median is 5 s, and a task of 10 s is 2 of it; the loss at the median is half of what lies between
	hand := Score{}
	hand.take(&Model{Fixed: 5}, []Measure{{0, -1, 10}, {0, -1, 2.5}})
	if want := (Score{Tasks: 2, Below: [3]float64{1, 1, 1}, Loss: [3]float64{0.5 + 0.25, 0.9 + 0.05, 0.99 + 0.005}}); cmp.Diff(want, hand, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })) != "" {
		t.Errorf("%+v, want %+v", hand, want)
	}
}

// Times far below a millisecond differ by factors of thousands and mean nothing: their models are narrow.
func TestShortTimes(t *testing.T) {
	c, g := New("x"), Gather{}
	for i := range 40 {
		g.Add(mapsOnN, 1e6, -1, []float64{1e-7, 3e-4, 0, 2e-5}[i%4])
		c.Learn(&g, nil)
	}
	Fit([]*Class{c})
	m := c.Model(workload.Map, "n", Run)
	if high := m.Typical(1e6, -1) * m.Total.Quantile(0.99); high > 2e-3 {
		t.Errorf("tasks that took no time may take %v s", high)
	}
}

// Of all runs of a class the cold ones count as the oldest.
func TestColdSamplesAreOldest(t *testing.T) {
	cold, warm := taughtBy(1, 2, 1, 100, 0, 0, 0.01), taughtBy(1, 3, 1, 1, 0, 0, 0.01)
	known := New("x")
	known.Merge(warm)
	known.Merge(cold.AsCold())
	jobs := known.Whole().Samples[0].Jobs
	if len(jobs) != 5 || jobs[0][0][2] < 50 || jobs[1][0][2] < 50 || jobs[4][0][2] > 2 {
		t.Errorf("%v", jobs)
	}
}

// A class of one task of one size takes what it cannot know from the class that is nearest.
func TestFewSamplesBorrow(t *testing.T) {
	fast := taughtBy(1, 60, 10, 0.5, 3e-7, 0.05, 0.05)
	fast.Name = "scan"
	slow := taughtBy(2, 60, 10, 100, 1e-9, 0.05, 0.05)
	slow.Name = "start"
	few, g := New("few"), Gather{}
	g.Add(mapsOnN, 1e8, -1, 30)
	few.Learn(&g, nil)
	alone := New("alone")
	alone.Merge(few)
	alone.Name = "alone"
	Fit([]*Class{alone})
	Fit([]*Class{fast, few, slow})
	m, without := few.Model(workload.Map, "n", Run), alone.Model(workload.Map, "n", Run)
	if got := m.Typical(1e7, -1); got < 2.5 || got > 5 { // of scan: 3.5 s
		t.Errorf("a tenth of the size takes %v s, that of the nearest class %v", got, fast.Model(workload.Map, "n", Run).Typical(1e7, -1))
	}
	a, b := m.TotalAt(1e8, -1), without.TotalAt(1e8, -1)
	if a.Quantile(0.99) >= b.Quantile(0.99) || a.Quantile(0.99) < 1.2 {
		t.Errorf("the quantile at 99 %% is %v with what it borrows, %v without", a.Quantile(0.99), b.Quantile(0.99))
	}
	if near, far := m.Doubt(1e8, -1), m.Doubt(1e11, -1); near >= far {
		t.Errorf("the doubt at a size that was seen is %v, a thousand times as far out %v", near, far)
	}
	// those that lack models get them beside others that have theirs, which stay
	late := New("few")
	late.Merge(few)
	late.Models = nil
	kept := fast.Model(workload.Map, "n", Run)
	Complete([]*Class{fast, late, slow}, []*Class{fast, late, slow})
	if got := late.Model(workload.Map, "n", Run).Typical(1e7, -1); got != m.Typical(1e7, -1) {
		t.Errorf("a tenth of the size takes %v s, and %v s when all were fitted at once", got, m.Typical(1e7, -1))
	}
	if fast.Model(workload.Map, "n", Run) != kept {
		t.Error("a class that had models was fitted again")
	}
	// so does one that a run teaches
	var f Fitter
	for _, c := range []*Class{fast, slow} {
		f.Lend(c)
	}
	late.Models = nil
	f.Learned(nil, late)
	if got := late.Model(workload.Map, "n", Run).Typical(1e7, -1); got != m.Typical(1e7, -1) {
		t.Errorf("a tenth of the size takes %v s by what a run taught, %v s when all were fitted at once", got, m.Typical(1e7, -1))
	}
	// what many taught is hardly changed by the others
	before := taughtBy(1, 60, 10, 0.5, 3e-7, 0.05, 0.05)
	Fit([]*Class{before})
	if a, b := fast.Model(workload.Map, "n", Run).Typical(1e8, -1), before.Model(workload.Map, "n", Run).Typical(1e8, -1); math.Abs(a/b-1) > 0.02 {
		t.Errorf("%v s beside others, %v s alone", a, b)
	}
}

// Where all sizes of a class are nearly the same, their slope is chance, and the line keeps to that of the nearest
// class. Where they differ it is the class's own.
func TestTheLineIsBorrowedWhereSizesSayNothing(t *testing.T) {
	near := taughtBy(1, 60, 10, 0.5, 3e-7, 0.05, 0.05)
	near.Name = "near"
	r := rand.New(rand.NewPCG(7, 7))
	for _, wide := range []float64{0.01, 4} {
		for k := range 20 {
			c := New("few")
			for i := range 4 {
				var g Gather
				for j := range 3 {
					bytes := 1e8 * math.Exp(wide*float64(3*i+j-6)/12)
					g.Add(mapsOnN, bytes, -1, 30*math.Sqrt(bytes/1e8)*math.Exp(0.1*r.NormFloat64()))
				}
				c.Learn(&g, nil)
			}
			Fit([]*Class{near, c})
			got := c.Model(workload.Map, "n", Run).Typical(1e7, -1)
			if borrowed := 30. * 3.5 / 30.5; wide < 1 && (got < borrowed/1.5 || got > borrowed*1.5) {
				t.Errorf("sample %d: a tenth of the size takes %.2f s, by the nearest class %.2f s", k, got, borrowed)
			}
			if own := 30 * math.Sqrt(0.1); wide > 1 && (got < own/1.6 || got > own*1.6) {
				t.Errorf("sample %d of many sizes: a tenth of the size takes %.2f s, by its own %.2f s", k, got, own)
			}
		}
	}
}

// Classes of nodes have models of their own; one that was never seen gets that of all.
func TestNodeClasses(t *testing.T) {
	c, g := New("x"), Gather{}
	for i := range 60 {
		for k := range 4 {
			wobble := 1 + 0.05*float64((i*7+k)%5-2)
			g.Add(Key{Stage: workload.Map, Node: "fast"}, 1e8, -1, 10*wobble)
			g.Add(Key{Stage: workload.Map, Node: "slow"}, 1e8, -1, 20*wobble)
		}
		c.Learn(&g, nil)
	}
	Fit([]*Class{c})
	at := func(node string) float64 { return c.Model(workload.Map, node, Run).Typical(1e8, -1) }
	if at("fast") < 9 || at("fast") > 11 || at("slow") < 18 || at("slow") > 22 || at("other") != at("") || at("") <= at("fast") || at("") >= at("slow") {
		t.Errorf("fast %v, slow %v, another %v, all %v", at("fast"), at("slow"), at("other"), at(""))
	}
	if c.Model(workload.Reduce, "fast", Run) != nil || c.Model(workload.Map, "fast", Emitted) != nil {
		t.Error("there is a model of what nobody has seen")
	}
}

// Records count where their number is known and is not just another word for the bytes.
func TestRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, apart := range []bool{true, false} {
		c, g := New("x"), Gather{}
		for range 100 {
			bytes := 1e8 * (0.2 + r.Float64())
			records := bytes / 100
			if apart {
				records = 1e6 * (0.2 + r.Float64())
			}
			g.Add(mapsOnN, bytes, records, (1+2e-8*bytes+5e-6*records)*math.Exp(0.05*r.NormFloat64()))
			c.Learn(&g, nil)
		}
		Fit([]*Class{c})
		m := c.Model(workload.Map, "n", Run)
		if apart && (math.Abs(m.PerRecord/5e-6-1) > 0.2 || math.Abs(m.PerByte/2e-8-1) > 0.3) || !apart && m.PerRecord != 0 {
			t.Errorf("apart %v: %v s for a byte, %v for a record", apart, m.PerByte, m.PerRecord)
		}
	}
}

// drawnSamples learns any jobs.
func drawnSamples(t *rapid.T, name string) *Class {
	c, g := New(name), Gather{}
	size := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e12), rapid.Just(1e17), rapid.Just(-1.0), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)))
	for range rapid.IntRange(0, 12).Draw(t, "jobs") {
		for range rapid.IntRange(0, 40).Draw(t, "tasks") {
			k := Key{Stage: rapid.SampledFrom([]workload.Stage{workload.Map, workload.Reduce}).Draw(t, "stage"), Node: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "node"),
				Part: rapid.SampledFrom([]Part{Run, First, Emitted}).Draw(t, "part")}
			g.Add(k, size.Draw(t, "bytes"), size.Draw(t, "records"), size.Draw(t, "amount"))
		}
		c.Learn(&g, c)
		if rapid.Bool().Draw(t, "fit") {
			Fit([]*Class{c})
		}
	}
	return c
}

// Whatever was learned, models can be written and read, are what a file may have, and say times above 0 that grow
// with the size; memory is bounded; and a merge in the order of time is what one learner would know.
func TestAnySampleMakesAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawnSamples(t, "a"), drawnSamples(t, "b")
		Fit([]*Class{a, b})
		text, err := Format([]*Class{a, b})
		if err != nil {
			t.Fatalf("%v: %+v, %+v", err, a, b)
		}
		back, err := Parse("f", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff([]*Class{a, b}, back); d != "" {
			t.Fatal(d)
		}
		for _, c := range []*Class{a, b} {
			for i := range c.Samples {
				n := 0
				for _, j := range c.Samples[i].Jobs {
					n += len(j)
				}
				if n > mostMeasures || c.Model(c.Samples[i].Stage, c.Samples[i].Node, c.Samples[i].Part) == nil {
					t.Fatalf("%d tasks are kept, or there is no model of %+v", n, c.Samples[i].Key)
				}
			}
			for _, m := range c.Models {
				low, high := m.Typical(1, 1), m.Typical(1e10, 1e9)
				if math.IsNaN(low+high) || low < 0 || high < low || math.IsNaN(m.Doubt(1e5, -1)) {
					t.Fatalf("%+v: %v, %v, doubt %v", m, low, high, m.Doubt(1e5, -1))
				}
			}
		}
		again := New("a")
		again.Merge(a.Bare())
		again.mergeSamples(&Class{Samples: a.Samples})
		again.Models = nil
		for _, c := range []*Class{again, a} {
			c.Stages, c.Scores = nil, nil
		}
		Fit([]*Class{again, b})
		Fit([]*Class{a, b})
		if d := cmp.Diff(a, again); d != "" {
			t.Fatal(d)
		}
	})
}

// What tasks the sample of a job keeps is left to chance: neither the first nor the last of them.
func TestGatherIsFair(t *testing.T) {
	var g Gather
	sum := 0.0
	const jobs, tasks = 200, 1000
	for range jobs {
		for k := range tasks {
			g.Add(mapsOnN, 1, -1, float64(k))
		}
		c := New("x")
		c.Learn(&g, nil)
		for _, m := range c.Samples[0].Jobs[0] {
			sum += m[2]
		}
		if n := len(c.Samples[0].Jobs[0]); n != mostOfJob || !g.Empty() {
			t.Fatalf("%d tasks are kept", n)
		}
	}
	if mean := sum / jobs / mostOfJob; mean < 350 || mean > 650 {
		t.Errorf("the mean of the tasks that are kept is the %vth of %d", mean, tasks)
	}
}

// Models and samples that cannot be are refused with their place.
func TestBadModels(t *testing.T) {
	for want, spoil := range map[string]func(c *Class){
		"models[0].per_byte: it is negative":         func(c *Class) { c.Models[0].PerByte = -1 },
		"models[0].tasks: it is negative":            func(c *Class) { c.Models[0].Tasks = -1 },
		"models[0].beside: it is negative":           func(c *Class) { c.Models[0].Beside = -1 },
		"models[0].covariance: it is negative":       func(c *Class) { c.Models[0].Covariance[3] = -1 },
		"models[0].own.log: quantiles must not fall": func(c *Class) { c.Models[0].Own.Log[2] = 1 },
		"models[0].total.log: the median must be 1": func(c *Class) {
			c.Models[0].Total = Factor{Log: [factorKnots]float64{middleKnot: 0.1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 13: 1, 14: 1}}
		},
		"models[0].shared.tail: it is not in 0 to 0.7":       func(c *Class) { c.Models[0].Shared.Tail = 1 },
		"models[1]: they must be sorted":                     func(c *Class) { c.Models[1] = c.Models[0] },
		"models[0]: there is no model":                       func(c *Class) { c.Models[0] = nil },
		"models[0].jump: neither its jobs nor its ratio":     func(c *Class) { c.Models[0].Jump = &Jump{} },
		"samples[0].jobs[0][0]: bytes and cost must be 0":    func(c *Class) { c.Samples[0].Jobs[0][0][2] = -1 },
		"samples[0].jobs[1]: a job has 1 to 32 tasks here":   func(c *Class) { c.Samples[0].Jobs[1] = nil },
		"samples[0].jobs[0][1]: bytes and cost must be 0":    func(c *Class) { c.Samples[0].Jobs[0][1][0] = 1e300 },
		"scores[0].below: there are more tasks than were sc": func(c *Class) { c.Scores[0].Below[1] = 1e9 },
		"scores[0].loss: a loss must not be negative":        func(c *Class) { c.Scores[0].Loss[0] = -1 },
		"cold.models[0].fixed: it is negative": func(c *Class) {
			c.Cold = taughtBy(1, 1, 1, 1, 1, 1, 1)
			Fit([]*Class{c.Cold})
			c.Cold.Models[0].Fixed = -1
		},
	} {
		c := taughtBy(1, 3, 3, 5, 1e-7, 0.1, 0.1)
		Fit([]*Class{c})
		g := Gather{}
		g.Add(mapsOnN, 1, -1, 1)
		c.Learn(&g, c)
		text, err := json.Marshal(file{FileSchema, []*Class{c}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("p.json", text); err != nil {
			t.Fatal(err)
		}
		spoil(c)
		if text, err = json.Marshal(file{FileSchema, []*Class{c}}); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("p.json", text); err == nil || !strings.HasPrefix(err.Error(), "p.json:1: profiles[0]."+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A class of nodes that is gone fades out of the model of all together, though several remain, also where
// it was learned in a run before; its own model stays.
func TestNodesThatAreGoneFade(t *testing.T) {
	for _, apart := range []bool{false, true} {
		all, g, r := New("x"), Gather{}, rand.New(rand.NewPCG(1, 1))
		c := all
		for i := range 100 {
			if i == 60 && apart {
				c = New("x")
			}
			for node, typical := range map[string]float64{"fast": 1, "slow": 8, "slower": 10} {
				for range 4 {
					if node != "fast" || i < 60 {
						g.Add(Key{Stage: workload.Map, Node: node}, 1e8, -1, typical*math.Exp(0.1*r.NormFloat64()))
					}
				}
			}
			c.Learn(&g, nil)
		}
		if apart {
			all.Merge(c)
		}
		Fit([]*Class{all})
		m, fast := all.Model(workload.Map, "", Run), all.Model(workload.Map, "fast", Run)
		if at := m.Typical(1e8, -1); at < 8 || at > 10 || m.Total.deviation() > 0.3 {
			t.Errorf("merged %v: a task takes %v s on nodes that take 8 and 10, and varies by %v", apart, at, m.Total.deviation())
		}
		if at := fast.Typical(1e8, -1); math.Abs(at-1) > 0.1 {
			t.Errorf("merged %v: on the nodes that are gone a task took %v s, not 1", apart, at)
		}
	}
}

// Of a size that nobody can compute with, and of a model as wide as a file may have, the doubt is bounded.
func TestDoubtIsBounded(t *testing.T) {
	m := unknown()
	m.Fixed, m.Covariance = 1e-9, [6]float64{1e33, -1e300, 0, 1e300, 0, 0}
	for _, bytes := range []float64{0, 1, 1e17, math.MaxFloat64, math.Inf(1)} {
		if d := m.Doubt(bytes, 0); !(d >= 0 && d <= mostDoubt) {
			t.Errorf("%v bytes: %v", bytes, d)
		}
		f := m.TotalAt(bytes, 0)
		if q := f.Quantile(0.5); q != 1 {
			t.Errorf("%v bytes: a median of %v", bytes, q)
		}
	}
}
