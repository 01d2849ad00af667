package scenario

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/units"
)

const swept = `cluster: {nodes: 5, racks: 1}
workload:
  jobs:
    - {id: a, maps: 3, map_time: 10s}
sweep:
`

// Every value is played with every other, whether the file states the key or not.
func TestSweep(t *testing.T) {
	all, err := ReadSweep("s.yaml", []byte(swept+`  cluster.nodes: [5, 10]
  cluster.network.fabric: [1GB, 2GB]
  cluster.network.link: [100MB]
  "workload.jobs[0].maps": [3, 7, 9]
`), Resize{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"5 1GB 3 5 1GB 3", "5 1GB 7 5 1GB 7", "5 1GB 9 5 1GB 9", "5 2GB 3 5 2GB 3", "5 2GB 7 5 2GB 7", "5 2GB 9 5 2GB 9", "10 1GB 3 10 1GB 3", "10 1GB 7 10 1GB 7", "10 1GB 9 10 1GB 9", "10 2GB 3 10 2GB 3", "10 2GB 7 10 2GB 7", "10 2GB 9 10 2GB 9"}
	if len(all) != len(want) {
		t.Fatalf("%d scenarios", len(all))
	}
	for i, s := range all {
		c := s.Sim(1)
		shown := fmt.Sprint(len(c.Cluster.Nodes), " ", c.Network.Fabric, " ", len(c.Workload.Jobs[0].Stages[0].Tasks), " ", s.Params["cluster.nodes"], " ", s.Params["cluster.network.fabric"], " ", s.Params["workload.jobs[0].maps"])
		if c.Heartbeat != 3*units.Second || c.Network.Link != 100*units.MB {
			t.Errorf("%+v", c.Network)
		}
		if shown != want[i] {
			t.Errorf("%d: %s, want %s", i, shown, want[i])
		}
	}
}

// A star stands for all places of a list, whether they state the key or not.
func TestSweepOfAllJobs(t *testing.T) {
	all, err := ReadSweep("s.yaml", []byte(`cluster: {nodes: 5}
workload: {jobs: [{id: a, maps: 3, map_time: 10s}, {id: b, maps: 3, map_time: 10s, cpu_share: 0.25}]}
sweep: {"workload.jobs[*].cpu_share": [0.5, 0.75]}
`), Resize{})
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, s := range all {
		for _, j := range s.Sim(1).Workload.Jobs {
			if got, want := j.Stages[0].CPUShare, []float64{0.5, 0.75}[i]; got != want {
				t.Errorf("job %s has a CPU share of %v, want %v", j.ID, got, want)
			}
		}
	}
	if _, err := ReadSweep("s.yaml", []byte(swept+`  "workload.jobs[*].cpu_shares": [1]`+"\n"), Resize{}); err == nil {
		t.Error("a key that there is not is swept")
	}
}

func TestWithoutASweep(t *testing.T) {
	all, err := ReadSweep("s.yaml", []byte("cluster: {nodes: 5}\nworkload:\n  jobs:\n    - {id: a, maps: 3, map_time: 10s}\n"), Resize{})
	if err != nil || len(all) != 1 || all[0].Params != nil {
		t.Fatal(err, all)
	}
}

func TestSweepErrors(t *testing.T) {
	for add, want := range map[string]string{
		"  cluster.nods: [5]\n":                         `s.yaml:6:3: there is no key "cluster.nods" to sweep; did you mean "cluster.nodes"?`,
		"  cluster.nodes: 5\n":                          `s.yaml:6:3: cluster.nodes has no list of values; write one, such as [10, 20, 40]`,
		"  cluster.nodes: []\n":                         `s.yaml:6:3: cluster.nodes has no list of values; write one, such as [10, 20, 40]`,
		"  cluster.nodes: [5, 5]\n":                     `s.yaml:6:22: the value 5 is given twice`,
		"  cluster.nodes: [5, -1]\n":                    `s.yaml:6:22: nodes is -1, it must not be negative (with cluster.nodes -1)`,
		"  cluster.mttr: [1m]\n":                        `s.yaml:6:18: mttr has no effect without mtbf (with cluster.mttr 1m)`,
		"  cluster.task_times.cv: [1]\n":                `s.yaml:6:27: constant times do not vary; name a law, such as law: lognormal (with cluster.task_times.cv 1)`,
		"  cluster.mtbf: [1ns]\n  cluster.mttr: [1s]\n": `s.yaml:6:18: mtbf is 1ns, it must be at least 1s: such a run would not end (with cluster.mtbf 1ns, cluster.mttr 1s)`,
		"  cluster.mtbf: [0s]\n  cluster.mttr: [1s]\n":  `s.yaml:6:18: mtbf is 0s, it must be above 0; without the key it is: none by chance (with cluster.mtbf 0s, cluster.mttr 1s)`,
		"  cluster.rack_mtbf: [0s]\n":                   `s.yaml:6:23: rack_mtbf is 0s, it must be above 0; without the key it is: none by chance (with cluster.rack_mtbf 0s)`,
		"  cluster.wake_time: [30s]\n":                  `s.yaml:6:23: wake_time has no effect without idle_power, dynamic_power or power_curve (with cluster.wake_time 30s)`,
		"  policies: [fifo]\n":                          `s.yaml:6:3: policies cannot be swept; policies and seeds are lists of their own`,
		"  cluster.network.fabric: [1GB]\n":             `s.yaml:6:28: the network needs both fabric and link, such as {fabric: 10GB, link: 100MB} (with cluster.network.fabric 1GB)`,
		"  cluster.nodes.x: [5]\n":                      `s.yaml:6:3: there is no key "cluster.nodes.x" to sweep; did you mean "cluster.nodes"?`,
		"  \"workload.jobs[7].maps\": [5]\n":            `s.yaml:6:3: there is no key "workload.jobs[7].maps" to sweep; did you mean "workload.jobs[0].maps"?`,
		"  cluster.nodes: [5]\n  cluster.nodes: [6]\n":  `s.yaml:7:3: the key "cluster.nodes" is given twice`,
	} {
		_, err := ReadSweep("s.yaml", []byte(swept+add), Resize{})
		if err == nil || err.Error() != want {
			t.Errorf("%s got %v\nwant %s", add, err, want)
		}
	}
}
