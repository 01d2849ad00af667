package capacity

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// WriteCluster writes a plan of several types of machines as the cluster of a scenario, so that it can be played: what
// is reserved are its nodes, and what is rented is offered, as many as in the hour that needs the most, at the mean of
// the hours' prices.
func (r *Result) WriteCluster(c *scenario.Capacity, w io.Writer) error {
	var own, rented strings.Builder
	hours := c.Hours()
	offer := func(name string, m *scenario.MachineType, machines []float64, price config.OneOrMore[float64]) {
		most, mean := 0, 0.0
		for hour := range hours {
			most = max(most, up(machines[hour]))
			mean += scenario.At(price, hour) / float64(hours)
		}
		if most > 0 {
			fmt.Fprintf(&rented, "    - {name: %q, most: %d, price: %.6g, %s}\n", name, most, mean, slotsOf(m))
		}
	}
	for i := range r.Fleet.Machines {
		t, m := &r.Fleet.Machines[i], &c.Machines[i]
		if n := up(t.Reserved); n > 0 {
			fmt.Fprintf(&own, "    - {name: %q, nodes: %d, %s}\n", m.Name, n, slotsOf(m))
		}
		offer(m.Name+" on demand", m, t.OnDemand, m.OnDemand)
		offer(onOf(m.Name, true), m, t.Spot, m.Spot)
	}
	text := fmt.Sprintf("# The plan %s as the cluster of a scenario; add how long machines boot, and a workload.\ncluster:\n", r.Name)
	if own.Len() > 0 {
		text += "  classes:\n" + own.String()
	} else {
		text += "  nodes: 1 # nothing is reserved, and a cluster has a node\n"
	}
	if rented.Len() > 0 {
		text += "  offers:\n" + rented.String()
	}
	_, err := io.WriteString(w, text)
	return err
}

// slotsOf is what a machine has for tasks, in whole slots.
func slotsOf(m *scenario.MachineType) string {
	text := fmt.Sprintf("map_slots: %d, reduce_slots: %d, speed: %g", int(math.Floor(m.MapSlots)), int(math.Floor(m.ReduceSlots)), m.Speed)
	if m.Memory > 0 {
		text += fmt.Sprintf(", memory: %v", m.Memory)
	}
	return text
}
