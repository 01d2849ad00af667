package ondemand

import (
	"math"
	"testing"

	"github.com/slackline/slackline/units"
)

func same(x, y float64) bool { return units.Rounded(x) == units.Rounded(y) }

// The progress of a job half of whose maps are done, one more half way, and one of four reduces launched.
func TestProgress(t *testing.T) {
	maps := Average(5+TaskProgress(10, 20), 10)
	if !same(maps, 0.55) {
		t.Errorf("maps: %v", maps)
	}
	if got := Progress(maps, Average(0, 4), Shuffle(1, 4)); !same(got, 0.45*0.55+0.1*0.25) {
		t.Errorf("job: %v", got)
	}
	if got := Progress(1, 1, 1); !same(got, 1) {
		t.Errorf("a job that is done: %v", got)
	}
	if got := TaskProgress(100, 20); got >= 1 || got < 0.99 {
		t.Errorf("a task that runs for longer than others took is nearly done, not %v", got)
	}
	if got := TaskProgress(100, 0); got != 0 {
		t.Errorf("no task has ended: %v", got)
	}
}

func TestDemand(t *testing.T) {
	for _, c := range []struct {
		why              string
		p, m, t1, t2     float64
		more, demand     float64
		undefined, ahead bool
	}{
		{"the golden case: 3/4 are left, and it takes 30 s more at this speed", 0.25, 2, 10, 30, 1, 0.05, false, false},
		{"it is ahead", 0.5, 4, 10, 50, -3, -3.0 / 40, false, true},
		{"just in time", 0.5, 2, 10, 20, 0, 0, false, false},
		{"nothing is done: any number", 0, 2, 10, 30, math.Inf(1), math.Inf(1), true, false},
		{"it has nothing: as printed it needs nothing, and starves", 0.25, 0, 10, 30, 0, 0, true, false},
		{"past its deadline: as printed it is ahead", 0.25, 2, 30, 20, -20, 2, true, true},
	} {
		rest := c.t2 - c.t1
		more := More(c.p, Speed(c.p, c.m*c.t1), c.m, rest)
		if c.m == 0 {
			more = (1-c.p)*c.m*c.t1/(c.p*rest) - c.m // eq. 10 itself, as eq. 9 has no value
		}
		if more != c.more && !same(more, c.more) || !math.IsInf(more, 0) && !same(Demand(more, rest), c.demand) || c.ahead != (more < 0) {
			t.Errorf("%s: %v more, demand %v; want %v, %v", c.why, more, Demand(more, rest), c.more, c.demand)
		}
		if _, defined := need(c.p, c.m*c.t1, c.m, rest, 0); defined == c.undefined {
			t.Errorf("%s: taken as defined: %v", c.why, defined)
		}
	}
	// A class that is known seeds the speed: 60 unit-seconds in all, of which nothing is done, in 20 s.
	if n, defined := need(0, 0, 0, 20, 60); !defined || !same(n, 3) {
		t.Errorf("seeded: %v, %v", n, defined)
	}
	if n, defined := need(0, 0, 0, -5, 60); defined {
		t.Errorf("seeded, past its deadline: %v", n)
	}
}

func TestShort(t *testing.T) {
	figure3 := []Claim{{2, 0, 1}, {2, 0, 2}, {1, 0, 3}}
	for _, c := range []struct {
		why    string
		claims []Claim
		free   float64
		want   float64
	}{
		{"figure 3: three units are exactly enough", figure3, 3, 0},
		{"and two are not", figure3, 2, 1},
		{"the largest deficit over its time, not the largest deficit", []Claim{{4, 0, 1}, {1, 0, 10}}, 1, 3},
		{"what earlier jobs hold falls free", []Claim{{0, 2, 1}, {1, 0, 2}}, 0, 0},
		// Of two jobs, one has two maps of 1 s and 2 s for them, the other two running tasks that end in 1 s, and
		// 10 s. No unit is free. None is needed, as the second job's fall free, which eq. 12 leaves out.
		{"not necessary: units of later jobs are left out", []Claim{{1, 0, 2}, {-1.8, 2, 10}}, 0, 1},
		// Three maps of 2 s in 3 s, with two units: one unit would have to do one and a half.
		{"not sufficient: it is fluid", []Claim{{2, 0, 3}}, 2, 0},
		// Six maps of 1 s in 6 s, and no unit: one is asked for. If it boots for 4 s, three are needed.
		{"boot times are left out", []Claim{{1, 0, 6}}, 0, 1},
		{"nobody claims anything", nil, 0, 0},
	} {
		if got, _ := Short(c.claims, c.free); !same(got, c.want) {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}
