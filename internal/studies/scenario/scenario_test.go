package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// twoJobs is the scenario that the format was agreed on with.
const twoJobs = "../../../.ci/two-jobs.yaml"

func TestTwoJobs(t *testing.T) {
	src, err := os.ReadFile(twoJobs)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("two-jobs.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Sim(2)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(c.Cluster.Nodes) != 20 || c.Cluster.Racks != 2 || c.Heartbeat != 3*units.Second || c.Replicas != 3 || c.Seed != 2 {
		t.Errorf("cluster: %d nodes, %d racks, heartbeat %v, %d replicas, seed %d", len(c.Cluster.Nodes), c.Cluster.Racks, c.Heartbeat, c.Replicas, c.Seed)
	}
	if got, want := c.Cluster.Nodes[3].Class.Capacity, units.Slots(2, 1); got != want {
		t.Errorf("a node offers %v, want %v", got, want)
	}
	j := c.Workload.Jobs[1]
	tasks := func(n int, task workload.Task) []workload.Task {
		var list []workload.Task
		for range n {
			list = append(list, task)
		}
		return list
	}
	want := &workload.Job{ID: "j2", Class: "sort", Arrive: 30e9, Soft: units.Never, Deadline: 120e9, Weight: 1, After: []string{"j1"}, SlowStart: 0.05,
		Stages: []workload.StageSpec{
			{Kind: workload.Map, CPUShare: 1, Tasks: tasks(10, workload.Task{Input: 64 * units.MB, Work: 15 * units.Second})},
			{Kind: workload.Reduce, CPUShare: 1, Tasks: tasks(2, workload.Task{Work: 20 * units.Second, Shuffle: 5 * units.Second})},
		}}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("j2: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(config.Texts{"fifo", "fair", "edf-n", "edf-p"}, s.Policies); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3}, s.Seeds); diff != "" {
		t.Error(diff)
	}
}

// full states every kind of key once.
const full = `
name: full
cluster:
  nodes: 4
  racks: 2
  map_slots: 3
  vcores: 8
  memory: 16GB
  block: 128MB
  heartbeat: 0s
  placement: scatter
  classes:
    - {name: fast, nodes: 2, speed: 2, reduce_slots: 4, labels: [ssd, big]}
  speed_steps: [{at: 10m, factor: 0.5, node: n6}, {at: 20m, factor: 2}]
  node_steps: [{at: 5m, nodes: 3, crash: true}]
  outages: [{node: n2, down: 1m, up: 2m}, {node: n3, down: 1m}]
  mtbf: 10h
  mttr: 5m
  task_times: {law: lognormal, cv: 0.5}
  failure_rate: 0.01
  max_failures: 2
workload:
  jobs:
    - {id: a, input: 300MB, map_time: 10s, deadline: +1m, soft_deadline: 50s, weight: 2, priority: 3, queue: x, user: ann, slow_start: 1, labels: ssd}
    - {id: b, arrive: 5s, maps: 2, map_time: 0s, input: 101B, hosts: [[n1, n5], [n2]], reduces: 1, reduce_time: 0s, cpu_share: 0.5, map_needs: {vcores: 2, memory: 1GB}}
queues:
  - {name: prod, max_running: 9, queues: [{name: x, capacity: 50, weight: 2, min_maps: 2, min_share_timeout: 30s}]}
max_running_per_user: 3
until: 10h
policies: fifo
seeds: 3..5
`

