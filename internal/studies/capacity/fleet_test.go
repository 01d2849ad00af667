package capacity

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// asFleet is the same problem with machines as a type: all its classes have the same slots.
func asFleet(c *scenario.Capacity) *scenario.Capacity {
	f := *c
	k := c.Classes[0]
	f.Machines = []scenario.MachineType{{Name: "only", OnDemand: []float64{c.Prices.OnDemand}, Reserved: c.Prices.Reserved,
		ReservedLimit: c.ReservedLimit, Speed: 1, MapSlots: k.MapSlots, ReduceSlots: k.ReduceSlots}}
	return &f
}

// With one type and one hour the plan is that of problem P2.
func TestFleetOfOneType(t *testing.T) {
	for _, bound := range []string{"mean", "upper"} {
		for _, whole := range []bool{true, false} {
			c := example(t)
			c.Bound, c.Integer = bound, &whole
			want, got := Plan(c), Plan(asFleet(c))
			if got.Status != "optimal" || math.Abs(got.Cost-want.Cost) > 1e-6 || math.Abs(got.Objective-want.Objective) > 1e-6 ||
				math.Abs(got.Reserved-want.Reserved) > 1e-6 || math.Abs(got.OnDemand-want.OnDemand) > 1e-6 {
				t.Errorf("%s: %+v, as P2 %+v", bound, got, want)
			}
			for i, k := range got.Classes {
				w := want.Classes[i]
				if math.Abs(k.Admitted-w.Admitted) > 1e-6 || math.Abs(k.MapSlots-w.MapSlots) > 1e-5 || math.Abs(k.Mean-w.Mean) > 1e-6 ||
					math.Abs(k.TenSeconds-w.TenSeconds) > 1e-6 || math.Abs(k.Cost-w.Cost) > 1e-6 || math.Abs(*k.Slower-*w.Slower) > 1e-6 ||
					math.Abs(k.AnotherJob-w.AnotherJob) > 1e-6 || math.Abs(k.LeastJob-w.LeastJob) > 1e-6 {
					t.Errorf("%s: %+v, as P2 %+v", bound, k, w)
				}
			}
		}
	}
}

// By hand: a job needs 80/(D - 20) map slots; where machines are twice as fast 40/(D - 10).
const types = `
energy: {price: 0.2, carbon: 500, carbon_price: 0.1}
machines:
  - {name: slow, on_demand: 0.4, map_slots: 2}
  - {name: fast, on_demand: [1, 0.6], speed: 2, map_slots: 2, power: 2kW, memory: 3GB}
classes:
  - {name: etl, maps: 10, map: {mean: 10s, max: 20s}, deadline: 60s, at_least: 5, at_most: 5, map_memory: 1GB}
`

func TestFleetByHand(t *testing.T) {
	whole := false
	c := read(t, types)
	c.Integer, c.WholeShares = &whole, &whole // equation 22 as it is printed
	// Slow: one machine a job, 0.4. Fast: 40/50/2 = 0.4 machines, each 1 or 0.6 and 2 kWh for 0.25 each:
	// 0.6 a job in the first hour, 0.44 in the second.
	r := Plan(c)
	if !near(r.Cost, 5*0.4) || !near(r.Fleet.Machines[0].OnDemand[1], 5) || r.Fleet.Energy != 0 {
		t.Errorf("%+v", r)
	}
	c.Machines[0].OnDemand[0] = 0.5
	r = Plan(c)
	if !near(r.Cost, 5*(0.5+0.44)/2) || !near(r.Fleet.Machines[1].OnDemand[1], 2) || !near(r.Fleet.Energy, 2) || !near(r.Fleet.Carbon, 1) ||
		!near(r.Fleet.Machines[1].Cost, 1.1) || len(r.Fleet.Placed) != 2 || !near(r.Classes[0].Mean, 60) {
		t.Errorf("%+v", r)
	}
	c.Classes[0].MapMemory *= 3 // one map at a time: 0.8 machines, 0.88
	if r = Plan(c); !near(r.Cost, 5*0.5) {
		t.Errorf("%+v", r)
	}
	c.Budget = 2.4
	r = Plan(c)
	if want := "class etl: at_least asks for 5 jobs in hour "; r.Status != "infeasible" || !strings.HasPrefix(r.Reason, want) ||
		!strings.HasSuffix(r.Reason, "machines for 0.4 of them, or no budget") {
		t.Errorf("%+v", r)
	}
	c.Classes[0].AtLeast, c.Classes[0].Penalty = 0, 3
	if r = Plan(c); !near(r.Machines, 2.4) || !near(r.Cost, 2.4+0.2*3) || !near(r.Fleet.BudgetPrice, 5) {
		t.Errorf("%+v", r)
	}
	c = read(t, strings.Replace(types, "deadline: 60s", "deadline: 10s", 1))
	if r = Plan(c); r.Reason != "class etl: even unlimited machines of type fast need more than 10.0 s for a deadline of 10.0 s" {
		t.Errorf("%+v", r)
	}
}

