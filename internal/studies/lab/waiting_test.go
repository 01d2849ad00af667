package lab

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// lone is a source of one job that nobody else has.
type lone struct {
	maps int
	came bool
}

func (o *lone) Due() units.Time {
	if o.came {
		return units.Never
	}
	return 0
}

func (o *lone) Next() (*workload.Job, error) {
	o.came = true
	tasks := make([]workload.Task, o.maps)
	for i := range tasks {
		tasks[i] = workload.Task{Input: 128 * units.MB, Work: units.Hour}
	}
	return &workload.Job{ID: "j", Weight: 1, Soft: units.Never, Deadline: units.Never,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: tasks}}}, nil
}

func (o *lone) Ended(*workload.Job, units.Time) {}
func (o *lone) Fresh() bool                     { return true }

// A task that waits takes 64 bytes and a bit, all books together: 24 of description, 12 of where its
// input lies, 8 in the world, 8 and the bit in the book and 12 in the index by node. That is what a
// large job takes more than a small one when every node has asked for a task. The report takes a byte
// for each map more, from the first that has committed on.
func TestWaitingTasksTakeLittleMemory(t *testing.T) {
	const nodes, few, many = 800, 50_000, 500_000
	takes := func(maps int) float64 {
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 0)}
		c := &cluster.Cluster{Racks: 20, Classes: []*cluster.Class{class}}
		for n := range nodes {
			c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprint(n), Rack: cluster.RackID(n%20 + 1), Class: class})
		}
		world, err := sim.New(sim.Config{Cluster: c, Source: func() workload.Source { return &lone{maps: maps} }, Heartbeat: units.Second, Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		policy, err := catalog.New("fifo", NoQueues)
		if err != nil {
			t.Fatal(err)
		}
		builder := report.NewBuilder("sim", "waiting", "fifo", 1)
		var before, after runtime.MemStats
		loop := drive.New(world, policy, follow.New(builder))
		runtime.GC()
		runtime.ReadMemStats(&before)
		for j := loop.Ledger.Job(1); j == nil || j.Stages[workload.Map].Occupied < nodes; j = loop.Ledger.Job(1) {
			if err := loop.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(loop)
		runtime.KeepAlive(builder)
		return float64(after.HeapAlloc) - float64(before.HeapAlloc)
	}
	if each := (takes(many) - takes(few)) / (many - few); each > 64.2 {
		t.Errorf("a task that waits takes %.2f bytes, want 64 and an eighth", each)
	}
}
