package capacity

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// By hand: ten maps of 10 s but one of 28 s, two reduces of 20 s that fetch for 5 s; two jobs.
func TestBound(t *testing.T) {
	c := profile.New("words")
	c.Runs = 2
	for i := range 20 {
		took := 10 * units.Second
		if i == 0 {
			took = 28 * units.Second
		}
		c.Attempt(workload.Map, "local", 0, took, 0)
	}
	for range 4 {
		c.Attempt(workload.Reduce, "local", 0, 20*units.Second, 5*units.Second)
	}
	// Maps: mean 10.9 s, 109 s of work. Lower: 109/4 + 50/2 + 5 - 5; upper: (109-56)/4 + 0/2 + 56 + 5 + 50.
	b, err := Bound(c, Question{MapSlots: 4, ReduceSlots: 2, Deadline: 130 * units.Second})
	if err != nil || b.Maps != 10 || b.Reduces != 2 || !near(b.Slots.Low, 52.25) || !near(b.Slots.Up, 124.25) ||
		!near(b.Slots.Mean, 88.25) {
		t.Fatalf("%+v %+v, %v", b, b.Slots, err)
	}
	// By the upper bound 19 s are left for 53 s of maps; more than one reduce slot gains nothing.
	if l := b.Least[1]; l.Bound != "upper" || l.Maps != 3 || l.Reduces != 1 || !near(l.Limit, 111) {
		t.Errorf("%+v", l)
	}
	var text strings.Builder
	if err := b.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	const want = `a job of words with 10 maps and 2 reduces takes 52.3 s to 2:04 min on 4 map slots and 2 reduce slots of its own, 1:28 min in the middle
its maps alone take 27.3 s to 48.3 s
its reduces alone take 25.0 s to 37.5 s
for a deadline of 2:10 min a job of words with 10 maps and 2 reduces needs 2 map slots and 1 reduce slot by the mean of both bounds
for a deadline of 2:10 min a job of words with 10 maps and 2 reduces needs 3 map slots and 1 reduce slot by the upper bound
`
	if text.String() != want {
		t.Errorf("%s", text.String())
	}
	// The first wave fetches for 3 s, the later one for 7 s: B is 54 by the lower bound and 0 by the upper one.
	waves := &c.At(workload.Reduce, "local").Waves
	for range 2 {
		waves.First.Add(3)
		waves.Later.Add(7)
	}
	b, err = Bound(c, Question{MapSlots: 4, ReduceSlots: 2})
	if err != nil || !near(b.Slots.Low, 27.25+27+3-7) || !near(b.Slots.Up, (109-56)/4.0+56+3+54) {
		t.Errorf("%+v, %v", b.Slots, err)
	}
	for want, q := range map[string]Question{
		"--reduce-slots is missing: a job of class \"words\" has 2 reduces; give it a slot or more": {MapSlots: 1},
		"--map-slots is missing: a job of class \"words\" has 10 maps; give it a slot or more":      {ReduceSlots: 1},
	} {
		if _, err := Bound(c, q); err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
	}
	if _, err := Bound(profile.New("new"), Question{Deadline: 1}); err == nil {
		t.Error("bounds of jobs without tasks")
	}
	if _, err := Bound(profile.New("new"), Question{Maps: 4, Deadline: 1}); err == nil {
		t.Error("bounds of tasks that nobody has seen")
	}
}

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
