package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

func TestClustersThatCannotBe(t *testing.T) {
	class := Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
	if err := Uniform(3, 2, class).Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Cluster){
		"cluster: there is no node":                                         func(c *Cluster) { c.Nodes = nil },
		"cluster: 5 named resources, at most 4 are possible":                func(c *Cluster) { c.Named = make([]string, 5) },
		`cluster: two classes have the name "c"`:                            func(c *Cluster) { c.Classes = append(c.Classes, &Class{Name: "c", Speed: 2}) },
		`cluster: two nodes have the name "n2"`:                             func(c *Cluster) { c.Nodes[2].Name = "n2" },
		"node class: the name is empty":                                     func(c *Cluster) { c.Classes[0].Name = "" },
		`node class "c": speed is 0, it must be above 0 and finite`:         func(c *Cluster) { c.Classes[0].Speed = 0 },
		`node class "c": speed is -1, it must be above 0 and finite`:        func(c *Cluster) { c.Classes[0].Speed = -1 },
		`node class "c": speed is NaN, it must be above 0 and finite`:       func(c *Cluster) { c.Classes[0].Speed = math.NaN() },
		`node class "c": speed is +Inf, it must be above 0 and finite`:      func(c *Cluster) { c.Classes[0].Speed = math.Inf(1) },
		`node class "idle": power is negative`:                              func(c *Cluster) { c.Classes[0].Name, c.Classes[0].Idle = "idle", -1 },
		`node class "busy": power is negative`:                              func(c *Cluster) { c.Classes[0].Name, c.Classes[0].Dynamic = "busy", -1 },
		`node class "c": capacity in reduce is -1, it must not be negative`: func(c *Cluster) { c.Classes[0].Capacity[units.ReduceSlots] = -1 },
		`node class "d": speed is 0, it must be above 0 and finite`:         func(c *Cluster) { c.Nodes[1].Class = &Class{Name: "d"} },
		`node class "c": its curve of power is at loads [0 0.5 0.5 1]; they must rise from 0 to 1, one for each of 4`: func(c *Cluster) {
			c.Classes[0].Curve, c.Classes[0].Loads = make([]float64, 4), []float64{0, 0.5, 0.5, 1}
		},
		`node class "c": its curve of power is at loads [0 0.5 0.4 1]; they must rise from 0 to 1, one for each of 4`: func(c *Cluster) {
			c.Classes[0].Curve, c.Classes[0].Loads = make([]float64, 4), []float64{0, 0.5, 0.4, 1}
		},
		`node class "c": its curve of power is at loads [0 0.9]; they must rise from 0 to 1, one for each of 2`: func(c *Cluster) { c.Classes[0].Curve, c.Classes[0].Loads = make([]float64, 2), []float64{0, 0.9} },
		`node class "c": its curve of power is at loads [0.1 1]; they must rise from 0 to 1, one for each of 2`: func(c *Cluster) { c.Classes[0].Curve, c.Classes[0].Loads = make([]float64, 2), []float64{0.1, 1} },
		`node class "c": its curve of power is at loads [0 1]; they must rise from 0 to 1, one for each of 3`:   func(c *Cluster) { c.Classes[0].Curve, c.Classes[0].Loads = make([]float64, 3), []float64{0, 1} },
		"node: the name is empty":     func(c *Cluster) { c.Nodes[0].Name = "" },
		`node "n1": it is in no rack`: func(c *Cluster) { c.Nodes[0].Rack = 0 },
		`node "n1": it has no class`:  func(c *Cluster) { c.Nodes[0].Class = nil },
		`node "n2": it stands behind nodes that are offered, the cluster's own come first`: func(c *Cluster) { c.Nodes[0].Class = &Class{Name: "d", Speed: 1, Most: 2} },
		`node class "c": a rate names no container`:                                        func(c *Cluster) { c.Classes[0].Rates = []Rate{{Speed: 2}} },
		`node class "c": in container "gpu" tasks run at speed -2 and draw 0W; neither must be negative or infinite`: func(c *Cluster) {
			c.Classes[0].Rates = []Rate{{Container: "gpu", Speed: -2}}
		},
		`node class "c": two rates are for container "gpu" and jobs of class "md"`: func(c *Cluster) {
			c.Classes[0].Rates = []Rate{{Container: "gpu", Jobs: "md"}, {Container: "gpu"}, {Container: "gpu", Jobs: "md"}}
		},
		`node class "c": -1 nodes at 0 an hour, charged by 0s; none must be negative`: func(c *Cluster) { c.Classes[0].Most = -1 },
		`node "n3": rack 7 does not exist, the cluster has 2`:                         func(c *Cluster) { c.Nodes[2].Rack = 7 },
	} {
		k := class
		c := Uniform(3, 2, k)
		change(c)
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	bad := Container{Name: "x", Needs: units.Vector{units.Memory: -1}}
	if err := bad.Validate(); err == nil || err.Error() != `container "x": needs -1 of memory, which must not be negative` {
		t.Error(err)
	}
	idle := Container{Name: "y"}
	if err := idle.Validate(); err == nil || err.Error() != `container "y": needs nothing; a container takes at least one resource` {
		t.Error(err)
	}
	for slot, needs := range map[string]units.Vector{MapSlot().Name: units.Slots(1, 0), ReduceSlot().Name: units.Slots(0, 1)} {
		c := Container{Name: slot, Needs: needs}
		if err := c.Validate(); err != nil || c != MapSlot() && c != ReduceSlot() {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestUniform(t *testing.T) {
	c := Uniform(5, 2, Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
	if got := c.Capacity(); got != units.Slots(10, 5) {
		t.Errorf("capacity %v", got)
	}
	if c.Nodes[0].Rack != 1 || c.Nodes[1].Rack != 2 || c.Nodes[2].Rack != 1 || c.Nodes[4].Name != "n5" {
		t.Errorf("%+v", c.Nodes)
	}
}

func TestLabels(t *testing.T) {
	n := Node{Labels: []string{"gpu", "ssd"}}
	for _, c := range []struct {
		want string
		ok   bool
	}{{"", true}, {"gpu", true}, {"ssd gpu", true}, {"gpu x", false}} {
		if got := n.Carries(strings.Fields(c.want)); got != c.ok {
			t.Errorf("carries %q: %v", c.want, got)
		}
	}
}

// A uniform cluster is valid, its racks differ by at most one node, and it offers its class times its nodes.
func TestUniformIsEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, racks := rapid.IntRange(1, 40).Draw(t, "nodes"), rapid.IntRange(1, 6).Draw(t, "racks")
		c := Uniform(nodes, racks, Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		count := make([]int, racks)
		for i, n := range c.Nodes {
			if n.Name != fmt.Sprint("n", i+1) || n.Class != c.Classes[0] {
				t.Fatalf("node %d: %+v", i, n)
			}
			count[n.Rack-1]++
		}
		if len(c.Nodes) != nodes || slices.Max(count)-slices.Min(count) > 1 || c.Capacity() != units.Slots(2*nodes, nodes) {
			t.Fatalf("%d nodes, %v by rack, %v", len(c.Nodes), count, c.Capacity())
		}
	})
}

// The oracle takes the labels that the node has out of those asked for: none may stay.
func TestCarriesIsInclusion(t *testing.T) {
	labels := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		n := Node{Labels: labels.Draw(t, "have")}
		want := labels.Draw(t, "want")
		missing := map[string]bool{}
		for _, l := range want {
			missing[l] = true
		}
		for _, l := range n.Labels {
			delete(missing, l)
		}
		if n.Carries(want) != (len(missing) == 0) {
			t.Fatalf("%v carries %v: %v", n.Labels, want, n.Carries(want))
		}
	})
}

// What is stated of a class of jobs counts before what is stated of all, and what is not stated follows from the class.
func TestRates(t *testing.T) {
	c := Class{Name: "c", Speed: 1.5, Dynamic: 100, Capacity: units.Vector{units.VCores: 4},
		Rates: []Rate{{Container: "gpu", Jobs: "md", Speed: 8}, {Container: "gpu", Watts: 60}, {Container: "gpu", Jobs: "fft", Speed: 4, Watts: 70}}}
	gpu, core := Container{Name: "gpu", Needs: units.Vector{units.VCores: 1}}, Container{Name: "core", Needs: units.Vector{units.VCores: 2}}
	for _, w := range []struct {
		jobs string
		k    *Container
		want Rate
	}{
		{"md", &gpu, Rate{"gpu", "md", 8, 25}},
		{"fft", &gpu, Rate{"gpu", "fft", 4, 70}},
		{"grep", &gpu, Rate{"gpu", "grep", 1.5, 60}},
		{"md", &core, Rate{"core", "md", 1.5, 50}},
	} {
		if got := c.Rate(w.jobs, w.k); got != w.want {
			t.Errorf("%s in %s: %+v, want %+v", w.jobs, w.k.Name, got, w.want)
		}
	}
}
