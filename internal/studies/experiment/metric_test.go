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
	for name, c := range map[string]struct {
		of   Metric
		want float64
	}{
		"penalty": {penalty(allJobs), 0.5}, "penalty J1": {penalty("J1"), 0}, "penalty J10": {penalty("J10"), 0.5},
		"penalty small": {penalty("small"), 1}, "penalty J2": {penalty("J2"), math.NaN()},
		"in time": {inTime(allJobs), 1.0 / 3}, "in time J1": {inTime("J1"), 1},
		"late": {late(allJobs), 2.0 / 3}, "late small": {late("small"), 1},
		"completion": {completion(allJobs), 52.5}, "completion small": {completion("small"), 60},
	} {
		if got := c.of.Of(o); math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) || c.of.Name != name {
			t.Errorf("%s, called %s, is %v, want %v", name, c.of.Name, got, c.want)
		}
	}
}
