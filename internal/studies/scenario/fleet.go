package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
)

// MachineType is a type of machines that can be reserved, rented on demand, or rented as spot capacity,
// which the provider may take away.
type MachineType struct {
	Name string `json:"name" need:"yes" label:"yes" doc:"name of the type"`

	OnDemand      config.OneOrMore[float64] `json:"on_demand" some:"yes" min:"0" max:"1e9" doc:"price of a machine on demand, in the currency an hour, or one for each hour; not available if left out"`
	OnDemandLimit *float64                  `json:"on_demand_limit" min:"0" max:"1e9" doc:"how many are available on demand in an hour; any number if left out"`

	Reserved        float64 `json:"reserved" min:"0" max:"1e9" doc:"price of a reserved machine, in the currency an hour, in all hours of the plan"`
	ReservedLimit   float64 `json:"reserved_limit" min:"0" max:"1e9" doc:"how many can be reserved; none if left out"`
	ReservedAtLeast float64 `json:"reserved_at_least" min:"0" max:"1e9" doc:"how many have to be reserved; none if left out"`

	Spot          config.OneOrMore[float64] `json:"spot" some:"yes" min:"0" max:"1e9" doc:"price of a spot machine, in the currency an hour, or one for each hour; there is none if left out"`
	SpotLimit     *float64                  `json:"spot_limit" min:"0" max:"1e9" doc:"how many spot machines are available in an hour; any number if left out"`
	Interruptions float64                   `json:"interruptions" min:"0" max:"3600" doc:"how often a spot machine is taken away per hour, on average; never if left out"`

	Speed       float64      `json:"speed" min:"0.001" max:"1e6" def:"1" doc:"how fast it is: tasks take their time divided by this; 1 if left out"`
	MapSlots    float64      `json:"map_slots" need:"yes" min:"0.001" max:"1e9" doc:"maps that a machine runs side by side (c_M)"`
	ReduceSlots float64      `json:"reduce_slots" min:"0.001" max:"1e9" def:"1" doc:"reduces that a machine runs side by side (c_R); 1 if left out"`
	Slots       string       `json:"slots" enum:"shared|apart" def:"shared" doc:"shared: a machine runs so many maps, or so many reduces, or a mixture; apart: it has slots of both kinds in this ratio, as with MRv1"`
	Memory      config.Size  `json:"memory" above:"0" doc:"memory of a machine, which bounds how many tasks with map_memory and reduce_memory it runs; no bound if left out"`
	Power       config.Power `json:"power" min:"0" doc:"what a machine draws while it is there; nothing if left out"`
}

// EnergyPrices are what the energy of machines costs, and the carbon dioxide that comes of it.
type EnergyPrices struct {
	Price       config.OneOrMore[float64] `json:"price" some:"yes" min:"-1e9" max:"1e9" doc:"price of energy, in the currency a kWh, or one for each hour, negative where who takes it is paid; nothing if left out"`
	Carbon      config.OneOrMore[float64] `json:"carbon" min:"0" max:"1e9" doc:"carbon dioxide of energy, in grams a kWh, or one number for each hour; none if left out"`
	CarbonPrice float64                   `json:"carbon_price" min:"0" max:"1e9" doc:"what a kilogram of carbon dioxide counts as, in the currency; nothing if left out"`
}

// EnergyCost is what a machine of the type costs in an hour beside its price.
func (c *Capacity) EnergyCost(m *MachineType, hour int) float64 {
	return m.Energy() * (At(c.Energy.Price, hour) + At(c.Energy.Carbon, hour)/1000*c.Energy.CarbonPrice)
}

// Energy is what a machine of the type draws in an hour, in kWh.
func (m *MachineType) Energy() float64 { return units.Watts(m.Power).Over(units.Hour).KWh() }

// checkPaid refuses prices of energy at which machines would be rented to be paid for what they draw.
func (c *Capacity) checkPaid() {
	for i := range c.Machines {
		m := &c.Machines[i]
		reserved := 0.0
		for hour := range c.Hours() {
			energy := c.EnergyCost(m, hour)
			reserved += m.Reserved + energy
			for _, rent := range []config.OneOrMore[float64]{m.OnDemand, m.Spot} {
				if len(rent) > 0 && At(rent, hour)+energy < 0 {
					c.src.Failf("energy.price", "in hour %d a machine of type %q costs %.6g and is paid %.6g for its energy: such a plan would rent machines to burn it; raise the price of energy or of the machine",
						hour, m.Name, At(rent, hour), -energy)
					return
				}
			}
		}
		if m.ReservedLimit > 0 && reserved < 0 {
			c.src.Failf("energy.price", "in all hours a reserved machine of type %q is paid %.6g more for its energy than it costs: such a plan would reserve machines to burn it; raise the price of energy or of the machine", m.Name, -reserved)
			return
		}
	}
}

