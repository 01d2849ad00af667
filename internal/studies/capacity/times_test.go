package capacity

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
)

// longTail is an exponential time, cut at ten means; quantile p of it.
func longTail(p float64) float64 { return min(-10*math.Log1p(-p), 100) }

// Of jobs whose tasks are drawn from the distribution that the class has, as many are in time on the slots
// of the plan as the quantile says: tasks go to the slot that is free first, reduces behind the last map.
func TestQuantileHolds(t *testing.T) {
	var spread profile.Spread
	var e profile.Estimate
	for i := range 20_000 {
		x := longTail((float64(i) + 0.5) / 20_000)
		spread.Add(x)
		e.Add(x)
	}
	known := scenario.TaskTimes{Mean: seconds(e.Mean), Max: seconds(e.Max), Deviation: seconds(e.Std()), Spread: spread, Samples: e.N}
	bare := scenario.TaskTimes{Mean: seconds(e.Mean), Max: seconds(e.Max)}
	slots := map[bool][]float64{}
	for _, times := range []scenario.TaskTimes{known, bare} {
		for _, q := range []float64{0.9, 0.99} {
			k := scenario.CapacityClass{Name: "a", Maps: 60, Reduces: 20, Map: times, Reduce: times, MapSlots: 1, ReduceSlots: 1,
				Deadline: seconds(900), AtLeast: 1, AtMost: 1, Quantile: config.Chance(q)}
			c := &scenario.Capacity{Bound: "mean", Classes: []scenario.CapacityClass{k}, Prices: scenario.MachinePrices{OnDemand: 1}}
			got := Plan(c).Classes[0]
			slots[times.Samples > 0] = append(slots[times.Samples > 0], got.MapSlots)
			const rounds = 2000
			late := 0
			for i := range uint64(rounds) {
				d := draw.Of(i, "job")
				end := phase(d.Job("map"), 60, int(math.Ceil(got.MapSlots))) + phase(d.Job("reduce"), 20, int(math.Ceil(got.ReduceSlots)))
				if end > 900 {
					late++
				}
			}
			if part := float64(late) / rounds; part > 1-q {
				t.Errorf("%v: %.2f %% of jobs are late on %v and %v slots", q, 100*part, got.MapSlots, got.ReduceSlots)
			}
		}
	}
	// A higher quantile takes more slots, and so does a distribution that is not known.
	if a, b := slots[true], slots[false]; a[0] >= a[1] || b[0] >= b[1] || a[1] >= b[1] {
		t.Errorf("%v", slots)
	}
}

// By hand, 99 % of the jobs with 100 maps of 10 s, none above 20 s: the sum and the longest may each be above
// with 0.5 %. With a deviation of 2 s the sum is above 1000 + 2.5758 · 2 · 10 that often; of times that are
// anything up to 20 s, by Hoeffding, above 1000 + 20 · √(100 · ln 200 / 2).
func TestQuantileByHand(t *testing.T) {
	k := scenario.CapacityClass{Name: "a", Maps: 100, MapSlots: 1, ReduceSlots: 1, Deadline: seconds(140), AtLeast: 1, AtMost: 1, Quantile: 0.99,
		Map: scenario.TaskTimes{Mean: seconds(10), Max: seconds(20), Deviation: seconds(2)}}
	for deviation, sum := range map[float64]float64{2: 1051.517, 0: 1325.525} {
		k.Map.Deviation = seconds(deviation)
		c := &scenario.Capacity{Bound: "mean", Classes: []scenario.CapacityClass{k}, Prices: scenario.MachinePrices{OnDemand: 1}}
		// A = sum - 2 · 20, C = 2 · 20
		if got, want := Plan(c).Classes[0].MapSlots, (sum-40)/100; math.Abs(got-want) > 1e-4 {
			t.Errorf("with a deviation of %v s a job gets %v slots, want %v", deviation, got, want)
		}
	}
}

// phase is when the last of so many tasks ends.
func phase(d draw.Draw, tasks, slots int) float64 {
	free := make([]float64, slots)
	end := 0.0
	for i := range tasks {
		first := 0
		for s := range free {
			if free[s] < free[first] {
				first = s
			}
		}
		free[first] += longTail(d.Number(uint64(i)).Between(0, 1))
		end = max(end, free[first])
	}
	return end
}

// A class of which little was measured has uncertain times, at a price.
func TestUnsure(t *testing.T) {
	c := example(t)
	measure := func(k *scenario.CapacityClass, n int64) {
		for _, times := range []*scenario.TaskTimes{&k.Map, &k.Shuffle, &k.Reduce} {
			times.Samples, times.Deviation = n, times.Mean/2
		}
	}
	measure(&c.Classes[0], 100)
	measure(&c.Classes[1], 400)
	r := Plan(c)
	// Means are up to 1.96/2/√100 = 9.8 % longer, and longest times are not.
	if a, b := r.Classes[0], r.Classes[2]; !a.Measured || *a.Unsure <= 0.7**a.Slower || *a.Unsure >= *a.Slower || b.Measured || b.Unsure != nil {
		t.Errorf("%+v, %+v", a, b)
	}
	if a, b := r.Classes[0], r.Classes[1]; *b.Unsure / *b.Slower >= 0.7**a.Unsure / *a.Slower {
		t.Errorf("four times as much was measured, and it costs %v of %v, before %v of %v", *b.Unsure, *b.Slower, *a.Unsure, *a.Slower)
	}
	// Of 100 tasks of 10 s ± 5 s the mean is 10.98 s at most, so A is 109.8 - 40 and not 100 - 40, for 10 s.
	c = read(t, `
prices: {on_demand: 1}
bound: upper
integer: false
classes: [{name: a, maps: 10, map: {mean: 10s, max: 20s, deviation: 5s}, map_slots: 1, deadline: 50s, at_least: 1, at_most: 1}]
`)
	c.Classes[0].Map.Samples = 100
	if k := Plan(c).Classes[0]; !near(*k.Unsure, (109.8-40)/10-(100-40)/10.0) {
		t.Errorf("%+v: %v", k, *k.Unsure)
	}
	if rows := r.worthRows(); len(rows[0]) != 6 || rows[3][5] != "–" {
		t.Errorf("%v", rows)
	}
}