func TestFull(t *testing.T) {
	s, err := Read("full.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	c := s.Sim(1)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	a, b := c.Workload.Jobs[0], c.Workload.Jobs[1]
	var sizes []units.Bytes
	for _, task := range append(a.Stages[0].Tasks, b.Stages[0].Tasks...) {
		sizes = append(sizes, task.Input)
	}
	for _, check := range []struct{ what, got, want any }{
		{"input of maps", sizes, []units.Bytes{128 * units.MB, 128 * units.MB, 44 * units.MB, 50, 51}},
		{"deadlines", []units.Time{a.Soft, a.Deadline, b.Deadline}, []units.Time{50e9, 60e9, units.Never}},
		{"fast node", c.Cluster.Nodes[5].Class.Capacity, units.Vector{3, 4, 8, int64(16 * units.GB)}},
		{"needs", b.Stages[0].Container(0).Needs, units.Vector{units.VCores: 2, units.Memory: int64(units.GB)}},
		{"changes", []int{len(c.Speeds), len(c.Sizes), len(c.Outages)}, []int{2, 1, 2}},
		{"not back", c.Outages[1].Up, units.Never},
		{"class", []string{a.Class, b.Class}, []string{"a", "b"}},
		{"queue", s.Queues[0].Queues[0].Name, "x"},
		{"until", c.Until, units.Time(10 * units.Hour)},
		{"seeds", s.Seeds, []uint64{3, 4, 5}},
	} {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", check.what, diff)
		}
	}
}

// How first copies lie.
func TestPlacements(t *testing.T) {
	for name, want := range map[string]sim.Placement{"spread": sim.Spread, "scatter": sim.Scatter, "cover": sim.Cover} {
		s, err := Read("f.yaml", []byte("cluster: {nodes: 2, placement: "+name+"}"+ending))
		if err != nil || s.Sim(1).Placement != want {
			t.Errorf("%s: %v, %v", name, s.Sim(1).Placement, err)
		}
	}
}