// At is the value of an hour, from a list with one for each hour or one for all; 0 of an empty one.
func At(list config.OneOrMore[float64], hour int) float64 {
	switch {
	case len(list) == 0:
		return 0
	case hour < len(list):
		return list[hour]
	}
	return list[len(list)-1]
}

// Hours is how many hours the plan has.
func (c *Capacity) Hours() int {
	hours := 1
	for _, list := range c.hourly() {
		hours = max(hours, len(list.values))
	}
	return hours
}

// hourly are the lists that may have one value for each hour.
func (c *Capacity) hourly() (lists []struct {
	path   string
	values config.OneOrMore[float64]
}) {
	add := func(path string, values config.OneOrMore[float64]) {
		lists = append(lists, struct {
			path   string
			values config.OneOrMore[float64]
		}{path, values})
	}
	for i, m := range c.Machines {
		add(fmt.Sprintf("machines[%d].on_demand", i), m.OnDemand)
		add(fmt.Sprintf("machines[%d].spot", i), m.Spot)
	}
	add("energy.price", c.Energy.Price)
	add("energy.carbon", c.Energy.Carbon)
	for i, k := range c.Classes {
		add(fmt.Sprintf("classes[%d].by_hour", i), k.ByHour)
	}
	return lists
}

// mostHours and mostCells bound what a plan looks at: hours, and hours times types times classes.
const mostHours, mostCells = 168, 1_000_000

// checkMachines holds the keys of types of machines to each other.
func (c *Capacity) checkMachines() {
	d := c.src
	if len(c.Machines) == 0 {
		if !d.Has("prices") {
			d.Failf("", "prices is missing: what machines cost; or give machines, types with a price each")
		}
		for _, path := range []string{"energy", "budget"} {
			if d.Has(path) {
				d.Failf(path, "%s needs machines, types with a price each", path)
			}
		}
	}
	for _, path := range []string{"prices", "reserved_limit"} {
		if len(c.Machines) > 0 && d.Has(path) {
			d.Failf(path, "%s and machines contradict each other: prices and limits are those of each type", path)
		}
	}
	first := map[string]bool{}
	for i := range c.Machines {
		m := &c.Machines[i]
		at := fmt.Sprintf("machines[%d]", i)
		if first[m.Name] {
			d.Failf(at+".name", "the type %q is used twice; give each its own name", m.Name)
		}
		first[m.Name] = true
		switch {
		case len(m.OnDemand) == 0 && m.ReservedLimit == 0 && len(m.Spot) == 0:
			d.Failf(at, "machines of type %q are not available; give on_demand, spot, or reserved and reserved_limit", m.Name)
		case m.ReservedAtLeast > m.ReservedLimit:
			d.Failf(at+".reserved_at_least", "reserved_at_least is %v and reserved_limit %v: reserved_at_least must not be above reserved_limit", m.ReservedAtLeast, m.ReservedLimit)
		case m.ReservedLimit > 0 && !d.Has(at+".reserved"):
			d.Failf(at+".reserved_limit", "reserved_limit is %v, but reserved, what a reserved machine costs, is missing", m.ReservedLimit)
		}
		for _, key := range []string{"spot_limit", "interruptions"} {
			if len(m.Spot) == 0 && d.Has(at+"."+key) {
				d.Failf(at+"."+key, "%s needs spot, the price of a spot machine", key)
			}
		}
		if m.OnDemandLimit != nil && len(m.OnDemand) == 0 {
			d.Failf(at+".on_demand_limit", "on_demand_limit needs on_demand, the price of a machine on demand")
		}
		if c.Whole() {
			for key, x := range map[string]float64{"reserved_at_least": m.ReservedAtLeast, "reserved_limit": m.ReservedLimit} {
				if x != math.Trunc(x) {
					d.Failf(at+"."+key, "%s is %v, but machines are whole numbers; write one, or set integer to false", key, x)
				}
			}
		}
	}
	if c.checkHours(); len(c.src.Errs) == 0 {
		c.checkPaid()
	}
	for i := range c.Classes {
		c.Classes[i].checkFleet(c, fmt.Sprintf("classes[%d]", i))
	}
}

