package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// A deadline that only urgency is to meet has as much to spare on either side; any other is met by
// both orders, with half as much again.
func TestDemoDeadlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var first, urgent [3]float64
		for i := range first {
			first[i], urgent[i] = rapid.Float64Range(0.01, 100).Draw(t, "first"), rapid.Float64Range(0.01, 100).Draw(t, "urgent")
		}
		for i, due := range dueBetween(first, urgent) {
			spare, lacks := due/urgent[i], first[i]/due
			switch {
			case first[i] >= 1.7*urgent[i]:
				if spare < 1.3 || lacks < 1.3 || spare/lacks > 1.001 || lacks/spare > 1.001 {
					t.Fatalf("by arrival %v, by urgency %v: due %v", first[i], urgent[i], due)
				}
			case first[i] < 1.68*urgent[i]:
				if wide := due / max(first[i], urgent[i]); wide < 1.4999 || wide > 1.5001 {
					t.Fatalf("by arrival %v, by urgency %v: due %v", first[i], urgent[i], due)
				}
			}
		}
	})
}

// The demo says what it does, rehearses at least twice, leaves nothing of it behind, and gives each
// job a deadline behind its arrival.
func TestDemoPrepares(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte(strings.Repeat("some words, and an error\n", 40000)), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := FindText(dir)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	d := &Demo{Files: files, Machine: ThisMachine(2), Seed: 1, Budget: 10 * units.Second, Dir: t.TempDir(), Say: func(format string, _ ...any) { said.WriteString(format + "\n") }}
	if err := d.Prepare(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(said.String(), "rehearsal %d"); n < 2 || n > mostRehearsals {
		t.Errorf("%d rehearsals", n)
	}
	if left, err := os.ReadDir(d.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for i := range d.due {
		if d.due[i] <= d.arrive[i] || i > 0 && d.arrive[i] <= d.arrive[i-1] {
			t.Errorf("job %d comes at %v and is due at %v", i, d.arrive[i], d.due[i])
		}
		if c := find(d.learned, demoJobs[i].app); c == nil || c.Runs != 2 {
			t.Errorf("%s: %+v", demoJobs[i].app, c)
		}
	}
}
