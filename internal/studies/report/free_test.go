package report

import (
	"strings"
	"testing"
)

// Beside jobs with a deadline, those without are shown by themselves: the mean of their times alone.
func TestResponseWithoutDeadline(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	due := Job{ID: "due", Submitted: 0, Finished: at(100), Deadline: at(200), Outcome: Met}
	free := []Job{{ID: "a", Submitted: 5, Finished: at(15), Outcome: Done}, {ID: "b", Submitted: 10, Finished: at(40), Outcome: Done},
		{ID: "failed", Submitted: 10, Outcome: Failed}}
	for want, jobs := range map[float64][]Job{20: append(free, due), -1: free, -2: {due}} {
		r := &Run{World: "sim", Policy: "fifo", Jobs: jobs}
		r.Summary.FreeResponse = r.freeResponse()
		if got := r.Summary.FreeResponse; (want > 0) != (got != nil) || got != nil && *got != want {
			t.Errorf("%d jobs: %v, want %v", len(jobs), got, want)
		}
		var b strings.Builder
		_ = summaryTable("", []*Run{r}).Write(&b)
		if shown := strings.Contains(b.String(), "mean response  no-deadline response"); shown != (want > 0) || shown && !strings.Contains(b.String(), "20.0 s") {
			t.Errorf("%d jobs:\n%s", len(jobs), b.String())
		}
	}
}
