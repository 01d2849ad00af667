package experiment

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// Metrics of jobs are means over those of a size or of a name that have a value.
func TestMetricsOfJobs(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	o := &Outcome{Jobs: []Job{
		{Job: report.Job{ID: "J1", Submitted: 10, Finished: at(40), Deadline: at(50), Penalty: at(0), Outcome: report.Met}},
		{Job: report.Job{ID: "J10", Submitted: 10, Finished: at(70), Deadline: at(50), Penalty: at(0.5), Outcome: report.Late}},
		{Job: report.Job{ID: "small-1", Submitted: 0, Finished: at(100), Deadline: at(50), Penalty: at(1), Outcome: report.Late}},
		{Job: report.Job{ID: "small-2", Submitted: 0, Finished: at(20)}},
		{Job: report.Job{ID: "small-3", Submitted: 0}},
	}}
	for name, want := range map[string]float64{
		"penalty": 0.5, "penalty J1": 0, "penalty J10": 0.5, "penalty small": 1, "penalty J2": math.NaN(),
		"in time": 1.0 / 3, "in time J1": 1, "late": 2.0 / 3, "late small": 1,
		"completion": 52.5, "completion small": 60,
	} {
		var m Metric
		if err := m.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		if got := m.Of(o); math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
