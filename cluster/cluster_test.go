package cluster

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
)

func TestClustersThatCannotBe(t *testing.T) {
	class := Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
	if err := Uniform(3, 2, class).Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Cluster){
		"cluster: there is no node":                           func(c *Cluster) { c.Nodes = nil },
		"cluster: 5 named resources, at most 4 are possible":  func(c *Cluster) { c.Named = make([]string, 5) },
		"node class: the name is empty":                       func(c *Cluster) { c.Classes[0].Name = "" },
		`node class "c": speed is 0, it must be above 0`:      func(c *Cluster) { c.Classes[0].Speed = 0 },
		`node class "c": power is negative`:                   func(c *Cluster) { c.Classes[0].Idle = -1 },
		`node class "c": capacity in reduce is -1`:            func(c *Cluster) { c.Classes[0].Capacity[units.ReduceSlots] = -1 },
		"node: the name is empty":                             func(c *Cluster) { c.Nodes[0].Name = "" },
		`node "n1": it stands in no rack`:                     func(c *Cluster) { c.Nodes[0].Rack = 0 },
		`node "n1": it has no class`:                          func(c *Cluster) { c.Nodes[0].Class = nil },
		`cluster: two nodes have the name "n2"`:               func(c *Cluster) { c.Nodes[2].Name = "n2" },
		`node "n3": rack 7 does not exist, the cluster has 2`: func(c *Cluster) { c.Nodes[2].Rack = 7 },
	} {
		k := class
		c := Uniform(3, 2, k)
		change(c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	bad := Container{Name: "x", Needs: units.Vector{units.Memory: -1}}
	if err := bad.Validate(); err == nil || err.Error() != `container "x": needs -1 of memory, which must not be negative` {
		t.Error(err)
	}
	slot := MapSlot()
	if err := slot.Validate(); err != nil {
		t.Error(err)
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
