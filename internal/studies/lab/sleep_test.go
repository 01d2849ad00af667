package lab

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// nights is a cluster of 4 nodes of 2 slots that has a job of 2 maps at 0 and one of 6 at 1 h, a minute each.
func nights(t *testing.T, policy string) report.Summary {
	class := cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(2, 0), Idle: 100, Dynamic: 60, Sleep: 5, WakeTime: 30 * units.Second}
	maps := func(n int) (work []units.Duration) {
		for range n {
			work = append(work, units.Minute)
		}
		return work
	}
	cfg := sim.Config{Cluster: cluster.Uniform(4, 1, class), Workload: &workload.Workload{Jobs: []*workload.Job{
		single("evening", 0, maps(2)), single("morning", units.Time(units.Hour), maps(6))}}}
	y, err := catalog.New(policy, NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	r := report.NewBuilder("sim", "", policy, 0)
	drivePolicy(t, cfg, y, follow.New(r))
	return r.Run().Summary
}

// What sleep saves and costs, in closed form. Without it four nodes idle until 61 min, and 8 map
// minutes hold half a node each. With it and one that stays awake, node 1 runs the first job, the
// others sleep from 5 min on, and 2 are woken at 60 min, 30 s late; the fourth is not needed.
// Without one that stays awake, node 1 sleeps from 6 min on and is woken with two others, which is
// late for all six maps.
func TestSleepSavesEnergy(t *testing.T) {
	const work = 8 * 60 * 60. / 2
	for _, c := range []struct {
		policy string
		joules float64
		done   float64 // of the last job
	}{
		{"fifo", 4*3660*100 + work, 3660},
		{"fifo+sleep", 3690*100 + 2*(300*100+3300*5+90*100) + (300*100 + 3390*5) + work, 3690},
		{"fifo+sleep(keep=4)", 4*3660*100 + work, 3660},
		{"fifo+sleep(keep=0)", (360*100 + 3240*5 + 90*100) + 2*(300*100+3300*5+90*100) + (300*100 + 3390*5) + work, 3690},
		{"fifo+sleep(idle=30m)", 3690*100 + 2*(1800*100+1800*5+90*100) + (1800*100 + 1890*5) + work, 3690},
		{"fifo+sleep(idle=2h)", 4*3660*100 + work, 3660},
	} {
		s := nights(t, c.policy)
		if got := *s.Energy * float64(units.JoulesPerKWh); !same(got, c.joules) || s.Makespan != c.done || s.Finished() != 2 {
			t.Errorf("%s: %v J, %d jobs done by %v s; want %v J, 2 jobs, %v s", c.policy, got, s.Finished(), s.Makespan, c.joules, c.done)
		}
	}
}
