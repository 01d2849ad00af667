package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Deadlines are counted by class as the summary counts them, and shown for each policy over all seeds.
func TestPromises(t *testing.T) {
	yes, no := true, false
	job := func(class string, met *bool) Job {
		return Job{ID: "j", Promise: class, Met: met, Admitted: true, Outcome: "finished"}
	}
	var runs []*Run
	for seed := range uint64(2) {
		r := run("fifo", seed, 100, 0, 2)
		r.Jobs = []Job{job("tight", &yes), job("loose", &yes), job("tight", &no), job("", &no), {Promise: "tight", Met: &no, Outcome: "rejected"}, job("late", nil)}
		r.countPromises()
		if diff := cmp.Diff([]Promised{{"loose", 1, 1, 0}, {"tight", 2, 1, 1}}, r.Promises); diff != "" {
			t.Error(diff)
		}
		runs = append(runs, r)
	}
	var text bytes.Buffer
	if err := New(runs...).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fifo    loose        2   2  100 %", "fifo    tight        2   4   50 %"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}
