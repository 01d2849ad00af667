package experiment

import (
	"context"
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
