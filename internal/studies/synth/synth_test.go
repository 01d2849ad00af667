package synth

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// given is a trace in memory.
type given struct{ jobs []trace.Job }

func (g *given) Next() (*trace.Job, error) {
	if len(g.jobs) == 0 {
		return nil, io.EOF
	}
	j := g.jobs[0]
	g.jobs = g.jobs[1:]
	return &j, nil
}

func (g *given) Account() trace.Account { return trace.Account{} }
func (g *given) Line() int64            { return 0 }

// all reads a trace to its end.
func all(t testing.TB, r trace.Reader) (jobs []trace.Job) {
	t.Helper()
	for {
		j, err := r.Next()
		if errors.Is(err, io.EOF) {
			return jobs
		}
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, *j)
	}
}

// made is a workload in which quantities hang together: what is large is shuffled, has many tasks, and they take long.
func made(n int, seed uint64, in Arrivals) []trace.Job {
	var jobs []trace.Job
	for i := range n {
		key := draw.Of(seed, "made").Number(uint64(i))
		size := math.Exp(key.Number(1).Normal(20, 2))
		j := trace.Job{ID: fmt.Sprintf("secret-%d", i), Class: "secret-class", Queue: "secret-queue", User: "secret-user", Path: "/secret/path", Submit: in.Next(),
			Input: units.Bytes(size), Output: trace.Unknown}
		if i%3 != 0 {
			j.Shuffle = units.Bytes(size * key.Number(2).Between(0.1, 1))
		}
		maps := trace.Stage{Kind: workload.Map}
		for t := range 1 + int(size/1e9) {
			time := math.Log(size) * math.Exp(key.Number(3).Number(uint64(t)).Normal(0, 0.3))
			maps.Add(trace.Task{Count: 1, Input: trace.Unknown, Time: units.FromSeconds(time), Hosts: []string{"secret-host"}})
		}
		j.Stages = []trace.Stage{maps}
		if j.Shuffle > 0 {
			j.Stages = append(j.Stages, trace.Stage{Kind: workload.Reduce, Tasks: []trace.Task{{Count: 3, Time: 20 * units.Second, Shuf: 5 * units.Second}}})
			if i%2 == 0 {
				j.Deadline = 10 * units.Minute
			}
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func fit(t testing.TB, jobs []trace.Job) *Model {
	t.Helper()
	m, err := Fit(&given{jobs})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// distance is that of Kolmogorov and Smirnov.
func distance(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	most := 0.0
	for _, x := range slices.Concat(a, b) {
		below := func(s []float64) float64 {
			n, _ := slices.BinarySearchFunc(s, x, func(v, x float64) int {
				if v <= x {
					return -1
				}
				return 1
			})
			return float64(n) / float64(len(s))
		}
		most = max(most, math.Abs(below(a)-below(b)))
	}
	return most
}

// correlation is that of the logarithms.
func correlation(jobs []trace.Job, a, b int) float64 {
	var x, y, xy stat.Sum
	for i := range jobs {
		p, q := quantities[a].get(&jobs[i]), quantities[b].get(&jobs[i])
		if p > 0 && q > 0 {
			p, q = math.Log(p), math.Log(q)
			x.Add(p)
			y.Add(q)
			xy.Add(p * q)
		}
	}
	return (xy.Mean() - x.Mean()*y.Mean()) / (x.Deviation() * y.Deviation())
}

// What is drawn from a model has the distributions of what it was fitted to, and quantities that
// hang together in the same way.
func TestGeneratedIsLikeTheOriginal(t *testing.T) {
	jobs := made(8000, 1, Poisson(400, 1))
	again := all(t, fit(t, jobs).Generate(7, 8000, 0))
	if len(again) != len(jobs) {
		t.Fatalf("%d jobs", len(again))
	}
	for i, q := range quantities {
		var a, b []float64
		for k := range jobs {
			a, b = append(a, q.get(&jobs[k])), append(b, q.get(&again[k]))
		}
		if d := distance(a, b); d > 0.03 {
			t.Errorf("%s: the distributions are %.3f apart", q.name, d)
		}
		for k := range i {
			if was, is := correlation(jobs, i, k), correlation(again, i, k); math.Abs(was-is) > 0.05 && !math.IsInf(was, 0) {
				t.Errorf("%s and %s: correlation %.3f, was %.3f", q.name, quantities[k].name, is, was)
			}
		}
	}
	spreadOf := func(jobs []trace.Job) (s stat.Sum) {
		for i := range jobs {
			if m := jobs[i].Stage(workload.Map); m != nil && m.Count() > 30 {
				_, cv := times(m)
				s.Add(cv)
			}
		}
		return s
	}
	was, is := spreadOf(jobs), spreadOf(again)
	if math.Abs(was.Mean()-is.Mean()) > 0.03 {
		t.Errorf("times of maps vary by %.3f, %.3f in the original", is.Mean(), was.Mean())
	}
}

// A model holds numbers, and survives its file.
func TestModelKeepsNoNames(t *testing.T) {
	m := fit(t, made(500, 2, Poisson(100, 2)))
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "secret") {
		t.Fatal(text.String())
	}
	back, err := ReadModel("m", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, back); d != "" {
		t.Fatal(d)
	}
	for _, j := range all(t, m.Generate(1, 50, 0)) {
		if j.User != "" || j.Queue != "" || j.Class != "" || j.Path != "" {
			t.Fatalf("%+v", j)
		}
	}
}

// A seed is a workload; a longer one begins as a shorter one.
func TestGenerateIsKeyed(t *testing.T) {
	m := fit(t, made(500, 2, Poisson(100, 2)))
	long := all(t, m.Generate(3, 200, 0))
	if d := cmp.Diff(long[:50], all(t, m.Generate(3, 50, 0))); d != "" {
		t.Fatal(d)
	}
	if cmp.Equal(long[:50], all(t, m.Generate(4, 50, 0))) {
		t.Fatal("two seeds are one")
	}
	hours := all(t, m.Generate(3, 0, 2*units.Hour))
	if n := len(hours); n < 120 || n > 280 || hours[n-1].Submit >= units.Time(2*units.Hour) {
		t.Fatalf("%d jobs in two hours at 100 an hour, the last at %v", n, hours[n-1].Submit)
	}
}

// Whatever the trace, what is drawn from its model can be written, read and unfolded.
func TestGeneratedIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []trace.Job
		at := units.Time(0)
		size := rapid.Int64Range(-1, 1<<40)
		for range rapid.IntRange(1, 30).Draw(t, "jobs") {
			at = at.Add(units.Duration(rapid.Int64Range(0, int64(units.Day)).Draw(t, "gap")))
			j := trace.Job{ID: fmt.Sprint(len(jobs)), Submit: at, Input: units.Bytes(size.Draw(t, "input")), Shuffle: units.Bytes(size.Draw(t, "shuffle")), Output: trace.Unknown}
			for _, kind := range stages {
				if rapid.Bool().Draw(t, "stage") {
					j.Stages = append(j.Stages, trace.Stage{Kind: kind, Tasks: []trace.Task{{Count: rapid.IntRange(1, 50).Draw(t, "tasks"), Input: trace.Unknown,
						Time: units.Duration(rapid.Int64Range(-1, int64(units.Hour)).Draw(t, "time"))}}})
				}
			}
			jobs = append(jobs, j)
		}
		m, err := Fit(&given{jobs})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		if m, err = ReadModel("m", text.Bytes()); err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		format, _ := trace.Find("slackline")
		var out bytes.Buffer
		w, _ := format.Create(&out)
		rule := trace.DefaultRule(3)
		rule.Block = units.TB
		drawn := m.Generate(1, 20, 0)
		for {
			j, err := drawn.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if u, err := rule.Unfold(j, 1); err != nil || u.Validate() != nil {
				t.Fatalf("%+v: %v, %v", j, err, u.Validate())
			}
			if err := w.Write(j); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r := format.Open(&out, trace.Options{File: "t"})
		for {
			if _, err := r.Next(); errors.Is(err, io.EOF) || err != nil && strings.Contains(err.Error(), "there is no job") {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestModelsThatCannotBe(t *testing.T) {
	m := fit(t, made(100, 2, Poisson(100, 2)))
	for want, change := range map[string]func(m *Model){
		`m: slackline_model: version 2 is not known, only 1`: func(m *Model) { m.Version = 2 },
		`m: levels: 0 is not 4, 8 or 16`:                     func(m *Model) { m.Levels = 0 },
		`m: cells: there is none`:                            func(m *Model) { m.Cells = nil },
		`m: rates[3]: -1 is not a rate`:                      func(m *Model) { m.Rates[3] = -1 },
		`m: burst: share must lie between 0 and 1, ratio must be 1 or more, mean_seconds 1 or more`: func(m *Model) { m.Burst = &Burst{} },
		`m: quantities[0].name: there is no quantity "x"`:                                           func(m *Model) { m.Quantities[0].Name = "x" },
		`m: quantities[1].name: "input" comes after "input"`:                                        func(m *Model) { m.Quantities[1].Name = "input" },
		`m: quantities[0].quantiles: there are 1, not 70`:                                           func(m *Model) { m.Quantities[0].Quantiles = []float64{1} },
		`m: quantities[0].quantiles[5]: 0 is not above 0, too large, or below the one before`:       func(m *Model) { m.Quantities[0].Quantiles[5] = 0 },
		`m: cells[0]: it has 0 jobs and 9 levels, a cell has 1 or more and 9`:                       func(m *Model) { m.Cells[0].Jobs = 0 },
		`m: cells[0].levels[2]: 17 is not a level`:                                                  func(m *Model) { m.Cells[0].Levels[2] = 17 },
		`m: spread.map: -1 is not from 0 to 100`:                                                    func(m *Model) { m.Spread["map"] = -1 },
	} {
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		c, err := ReadModel("m", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		text.Reset()
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel("m", text.Bytes()); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"":                      `m: it is not a model of a workload: EOF`,
		"{\n\n]":                `m: line 3 is not JSON: invalid character ']' looking for beginning of object key string`,
		`{"slackline_trace":1}`: `m: line 1: unknown key "slackline_trace"; did you mean "slackline_model"?`,
		"{\"slackline_model\":1,\n\"quantils\":[]}":                                                  `m: line 2: unknown key "quantils"; did you mean "quantiles"?`,
		"{\"slackline_model\":1,\"jobs\":3,\n\"burst\":{\"share\":0.1,\"share\":0.2},\"jobs\":4}":    `m: line 2: the key "share" is given twice`,
		"{\"slackline_model\":1,\"rates\":[1],\n\"cells\":[{\"jobs\":1},{\"jobs\":1,\n\"jobs\":2}]}": `m: line 3: the key "jobs" is given twice`,
		`{"slackline_model":"x"}`: `m: it is not a model of a workload: json: cannot unmarshal string into Go struct field Model.slackline_model of type int`,
	} {
		if _, err := ReadModel("m", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add(`{"slackline_model":1,"jobs":1,"levels":4,"rates":[1],"quantities":[{"name":"input","quantiles":null}],"cells":[{"jobs":1,"levels":[0]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadModel("m", []byte(text))
		if err != nil {
			return
		}
		r := m.Generate(1, 10, 0)
		for {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
}

// counted are the arrivals of a process within a time.
func counted(a Arrivals, within units.Duration) (times []units.Time) {
	for at := a.Next(); at < units.Time(within); at = a.Next() {
		times = append(times, at)
	}
	return times
}

func dispersion(times []units.Time, width units.Duration) float64 {
	w := windows{width: width}
	for _, at := range times {
		w.add(units.Duration(at))
	}
	return w.dispersion()
}

func TestArrivals(t *testing.T) {
	if got := counted(Constant(units.Minute), 3*units.Minute); !slices.Equal(got, []units.Time{0, units.Time(units.Minute), units.Time(2 * units.Minute)}) {
		t.Error(got)
	}
	if c := Constant(0); c.Next() != 0 || c.Next() != units.Never || c.Next() != units.Never {
		t.Error("one that never comes again does")
	}
	if p := Poisson(0, 1); p.Next() != units.Never {
		t.Error("a rate of 0 brings some")
	}
	// A Poisson process: the rate, gaps of variation 1, counts of dispersion 1.
	times := counted(Poisson(1000, 5), 100*units.Hour)
	if n := float64(len(times)); math.Abs(n-100_000) > 4*math.Sqrt(100_000) {
		t.Errorf("%v arrivals", n)
	}
	if d := dispersion(times, units.Minute); math.Abs(d-1) > 0.06 {
		t.Errorf("dispersion %v", d)
	}
	// A bursty one: the same rate, and the dispersion that theory gives for windows of a time T,
	// 1 + 2 λ (h-l)² π(1-π) (1/s - (1-exp(-sT))/(s²T)) with s switches a second.
	b := Burst{Share: 0.1, Ratio: 10, Mean: 60}
	times = counted(Bursty(1000, b, 5), 1000*units.Hour)
	if n := float64(len(times)); math.Abs(n-1_000_000) > 20_000 {
		t.Errorf("%v arrivals", n)
	}
	s, T, calm := 1/b.Mean+b.Share/(b.Mean*(1-b.Share)), 60.0, 1/(b.Share*b.Ratio+1-b.Share)
	want := 1 + 2*(1000./3600)*math.Pow(calm*(b.Ratio-1), 2)*b.Share*(1-b.Share)*(1/s-(1-math.Exp(-s*T))/(s*s*T))
	if d := dispersion(times, units.Minute); math.Abs(d/want-1) > 0.05 {
		t.Errorf("dispersion %v, want %v", d, want)
	}
	// Rates by the hour, those of the second day as of the first.
	var rates [24]float64
	rates[1], rates[23] = 1000, 3000
	hours := [48]int{}
	for _, at := range counted(Hourly(rates, nil, 5), 2*units.Day) {
		hours[at/units.Time(units.Hour)]++
	}
	for h, n := range hours {
		if r := rates[h%24]; math.Abs(float64(n)-r) > 4*math.Sqrt(r) {
			t.Errorf("hour %d: %d arrivals, want %v", h, n, r)
		}
	}
	r := Trace(&given{[]trace.Job{{Submit: 3}, {Submit: 8}}})
	if r.Next() != 3 || r.Next() != 8 || r.Next() != units.Never || !errors.Is(r.Err(), io.EOF) {
		t.Error(r.Err())
	}
}

// Bursts are found again, and none where there are none.
func TestFitOfBursts(t *testing.T) {
	fitted := func(in Arrivals) *Burst {
		var a arrived
		for _, at := range counted(in, 10*units.Day) {
			a.add(at)
		}
		return a.burst()
	}
	for seed := range uint64(5) {
		if b := fitted(Poisson(600, seed)); b != nil && b.Ratio > 1.5 {
			t.Errorf("seed %d: a Poisson process has %+v", seed, b)
		}
		in := Burst{Share: 0.2, Ratio: 8, Mean: 600}
		b := fitted(Bursty(600, in, seed))
		if b == nil || b.Ratio < 5 || b.Ratio > 14 || b.Share < 0.1 || b.Share > 0.35 || b.Mean < 300 || b.Mean > 1000 {
			t.Errorf("seed %d: %+v, was %+v", seed, b, in)
			continue
		}
		was, is := dispersion(counted(Bursty(600, in, seed), 10*units.Day), units.Minute), dispersion(counted(Bursty(600, *b, seed+100), 10*units.Day), units.Minute)
		if math.Abs(is/was-1) > 0.2 {
			t.Errorf("seed %d: dispersion %.2f, was %.2f", seed, is, was)
		}
	}
}

func TestStats(t *testing.T) {
	jobs := []trace.Job{
		{ID: "a", Submit: units.Time(30 * units.Minute), Input: 100, Shuffle: 0, Output: trace.Unknown, Deadline: units.Minute, Stages: []trace.Stage{
			{Kind: workload.Map, Tasks: []trace.Task{{Count: 3, Time: 10 * units.Second}, {Count: 1, Time: trace.UnknownTime}}},
			{Kind: workload.Reduce, Tasks: []trace.Task{{Count: 1, Time: 20 * units.Second, Shuf: 5 * units.Second}}}}},
		{ID: "b", Submit: units.Time(30*units.Minute + 10*units.Second), Input: 300 * units.MB, Shuffle: trace.Unknown, Output: 7, After: []string{"a"}},
		{ID: "c", Submit: units.Time(25 * units.Hour), Input: trace.Unknown, Shuffle: trace.Unknown, Output: trace.Unknown},
	}
	s, err := Measure(&given{jobs}, trace.RuleVersion)
	if err != nil {
		t.Fatal(err)
	}
	// a reduce for each job
	if old, err := Measure(&given{jobs}, 1); err != nil || old.Rule != 1 || old.Tasks != 5+4+2 || old.TasksByRule != 6 {
		t.Errorf("%+v, %v", old, err)
	}
	if s.Jobs != 3 || s.Span != 88200 || s.Rule != 3 || s.Tasks != 5+3+1 || s.TasksByRule != 4 || *s.Input != 100+float64(300*units.MB) || *s.Shuffle != 0 || *s.Output != 7 || s.Deadlines != 1 || s.After != 1 {
		t.Errorf("%+v", s)
	}
	if s.Hours[0].Jobs != 2 || s.Hours[1].Jobs != 1 || s.Hours[0].TaskSeconds != 55 || s.GapMean != 44100 {
		t.Errorf("%+v", s)
	}
	if s.Hours[1].Input != nil || *s.Hours[0].Input != *s.Input {
		t.Errorf("what nobody knows is not 0 bytes: %+v", s.Hours)
	}
	if q := s.Quantities[4]; q.Name != "time of a task" || q.N != 4 || math.Abs(q.P50-10) > 0.1 || q.Most != 25 || math.Abs(q.P90-25) > 0.25 {
		t.Errorf("%+v", q)
	}
	var out bytes.Buffer
	if err := s.Plot(&out, "a<b"); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&out)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Quantiles of the sketch are off by at most 1 % from those of the values.
func TestSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(0, 1e15), 1, 200).Draw(t, "xs")
		var s sketch
		for i, x := range xs {
			s.add(x, 1)
			if x < 1e-9 {
				xs[i] = 0
			}
		}
		slices.Sort(xs)
		for _, q := range []float64{0, 0.1, 0.5, 0.99, 1} {
			want := xs[max(1, int(math.Ceil(q*float64(len(xs)))))-1]
			if got := s.quantile(q); math.Abs(got-want) > 0.01*want {
				t.Fatalf("the %v-quantile is %v, want %v", q, got, want)
			}
		}
	})
}
