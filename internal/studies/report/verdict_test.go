package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
)

func run(policy string, seed uint64, makespan, penalty float64, met int) *Run {
	r := &Run{World: "sim", Scenario: "s", Policy: policy, Seed: seed}
	r.Summary.Makespan, r.Summary.Penalty, r.Summary.InTime, r.Summary.Deadlines = makespan, penalty, met, 5
	r.Summary.Attempts, r.Summary.MapLocality = 1, ptr(1)
	r.Summary.Time(float64(seed))
	return r
}

// What is better in nearly every seed is better; what varies is told not to be known, with the number of
// seeds that might tell.
func TestVerdicts(t *testing.T) {
	var runs []*Run
	for seed := range uint64(16) {
		runs = append(runs, run("fifo", seed, 100+float64(seed), 5, 2))
	}
	for seed := range uint64(16) {
		noise := []float64{9, -6, 7, -4, 8, -5, 6, -3}[seed%8]
		runs = append(runs, run("edf", seed, 100+float64(seed)+noise, 1, 2+int(seed%2)+1))
	}
	r := New(runs...)
	r.Compare("")
	verdicts := map[string]string{}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.Policy != "edf" || c.Against != "fifo" || c.Seeds != 16 {
			t.Errorf("%+v", c)
		}
		verdicts[c.Metric] = c.verdict()
	}
	for metric, want := range map[string]string{
		"in time":    "edf is better",
		"makespan":   "undecided after 16 seeds; about ",
		"local maps": "no difference in any seed",
	} {
		if !strings.HasPrefix(verdicts[metric], want) {
			t.Errorf("%s: %q, want %q", metric, verdicts[metric], want)
		}
	}
	if _, there := verdicts["energy"]; there {
		t.Error("energy is compared that nobody knows")
	}
	var text bytes.Buffer
	if err := r.WriteTable(&text); err != nil || !strings.Contains(text.String(), "edf against fifo, seed by seed") ||
		!strings.HasSuffix(text.String(), "may be missing from 16 seeds.\n\nedf against fifo by in time: edf is better (+30.0 points on average, 95 % interval [+24.5, +35.5]).\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// A worse policy is not called better because it differs.
func TestTheOtherIsBetter(t *testing.T) {
	var runs []*Run
	for _, p := range []string{"a", "b"} {
		for seed := range uint64(20) {
			extra := 0.0
			if p == "b" {
				extra = 10 + float64(seed)
			}
			runs = append(runs, run(p, seed, 100+extra, extra, 5))
		}
	}
	r := New(runs...)
	r.Compare("")
	for _, c := range r.Comparisons {
		if c.Metric == "makespan" && c.Better != "a" {
			t.Errorf("%+v", c)
		}
	}
	few := New(runs[0], runs[1], runs[20], runs[21])
	few.Compare("")
	for _, c := range few.Comparisons {
		if c.Better != "" {
			t.Errorf("two seeds tell: %+v", c)
		}
	}
	one := New(runs[0], runs[20])
	if one.Compare(""); len(one.Comparisons) > 0 {
		t.Error("one seed is compared")
	}
}

// CSV has a line for each run, the same bytes whatever was measured.
func TestCSV(t *testing.T) {
	a, b := run("fifo", 1, 2.5, 0, 1), run("edf", 1, 3, 0, 1)
	a.Params, b.Params = map[string]string{"cluster.nodes": "10"}, map[string]string{"cluster.nodes": "20"}
	write := func() string {
		var text bytes.Buffer
		if err := New(a, b).WriteCSV(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	first := write()
	a.Summary.Time(99)
	if first != write() {
		t.Error("what was measured shows")
	}
	rows, err := csv.NewReader(strings.NewReader(first)).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][4] != "cluster.nodes" || rows[2][4] != "20" {
		t.Fatal(err, rows)
	}
	at := map[string]string{}
	for i, name := range rows[0] {
		at[name] = rows[1][i]
	}
	if at["makespan_s"] != "2.5" || at["deadlines"] != "5" || at["energy_kwh"] != "" || at["policy"] != "fifo" {
		t.Error(at)
	}
	if _, there := at["wall_s"]; there {
		t.Error("wall_s is a column")
	}
}

// Every comparison survives JSON: no infinity in it.
func TestComparisonsAreJSON(t *testing.T) {
	var runs []*Run
	for _, p := range []string{"a", "b"} {
		for seed := range uint64(6) {
			runs = append(runs, run(p, seed, float64(len(p+string(p[0]-'a'))), 0, int(p[0]-'a')))
		}
	}
	r := New(runs...)
	r.Compare("")
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
}
