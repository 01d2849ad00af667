package runs

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
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
		if len(p.Measured) != 3 || len(p.Predicted) != 3 || len(p.Simulated) != 3 || len(p.Low) != 3 || p.Early < 0 || p.Early > 3 || p.BiasLow == nil {
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

// Ten rounds in which all takes a tenth longer than predicted, some more and some less: the bias and its
// sign are told, and from the fourth round on an interval about what was measured, which has the outcome.
func TestBiasIsTold(t *testing.T) {
	var p Prediction
	for i := range 10 {
		p.add(1.1+0.01*float64(i%3), 1, 1)
	}
	p.sum()
	if p.Early != 10 || math.Abs(p.Sign-2./1024) > 1e-12 || p.Bias > -0.09 || p.Bias < -0.11 || *p.BiasLow > p.Bias || *p.BiasHigh < p.Bias || *p.BiasHigh > -0.08 {
		t.Errorf("%+v, bias from %v to %v", p, *p.BiasLow, *p.BiasHigh)
	}
	if p.Told != 7 || p.Inside != 7 || p.Low[2] != nil || *p.Low[3] > 1.1 || *p.High[3] < 1.12 || *p.High[9] > 1.15 {
		t.Errorf("%d of %d inside; of the last from %v to %v", p.Inside, p.Told, *p.Low[9], *p.High[9])
	}
	p.add(2, 1, 1) // an odd round is outside, and widens the next interval
	if p.add(1.1, 1, 1); p.Told != 9 || p.Inside != 8 || *p.High[11] < *p.High[10]*1.05 {
		t.Errorf("%d of %d inside", p.Inside, p.Told)
	}
}

// What predictions of a class were off by corrects the next one, in all that is said of its jobs.
func TestErrorsCorrectPredictions(t *testing.T) {
	job, _ := wordsFile(t)
	local := localOf(t, job)
	class := func(ratio float64) []*profile.Class {
		c := profile.New("wordcount")
		c.Runs = 1
		c.Attempt(workload.Map, LocalClass, 64<<10, units.Second, 0)
		c.Attempt(workload.Reduce, LocalClass, 0, units.Second, 0)
		for range 8 {
			c.Predicted(ratio)
		}
		return []*profile.Class{c}
	}
	took := func(known []*profile.Class) float64 {
		all, err := local.Foresee(t.Context(), lab.BaselinePolicy, 1, known)
		if err != nil {
			t.Fatal(err)
		}
		if all[0].Factor != known[0].Bias() {
			t.Errorf("corrected by %v, said %v", known[0].Bias(), all[0].Factor)
		}
		cell, err := local.Simulated(lab.BaselinePolicy, 1, known)
		if err != nil {
			t.Fatal(err)
		}
		run, err := lab.Run(t.Context(), cell)
		if simulated, _ := response(run, local.Files[0].Name); err != nil || simulated != all[0].Done {
			t.Errorf("simulated %v, expected %v, %v", simulated, all[0].Done, err)
		}
		return all[0].Done
	}
	if one, half := took(class(1)), took(class(1.5)); math.Abs(half/one-1.5) > 0.04 {
		t.Errorf("%v s, and %v s where predictions were 1.5 times too small", one, half)
	}
	known := class(1.5)
	// What comes of a corrected prediction teaches as if it were not corrected: else the factor would fall back to 1.
	taught := []*profile.Class{profile.New("wordcount")}
	run := func(seconds float64) *report.Run {
		return &report.Run{Jobs: []report.Job{{ID: local.Files[0].Name, Finished: &seconds}}}
	}
	if local.teach(taught, run(6), []Foresight{{Known: true, Done: 6, Factor: known[0].Bias()}}); math.Abs(taught[0].Error.Mean-known[0].Bias()) > 1e-9 {
		t.Errorf("taught %v, after a factor of %v that was right", taught[0].Error.Mean, known[0].Bias())
	}
}
