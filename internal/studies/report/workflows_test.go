package report

import (
	"bytes"
	"fmt"
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

// A workflow that has the name of an earlier one is another one, unless nobody knows its jobs: then they come one by
// one.
func TestWorkflowsOfOneName(t *testing.T) {
	r := run("flow", 1, 100, 0, 2)
	r.Jobs = nil
	at := func(x float64) *float64 { return &x }
	for _, known := range [][]string{{"a", "b"}, nil} {
		for _, came := range []float64{0, 50, 70} {
			f := &workload.Workflow{ID: "known", Deadline: units.Time(0).Add(units.FromSeconds(came + 30)), Jobs: known}
			if known == nil {
				f.ID = "tagged"
			}
			for i, id := range []string{"a", "b"} {
				j := Job{ID: id, Submitted: came, Finished: at(came + 20*float64(i+1)), Outcome: Done}
				if came == 50 {
					j.Finished = at(60)
				}
				r.join(&j, f, nil)
				r.Jobs = append(r.Jobs, j)
			}
		}
	}
	r.Tally()
	var got []string
	for _, w := range r.Workflows {
		got = append(got, fmt.Sprintf("%s: %d jobs, %s", w.ID, w.Jobs, w.Outcome))
	}
	if want := "known: 2 jobs, late; known (2): 2 jobs, met; known (3): 2 jobs, late; tagged: 6 jobs, late"; strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
}

// A workflow whose jobs arrive one by one, as their input comes late or their run was resumed, is one, also beside
// another of its name.
func TestWorkflowThatArrivesBitByBit(t *testing.T) {
	r := run("flow", 1, 100, 0, 2)
	r.Jobs = nil
	var flows []*workload.Workflow
	for _, due := range []float64{100, 200} {
		flows = append(flows, &workload.Workflow{ID: "w", Deadline: units.Time(0).Add(units.FromSeconds(due)), Jobs: []string{"a", "b"}})
	}
	for at, came := range []struct {
		job string
		of  int
	}{{"a", 0}, {"a", 1}, {"b", 0}, {"b", 1}} {
		j := Job{ID: came.job, Submitted: float64(at)}
		r.join(&j, flows[came.of], nil)
		if want := []string{"w", "w (2)"}[came.of]; j.Workflow != want || len(r.Workflows) != min(at+1, 2) {
			t.Errorf("%s at %d is of %s of %d", came.job, at, j.Workflow, len(r.Workflows))
		}
	}
}

// A workflow is drawn with when its jobs were planned and ran, in the order in which they began, and the path that it
// waited for: of two jobs before one the later. A job that was not planned by itself is planned for the deadline.
func TestDrawn(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	r := run("flow", 1, 100, 0, 2)
	r.Jobs = []Job{
		{ID: "a", Workflow: "w", Submitted: 10, Started: at(10), Finished: at(20), Planned: at(30), Maps: 2, Outcome: Done},
		{ID: "c", Workflow: "w", Submitted: 10, After: []string{"a"}, Started: at(25), Finished: at(45), Planned: at(40), Maps: 1, Outcome: Done},
		{ID: "b", Workflow: "w", Submitted: 10, After: []string{"a"}, Started: at(20), Finished: at(22), Planned: at(35), Maps: 1, Outcome: Done},
		{ID: "d", Workflow: "w", Submitted: 10, After: []string{"b", "c"}, Started: at(45), Finished: at(50), Maps: 1, Outcome: Done},
	}
	r.Workflows = []Workflow{{ID: "w", Submitted: 10, Deadline: at(60)}}
	r.Tally()
	var text bytes.Buffer
	for _, g := range r.Plans() {
		_ = g.Write(&text)
	}
	want := `workflow w by flow: done after 40.0 s, 10.0 s before its deadline; critical path (*): a, c, d

job  maps   began  planned   ended  planned  0─────────────50.0 s
───────────────────────────────────────────────────────────────────
a *     2     0 s      0 s  10.0 s   20.0 s  ████░░░░
b       1  10.0 s   20.0 s  12.0 s   25.0 s      █   ░░
c *     1  15.0 s   20.0 s  35.0 s   30.0 s        ████████
d *     1  35.0 s   30.0 s  40.0 s   50.0 s              ░░██░░░░
`
	if got := text.String(); got != want {
		t.Errorf("%s", got)
	}
	// the first had ended before the plan that could not be in time, by which the others go
	r.Jobs[0].Planned, r.Jobs[2].Planned, r.Jobs[2].PlannedFor = nil, at(75), "the workflow needs 1:05 min; the job is to be done by 15.0 s"
	if got := r.Plans()[0].Title; !strings.HasSuffix(got, "(*): a, c, d; the workflow needs 1:05 min") {
		t.Error(got)
	}
}