// checkHours wants one value, or one for each hour.
func (c *Capacity) checkHours() {
	hours := c.Hours()
	for _, list := range c.hourly() {
		if n := len(list.values); n > 1 && n != hours {
			other := ""
			for _, o := range c.hourly() {
				if len(o.values) == hours {
					other = o.path
					break
				}
			}
			c.src.Failf(list.path, "%s has %d values and %s has %d: give one value, or one for each hour", list.path, n, other, hours)
		}
	}
	if hours > mostHours {
		c.src.Failf("", "the plan has %d hours; it may have %d, a week", hours, mostHours)
	}
	if hours*len(c.Machines)*len(c.Classes) > mostCells {
		c.src.Failf("", "%d hours of %d types and %d classes are too much for one plan; leave some out", hours, len(c.Machines), len(c.Classes))
	}
}

// checkFleet holds a class to the machines of the plan.
func (k *CapacityClass) checkFleet(c *Capacity, at string) {
	d := c.src
	several := len(c.Machines) > 0
	switch {
	case several && d.Has(at+".map_slots"):
		d.Failf(at+".map_slots", "map_slots and machines contradict each other: slots are those of each type")
	case several && d.Has(at+".reduce_slots"):
		d.Failf(at+".reduce_slots", "reduce_slots and machines contradict each other: slots are those of each type")
	case !several && !d.Has(at+".map_slots"):
		d.Failf(at, "map_slots of class %q is missing: maps that a machine runs side by side; or give machines, types with slots each", k.Name)
	}
	for _, key := range []string{"by_hour", "types", "map_memory", "reduce_memory"} {
		if !several && d.Has(at+"."+key) {
			d.Failf(at+"."+key, "%s needs machines, types with a price each", key)
		}
	}
	for i, name := range k.Types {
		if several && !slices.ContainsFunc(c.Machines, func(m MachineType) bool { return m.Name == name }) {
			names := each.Of(c.Machines, func(m MachineType) string { return m.Name })
			d.Failf(fmt.Sprintf("%s.types[%d]", at, i), "there is no type %q of machines; there is %s", name, strings.Join(names, ", "))
		}
	}
	fits := slices.ContainsFunc(c.Machines, func(m MachineType) bool { return k.Runs(&m) })
	if several && !fits && len(d.Errs) == 0 {
		d.Failf(at, "no type of machines has the memory for a task of class %q; give one more memory, or the task less", k.Name)
	}
	if c.Whole() && len(k.ByHour) > 0 && k.AtLeast > 0 {
		for hour := range c.Hours() {
			if low, high := k.Range(c, hour); low > high {
				d.Failf(at+".by_hour", "in hour %d at least %v and at most %v jobs of class %q ask to run, in whole jobs; raise at_most", hour, low, high, k.Name)
				break
			}
		}
	}
}

// Range is how many jobs of the class there are in an hour, at least and at most: whole numbers where jobs are.
func (k *CapacityClass) Range(c *Capacity, hour int) (low, high float64) {
	part := 1.0
	if len(k.ByHour) > 0 {
		part = At(k.ByHour, hour)
	}
	low, high = part*k.AtLeast, part*k.AtMost
	if c.Whole() {
		low, high = math.Round(low), math.Round(high)
	}
	return low, high
}

// Runs tells whether machines of a type can run jobs of the class.
func (k *CapacityClass) Runs(m *MachineType) bool {
	maps, reduces := k.SlotsOf(m)
	return (len(k.Types) == 0 || slices.Contains(k.Types, m.Name)) && (k.Maps == 0 || maps > 0) && (k.Reduces == 0 || reduces > 0)
}

// SlotsOf is how many maps or reduces of the class such a machine runs: no more than have the memory. A machine
// without memory for a single task runs none.
func (k *CapacityClass) SlotsOf(m *MachineType) (maps, reduces float64) {
	bound := func(slots float64, task config.Size) float64 {
		if m.Memory == 0 || task == 0 {
			return slots
		}
		return min(slots, math.Floor(float64(m.Memory)/float64(task)))
	}
	return bound(m.MapSlots, k.MapMemory), bound(m.ReduceSlots, k.ReduceMemory)
}
