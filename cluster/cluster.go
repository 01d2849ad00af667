package cluster

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/slackline/slackline/units"
)

// NodeID is the handle of a node: dense, from 1, chosen by the world that owns the node. 0 names no
// node.
type NodeID int32

// RackID is the handle of a rack: dense, from 1. 0 names no rack.
type RackID int32

// Class is a kind of machine. Nodes of a class are alike in speed, capacity and power.
type Class struct {
	Name string `json:"name"`
	// of the CPU, relative to the machine that task times were measured on; > 0
	Speed float64 `json:"speed"`
	// What a node of this class offers to containers.
	Capacity units.Vector `json:"capacity"`
	Idle     units.Watts  `json:"idle,omitempty"` // drawn when awake and doing nothing
	// Drawn besides at full load, in proportion below it, or by Curve.
	Dynamic units.Watts `json:"dynamic,omitempty"`
	// Curve, if there is one, is the part of Dynamic that is drawn at these Loads, which rise from 0 to 1, or without
	// such at equal steps.
	Curve []float64   `json:"curve,omitempty"`
	Loads []float64   `json:"loads,omitempty"`
	Sleep units.Watts `json:"sleep,omitempty"` // drawn asleep
	Rates []Rate      `json:"rates,omitempty"` // of kinds of containers that go their own way
	// WakeTime is how long a node takes from sleep, or from being rented, to service; it draws Idle meanwhile.
	WakeTime units.Duration `json:"wake_time,omitempty"`
	// Most is how many nodes a cloud offers of the class, 0 = they are the cluster's own.
	Most int `json:"most,omitempty"`
	// Price is that of a rented node for an hour.
	Price float64 `json:"price,omitempty"`
	// Prices, if there are any, are those of each hour from the start on in its place; the last one goes on.
	Prices []float64 `json:"prices,omitempty"`
	// Interruptions is how often an hour the cloud takes a rented node away, on the average (spot).
	Interruptions float64 `json:"interruptions,omitempty"`
	// Billing is the step in which time is charged, begun ones in full; 0 = to the instant.
	Billing units.Duration `json:"billing,omitempty"`
}

// Same tells whether both descriptions say the same.
func (c *Class) Same(o *Class) bool { return reflect.DeepEqual(c, o) }

// Rented tells whether nodes of the class belong to a cloud, which has them back when they sleep. Those of no
// class do not.
func (c *Class) Rented() bool { return c != nil && c.Most > 0 }

// PriceAt is what an hour of a rented node costs at an instant.
func (c *Class) PriceAt(t units.Time) float64 {
	if len(c.Prices) == 0 {
		return c.Price
	}
	return c.Prices[max(0, min(int(t/units.Time(units.Hour)), len(c.Prices)-1))]
}

// Cost is what a rented node costs from one instant to another.
func (c *Class) Cost(from, to units.Time) (sum float64) {
	for from < to {
		next := min(to, (from/units.Time(units.Hour)+1)*units.Time(units.Hour))
		sum += float64(c.PriceAt(from) * next.Sub(from).Seconds() / 3600)
		from = next
	}
	return sum
}

// Validate reports the first thing that cannot be.
func (c *Class) Validate() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("node class: the name is empty")
	case !(c.Speed > 0) || math.IsInf(c.Speed, 1):
		return fmt.Errorf("node class %q: speed is %v, it must be above 0 and finite", c.Name, c.Speed)
	case !(c.Idle >= 0 && c.Dynamic >= 0 && c.Sleep >= 0):
		return fmt.Errorf("node class %q: power is negative", c.Name)
	case c.WakeTime < 0:
		return fmt.Errorf("node class %q: wake time %v is negative", c.Name, c.WakeTime)
	case c.Most < 0 || c.Billing < 0 || !(c.Price >= 0) || math.IsInf(c.Price, 1):
		return fmt.Errorf("node class %q: %d nodes at %v an hour, charged by %v; none must be negative", c.Name, c.Most, c.Price, c.Billing)
	}
	for i, part := range c.Curve {
		if !(part >= 0 && part <= 1) || i > 0 && part < c.Curve[i-1] || len(c.Curve) == 1 {
			return fmt.Errorf("node class %q: its curve of power is %v; it must have two numbers and more from 0 to 1, and not fall", c.Name, c.Curve)
		}
	}
	if n := len(c.Loads); n > 0 && (n != len(c.Curve) || c.Loads[0] != 0 || c.Loads[n-1] != 1 || !slices.IsSorted(c.Loads) || len(slices.Compact(slices.Clone(c.Loads))) < n) {
		return fmt.Errorf("node class %q: its curve of power is at loads %v; they must rise from 0 to 1, one for each of %d", c.Name, c.Loads, len(c.Curve))
	}
	if err := c.validateRates(); err != nil {
		return err
	}
	if d, bad := c.Capacity.Negative(); bad {
		return fmt.Errorf("node class %q: capacity in %v is %d, it must not be negative", c.Name, d, c.Capacity[d])
	}
	return nil
}

