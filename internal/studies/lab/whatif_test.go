package lab

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// What helps is smaller than what does not, and of that what decides otherwise for fewer others, for better or worse.
func TestSizeOfChanges(t *testing.T) {
	sizes := []int{}
	for _, c := range []Change{{Outcome: report.Met}, {Outcome: report.Kept, Others: 1}, {Outcome: report.Met, Others: -2}, {Outcome: report.Met, Others: 3}, {Outcome: report.Late}} {
		sizes = append(sizes, c.size())
	}
	for i := range sizes[1:] {
		if sizes[i] >= sizes[i+1] {
			t.Errorf("%v", sizes)
		}
	}
}
