package cluster

import (
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

// Rate is what a task takes and draws in a kind of container on nodes of a class, where that does not
// follow from the node as a whole: on a GPU, or on a CPU that does one kind of work better than others.
type Rate struct {
	Container string `json:"container"` // name of the kind of container
	// Jobs is the class of jobs that it holds for; "" = all of which nothing else is said.
	Jobs string `json:"jobs,omitempty"`
	// Speed of such a task, in place of that of the class; 0 = that.
	Speed float64 `json:"speed,omitempty"`
	// Watts it draws above idle while it runs; 0 = its part of what the class draws at full load.
	Watts units.Watts `json:"watts,omitempty"`
}

// Stated returns what is said of tasks of a class of jobs in a kind of container, nil if nothing is. It
// costs the number of rates, which are few.
func (c *Class) Stated(jobs, container string) (is *Rate) {
	for i := range c.Rates {
		if r := &c.Rates[i]; r.Container == container && (r.Jobs == jobs || r.Jobs == "" && is == nil) {
			is = r
		}
	}
	return is
}

// Rate returns what such a task takes and draws: what is stated of it, and for the rest what follows from
// the class.
func (c *Class) Rate(jobs string, k *Container) Rate {
	r := Rate{Container: k.Name, Jobs: jobs}
	if is := c.Stated(jobs, k.Name); is != nil {
		r.Speed, r.Watts = is.Speed, is.Watts
	}
	if r.Speed == 0 {
		r.Speed = c.Speed
	}
	if r.Watts == 0 {
		r.Watts = c.Above(c.Load(&k.Needs))
	}
	return r
}

// Load is the part of a node that works while its containers hold so much: of its vcores or of its slots,
// whichever is larger, at most 1.
func (c *Class) Load(held *units.Vector) float64 {
	return c.Loaded(held[units.MapSlots]+held[units.ReduceSlots], held[units.VCores])
}

// Loaded is Load by slots and vcores.
func (c *Class) Loaded(slots, cores int64) (load float64) {
	if has := c.Capacity[units.MapSlots] + c.Capacity[units.ReduceSlots]; has > 0 {
		load = min(1, float64(slots)/float64(has))
	}
	if has := c.Capacity[units.VCores]; has > 0 {
		load = max(load, min(1, float64(cores)/float64(has)))
	}
	return load
}

// Above is what a node draws above Idle at such a load.
func (c *Class) Above(load float64) units.Watts {
	if steps := len(c.Curve) - 1; steps > 0 {
		at := float64(steps) * load
		i := min(int(at), steps-1)
		at -= float64(i)
		if c.Loads != nil {
			i = max(1, slices.IndexFunc(c.Loads, func(x float64) bool { return x >= load })) - 1
			at = (load - c.Loads[i]) / (c.Loads[i+1] - c.Loads[i])
		}
		load = c.Curve[i] + float64(at*(c.Curve[i+1]-c.Curve[i]))
	}
	return units.Watts(float64(c.Dynamic) * load)
}

// Adds tells whether containers that fit draw together what each draws alone: nothing is stated of kinds, load is of
// one resource, and there is no curve.
func (c *Class) Adds() bool {
	return len(c.Rates)+len(c.Curve) == 0 && (c.Capacity[units.VCores] == 0 || c.Capacity[units.MapSlots]+c.Capacity[units.ReduceSlots] == 0)
}

// Each is what each slot, or vcore, that containers hold draws then.
func (c *Class) Each() float64 {
	return float64(c.Dynamic) / float64(max(1, c.Capacity[units.MapSlots]+c.Capacity[units.ReduceSlots]+c.Capacity[units.VCores]))
}

// validateRates reports the first rate that cannot be.
func (c *Class) validateRates() error {
	for i := range c.Rates {
		switch r := &c.Rates[i]; {
		case r.Container == "":
			return fmt.Errorf("node class %q: a rate names no container", c.Name)
		case !(r.Speed >= 0) || math.IsInf(r.Speed, 1) || !(r.Watts >= 0) || math.IsInf(float64(r.Watts), 1):
			return fmt.Errorf("node class %q: in container %q tasks run at speed %v and draw %vW; neither must be negative or infinite", c.Name, r.Container, r.Speed, float64(r.Watts))
		case c.Stated(r.Jobs, r.Container) != r:
			return fmt.Errorf("node class %q: two rates are for container %q and jobs of class %q", c.Name, r.Container, r.Jobs)
		}
	}
	return nil
}