// Node is one machine.
type Node struct {
	Name  string `json:"name"`
	Rack  RackID `json:"rack"`
	Class *Class `json:"class"`
	// A job that asks for labels runs only on nodes that carry all of them.
	Labels []string `json:"labels,omitempty"`
}

// Validate reports the first thing that cannot be.
func (n *Node) Validate() error {
	switch {
	case n.Name == "":
		return fmt.Errorf("node: the name is empty")
	case n.Rack < 1:
		return fmt.Errorf("node %q: it is in no rack", n.Name)
	case n.Class == nil:
		return fmt.Errorf("node %q: it has no class", n.Name)
	}
	return n.Class.Validate()
}

// Carries tells whether the node carries every one of the labels.
func (n *Node) Carries(labels []string) bool {
next:
	for _, want := range labels {
		for _, have := range n.Labels {
			if have == want {
				continue next
			}
		}
		return false
	}
	return true
}

// Container is a kind of container: what a task that runs in one takes from its node.
type Container struct {
	Name  string       `json:"name"`
	Needs units.Vector `json:"needs"`
}

// The containers of Hadoop 1: one slot each.
var (
	mapSlot    = Container{Name: "map-slot", Needs: units.Slots(1, 0)}
	reduceSlot = Container{Name: "reduce-slot", Needs: units.Slots(0, 1)}
)

// MapSlot returns the container that is one map slot.
func MapSlot() Container { return mapSlot }

// ReduceSlot returns the container that is one reduce slot.
func ReduceSlot() Container { return reduceSlot }

// Validate reports the first thing that cannot be. A container that needs nothing would fit
// anywhere without end.
func (c *Container) Validate() error {
	if d, bad := c.Needs.Negative(); bad {
		return fmt.Errorf("container %q: needs %d of %v, which must not be negative", c.Name, c.Needs[d], d)
	}
	if c.Needs == (units.Vector{}) {
		return fmt.Errorf("container %q: needs nothing; a container takes at least one resource", c.Name)
	}
	return nil
}

// Cluster is a set of machines as a scenario or an operator writes it down. Node handles are
// positions plus 1.
type Cluster struct {
	Racks   int      `json:"racks"`
	Classes []*Class `json:"classes"`
	Nodes   []*Node  `json:"nodes"`
	Named   []string `json:"named,omitempty"` // names of the resources units.Named0 and following
}

// Validate checks every class and node, and that names are unique and racks exist.
func (c *Cluster) Validate() error {
	if len(c.Nodes) == 0 {
		return fmt.Errorf("cluster: there is no node")
	}
	if len(c.Named) > int(units.Dims-units.Named0) {
		return fmt.Errorf("cluster: %d named resources, at most %d are possible", len(c.Named), units.Dims-units.Named0)
	}
	seen := make(map[string]bool, len(c.Nodes))
	for _, k := range c.Classes {
		if err := k.Validate(); err != nil {
			return err
		}
		if seen[k.Name] { // profiles are kept by it
			return fmt.Errorf("cluster: two classes have the name %q", k.Name)
		}
		seen[k.Name] = true
	}
	clear(seen)
	own := c.Own()
	for i, n := range c.Nodes {
		if err := n.Validate(); err != nil {
			return err
		}
		if seen[n.Name] {
			return fmt.Errorf("cluster: two nodes have the name %q", n.Name)
		}
		seen[n.Name] = true
		if i >= len(own) && !n.Class.Rented() {
			return fmt.Errorf("node %q: it stands behind nodes that are offered, the cluster's own come first", n.Name)
		}
		if int(n.Rack) > c.Racks {
			return fmt.Errorf("node %q: rack %d does not exist, the cluster has %d", n.Name, n.Rack, c.Racks)
		}
	}
	return nil
}

// Uniform returns a cluster of equal nodes named n1, n2, … spread over the racks in turn.
func Uniform(nodes, racks int, class Class) *Cluster {
	c := &Cluster{Racks: racks, Classes: []*Class{&class}}
	for i := range nodes {
		c.Nodes = append(c.Nodes, &Node{Name: fmt.Sprintf("n%d", i+1), Rack: RackID(i%racks + 1), Class: &class})
	}
	return c
}

// Own returns the nodes that are the cluster's own; those that clouds offer stand behind them.
func (c *Cluster) Own() []*Node {
	for i, n := range c.Nodes {
		if n.Class != nil && n.Class.Rented() {
			return c.Nodes[:i]
		}
	}
	return c.Nodes
}

// Capacity returns what the cluster's own nodes offer together.
func (c *Cluster) Capacity() units.Vector {
	var sum units.Vector
	for _, n := range c.Own() {
		sum.Add(&n.Class.Capacity)
	}
	return sum
}
