package experiment

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	scenarioOf = "cluster: {nodes: 2, heartbeat: 0s}\nworkload: {jobs: [{id: a, maps: 8, map_time: 10s}, {id: b-1, maps: 2, map_time: 1s}]}\npolicies: [fifo, fair]\n"
	stating1   = `paper: mine
about: response
cases: [{file: s.yaml, of: two jobs}]
series:
  - {id: fifo, name: FIFO, policy: fifo}
  - {id: fair, name: fair, policy: fair}
claims:
  - {key: "shorter, {of}", text: "{of}: fair is shorter", is: {less: map response b, of: fair, than: fifo}}
`
	published1 = `{"shorter, two jobs": {"source": "mine", "where": "here", "says": "it is"}}`
)

// folder writes an experiment of somebody's own, and returns its path.
func folder(t *testing.T, experiment string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "own")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"s.yaml": scenarioOf, "experiment.yaml": experiment, "published.json": published1} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An experiment is a folder: nothing else is needed to judge its claims.
func TestFolderOfOnesOwn(t *testing.T) {
	e, err := Find(folder(t, stating1))
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Plan([]uint64{1, 2, 3}, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Claims[0]; e.Name != "own" || c.Verdict != Reproduces || c.Claim != "two jobs: fair is shorter" || c.Kind != Order {
		t.Errorf("%s: %+v", e.Name, c)
	}
}

// What is wrong with the data is told with its place.
func TestStatedWrongly(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"policy: fair}", "polcy: fair}", `:6:28: unknown key "polcy" in series[1]; did you mean "policy"?`},
		{"than: fifo", "than: fifa", `:8:102: there is no series "fifa"; did you mean "fifo"?`},
		{"of: fair, than: fifo", "of: fair", `:8:63: more, less and not_least need than, the series to compare with; the others must not have it`},
		{"less: map response b", "lesser: map response b", `unknown key "lesser" in is; did you mean "less"?`},
		{"less: map response b", "less: map responses", `:8:70: less: there is no metric "map responses"; did you mean "map response"?`},
		{"less: map", "grows: locality, less: map", `:8:63: a claim is of a metric, by one of number,`},
		{"policy: fair}", "policy: fair, values: [1, 2, 1]}", `:6:57: the value 1 is given twice`},
		{"claims:\n", "assumptions:\n  - {what: w, key: seeds, value: 2, others: [3, 2]}\nclaims:\n", `2 is what is assumed: others are values in its place`},
		{"claims:\n", "calibration:\n  grid:\n    - {what: w, key: k, values: [a, b, a]}\nclaims:\n", `:9:40: the value a is given twice`},
		{"file: s.yaml, ", "", `a case has no file; name its scenario file`},
	} {
		text := strings.Replace(stating1, c.from, c.to, 1)
		if text == stating1 {
			t.Fatal(c.from)
		}
		if _, err := Find(folder(t, text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	if _, err := Find(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not an experiment: ") {
		t.Error(err)
	}
}

// A series may be played in another folder's scenario, whatever policies stand there, and be told as what it
// saves of another's.
func TestSeriesBeside(t *testing.T) {
	beside := folder(t, stating1)
	own := filepath.Join(filepath.Dir(beside), "other")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"published.json": `{"saves": {"source": "mine", "where": "here", "says": "it is"}}`,
		"experiment.yaml": `paper: mine
about: response
cases: [{file: ../own/s.yaml}]
series:
  - {id: saved, name: saved, policy: edf-p, over: "fifo", file: ../own/s.yaml}
  - {id: fair, name: fair, policy: fair, over: fifo}
claims:
  - {key: saves, text: fair saves time, is: {above: map response b, of: fair, from: 0}}
tables:
  - {title: saved, rows: [{of: [saved, fair]}], metrics: [map response b]}
  - {title: none, only: s.yaml, rows: [{of: fair}], metrics: [locality]}
`} {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, err := Find(own)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Plan([]uint64{1, 2, 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Two nodes of two slots: eight maps of 10 s, then two of 1 s, which wait 20 s under fifo and edf-p.
	b := response("b")
	of := func(policy, over string) float64 {
		return r.results.Sample(Series{"../own/s.yaml", policy, over}, b)[0]
	}
	if fifo, fair, saved := of("fifo", ""), of("fair", ""), of("fair", "fifo"); fifo != 21 || math.Abs(saved-(1-fair/fifo)) > 1e-12 {
		t.Errorf("fifo %v, fair %v, saved %v", fifo, fair, saved)
	}
	if c := r.Claims[0]; c.Verdict != Reproduces || *c.Ours <= 0 || len(r.e.Tables) != 1 || len(p.cells) != 9 {
		t.Errorf("%+v, %d tables, %d cells", c, len(r.e.Tables), len(p.cells))
	}
	if rows := r.rows(&r.e.Tables[0]); rows[1][1] != "0.00 of the other's" {
		t.Error(rows)
	}
}
