package report

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
)

// In each step as many nodes are needed as there are at most at a time, those from the step before too.
func TestLack(t *testing.T) {
	late, due, done := 50.0, 40.0, 30.0
	r := &Run{Scenario: "s", Policy: "p", Summary: Summary{Makespan: 35}, Jobs: []Job{{ID: "missed", Deadline: &due, Finished: &late}, {ID: "met", Deadline: &due, Finished: &done}, {ID: "lost", Deadline: &due}, {ID: "free"}},
		Requests: []Request{{At: 0, Class: "m", Nodes: 2, Cost: 1, Why: "a is late"}, {At: 9, Class: "m", Nodes: -1, Cost: -0.5}, {At: 25, Class: "big", Nodes: 3, Cost: 6, Why: "b is late"}, {At: 26, Class: "big", Nodes: -3, Cost: -6}, {At: 27, Class: "m", Nodes: 1, Cost: 0.5}}}
	l := NewLack(r, 4, 10*units.Second)
	want := []Step{{0, 4, 6, 1}, {10, 4, 5, 0.5}, {20, 4, 8, 6.5}, {30, 4, 6, 1}}
	if len(l.Steps) != len(want) {
		t.Fatalf("%+v", l.Steps)
	}
	for i, s := range l.Steps {
		if s != want[i] {
			t.Errorf("step %d: %+v, want %+v", i, s, want[i])
		}
	}
	var b strings.Builder
	if err := l.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"20.0 s            4       8        4     6.50", "after 25.0 s rented: 3 nodes of class big: b is late\n", `job "missed" is late even so`, `job "lost" is late even so`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, &b)
		}
	}
	if strings.Contains(b.String(), "met") || strings.Contains(b.String(), "given back") {
		t.Error(&b)
	}
	b.Reset()
	if none := NewLack(&Run{}, 1, units.Hour); none.WriteTable(&b) != nil || len(none.Steps) != 1 || !strings.HasSuffix(b.String(), "nothing lacks\n") {
		t.Error(&b)
	}
}
