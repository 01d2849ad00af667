package adverse

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Whose reduces are done loses no maps any more with a node: nobody would ask for them, and the job would never end.
func TestLosesWhatIsNeeded(t *testing.T) {
	for _, reduced := range []bool{false, true} {
		w := New(Config{Cluster: cluster.Uniform(1, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 1)}), Jobs: []*workload.Job{{ID: "j",
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 1)}}}}})
		jb := w.jobs[1]
		jb.arrived = true
		jb.stages[0].move(0, taskDone)
		if reduced {
			jb.stages[1].move(0, taskDone)
		}
		w.loseOutputs()
		if lost := len(w.out) > 0; lost == reduced {
			t.Errorf("its reduce is done: %v, its map is lost: %v", reduced, lost)
		}
	}
}
