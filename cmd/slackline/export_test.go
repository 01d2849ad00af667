package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The folder has what the report has: the time of each job by cause sums to its response, attempts are as many as
// the runs say, as many run at a time as the series has, and the manifest has the sums of the files.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"s.yaml": `name: s
cluster: {nodes: 3, map_slots: 2, reduce_slots: 1, heartbeat: 1s, idle_power: 100W, dynamic_power: 50W}
workload:
  streams: [{id: j, class: c, arrivals: {every: 20s}, count: 5, maps: 9, reduces: 1, map_time: 20s, reduce_time: 9s, deadline: +90s}]
policies: [fifo, edf-p]
seeds: 1..3
sweep: {cluster.nodes: [2, 3]}
`})
	s.must(0, "compare", "s.yaml", "--export", "night", "--no-timing")
	table := func(name string) (head map[string]int, rows [][]string) {
		all, err := csv.NewReader(strings.NewReader(s.read("night/" + name))).ReadAll()
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		head = map[string]int{}
		for i, c := range all[0] {
			head[c] = i
		}
		return head, all[1:]
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Errorf("%q is no number", text)
		}
		return x
	}
	head, runs := table("runs.csv")
	tried := 0.0
	for _, r := range runs {
		tried += number(r[head["attempts"]])
	}
	if len(runs) != 12 || head["cluster.nodes"] == 0 {
		t.Errorf("%d runs, %v", len(runs), head)
	}
	of, attempts := table("attempts.csv")
	if float64(len(attempts)) != tried || tried < 12*5*10 {
		t.Errorf("%d attempts, the runs have %v", len(attempts), tried)
	}
	head, jobs := table("jobs.csv")
	if len(jobs) != 60 {
		t.Errorf("%d jobs", len(jobs))
	}
	for _, j := range jobs {
		sum := 0.0
		for name, i := range head {
			if strings.HasPrefix(name, "time_") && name != "task_time_s" {
				sum += number(j[i])
			}
		}
		if took := number(j[head["finished_s"]]) - number(j[head["submitted_s"]]); sum-took > 1e-6 || took-sum > 1e-6 {
			t.Errorf("%v: its causes sum to %v, it took %v", j, sum, took)
		}
	}
	head, nodes := table("nodes.csv")
	used := map[string]float64{}
	for _, n := range nodes {
		used[strings.Join(n[:5], " ")] += number(n[head["energy_kwh"]])
	}
	head, runs = table("runs.csv")
	for _, r := range runs {
		if of, all := used[strings.Join(r[:5], " ")], number(r[head["task_energy_kwh"]]); len(nodes) < len(runs) || of <= 0 || math.Abs(of-all) > 1e-9 {
			t.Errorf("attempts drew %v kWh on all nodes, and %v in all", of, all)
		}
	}
	head, series := table("series.csv")
	for _, x := range series[:40] {
		at, running := number(x[head["at_s"]]), 0.0
		for _, a := range attempts {
			if strings.Join(a[:5], " ") == strings.Join(x[:5], " ") && a[of["stage"]] == "map" && number(a[of["began_s"]]) <= at && at < number(a[of["ended_s"]]) {
				running++
			}
		}
		if got := number(x[head["map_attempts"]]); got != running {
			t.Errorf("at %v s it has %v maps, %v run", at, got, running)
		}
	}
	if _, list := table("comparisons.csv"); len(list) == 0 || !strings.Contains(s.read("night/figure.svg"), "edf-p") {
		t.Error("there are no comparisons, or no figure")
	}
	var m manifest
	if err := json.Unmarshal([]byte(s.read("night/manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	for _, f := range append(m.Files, exportedFile{"../s.yaml", m.Scenarios[0].Sum}) {
		if sum := sha256.Sum256([]byte(s.read("night/" + f.Name))); hex.EncodeToString(sum[:]) != f.Sum {
			t.Errorf("the sum of %s is another", f.Name)
		}
	}
	if len(m.Files) != 7 || len(m.Seeds) != 3 || len(m.Policies) != 2 || len(m.Scenarios) != 1 {
		t.Errorf("%+v", m)
	}
	if r := s.run("compare", "s.yaml", "--export", "night"); r.code != 2 || !strings.Contains(r.stderr, "--export: ") {
		t.Error(r)
	}
	s.must(0, "compare", "s.yaml", "--export", "night", "--overwrite")
	pandas(t, s)
}

// pandas runs the lines of the documentation, where there is a Python that has it.
func pandas(t *testing.T, s *shell) {
	code := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(docsText(t, "comparing.md"))
	if code == nil {
		t.Fatal("docs/comparing.md has no lines of Python")
	}
	if exec.Command("python3", "-c", "import pandas").Run() != nil {
		t.Log("NOT CHECKED: there is no pandas here")
		return
	}
	cmd := exec.Command("python3", "-c", code[1])
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "edf-p") {
		t.Errorf("%v: %s", err, out)
	}
}

func docsText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
