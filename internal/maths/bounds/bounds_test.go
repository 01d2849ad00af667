package bounds

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

func same(a, b Need) bool {
	return near(a.Maps, b.Maps) && near(a.Reduces, b.Reduces) && near(a.Machines, b.Machines)
}

func check(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !near(got, want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Figures 1, 3, 4 and 5 with numbers, worked out by hand.
func TestPhases(t *testing.T) {
	p := Phase{Tasks: 10, Mean: 2, Max: 5}
	check(t, "lower", p.Lower(4), 5)
	check(t, "proposition 2.1", p.Upper(3), 10)
	check(t, "one slot", p.Upper(1), 20)
	check(t, "proposition 2.4", p.LowerShared(2, 0.5, 16), 5)
	check(t, "proposition 2.5", p.UpperShared(2, 0.5, 16), 12.5) // (20 - 10)/4 + 10
	check(t, "one slot for each job", p.UpperShared(2, 0.5, 4), 20)

	a, b := Phase{12, 1, 1}, Phase{24, 1, 1}
	first, last := TwoLower(a, b, 0.5, 12)
	check(t, "the first to end", first, 2)
	check(t, "the last to end", last, 3)
	check(t, "proposition 2.3, first case", a.UpperBeside(b, 0.5, 12), 11.0/6+1)
	check(t, "proposition 2.3, second case", b.UpperBeside(a, 0.5, 12), 35.0/12+1)

	for what, got := range map[string]float64{
		"upper":        Phase{}.Upper(4),
		"upper beside": Phase{}.UpperBeside(p, 0.5, 4),
		"upper shared": Phase{}.UpperShared(1, 1, 4),
	} {
		check(t, what+" of no task", got, 0)
	}
}

// sort is a profile with round numbers.
var sort = Job{
	Maps: 100, Map: Time{10, 20},
	Reduces: 20, First: Time{4, 8}, Shuffle: Time{3, 6}, Reduce: Time{5, 12},
}

func TestJobs(t *testing.T) {
	mapsAlone := Job{Maps: 2, Map: Time{3, 4}, First: Time{9, 9}}
	for _, c := range []struct {
		name string
		got  Line
		want Line
	}{
		{"equation 1", sort.Lower(), Line{A: 1000, B: 160, C: 1}},
		{"equation 2", sort.Upper(), Line{A: 960, B: 124, C: 84, LeastMaps: 1, LeastReduces: 1}},
		{"equation 3", sort.Mean(), Line{A: 980, B: 142, C: 42.5}},
		{"maps alone, at most", mapsAlone.Upper(), Line{A: -2, C: 8, LeastMaps: 1}},
		{"maps alone, at least", mapsAlone.Lower(), Line{A: 6}},
		{"one map", Job{Maps: 1, Map: Time{3, 3}}.Mean(), Line{C: 3, LeastMaps: 1}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, c.got, c.want)
		}
	}
	check(t, "equation 4", sort.Mean().Time(2, 40, 10), 980.0/20+142.0/5+42.5)
	check(t, "no reduces and no slots for them", Line{A: 10}.Time(1, 2, 0), 5)
	check(t, "limit", sort.Upper().Limit(), 84)
	check(t, "limit of two maps", mapsAlone.Upper().Limit(), 6)

	// What the phases say by themselves, put together.
	maps := Phase{sort.Maps, sort.Map.Mean, sort.Map.Max}
	reduces := Phase{sort.Reduces, sort.Shuffle.Mean + sort.Reduce.Mean, sort.Shuffle.Max + sort.Reduce.Max}
	check(t, "lower by phases", sort.Lower().Time(3, 30, 12),
		maps.LowerShared(3, 0.5, 60)+reduces.LowerShared(3, 0.5, 24)+4-3)
	check(t, "upper by phases", sort.Upper().Time(3, 30, 12),
		maps.UpperShared(3, 0.5, 60)+reduces.UpperShared(3, 0.5, 24)+8)
}

// Equations 22, 23, 29 and 30, worked out by hand: A = 400, B = 100, D - C = 100.
func TestLeast(t *testing.T) {
	l := Line{A: 400, B: 100, C: 20}
	for _, c := range []struct {
		name     string
		line     Line
		deadline float64
		machine  Machine
		want     Need
		ok       bool
	}{
		{"one slot each", l, 120, Machine{1, 1}, Need{6, 3, 9}, true},
		{"four map slots", l, 120, Machine{4, 1}, Need{8, 2, 4}, true},
		{"four reduce slots", l, 120, Machine{1, 4}, Need{5, 5, 6.25}, true},
		{"at the limit", l, 20, Machine{1, 1}, Need{}, false},
		{"below the limit", l, 10, Machine{1, 1}, Need{}, false},
		{"no deadline is not a number", l, math.NaN(), Machine{1, 1}, Need{}, false},
		{"maps alone", Line{A: 400, C: 20}, 120, Machine{2, 1}, Need{4, 0, 2}, true},
		{"reduces alone", Line{B: 100, C: 20}, 120, Machine{1, 2}, Need{0, 1, 0.5}, true},
		{"nothing but time", Line{C: 20}, 120, Machine{1, 1}, Need{}, true},
		{"less than a slot", l, 2020, Machine{1, 1}, Need{0.3, 0.15, 0.45}, true},
		{"a slot at least", l.Whole(), 2020, Machine{1, 1}, Need{1, 1, 2}, true},
		{"least reduces", Line{A: 400, B: 4, C: 24, LeastReduces: 1}, 128, Machine{1, 1}, Need{4, 1, 5}, true},
		{"least maps", Line{A: 4, B: 400, C: 24, LeastMaps: 1}, 128, Machine{1, 1}, Need{1, 4, 5}, true},
		{"maps do not help", Line{A: -2, B: 100, C: 8, LeastMaps: 1}, 16, Machine{1, 1}, Need{1, 10, 11}, true},
		{"nor by whole shares", Line{A: -2, C: 8, LeastMaps: 1}, 6, Machine{1, 1}, Need{}, false},
	} {
		got, ok := c.line.Least(c.deadline, c.machine)
		if ok != c.ok || !same(got, c.want) {
			t.Errorf("%s: got %+v, %t, want %+v, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

// aTime draws a mean and a longest time of so many tasks that can be: it is not above all of them together.
func aTime(t *rapid.T, tasks int) Time {
	most := rapid.Float64Range(0.01, 100).Draw(t, "longest")
	return Time{most * rapid.Float64Range(1/float64(max(tasks, 1)), 1).Draw(t, "mean of it"), most}
}

func aJob(t *rapid.T) Job {
	j := Job{Maps: rapid.IntRange(1, 200).Draw(t, "maps"), Reduces: rapid.IntRange(0, 60).Draw(t, "reduces")}
	j.Map, j.Reduce = aTime(t, j.Maps), aTime(t, j.Reduces)
	j.First, j.Shuffle = aTime(t, j.Reduces), aTime(t, j.Reduces)
	return j
}

// aLine draws one of the three, or one with a slot at least.
func aLine(t *rapid.T) Line {
	j := aJob(t)
	return []Line{j.Lower(), j.Upper(), j.Mean(), j.Mean().Whole()}[rapid.IntRange(0, 3).Draw(t, "line")]
}

// The bounds are in their order where they hold, and more slots never make a job slower by them.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := aJob(t)
		jobs := rapid.Float64Range(1, 20).Draw(t, "jobs")
		maps := jobs * rapid.Float64Range(1, 300).Draw(t, "maps of each")
		reduces := jobs * rapid.Float64Range(1, 300).Draw(t, "reduces of each")
		time := func(l Line) float64 { return l.Time(jobs, maps, reduces) }
		low, mean, up := time(j.Lower()), time(j.Mean()), time(j.Upper())
		if !(low <= mean+1e-9) || !(mean <= up+1e-9) || !near(mean, (low+up)/2) {
			t.Fatalf("%v, %v, %v", low, mean, up)
		}
		if more := j.Lower().Time(jobs, maps+1, reduces+1); more > low {
			t.Fatalf("more slots: %v after %v", more, low)
		}
	})
}

// The deadline is met, hardly so, by what Least says, and no slots of the grid that meet it are
// cheaper. A looser deadline and larger machines never cost more.
func TestLeastIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := aLine(t)
		slots := rapid.Float64Range(0.5, 8)
		m := Machine{slots.Draw(t, "map slots"), slots.Draw(t, "reduce slots")}
		deadline := max(l.Limit(), 0) + rapid.Float64Range(0.01, 5000).Draw(t, "more than the limit")
		need, ok := l.Least(deadline, m)
		if !ok {
			t.Fatalf("%+v has no answer", l)
		}
		took := l.Time(1, need.Maps, need.Reduces)
		spare := need.Maps <= l.LeastMaps && need.Reduces <= l.LeastReduces
		if took > deadline*(1+1e-9) || !spare && took < deadline*(1-1e-9) {
			t.Fatalf("%+v takes %v with a deadline of %v", need, took, deadline)
		}
		if need.Maps < l.LeastMaps || need.Reduces < l.LeastReduces ||
			!near(need.Machines, need.Maps/m.Maps+need.Reduces/m.Reduces) {
			t.Fatalf("%+v for %+v", need, l)
		}
		for i := -60; i <= 60; i++ {
			maps := max(l.LeastMaps, need.Maps*math.Exp(float64(i)/20))
			left := deadline - l.C - over(l.A, maps)
			if left <= 0 {
				continue
			}
			reduces := max(l.LeastReduces, over(l.B, left))
			cost := maps/m.Maps + reduces/m.Reduces
			if l.Time(1, maps, reduces) <= deadline && cost < need.Machines*(1-1e-9) {
				t.Fatalf("%v and %v slots take %v machines, %+v more", maps, reduces, cost, need)
			}
		}
		for what, other := range map[string]func() (Need, bool){
			"a looser deadline": func() (Need, bool) { return l.Least(deadline*1.1, m) },
			"more map slots":    func() (Need, bool) { return l.Least(deadline, Machine{m.Maps * 2, m.Reduces}) },
			"more reduce slots": func() (Need, bool) { return l.Least(deadline, Machine{m.Maps, m.Reduces * 2}) },
		} {
			if n, ok := other(); !ok || n.Machines > need.Machines*(1+1e-9) {
				t.Fatalf("%s: %+v after %+v", what, n, need)
			}
		}
	})
}
