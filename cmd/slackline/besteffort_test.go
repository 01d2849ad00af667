package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// The example of best-effort jobs beside promised ones: every promise is kept, and those without a deadline
// pay for it. They are done later than by an order that kills nothing, and need more attempts.
func TestBestEffortExample(t *testing.T) {
	if testing.Short() {
		t.Skip("the example is played where -short is not asked for")
	}
	t.Parallel()
	text, err := os.ReadFile("../../examples/best-effort.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, map[string]string{"be.yaml": string(text)})
	var got struct {
		Runs []struct {
			Policy string
			Jobs   []struct {
				Outcome  report.Outcome
				Deadline *float64 `json:"deadline_s"`
				From     float64  `json:"submitted_s"`
				To       float64  `json:"finished_s"`
				Tasks    int      `json:"maps"`
				Attempts int
			}
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "compare", "be.yaml", "--seed", "1..2", "-o", "json")), &got); err != nil || len(got.Runs) != 4 {
		t.Fatal(len(got.Runs), err)
	}
	response, attempts := map[string]float64{}, map[string]int{}
	for _, r := range got.Runs {
		promised, late := 0, 0
		for _, j := range r.Jobs {
			attempts[r.Policy] += j.Attempts
			switch {
			case j.Deadline == nil:
				response[r.Policy] += j.To - j.From
			case j.Outcome.Finished():
				if promised++; !j.Outcome.InTime() {
					late++
				}
			}
		}
		if promised < 40 || late > 0 {
			t.Errorf("%s: %d promises, %d of them late", r.Policy, promised, late)
		}
	}
	const order = "edf(feasible=true)+slowstart"
	if with, without := response["rtmr"], response[order]; without == 0 || without > 0.9*with {
		t.Errorf("the response times of jobs without a deadline: %.0f s, without promises %.0f s", with, without)
	}
	if with, without := attempts["rtmr"], attempts[order]; without == 0 || with <= without {
		t.Errorf("%d attempts, without promises %d", with, without)
	}
}
