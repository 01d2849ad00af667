package synth

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
	r := Trace(&given{[]trace.Job{{Submit: 3}, {Submit: 8}}})
	if r.Next() != 3 || r.Next() != 8 || r.Next() != units.Never || !errors.Is(r.Err(), io.EOF) {
		t.Error(r.Err())
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