// Where who takes energy is paid for it, fast machines are cheaper: 2 kWh at -0.05 each, of 0.9 and 0.5.
func TestPaidForEnergy(t *testing.T) {
	whole := false
	c := read(t, strings.Replace(types, "price: 0.2", "price: -0.1", 1))
	c.Integer, c.WholeShares = &whole, &whole
	if r := Plan(c); !near(r.Cost, 5*0.4*(0.9+0.5)/2) || !near(r.Fleet.Energy, 2*2) || !near(r.LowerBound, r.Cost) {
		t.Errorf("%+v", r)
	}
}

// Slots apart: 80 s of maps and 40 s of reduces, each in 40 s.
func TestSlotsApart(t *testing.T) {
	c := read(t, `
machines: [{name: mrv1, on_demand: 1, map_slots: 4, reduce_slots: 2, slots: apart}]
integer: false
classes:
  - {name: etl, maps: 10, map: {mean: 8s, max: 8s}, reduces: 4, reduce: {mean: 10s, max: 10s}, deadline: 58s, at_least: 1, at_most: 1}
`)
	// Mean line: A = 80 - 8 = 72, B = 40 - 10 = 30, C = 8 + 10; 58 - 18 = 40 s are left. A machine does
	// 4 s of maps and 2 s of reduces a second: (72/4 + 30/2)/40.
	r := Plan(c)
	if k := r.Classes[0]; !near(r.Cost, 33.0/40) || !near(k.MapSlots, 3.3) || !near(k.ReduceSlots, 1.65) || !near(k.Mean, 58) {
		t.Errorf("%+v", r)
	}
	c.Machines[0].Slots = "shared"
	if shared := Plan(c); shared.Cost <= r.Cost {
		t.Errorf("shared slots cost %v, slots of both kinds %v", shared.Cost, r.Cost)
	}
}

// What a plan of the example says adds up, and more of what is good costs no more than the gap tells.
func TestFleetAddsUp(t *testing.T) {
	c := readFile(t, "fleet.yaml")
	r := Plan(c)
	types, classes, penalties, cost := 0.0, 0.0, 0.0, 0.0
	for _, m := range r.Fleet.Machines {
		types += m.Cost
	}
	jobs := map[string]float64{}
	for _, p := range r.Fleet.Placed {
		for _, n := range p.Jobs {
			jobs[p.Class] += n / 24
		}
	}
	for _, k := range r.Classes {
		classes += k.Machines
		penalties += k.Penalty
		cost += k.Cost
		if !near(jobs[k.Name], k.Admitted) {
			t.Errorf("%s: %v jobs are placed, %v admitted", k.Name, jobs[k.Name], k.Admitted)
		}
	}
	if !near(types, r.Machines) || !near(types+penalties, r.Cost) || !near(cost, r.Cost) || classes > r.Reserved+r.OnDemand || r.LowerBound > r.Cost ||
		r.Fleet.Hours != 24 || r.Gap > 0.05 || r.Fleet.Energy <= 0 {
		t.Errorf("%+v", r)
	}
	for name, change := range map[string]func(c *scenario.Capacity){
		"a looser deadline":   func(c *scenario.Capacity) { c.Classes[1].Deadline *= 2 },
		"cheaper spot":        func(c *scenario.Capacity) { c.Machines[1].Spot = []float64{0.1} },
		"fewer interruptions": func(c *scenario.Capacity) { c.Machines[1].Interruptions = 0 },
		"a lower quantile":    func(c *scenario.Capacity) { c.Classes[0].Quantile = 0.5 },
		"faster machines":     func(c *scenario.Capacity) { c.Machines[0].Speed = 2 },
		"no minimum":          func(c *scenario.Capacity) { c.Machines[0].ReservedAtLeast = 0 },
		"more memory":         func(c *scenario.Capacity) { c.Machines[0].Memory *= 4 },
		"less power":          func(c *scenario.Capacity) { c.Machines[0].Power /= 2 },
	} {
		other := readFile(t, "fleet.yaml")
		change(other)
		if o := Plan(other); o.LowerBound > r.Cost || o.LowerBound > r.LowerBound*(1+2e-4) {
			t.Errorf("%s costs %v at least, before %v to %v", name, o.LowerBound, r.LowerBound, r.Cost)
		}
	}
	var b bytes.Buffer
	if err := report.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back struct{ Fleet Fleet }
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Fleet.Machines) != 2 || len(back.Fleet.Machines[1].Spot) != 24 {
		t.Errorf("%v: %+v", err, back)
	}
	for _, write := range []func() error{func() error { return r.WriteTable(&b) }, func() error { return r.WriteCSV(&b) }} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(b.String(), "no plan costs less than") || !strings.Contains(b.String(), "large (spot)") {
		t.Error(b.String())
	}
}
