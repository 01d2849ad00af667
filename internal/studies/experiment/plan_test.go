package experiment

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// A policy that draws something of its own draws it again for each seed of the experiment.
func TestSeedOfThePolicy(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte("cluster: {nodes: 1}\nworkload: {jobs: [{id: j, class: c, maps: 1, map_time: 1s, reduces: 0}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := cellsOf(s, "rds-believing(error_seed={seed})", nil, 0, []uint64{3, 7})
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	for i, want := range []string{"rds-believing(error_seed=3)", "rds-believing(error_seed=7)"} {
		if cells[i].Policy != want || cells[i].Seed != []uint64{3, 7}[i] {
			t.Errorf("with seed %d it plays %s, want %s", cells[i].Seed, cells[i].Policy, want)
		}
	}
}

func TestParam(t *testing.T) {
	hard := param{"rds", "hard", "150"}
	for text, want := range map[string]string{
		"rds":                         "rds(hard=150)",
		"rds(hp=2)":                   "rds(hp=2,hard=150)",
		"rds(hp=2)+slowstart(late=1)": "rds(hp=2,hard=150)+slowstart(late=1)",
		"rds+matchmaking":             "rds(hard=150)+matchmaking",
		"rds(hp=2, hard=100)":         "rds(hp=2, hard=100)",
		"rds(harder=1)":               "rds(harder=1,hard=150)",
		"rdsx":                        "rdsx",
		"edf-p+rds(hp=2)":             "edf-p+rds(hp=2)",
	} {
		if got := hard.in(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, key := range []string{"cluster.speed", "policies.rds.hard", "policy.rds"} {
		if _, ok := paramOf(key, "1"); ok {
			t.Errorf("%s is no parameter", key)
		}
	}
}

// A parameter is varied in the series that it concerns, as an assumption and in a grid with keys of the scenario.
func TestPlannedParams(t *testing.T) {
	e := find(t, "000-tasksize")
	e.plays["2m.yaml"] = append(e.plays["2m.yaml"], "rds(hp=2,hc=1)")
	e.Assumptions = []Assumption{{Key: "policy.rds.hard", Others: []string{"100", "150"}}}
	e.Calibration = &Calibration{Seeds: 2, Within: 0.05, Most: 9, Grid: []Dimension{{Key: "policy.rds.hc", Values: []string{"2", "1"}}, {Key: "cluster.speed", Values: []string{"1", "2"}}}}
	p, err := e.Plan([]uint64{1, 2}, true)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for i := range p.cells {
		if p.outcomes[i].series.File == "2m.yaml" {
			count[p.outcomes[i].series.Policy+" "+p.cells[i].Policy]++
		}
	}
	// two seeds each: as it is, with two other bounds, and in four settings. No claim is about rds(hp=2,hc=1).
	for name, want := range map[string]int{"rds rds": 2, "rds rds(hard=100)": 2, "rds rds(hard=150)": 2, "rds rds(hc=2)": 4, "rds rds(hc=1)": 4, "fair fair": 2 + 4 + 8, "rds(hp=2,hc=1) rds(hp=2,hc=1)": 2} {
		if count[name] != want {
			t.Errorf("%q is played %d times, want %d: %v", name, count[name], want, count)
		}
	}
	e.Calibration.Grid[0].Key = "policy.dc.cost"
	if _, err := e.Plan([]uint64{1}, true); err == nil || err.Error() != "000-tasksize: assumptions.yaml: policy.dc.cost: no series plays dc without a cost of its own" {
		t.Error(err)
	}
}
