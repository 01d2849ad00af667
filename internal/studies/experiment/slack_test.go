package experiment

import (
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
)

// A frugal node of two slots draws 5 W more than asleep for a slot, a hungry one 20 W. 100 s of work go to the frugal
// one if they have 50 s or more. If they are due after two minutes, and so are 300 s more, it does 240 s of them, and
// the hungry one 160. Asleep both draw 2 W for all of the 240 s.
func TestLeastAwake(t *testing.T) {
	node := func(name string, watts units.Watts) *cluster.Node {
		return &cluster.Node{Name: name, Rack: 1, Class: &cluster.Class{Name: name, Speed: 1, Capacity: units.Slots(1, 1), Idle: 1 + watts, Dynamic: watts, Sleep: 1}}
	}
	frugal, hungry := node("frugal", 5), node("hungry", 20)
	cfg := &sim.Config{Cluster: &cluster.Cluster{Racks: 1, Classes: []*cluster.Class{frugal.Class, hungry.Class}, Nodes: []*cluster.Node{frugal, hungry}}}
	job := func(seconds, due float64) Job {
		return Job{Job: report.Job{Deadline: &due, Finished: new(due - 1)}, Slots: units.FromSeconds(seconds)}
	}
	for _, c := range []struct {
		jobs []Job
		want float64
	}{
		{nil, 480},
		{[]Job{job(100, 120)}, 480 + 500},
		{[]Job{job(100, 120), job(300, 120)}, 480 + 240*5 + 160*20},
		{[]Job{job(100, 120), job(300, 240)}, 480 + 400*5},
	} {
		if got, err := awake(cfg, c.jobs, 240); err != nil || math.Abs(float64(got)-c.want) > 1e-6 {
			t.Errorf("%d jobs: %v (%v), want %v", len(c.jobs), got, err, c.want)
		}
	}
}
