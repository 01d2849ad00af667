package yarn

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A node is of the first class whose attribute it carries, and containers draw what is said of that: by rates, else as
// their part of it.
func TestNodesByAttribute(t *testing.T) {
	w := &World{at: units.Time(100 * units.Second), up: map[sched.NodeID]*cluster.Node{}}
	w.cfg.Marked = []*cluster.Class{{Name: "gpu=1", Speed: 2, Dynamic: 100, Rates: []cluster.Rate{{Container: "map", Jobs: "sim", Watts: 90}}}, {Speed: 1, Dynamic: 60}}
	size := map[string]int64{"vcores": 4, "memory-mb": 4096}
	w.up[1] = w.describe(&wire.Node{Name: "a", Rack: "/r", Resources: size, Attributes: []string{"x=2", "gpu=1"}})
	w.up[2] = w.describe(&wire.Node{Name: "b", Rack: "/r", Resources: size})
	if a, b := w.up[1].Class, w.up[2].Class; a.Name != "gpu=1, "+b.Name || a.Speed != 2 || b.Speed != 1 || a.Capacity != b.Capacity || b.Dynamic != 60 {
		t.Errorf("%+v and %+v", a, b)
	}
	core := cluster.Container{Name: "map", Needs: units.Vector{units.VCores: 1}}
	draws := func(class string, node sched.NodeID) float64 {
		a := &app{spec: &workload.Job{Class: class, Stages: []workload.StageSpec{{Kind: sched.Map, Containers: []cluster.Container{core}}}}}
		return w.drew(&box{app: a, stage: sched.Map, node: node, began: units.Time(90 * units.Second)})
	}
	for _, c := range []struct {
		class string
		node  sched.NodeID
		want  float64
	}{{"sim", 1, 900}, {"other", 1, 250}, {"sim", 2, 150}, {"sim", 3, 0}} {
		if got := draws(c.class, c.node); got != c.want {
			t.Errorf("%s on %d: %v J, want %v", c.class, c.node, got, c.want)
		}
	}
	w.cfg.Marked = w.cfg.Marked[:1]
	if c := w.describe(&wire.Node{Name: "c", Rack: "/r", Resources: size}).Class; c.Dynamic != 0 || c.Name != w.up[2].Class.Name {
		t.Errorf("nothing is said of it: %+v", c)
	}
}
