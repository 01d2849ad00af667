package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Deadlines are counted by class as the summary counts them, and shown for each policy over all seeds.
func TestClasses(t *testing.T) {
	due := 100.0
	job := func(class string, o Outcome) Job { return Job{ID: "j", Promise: class, Deadline: &due, Outcome: o} }
	var runs []*Run
	for seed := range uint64(2) {
		r := run("fifo", seed, 100, 0, 2)
		r.Jobs = []Job{job("tight", Kept), job("loose", Met), job("tight", Late), job("", Late), job("tight", Refused), {Promise: "none", Outcome: Done}}
		for i := range r.Jobs {
			r.Jobs[i].Finished = &due
		}
		r.Tally()
		if diff := cmp.Diff([]DeadlineClass{{"loose", 1, 1}, {"tight", 3, 1}}, r.Classes); diff != "" {
			t.Error(diff)
		}
		runs = append(runs, r)
	}
	var text bytes.Buffer
	if err := New(runs...).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fifo    loose            2   2  100 %", "fifo    tight            2   6   33 %"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}
