package runs

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/units"
)

// Every round but the first ones has a prediction for each job and the makespan, made before the
// run; nothing is left behind.
func TestValidate(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("some words and an error\n", 20000)), 0o666); err != nil {
		t.Fatal(err)
	}
	jobs, err := DefaultBatch([]string{text}, 10*units.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	v := Validation{Jobs: jobs, Machine: ThisMachine(2), Policy: lab.DefaultPolicy, Seed: 1, Teach: 1, Rounds: 3, Dir: t.TempDir(), Say: func(string, ...any) { said++ }}
	v.Machine.Block = 64 * units.KB
	a, err := Validate(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Jobs) != 3 || a.Rounds != 3 || said != 4 {
		t.Errorf("%d jobs, %d rounds, %d lines", len(a.Jobs), a.Rounds, said)
	}
	var sizes []float64
	for _, p := range append(a.Jobs, a.Makespan) {
		if len(p.Measured) != 3 || len(p.Predicted) != 3 {
			t.Fatalf("%+v", p)
		}
		for i, e := range p.Errors() {
			if !(p.Measured[i] > 0 && p.Predicted[i] > 0) || math.Abs((1+e)*p.Measured[i]-p.Predicted[i]) > 1e-9 {
				t.Errorf("%+v", p)
			}
			if p.ID != "makespan" {
				sizes = append(sizes, math.Abs(e))
			}
		}
	}
	sum := 0.0
	for _, e := range sizes {
		sum += e
		if e > a.Largest {
			t.Errorf("an error of %v, the largest is %v", e, a.Largest)
		}
	}
	if math.Abs(sum/float64(len(sizes))-a.Mean) > 1e-9 || a.P95 > a.Largest {
		t.Errorf("mean %v, 95th percentile %v, largest %v", a.Mean, a.P95, a.Largest)
	}
	if left, err := os.ReadDir(v.Dir); err != nil || len(left) > 0 {
		t.Error("output is left behind", left, err)
	}
}