// Classes take the rates of the cluster unless they state their own.
func TestRates(t *testing.T) {
	s, err := Read("f.yaml", []byte(`cluster:
  nodes: 2
  vcores: 4
  rates: [{container: cpu, jobs: md, power: 20W}]
  classes:
    - {name: gpu, nodes: 1, gpus: 1, rates: [{container: gpu, speed: 8}, {container: map-2, power: 5W}]}
    - {name: other, nodes: 1}
workload: {jobs: [{id: a, maps: 1, map_time: 1s, map_needs: [{name: gpu, gpus: 1}, {vcores: 1}, {name: cpu, vcores: 1}]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got [][]cluster.Rate
	for _, k := range s.Sim(1).Cluster.Classes {
		got = append(got, k.Rates)
	}
	cpu := []cluster.Rate{{Container: "cpu", Jobs: "md", Watts: 20}}
	if diff := cmp.Diff([][]cluster.Rate{cpu, {{Container: "gpu", Speed: 8}, {Container: "map-2", Watts: 5}}, cpu}, got); diff != "" {
		t.Error(diff)
	}
}

const ending = "\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"

// TestErrors lists what can be wrong with a file, and how it is told: always with the place, and
// with what would be right.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ file, src, want string }{
		{"scenario", "clustr: {nodes: 3}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}", `f.yaml:1:1: unknown key "clustr"; did you mean "cluster"?`},
		{"scenario", "cluster:\n  nodes: 3\n  heartbeet: 3s" + ending, `f.yaml:3:3: unknown key "heartbeet" in cluster; did you mean "heartbeat"?`},
		{"scenario", "cluster: {nodes: -3}" + ending, `f.yaml:1:18: nodes is -3, it must not be negative`},
		{"scenario", "cluster: {nodes: 3, block: -64MB}" + ending, `f.yaml:1:28: block is -64MB, it must be above 0`},
		{"scenario", "cluster: {nodes: 3, block: 64}" + ending, `f.yaml:1:28: block: "64" is not a size; write a number with a unit, such as 64MB, 1.5GB or 100B`},
		{"scenario", "cluster: {nodes: 3, heartbeat: 3}" + ending, `f.yaml:1:32: heartbeat: "3" is not a span of time; write a number with a unit`},
		{"scenario", "cluster: {nodes: three}" + ending, `f.yaml:1:18: nodes is "three", it must be a whole number`},
		{"scenario", "cluster: {nodes: 2, replicas: 3}" + ending, `f.yaml:1:31: replicas is 3, it must be at most the number of nodes, 2`},
		{"scenario", "cluster: {nodes: 2, placement: spred}" + ending, `f.yaml:1:32: placement is "spred", it must be "spread", "scatter" or "cover"; did you mean "spread"?`},
		{"scenario", "cluster: {racks: 2}" + ending, `f.yaml:1:10: the cluster has no node; give it some, such as nodes: 20`},
		{"scenario", "cluster: {nodes: 2}", `f.yaml:1:1: the key "workload" is missing: what arrives`},
		{"scenario", "cluster: {nodes: 2, outages: [{node: n3, down: 1s}]}" + ending, `f.yaml:1:38: there is no node "n3", the nodes are n1 to n2`},
		{"scenario", "cluster: {nodes: 2, outages: [{node: n1, down: 2s, up: 1s}]}" + ending, `f.yaml:1:56: up is 1s, it must be after down, 2s`},
		{"scenario", "cluster: {nodes: 2, task_times: {law: uniform, cv: 0.6}}" + ending, `f.yaml:1:52: cv is 0.6, uniform times vary by at most 0.577; use lognormal`},
		{"scenario", "cluster: {nodes: 2, nodes: 3}" + ending, `f.yaml:1:21: the key "nodes" is given twice`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n    - {id: a, maps: 1, map_time: 0s, arrive: 5m, deadline: 2m}\n", `f.yaml:4:60: the deadline 2m is not after the arrival, 5m; both count from the start of the run; +2m would count from the arrival`},
		{"scenario", "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s, deadline: 2m, soft_deadline: 3m}]}", `f.yaml:2:79: the soft deadline 3m is after the deadline, 2m`},
		{"scenario", "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s, after: b}, {id: bb, maps: 1, map_time: 0s}]}", `f.yaml:2:57: job "a" waits for job "b", which does not exist; did you mean "bb"?`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 4, map_time: 1s, moldable: {min: 5}}\n", `f.yaml:4:46: the job has 4 maps, and moldable says 5 to 4; give it another min or max`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s, workflow_deadline: 1m}\n", `f.yaml:4:55: job "a" states the deadline of a workflow and is in none; add workflow: NAME, or write deadline`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s, workflow: w}\n  - {id: b, maps: 1, map_time: 0s, workflow: w, arrive: 1s}\n", `f.yaml:5:57: job "b" of the workflow "w" arrives at 1s, and job "a" of it at 0s; all jobs of a workflow arrive together`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s, workflow: w, workflow_deadline: 1m}\n  - {id: b, maps: 1, map_time: 0s, workflow: w, workflow_deadline: 2m}\n", `f.yaml:5:68: the deadline of the workflow "w" is 2m here and 1m at another of its jobs; state it once`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s, arrive: 2m, workflow: w, workflow_deadline: 1m}\n", `f.yaml:4:80: the deadline 1m of the workflow "w" is not after its arrival, 2m; both count from the start of the run; +1m would count from the arrival`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s}\n  - {id: b, maps: 1, map_time: 0s, workflow: w, after: a}\n", `f.yaml:5:46: job "b" of the workflow "w" waits for job "a", which is not in it; add workflow: w there`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: a, maps: 1, map_time: 0s, workflow: w, after: b}\n  - {id: b, maps: 1, map_time: 0s, workflow: w, after: a}\n", `f.yaml:4:56: job "a" waits for itself: "a" after "b" after "a"`},
		{"scenario", "cluster: {nodes: 2}\nworkload:\n  jobs:\n  - {id: x, maps: 1, map_time: 0s}\n  - {id: a, maps: 1, map_time: 0s, after: [x, b]}\n  - {id: b, maps: 1, map_time: 0s, after: a}\n", `f.yaml:5:43: job "a" waits for itself: "a" after "b" after "a"`},
		{"scenario", "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}, {id: a, maps: 1, map_time: 0s}]}", `f.yaml:2:56: the id "a" is already used by the job at f.yaml:2:24`},
		{"scenario", "cluster: {nodes: 2}\nworkload: {jobs: [{id: a}]}", `f.yaml:2:19: job "a" has neither maps nor input; give it some, or maps: 0 if it has none`},
		{"scenario", "cluster: {nodes: 2, map_slots: 0}" + ending, `f.yaml:2:19: job "a" cannot run: no node offers {map:1} for a map task`},
		{"scenario", "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s, labels: [gpu]}]}", `f.yaml:2:19: job "a" cannot run: no node with the labels gpu offers {map:1} for a map task`},
		{"scenario", "cluster: {nodes: 2, rates: [{container: map-slot}]}" + ending, `f.yaml:1:29: a rate says speed, power, or both, such as {container: map-slot, speed: 8, power: 60W}`},
		{"scenario", "cluster: {nodes: 2, classes: [{name: k, nodes: 1, rates: [{container: map-slot, speed: 2}, {container: map-slot, power: 2W}]}]}" + ending, `f.yaml:1:92: another rate is for container "map-slot" and the same jobs; leave one out`},
		{"scenario", "cluster: {nodes: 2, rates: [{container: gpu, speed: 2}]}" + ending, `f.yaml:1:41: no job runs in a container "gpu"; they are map-slot, master, reduce-slot`},
		{"scenario", "cluster: {nodes: 2, rates: [{container: map-slot, speed: 0}]}" + ending, `f.yaml:1:58: speed is 0, it must be above 0`},
		{"scenario", "cluster: {nodes: 2, gpus: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s, map_needs: {gpus: 2}}]}", `f.yaml:2:19: job "a" cannot run: no node offers {gpus:2} for a map task`},
		{"scenario", "cluster: {nodes: 2}" + ending + "queues: [{name: a, capacity: 60}, {name: b, capacity: 60}]\n", `f.yaml:3:9: queues: the capacities add up to 120 %, which is more than 100`},
		{"scenario", "cluster: {nodes: 2}" + ending + "queues:\n  - name: a\n    max_master_share: 101\n", `f.yaml:5:23: max_master_share is 101, it must be at most 100`},
		{"scenario", "cluster: {nodes: 2}" + ending + "queues:\n  - {name: a, max_master_share: 0}\n", `f.yaml:4:33: max_master_share is 0, it must be above 0`},
		{"scenario", "cluster: {nodes: 2}" + ending + "max_master_share: 0\n", `f.yaml:3:19: max_master_share is 0, it must be above 0`},
		{"scenario", "cluster: {nodes: 2}" + ending + "seeds: [1, 1]\n", `f.yaml:3:12: the seed 1 is given twice`},
		{"scenario", "cluster: {nodes: 2}\nname: M\u00fc\xfcller", `f.yaml:2:9: here it is not UTF-8; save it as UTF-8, or name a file of text`},
		{"scenario", "cluster: {nodes: 2\n", `f.yaml:1:10: this is not YAML:`},
		{"scenario", "", `f.yaml: the file is empty`},
		{"scenario", "a: 1\n---\nb: 2\n", `f.yaml:3:1: a second document begins here; a file has one document`},
		{"job", "app: wordcount\ninput: x\noutput: y\nreduces: 5\nmoldable: {reduces: 3}\n", `f.yaml:5:21: the job has 5 reduces, and moldable says at most 3; give it another number`},
		{"job", "app: wordcount\ninput: x\noutput: y\nreduce: 4\n", `f.yaml:4:9: reduce and app contradict each other: reduce is for jobs of commands, which have map; leave one of them out; the key for the number of reduces is reduces`},
		{"job", "app: wordcount\nmap: cat\ninput: x\noutput: y\n", `f.yaml:2:6: app and map contradict each other: a job runs an application or commands; leave one of them out`},
		{"job", "map: cat\nreduce: cat\ninput: x\noutput: y\nreduces: 0\n", `f.yaml:5:10: reduces and reduce contradict each other: with 0 reduces what maps emit is the result; leave reduce out, or give the job reduces`},
		{"job", "map: cat\nparams: {a: b}\ninput: x\noutput: y\n", `f.yaml:1:6: params and map contradict each other`},
		{"job", "map: cat\ninput: x\noutput: y\npartition_fields: 2\n", `f.yaml:4:19: partition_fields and key_fields contradict each other: a key of 1 field has no 2 fields to choose the reduce by`},
		{"job", "app: sort\ninput: x\noutput: y\nlimits: {memory: 1GB}\n", `f.yaml:4:9: limits and app contradict each other`},
		{"job", "app: sort\ninput: x\noutput: y\nfiles: a.py\n", `f.yaml:4:8: files and app contradict each other`},
		{"job", "app: terasort\ninput: x\noutput: y\nreduces: 0\n", `f.yaml:4:10: reduces and app contradict each other: terasort needs reduces, and reduces is 0: it needs reduces to work; give the job reduces`},
		{"job", "input: x\noutput: y\n", `f.yaml:1:1: the key "app" is missing`},
		{"job", "app: wordcount\ninput: x\n", `f.yaml:1:1: the key "output" is missing: directory for the result; it must not exist`},
		{"job", "app: wordcount\ninput: []\noutput: y\n", `f.yaml:2:8: input names nothing to read; give files, directories or globs`},
		{"job", "app: wordcount\ninput: \"\"\noutput: y\n", `f.yaml:2:8: input[0] names nothing to read; give files, directories or globs`},
		{"job", "app: wordcount\ninput: [x, \"\"]\noutput: y\n", `f.yaml:2:12: input[1] names nothing to read; give files, directories or globs`},
		{"job", "map: cat\ninputs: [{path: \"\"}]\noutput: y\n", `f.yaml:2:17: inputs[0].path names nothing to read; give files, directories or globs`},
		{"job", "app: wordcount\ninput: x\noutput: y\nqueue: \"\"\n", `f.yaml:4:8: queue is empty; give it a value, or leave it out`},
		{"job", "app: wordcount\ninput: x\noutput: y\nafter: [a, \"\"]\n", `f.yaml:4:12: after[1] is empty; give it a value, or leave it out`},
		{"job", "app: wordcount\ninput: x\noutput: y\nrun: {block: \"\"}\n", `f.yaml:4:14: block is empty; give it a value, or leave it out`},
		{"scenario", "name: ''\ncluster: {nodes: 2}" + ending, `f.yaml:1:7: name is empty; give it a value, or leave it out`},
		{"job", "app: wordcount\ninput: x\noutput: y\ndeadline: -60s\n", `f.yaml:4:11: deadline: -60s is not after the submission; it must be above 0`},
		{"job", "app: wordcount\ninput: x\noutput: y\ndeadline: 2030-01-31\n", `f.yaml:4:11: deadline: "2030-01-31" is a day without a time; write 2030-01-31T06:00`},
		{"job", "name: a\napp: wordcount\ninput: x\noutput: y\nafter: [a]\n", `f.yaml:5:8: job "a" waits for itself: "a" after "a"`},
	} {
		err := readAny(c.file, c.src)
		if err == nil {
			t.Errorf("%s:\n%s\nis taken", c.file, c.src)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\ngot  %s\nwant %s", c.file, c.src, got, c.want)
		}
	}
}

func readAny(kind, src string) error {
	if kind == "scenario" {
		_, err := Read("f.yaml", []byte(src))
		return err
	}
	j, err := ReadJob("f.yaml", []byte(src))
	if err == nil {
		_, err = Submit([]*Job{j}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	return err
}

func TestJobFile(t *testing.T) {
	now := time.Date(2030, 1, 31, 17, 59, 0, 0, time.UTC)
	read := func(file, src string) *Job {
		j, err := ReadJob(file, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	jobs := []*Job{
		read("words.yaml", "name: words\napp: wordcount\ninput: [corpus/]  # files, directories, globs\noutput: out/words\nreduces: 4\ndeadline: 60s\n"),
		read("dir/find.yaml", "app: grep\nparams: {pattern: a+, ignore_case: true}\ninput: b\noutput: out/find\narrive: 5s\nafter: words\ndeadline: 2030-01-31T19:00:00+01:00\n"),
	}
	specs, err := Submit(jobs, now)
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Job{
		{ID: "words", Class: "wordcount", Weight: 1, SlowStart: 1, Soft: units.Never, Deadline: 60e9},
		{ID: "find", Class: jobs[1].Class, Weight: 1, SlowStart: 1, Soft: units.Never, Arrive: 5e9, Deadline: 60e9, After: []string{"words"}},
	}
	if diff := cmp.Diff(want, specs); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"pattern": "a+", "ignore_case": "true"}, jobs[1].Params); diff != "" {
		t.Error(diff)
	}
	jobs[1].Output = jobs[0].Output
	if _, err := Submit(jobs, now); err == nil || err.Error() != `dir/find.yaml:4:9: output "out/words" is that of job "words" as well; give each job its own` {
		t.Errorf("two jobs with one output: %v", err)
	}
}

// TestExamples reads the files that people are shown.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch base := filepath.Base(file); {
		case base == filepath.Base(allocation):
			_, err = ReadCapacity(file, src)
		case IsJob(src):
			_, err = ReadJobs(file, src)
		default:
			_, err = Read(file, src)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// What is said of power is refused where no node draws any, and taken where some do.
func TestPowerNeedsPower(t *testing.T) {
	for cluster, want := range map[string]string{
		"nodes: 2, sleep_power: 8W":                `s.yaml:1:34: sleep_power has no effect without idle_power, dynamic_power or power_curve`,
		"nodes: 2, wake_time: 30s":                 `s.yaml:1:32: wake_time has no effect without idle_power, dynamic_power or power_curve`,
		"nodes: 2, supply: [{at: 0s, green: 1kW}]": `s.yaml:1:29: supply has no effect without idle_power, dynamic_power or power_curve`,
		"nodes: 2, classes: [{name: a, nodes: 1, idle_power: 1W}, {name: b, nodes: 1, wake_time: 1s}]": `s.yaml:1:99: wake_time has no effect without idle_power, dynamic_power or power_curve`,
		"nodes: 2, sleep_power: 8W, wake_time: 3s, classes: [{name: a, nodes: 1, idle_power: 9W}]":     "",
		"nodes: 2, sleep_power: 8W, idle_power: 8W":                                                    "",
		"nodes: 2, sleep_power: 8W, idle_power: 7W":                                                    `s.yaml:1:34: a node draws 8W asleep and 7W idle; sleep_power must not be above idle_power, or the first of power_curve`,
		"nodes: 2, sleep_power: 8W, dynamic_power: 9W":                                                 `s.yaml:1:34: a node draws 8W asleep and 0W idle; sleep_power must not be above idle_power, or the first of power_curve`,
		"nodes: 2, sleep_power: 8W, idle_power: 9W, classes: [{name: a, nodes: 1, idle_power: 7W}]":    `s.yaml:1:96: a node draws 8W asleep and 7W idle; sleep_power must not be above idle_power, or the first of power_curve`,
		"nodes: 2, dynamic_power: 5W, classes: [{name: a, nodes: 1, wake_time: 1s}]":                   "",
		"nodes: 2, idle_power: 5W, supply: [{at: 0s, green: 1kW}]":                                     "",
		"nodes: 2, power_curve: [58W, 98W, 109W], wake_time: 3s":                                       "",
		"nodes: 2, power_curve: [58W, 98W], classes: [{name: a, nodes: 1, idle_power: 9W}]":            "",
		"nodes: 2, power_curve: [58W]":                                                                 `s.yaml:1:34: power_curve needs two numbers and more: what a node draws at equal steps of load, from idle to full`,
		"nodes: 2, power_curve: [58W, -98W]":                                                           `s.yaml:1:40: power_curve[1] is -98W, it must not be negative`,
		"nodes: 2, power_curve: [58W, 98W, 109W, 107.5W, 110W]":                                        `s.yaml:1:51: power_curve falls from 109W at 50 % load to 107.5W at 75 %; it must not`,
		"nodes: 2, power_curve: [58W at 0%, 98W at 12.5 %, 98W at 50%, 0.1kW at 100%]":                 "",
		"nodes: 2, power_curve: [58W, 98W at 30%, 109W]":                                               `s.yaml:1:40: power_curve has loads for some of its numbers; write that of each, such as 90W at 30%, or of none`,
		"nodes: 2, power_curve: [58W at 5%, 109W at 100%]":                                             `s.yaml:1:35: power_curve has 58W at 5 % load; loads must rise, from 0 % to 100 %`,
		"nodes: 2, power_curve: [58W at 0%, 109W at 90%]":                                              `s.yaml:1:46: power_curve has 109W at 90 % load; loads must rise, from 0 % to 100 %`,
		"nodes: 2, power_curve: [5W at 0%, 7W at 40%, 8W at 30%, 9W at 100%]":                          `s.yaml:1:56: power_curve has 8W at 30 % load; loads must rise, from 0 % to 100 %`,
		"nodes: 2, power_curve: [5W at 0%, 7W at 40%, 8W at 40%, 9W at 100%]":                          `s.yaml:1:56: power_curve has 8W at 40 % load; loads must rise, from 0 % to 100 %`,
		"nodes: 2, power_curve: [5W at 0%, 7W at 40%, 6W at 100%]":                                     `s.yaml:1:56: power_curve falls from 7W at 40 % load to 6W at 100 %; it must not`,
		"nodes: 2, power_curve: [5W at 0%, 7W at 140%]":                                                `s.yaml:1:45: power_curve[1]: "7W at 140%" is at no load; write a power, or one and a percentage up to 100%, such as 90W at 30%`,
		"nodes: 2, power_curve: [58W, 98W], idle_power: 9W":                                            `s.yaml:1:34: power_curve stands in place of idle_power and dynamic_power; leave these out`,
	} {
		_, err := Read("s.yaml", []byte("cluster: {"+cluster+"}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"))
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", cluster, err, want)
		}
	}
}

// Nodes that a cloud offers stand behind the cluster's own, and count for nothing until they are rented.
func TestOffers(t *testing.T) {
	s, err := Read("s.yaml", []byte(`
cluster: {nodes: 4, replicas: 4, offers: [{name: spot, most: 3, price: 0.2, billing: 1h, boot: 90s, map_slots: 8}]}
workload: {jobs: [{id: a, maps: 4, map_time: 10s}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	c := s.config.Cluster
	if class := c.Nodes[6].Class; len(c.Nodes) != 7 || len(c.Own()) != 4 || class.Most != 3 || class.Price != 0.2 || class.Billing != units.Hour ||
		class.WakeTime != 90*units.Second || c.Capacity()[units.MapSlots] != 8 || !s.Powered() {
		t.Errorf("%d nodes, %d own, of the last: %+v", len(c.Nodes), len(c.Own()), class)
	}
	for text, want := range map[string]string{
		"nodes: 4, offers: [{name: standard, most: 1}]":                            `another class "standard"`,
		"nodes: 2, offers: [{name: a, most: 0}]":                                   "most is 0",
		"nodes: 2, replicas: 3, offers: [{name: a, most: 4}]":                      "replicas is 3",
		"nodes: 2, offers: [{name: a, most: 4, price: -1}]":                        "price is -1",
		"nodes: 2, node_steps: [{at: 1m, nodes: 3}], offers: [{name: a, most: 4}]": "nodes is 3",
	} {
		if _, err := Read("s.yaml", []byte("cluster: {"+text+"}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
