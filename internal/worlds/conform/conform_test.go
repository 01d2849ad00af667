package conform

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// machines is a small cluster with two racks.
func machines() *cluster.Cluster {
	return cluster.Uniform(4, 2, cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(2, 1)})
}

// work is five jobs: two that wait for others, one without reduces, deadlines and queues for those who look at them.
func work() []*workload.Job {
	var jobs []*workload.Job
	for i := range 5 {
		j := &workload.Job{ID: fmt.Sprintf("j%d", i+1), Class: "c", Queue: []string{"a", "b"}[i%2], User: "u", Weight: 1,
			Arrive: units.Time(0).Add(units.Duration(i) * 3 * units.Second), Soft: units.Never,
			Deadline: units.Time(0).Add(units.Duration(40-5*i) * units.Minute), SlowStart: 0.5}
		maps := workload.StageSpec{Kind: workload.Map}
		for k := range 4 + 2*i {
			maps.Tasks = append(maps.Tasks, workload.Task{Input: 64 * units.MB, Work: 4 * units.Second,
				Hosts: []cluster.NodeID{cluster.NodeID((i+k)%4 + 1), cluster.NodeID((i+k+1)%4 + 1)}})
		}
		j.Stages = append(j.Stages, maps)
		if i != 1 {
			j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce,
				Tasks: make([]workload.Task, 2+i%2)})
			for k := range j.Stages[1].Tasks {
				j.Stages[1].Tasks[k] = workload.Task{Work: 3 * units.Second, Shuffle: units.Second}
			}
		}
		jobs = append(jobs, j)
	}
	jobs[2].After = []string{"j1"}
	jobs[4].After = []string{"j2", "j3"}
	return jobs
}

func simulated(seeds int) Subject {
	return Subject{Name: "sim", Jobs: 5, Binds: true, Exact: true, Seeds: seeds, New: func(t *testing.T, seed uint64) drive.World {
		cfg := sim.Config{Cluster: machines(), Workload: &workload.Workload{Jobs: work()}, Seed: seed, Heartbeat: units.Second,
			FailureRate: 0.05, MTBF: 5 * units.Minute, MTTR: 10 * units.Second}
		if seed%3 == 0 {
			cfg.Heartbeat = 0
		}
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}}
}

func unkind(seeds int) Subject {
	return Subject{Name: "adverse", Jobs: 5, Exact: true, Seeds: seeds, New: func(_ *testing.T, seed uint64) drive.World {
		return adverse.New(adverse.Config{Cluster: machines(), Jobs: work(), Seed: seed, Calm: 200})
	}}
}

func runs(t *testing.T, n int) int {
	if testing.Short() {
		return max(1, n/5)
	}
	return n
}

// Every policy of the catalogue, and every part in some policy, passes on the kind world and on the unkind one.
func TestPolicies(t *testing.T) {
	texts := []string{"fair(preemption=true,fair_timeout=20s,min_timeout=10s,interval=1s)", "edf+serial+greedy(nonlocal=0,reduces=0)",
		"capacity(elastic=false)", "fair(users=true)+limit(running=2,per_user=2,per_queue=1)"}
	for _, e := range catalog.All() {
		if e.Kind == compose.KindPreempt {
			e.Name = "fair+" + e.Name
		}
		texts = append(texts, e.Name)
	}
	for _, text := range texts {
		for _, s := range []Subject{simulated(runs(t, 6)), unkind(runs(t, 20))} {
			t.Run(s.Name+" "+text, func(t *testing.T) {
				Policy(t, s, func() sched.Policy {
					p, err := catalog.New(text, pools())
					if err != nil {
						t.Fatal(err)
					}
					return p
				})
			})
		}
	}
}

// pools describes the queues that the jobs name.
func pools() queues.Config {
	return queues.Config{Queues: []queues.Queue{{Name: "a", Weight: 2, MinMaps: 2, Capacity: 60, Maximum: 90, UserLimitFactor: -1},
		{Name: "b", MinReduces: 1, Capacity: 40, UserLimitFactor: 2}}}
}

func TestSim(t *testing.T)     { Suite(t, simulated(runs(t, 30))) }
func TestAdverse(t *testing.T) { Suite(t, unkind(runs(t, 60))) }
