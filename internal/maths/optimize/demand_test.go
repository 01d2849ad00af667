package optimize

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/maths/draw"
)

// published draws a problem from table 2 of the paper. Means are 0.12 of the longest, and a rejected job
// costs ten times what it costs to run.
func published(seed uint64, classes int) *Problem {
	d := draw.Of(seed, "table 2")
	p := &Problem{OnDemand: d.Job("on demand").Between(5, 40)}
	p.Reserved = d.Job("reserved").Between(5, min(20, math.Nextafter(p.OnDemand, 41)))
	for i := range classes {
		d := d.Number(uint64(i))
		count := func(name string, low, high int) int { return low + d.Job(name).Below(high-low+1) }
		time := func(name string, low, high float64) bounds.Time {
			most := d.Job(name).Between(low, high)
			return bounds.Time{Mean: 0.12 * most, Max: most}
		}
		job := bounds.Job{
			Maps: count("maps", 70, 700), Map: time("map", 16, 120),
			Reduces: count("reduces", 32, 64), Reduce: time("reduce", 15, 75),
			First: time("first", 10, 30), Shuffle: time("shuffle", 30, 150),
		}
		high := float64(count("high", 10, 30))
		demand := Demand{
			Line: job.Mean(), Deadline: d.Job("deadline").Between(600, 1200),
			Machine: bounds.Machine{Maps: float64(count("c_M", 1, 4)), Reduces: float64(count("c_R", 1, 4))},
			Low:     math.Ceil(0.9 * high), High: high,
		}
		if need, ok := demand.Line.Least(demand.Deadline, demand.Machine); ok {
			demand.Penalty = 10 * p.OnDemand * need.Machines
		}
		p.Demands = append(p.Demands, demand)
	}
	return p
}

// The published problems reject nothing, their penalties are of the size of table 2, and sharing a
// cluster saves what the rounding of each alone costs: nothing without rounding (figure 7).
func TestPublished(t *testing.T) {
	var penalties []float64
	for seed := range uint64(20) {
		p := published(seed, 50)
		fluid, late, _ := p.Solve()
		if len(late) > 0 {
			t.Fatalf("seed %d: %+v", seed, late)
		}
		apart := 0.0
		for i, d := range p.Demands {
			if fluid.Admitted[i] != d.High {
				t.Fatalf("seed %d: %v jobs of class %d are admitted, not %v", seed, fluid.Admitted[i], i, d.High)
			}
			maps, reduces := d.High*fluid.Needs[i].Maps, d.High*fluid.Needs[i].Reduces
			if took := d.Line.Time(d.High, maps, reduces); !near(took, d.Deadline) {
				t.Fatalf("seed %d: class %d takes %v with a deadline of %v", seed, i, took, d.Deadline)
			}
			penalties = append(penalties, d.Penalty)
			alone := Problem{OnDemand: p.OnDemand, Reserved: p.Reserved, Demands: p.Demands[i : i+1]}
			one, _, _ := alone.Solve()
			apart += one.Cost
		}
		if !near(apart, fluid.Cost) {
			t.Fatalf("seed %d: together %v, apart %v", seed, fluid.Cost, apart)
		}
		p.Whole = true
		whole, _, _ := p.Solve()
		if whole.Gap() > Tolerance || whole.Cost < fluid.Cost || whole.Cost > fluid.Cost+p.OnDemand {
			t.Fatalf("seed %d: %+v", seed, whole.Plan)
		}
		if whole.OnDemand != math.Ceil(fluid.OnDemand) {
			t.Fatalf("seed %d: %v machines, %v with fractions", seed, whole.OnDemand, fluid.OnDemand)
		}
	}
	slices.Sort(penalties)
	if m := penalties[len(penalties)/2]; m < 250 || m > 2500 {
		t.Errorf("half of the penalties are below %v, which table 2 does not have", m)
	}
}

// Deadlines that are a hair from what cannot be met, and those that cannot.
func TestLate(t *testing.T) {
	job := bounds.Job{
		Maps: 10, Map: bounds.Time{Mean: 10, Max: 20},
		Reduces: 4, Reduce: bounds.Time{Mean: 5, Max: 8},
		First: bounds.Time{Mean: 1, Max: 2}, Shuffle: bounds.Time{Mean: 1, Max: 2},
	}
	demand := Demand{Line: job.Mean(), Deadline: 31.000001, Penalty: 1e12, High: 2}
	demand.Machine = bounds.Machine{Maps: 2, Reduces: 1}
	p := Problem{OnDemand: 1, Reserved: 0.5, Limit: 3, Demands: []Demand{demand, demand, demand}}
	if answer, late, _ := p.Solve(); len(late) > 0 || answer.Gap() > Tolerance || answer.OnDemand < 1e8 {
		t.Errorf("a hair from the limit: %+v, %+v", answer, late)
	}
	p.Demands[0].Deadline, p.Demands[2].Deadline = 31, 2
	if _, late, _ := p.Solve(); !slices.Equal(late, []Late{{0, 31}, {2, 31}}) {
		t.Errorf("late are %+v", late)
	}
}

// Of the paper: 0.08 s on average, at most 0.5 s for 1,000 classes. Here 1 ms, and 1 s for a million.
func BenchmarkSolve(b *testing.B) {
	for _, classes := range []int{20, 1000, 1_000_000} {
		for _, c := range []struct {
			name    string
			problem func() *Capacity
		}{
			{"published", func() *Capacity { c, _, _ := published(1, classes).Capacity(); return &c }},
			{"rejects", func() *Capacity { return instance(1, classes) }},
		} {
			b.Run(c.name+"/"+size(classes), func(b *testing.B) {
				p := c.problem()
				b.ReportAllocs()
				for b.Loop() {
					if plan, _ := p.SolveWhole(); plan.Gap() > Tolerance {
						b.Fatalf("a gap of %v", plan.Gap())
					}
				}
			})
		}
	}
}

func size(n int) string {
	return map[int]string{20: "20", 1000: "1k", 1_000_000: "1M"}[n]
}

// What asks for fewer jobs at most than at least, or for no number, is wrong, and no plan.
func TestJobsAsked(t *testing.T) {
	for _, whole := range []bool{false, true} {
		for _, c := range []struct{ low, high float64 }{{3, 2}, {-1, 2}, {math.NaN(), 2}, {1, math.NaN()}, {1.25, 1.75}} {
			p := Problem{OnDemand: 1, Reserved: 0.5, Whole: whole, Demands: []Demand{{Line: bounds.Line{A: 1}, Deadline: 2, Machine: bounds.Machine{Maps: 1, Reduces: 1}, Low: c.low, High: c.high}}}
			if _, late, err := p.Solve(); len(late) > 0 || (err == nil) != (c.low == 1.25 && !whole) {
				t.Errorf("%v to %v jobs, whole %v: %v, %v", c.low, c.high, whole, late, err)
			}
		}
	}
}
