package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A workflow is in time if its last job is, and missed if any of its jobs did not finish.
func TestWorkflows(t *testing.T) {
	var runs []*Run
	for seed := range uint64(2) {
		r := run("fifo", seed, 100, 0, 2)
		r.Jobs = nil
		for _, w := range []struct {
			id       string
			due      float64
			finished []float64 // 0: killed
		}{{"met", 100, []float64{100, 40}}, {"late", 100, []float64{10, 101}}, {"lost", 100, []float64{10, 0, 20}}, {"free", 0, []float64{1000}}} {
			f := &workload.Workflow{ID: w.id, Deadline: units.Never}
			if w.due > 0 {
				f.Deadline = units.Time(0).Add(units.FromSeconds(w.due))
			}
			for _, at := range w.finished {
				j := Job{ID: "j", Outcome: Done}
				if r.join(&j, f, nil); at == 0 {
					j.Outcome = Killed
				} else {
					j.Finished = &at
				}
				r.Jobs = append(r.Jobs, j)
			}
		}
		r.Tally()
		for i, want := range []Outcome{Met, Late, Killed, Done} {
			if got := r.Workflows[i].Outcome; got != want {
				t.Errorf("%s is %s", r.Workflows[i].ID, got)
			}
		}
		if w := r.Workflows[1]; w.Jobs != 2 || *w.Finished != 101 || r.Workflows[2].Finished != nil {
			t.Errorf("%+v", w)
		}
		runs = append(runs, r)
	}
	var text bytes.Buffer
	if err := New(runs...).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if want := "fifo            8         6                6    2       4        66.7 %"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, &text)
	}
}
