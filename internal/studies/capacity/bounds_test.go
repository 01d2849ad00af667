package capacity

import (
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/units"
)

// What changes are worth is what the cost of the whole plan changes by, as long as it keeps its shape.
func TestWorth(t *testing.T) {
	c := example(t)
	split := false
	c.Integer = &split
	r := Plan(c)
	change := func(class int, by func(k *Class) float64, do func()) {
		t.Helper()
		k := r.Classes[class]
		do()
		if got := Plan(c).Cost - r.Cost; !near(got, by(&k)) {
			t.Errorf("class %s: the cost changes by %v, not by %v", k.Name, got, by(&k))
		}
	}
	change(2, func(k *Class) float64 { return c.Classes[2].Penalty - k.AnotherJob }, func() { c.Classes[2].AtMost++ })
	c.Classes[2].AtMost--
	change(0, func(k *Class) float64 { return -k.LeastJob }, func() { c.Classes[0].AtLeast, c.Classes[0].AtMost = 9, 9 })
	c.Classes[0].AtLeast, c.Classes[0].AtMost = 10, 10
	ten := 10 * units.Second
	change(2, func(k *Class) float64 { return -k.TenSeconds }, func() {
		c.Classes[2].Deadline += config.Span(ten)
	})
	c.Classes[2].Deadline -= config.Span(ten)
	change(2, func(k *Class) float64 { return *k.Slower }, func() {
		m := &c.Classes[2].Map
		m.Mean, m.Max = m.Mean*11/10, m.Max*11/10
	})
}

// By hand, propositions 2.2 and 2.3: 10 maps of 2 s, the longest 3 s, on 4 slots beside 30 of 1 s, the longest 2 s,
// on 6. Each has done its work after 5 s on its own slots, and both after 5 s on all.
func TestPairs(t *testing.T) {
	jobs := [2]bounds.Job{{Maps: 10, Map: bounds.Time{Mean: 2, Max: 3}}, {Maps: 30, Map: bounds.Time{Mean: 1, Max: 2}, Reduces: 2, Reduce: bounds.Time{Mean: 1, Max: 1}}}
	got := pairs(jobs, [2]bounds.Need{{Maps: 4}, {Maps: 6, Reduces: 2}})
	if len(got) != 1 || got[0].Stage != "map" || !near(got[0].First, 5) || !near(got[0].Last, 5) {
		t.Fatalf("%+v", got)
	}
	// The maps of the other last for 5 s on its six slots, longer than the (20 - 3) / 4 s until the first job's
	// last task begins: it has its own slots till then. The other way round 5 s are longer than (30 - 2) / 6 s.
	if !near(got[0].Up[0], 17./4+3) || !near(got[0].Up[1], 28./6+2) {
		t.Errorf("%v, want %v and %v", got[0].Up, 17./4+3, 28./6+2)
	}
	// With half of its tasks the other is done in 2.5 s, and lends its slots.
	jobs[1].Maps = 15
	if got = pairs(jobs, [2]bounds.Need{{Maps: 4}, {Maps: 6}}); !near(got[0].First, 2.5) || !near(got[0].Last, 3.5) || !near(got[0].Up[0], (15+20-3)/10.+3) {
		t.Errorf("%+v", got)
	}
	if got = pairs(jobs, [2]bounds.Need{{Maps: 4}, {Maps: 0.5}}); len(got) != 0 {
		t.Errorf("with less than a slot: %+v", got)
	}
}
