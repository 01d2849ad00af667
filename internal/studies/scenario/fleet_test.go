package scenario

import (
	"os"
	"strings"
	"testing"
)

const fleet = `machines:
  - name: small
    on_demand: [0.4, 0.3]
    reserved: 0.1
    reserved_limit: 3
    map_slots: 2
    memory: 4GB
  - {name: spare, spot: 0.1, spot_limit: 5, interruptions: 0.1, map_slots: 4, slots: apart, power: 100W}
energy: {price: 0.2, carbon: [300, 200], carbon_price: 0.1}
budget: 10
classes:
  - name: etl
    maps: 10
    map: {mean: 10s, max: 20s}
    map_memory: 1GB
    deadline: 5m
    quantile: 99%
    at_least: 1
    at_most: 2
    by_hour: [1, 0.5]
`

func TestReadFleet(t *testing.T) {
	c, err := ReadCapacity("day.yaml", []byte(fleet))
	if err != nil {
		t.Fatal(err)
	}
	k := &c.Classes[0]
	if c.Hours() != 2 || At(c.Machines[0].OnDemand, 1) != 0.3 || At(c.Energy.Price, 1) != 0.2 || At(nil, 0) != 0 ||
		k.Quantile != 0.99 || c.Machines[1].Speed != 1 || c.Machines[0].Slots != "shared" {
		t.Errorf("%+v", c)
	}
	if low, high := k.Range(c, 1); low != 1 || high != 1 { // half of 1 and of 2, in whole jobs
		t.Errorf("%v to %v jobs", low, high)
	}
	if maps, reduces := k.SlotsOf(&c.Machines[0]); maps != 2 || reduces != 1 {
		t.Errorf("%v, %v slots", maps, reduces)
	}
	k.MapMemory *= 3
	if maps, _ := k.SlotsOf(&c.Machines[0]); maps != 1 || !k.Runs(&c.Machines[0]) {
		t.Errorf("%v slots", maps)
	}
	k.MapMemory *= 2
	if k.Runs(&c.Machines[0]) || !k.Runs(&c.Machines[1]) {
		t.Error("memory is not looked at, or where there is none")
	}
	k.Types = []string{"small"}
	if k.Runs(&c.Machines[1]) {
		t.Error("types are not looked at")
	}
	example, err := os.ReadFile("../../../examples/fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{fleet, string(example)} {
		if _, err := ReadCapacity("c.yaml", []byte(src)); err != nil {
			t.Error(err)
		}
		v, err := asJSON([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(schemaOf(t, "capacity"), v, "capacity"); err != nil {
			t.Error(err)
		}
	}
}

func TestBadFleet(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"price: 0.2,", "price: [],", `c.yaml:9:17: price is empty; give at least one, or leave the key out`},
		{"price: 0.2,", "price: [0.2, -2],", `c.yaml:9:17: in hour 1 a machine of type "spare" costs 0.1 and is paid 0.198 for its energy: such a plan would rent machines to burn it`},
		{"budget: 10", "prices: {on_demand: 1}", `c.yaml:10:9: prices and machines contradict each other: prices and limits are those of each type`},
		{"budget: 10", "reserved_limit: 1", `c.yaml:10:17: reserved_limit and machines contradict each other`},
		{fleet[:strings.Index(fleet, "energy")], "prices: {on_demand: 1}\n", `c.yaml:2:9: energy needs machines, types with a price each`},
		{fleet[:strings.Index(fleet, "energy")], "", `c.yaml:1:1: prices is missing: what machines cost; or give machines`},
		{"name: spare", "name: small", `c.yaml:8:12: the type "small" is used twice; give each its own name`},
		{"spot: 0.1, spot_limit: 5, interruptions: 0.1, ", "", `c.yaml:8:5: machines of type "spare" are not available; give on_demand, spot, or reserved and reserved_limit`},
		{"spot: 0.1, spot", "on_demand: 0.1, spot", `c.yaml:8:47: spot_limit needs spot, the price of a spot machine`},
		{"spot_limit: 5", "on_demand_limit: 5", `c.yaml:8:47: on_demand_limit needs on_demand, the price of a machine on demand`},
		{"    reserved: 0.1\n", "", `c.yaml:4:21: reserved_limit is 3, but reserved, what a reserved machine costs, is missing`},
		{"reserved_limit: 3", "reserved_limit: 3\n    reserved_at_least: 4", `c.yaml:6:24: reserved_at_least is 4 and reserved_limit 3: reserved_at_least must not be above reserved_limit`},
		{"reserved_limit: 3", "reserved_limit: 3.5", `c.yaml:5:21: reserved_limit is 3.5, but machines are whole numbers; write one, or set integer to false`},
		{"carbon: [300, 200]", "carbon: [300, 200, 100]", `c.yaml:3:16: machines[0].on_demand has 2 values and energy.carbon has 3: give one value, or one for each hour`},
		{"on_demand: [0.4, 0.3]", "on_demand: [0.4, -1]", `c.yaml:3:22: on_demand[1] is -1, it must not be negative`},
		{"quantile: 99%", "quantile: 99", `c.yaml:17:15: quantile: it is "99" without a sign: write 99%`},
		{"quantile: 99%", "quantile: 100%", `c.yaml:17:15: quantile: it is "100%", which no estimate can give`},
		{"max: 20s}", "max: 20s, deviation: -1s}", `c.yaml:14:43: deviation is -1s, it must be above 0`},
		{"deadline: 5m", "deadline: 5m\n    map_slots: 2", `c.yaml:17:16: map_slots and machines contradict each other: slots are those of each type`},
		{"deadline: 5m", "deadline: 5m\n    types: [small, big]", `c.yaml:17:20: there is no type "big" of machines; there is small, spare`},
		{"map_memory: 1GB", "map_memory: 5GB\n    types: small", `c.yaml:12:5: no type of machines has the memory for a task of class "etl"`},
		{"slots: apart", "slots: split", `c.yaml:8:86: slots is "split", it must be "shared" or "apart"`},
		{"power: 100W", "power: 100", `c.yaml:8:100: power: "100" is not a power`},
		{"at_most: 2\n    by_hour: [1, 0.5]", "at_most: 2\n    by_hour: [1, 2, 3]", `c.yaml:3:16: machines[0].on_demand has 2 values and classes[0].by_hour has 3`},
	} {
		_, err := ReadCapacity("c.yaml", []byte(strings.Replace(fleet, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(strings.Split(err.Error(), "\n")[0], c.want) {
			t.Errorf("%q for %q:\ngot  %v\nwant %s", c.new, c.old, err, c.want)
		}
	}
	src := strings.Replace(plan, "map_slots: 2", "map_memory: 1GB", 1)
	if _, err := ReadCapacity("c.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), "map_slots of class \"etl\" is missing") ||
		!strings.Contains(err.Error(), "c.yaml:7:17: map_memory needs machines") {
		t.Error(err)
	}
}
