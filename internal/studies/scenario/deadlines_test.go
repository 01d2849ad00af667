package scenario

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
)

// Deadlines of a trace come in one kind or in classes; each is checked where it stands.
func TestDeadlinesOfATrace(t *testing.T) {
	const head = "cluster: {nodes: 5}\nworkload:\n  trace:\n    format: swim\n    file: ../../../examples/traces/swim.tsv\n    deadlines: "
	for deadlines, want := range map[string]string{
		"{share: 1, factor: 2}": "",
		"{share: 1, classes: [{name: tight, weight: 0.2, factor: 1.2..2}, {name: loose, factor: 4}]}": "",
		"{factor: 2}":                                                         "s.yaml:6:25: factor has no effect without share",
		"{classes: [{name: a, factor: 2}]}":                                   "s.yaml:6:26: classes has no effect without share",
		"{share: 0.5, classes: []}":                                           "s.yaml:6:38: classes is empty",
		"{share: 0.5, classes: [{name: a}]}":                                  `the key "factor" in classes[0] is missing`,
		"{share: 0.5, classes: [factor: 2]}":                                  `the key "name" in classes[0] is missing`,
		"{share: 0.5, factor: 0.5}":                                           "s.yaml:6:37: factor is 0.5, it must be at least 1",
		"{share: 0.5, classes: [{name: a, factor: 0.5..2}]}":                  "s.yaml:6:57: factor is 0.5, it must be at least 1",
		"{share: 0.5, classes: [{name: a, factor: 2, weight: 0}]}":            "weight is 0, it must be above 0",
		"{share: 0.5, factor: 2, classes: [{name: a, factor: 2}]}":            "s.yaml:6:37: factor and classes exclude each other",
		"{share: 0.5, classes: [{name: a, factor: 2}, {name: a, factor: 3}]}": `s.yaml:6:68: there is another class "a"`,
	} {
		s, err := Read("s.yaml", []byte(head+deadlines+"\n"))
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", deadlines, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", deadlines, err)
			continue
		}
		c := s.Sim(1)
		classes := map[string]int{}
		for _, j := range drain(t, c.Source()) {
			if j.Deadline == units.Never {
				t.Errorf("%s: job %s has no deadline", deadlines, j.ID)
			}
			classes[j.Promise]++
		}
		if len(classes) != 1+strings.Count(deadlines, "loose") {
			t.Errorf("%s: %v", deadlines, classes)
		}
	}
}
