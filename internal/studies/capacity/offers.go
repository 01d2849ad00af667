package capacity

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// share is what a machine has where classes take different parts of it: it divides into 1 to 8 slots.
const share = 840

// WriteScenario writes the plan as a scenario, so that it can be played. What is reserved are its nodes; what is
// rented is offered, as many as in the hour that needs the most, at the prices of the hours. Each job that is
// admitted is a user who submits one after another, ten on average, and waits before each for a tenth of what one is
// planned to take.
func (r *Result) WriteScenario(c *scenario.Capacity, w io.Writer) error {
	var own, rented, streams strings.Builder
	offer := func(name, has string, machines []float64, price config.OneOrMore[float64]) {
		if most := up(slices.Max(machines)); most > 0 {
			fmt.Fprintf(&rented, "    - {name: %q, most: %d, price: [%s], %s}\n", name, most, strings.Join(each.Of(price, func(p float64) string { return fmt.Sprintf("%.6g", p) }), ", "), has)
		}
	}
	reserved := func(name, has string, n float64) {
		if up(n) > 0 {
			fmt.Fprintf(&own, "    - {name: %q, nodes: %d, %s}\n", name, up(n), has)
		}
	}
	users := func(k *scenario.CapacityClass, id, more string, jobs, takes float64) {
		if up(jobs) == 0 {
			return
		}
		fmt.Fprintf(&streams, "    - {id: %q, class: %q, queue: %q, users: %d, count: %d, think: %v, deadline: +%v", id, k.Name, k.Name, up(jobs), 10*up(jobs),
			units.FromSeconds(math.Round(100*takes)/1000), k.Deadline)
		if k.Maps > 0 {
			fmt.Fprintf(&streams, ", maps: %d, map_time: %v", k.Maps, k.Map.Mean)
		}
		if k.Reduces > 0 {
			fmt.Fprintf(&streams, ", slow_start: 1, reduces: %d, shuffle_time: %v, reduce_time: %v", k.Reduces, k.Shuffle.Mean, k.Reduce.Mean)
		}
		streams.WriteString(more + "}\n")
	}
	if r.Fleet == nil {
		has := fmt.Sprintf("vcores: %d", share)
		reserved("reserved", has, r.Reserved)
		offer("on demand", has, []float64{r.OnDemand}, config.OneOrMore[float64]{c.Prices.OnDemand})
		for i := range r.Classes {
			k := &c.Classes[i]
			more := ""
			if k.Maps > 0 {
				more += fmt.Sprintf(", map_needs: {vcores: %d}", int(share/max(k.MapSlots, 1)))
			}
			if k.Reduces > 0 {
				more += fmt.Sprintf(", reduce_needs: {vcores: %d}", int(share/max(k.ReduceSlots, 1)))
			}
			users(k, k.Name, more, r.Classes[i].Admitted, r.Classes[i].Mean)
		}
	} else {
		for i := range r.Fleet.Machines {
			t, m := &r.Fleet.Machines[i], &c.Machines[i]
			reserved(m.Name, slotsOf(m, m.Name), t.Reserved)
			offer(m.Name+" on demand", slotsOf(m, m.Name), t.OnDemand, m.OnDemand)
			offer(onOf(m.Name, true), slotsOf(m, onOf(m.Name, true))+fmt.Sprintf(", interruptions: %g", m.Interruptions), t.Spot, m.Spot)
		}
		for i := range r.Fleet.Placed {
			p := &r.Fleet.Placed[i]
			on := onOf(p.Type, p.Spot)
			users(&c.Classes[slices.IndexFunc(c.Classes, func(k scenario.CapacityClass) bool { return k.Name == p.Class })], p.Class+" on "+on,
				fmt.Sprintf(", labels: [%q]", on), slices.Max(p.Jobs), p.Mean)
		}
	}
	text := fmt.Sprintf("# The plan %s as a scenario: add how long rented machines boot (boot), or how task times vary (task_times).\ncluster:\n", r.Name)
	if own.Len() > 0 {
		text += "  classes:\n" + own.String()
	} else {
		text += "  nodes: 1 # nothing is reserved, and a cluster has a node\n"
	}
	if rented.Len() > 0 {
		text += "  offers:\n" + rented.String()
	}
	_, err := io.WriteString(w, text+"workload:\n  streams:\n"+streams.String())
	return err
}

// up rounds what is a whole number but for rounding errors, and all else, up.
func up(x float64) int { return int(math.Ceil(x - 1e-9)) }

// slotsOf is what a machine has for tasks, in whole slots, and what jobs that are planned for it ask for.
func slotsOf(m *scenario.MachineType, label string) string {
	text := fmt.Sprintf("labels: [%q], map_slots: %d, reduce_slots: %d, speed: %g", label, int(math.Floor(m.MapSlots)), int(math.Floor(m.ReduceSlots)), m.Speed)
	if m.Memory > 0 {
		text += fmt.Sprintf(", memory: %v", m.Memory)
	}
	return text
}
