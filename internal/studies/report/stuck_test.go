package report

import (
	"bytes"
	"strings"
	"testing"
)

// A run that got stuck is told, and counts neither in means nor in comparisons.
func TestStuckRunsDoNotCount(t *testing.T) {
	var runs []*Run
	for _, p := range []string{"a", "b", "c"} {
		for seed := range uint64(6) {
			runs = append(runs, run(p, seed, 100+float64(seed), 0, 5))
		}
	}
	for i, r := range runs {
		if r.Policy == "b" && r.Seed < 2 || r.Policy == "c" {
			runs[i].Stuck, runs[i].Summary.Makespan = "stuck at 1s, it waits", 1e9
		}
	}
	r := New(runs...)
	r.Compare("")
	for _, c := range r.Comparisons {
		if c.Policy != "b" || c.Seeds != 4 || c.Mean != 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(r.Comparisons) == 0 || len(Stuck(r.Runs)) != 8 {
		t.Errorf("%d comparisons, %d stuck", len(r.Comparisons), len(Stuck(r.Runs)))
	}
	var text, lines bytes.Buffer
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"b is not counted with seeds 0, 1; the first: stuck at 1s, it waits\n", "c is not counted with seeds 0, 1, 2, 3, 4, 5; the first: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	for line := range strings.Lines(text.String()) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "c" && f[1] != "is" && (f[1] != "–" || f[len(f)-1] != "0") {
			t.Errorf("figures of runs that did not end: %s", line)
		}
	}
	if err := r.WriteCSV(&lines); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if !strings.HasSuffix(rows[0], ",stuck") || !strings.HasSuffix(rows[7], `,,,"stuck at 1s, it waits"`) || strings.Contains(rows[7], "1e+09") || !strings.HasSuffix(rows[1], ",") {
		t.Errorf("%s\n%s\n%s", rows[0], rows[1], rows[7])
	}
}
