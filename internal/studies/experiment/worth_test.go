package experiment

import (
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A hundred seconds of work: a GPU does it in 25 s at 40 W, a core in 100 s at 20 W. In 25 s or more all goes to
// the GPU, for 1000 J; in 20 s it does 80 of them, and one core the rest, 800 + 400 J; in 10 s that is more than
// there is.
func TestLeastEnergy(t *testing.T) {
	gpu, cpu := cluster.Container{Name: "gpu", Needs: units.Vector{units.Named0: 1}}, cluster.Container{Name: "cpu", Needs: units.Vector{units.VCores: 1}}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Vector{units.VCores: 1, units.Named0: 1},
		Rates: []cluster.Rate{{Container: "gpu", Speed: 4, Watts: 40}, {Container: "cpu", Watts: 20}}}
	cfg := &sim.Config{Cluster: &cluster.Cluster{Racks: 1, Classes: []*cluster.Class{class}, Nodes: []*cluster.Node{{Name: "n", Rack: 1, Class: class}}},
		Workload: &workload.Workload{Jobs: []*workload.Job{{ID: "j", Class: "j", Stages: []workload.StageSpec{{Kind: workload.Map,
			Tasks: []workload.Task{{Work: 60 * units.Second}, {Work: 40 * units.Second}}, Containers: []cluster.Container{gpu, cpu}}}}}}}
	for within, want := range map[float64]units.Joules{30: 1000, 25: 1000, 20: 1200} {
		if got, err := least(cfg, within); err != nil || math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("within %v s: %v (%v), want %v", within, got, err, want)
		}
	}
	if got, err := least(cfg, 10); err == nil {
		t.Errorf("within 10 s: %v", got)
	}
}
