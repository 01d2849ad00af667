package capacity

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// share is what a machine has where classes take different parts of it: it divides into 1 to 8 slots.
const share = 840

// WriteScenario writes the plan as a scenario, so that it can be played. What is reserved are its nodes; what is
// rented is offered. Each job that is admitted is a user who submits one after another, ten on average, and waits
// before each for a tenth of what one is planned to take.
func (r *Result) WriteScenario(c *scenario.Capacity, w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# The plan %s as a scenario: add how long rented machines boot (boot), or how task times vary (task_times).\ncluster:\n", r.Name)
	if n := up(r.Reserved); n > 0 {
		fmt.Fprintf(&text, "  classes:\n    - {name: \"reserved\", nodes: %d, vcores: %d}\n", n, share)
	} else {
		text.WriteString("  nodes: 1 # nothing is reserved, and a cluster has a node\n")
	}
	if n := up(r.OnDemand); n > 0 {
		fmt.Fprintf(&text, "  offers:\n    - {name: \"on demand\", most: %d, price: [%.6g], vcores: %d}\n", n, c.Prices.OnDemand, share)
	}
	text.WriteString("workload:\n  streams:\n")
	for i := range r.Classes {
		k, users := &c.Classes[i], up(r.Classes[i].Admitted)
		if users == 0 {
			continue
		}
		fmt.Fprintf(&text, "    - {id: %q, class: %q, queue: %q, users: %d, count: %d, think: %v, deadline: +%v", k.Name, k.Name, k.Name, users, 10*users,
			units.FromSeconds(math.Round(100*r.Classes[i].Mean)/1000), k.Deadline)
		if k.Maps > 0 {
			fmt.Fprintf(&text, ", maps: %d, map_time: %v", k.Maps, k.Map.Mean)
		}
		if k.Reduces > 0 {
			fmt.Fprintf(&text, ", slow_start: 1, reduces: %d, shuffle_time: %v, reduce_time: %v", k.Reduces, k.Shuffle.Mean, k.Reduce.Mean)
		}
		if k.Maps > 0 {
			fmt.Fprintf(&text, ", map_needs: {vcores: %d}", int(share/max(k.MapSlots, 1)))
		}
		if k.Reduces > 0 {
			fmt.Fprintf(&text, ", reduce_needs: {vcores: %d}", int(share/max(k.ReduceSlots, 1)))
		}
		text.WriteString("}\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// up rounds what is a whole number but for rounding errors, and all else, up.
func up(x float64) int { return int(math.Ceil(x - 1e-9)) }
