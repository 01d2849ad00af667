package trace

import (
	"fmt"
	"math"
	"testing"

	"github.com/slackline/slackline/units"
)

// classesOf draws the deadlines of many jobs and returns the class of each, and the factor that came of it.
func classesOf(t *testing.T, d Deadlines, n int) (classes []string, factors []float64) {
	t.Helper()
	r := DefaultRule(5)
	r.Deadlines = d
	for i := range n {
		w, err := r.Unfold(&Job{ID: fmt.Sprint("j", i), Submit: units.Time(i), Input: units.GB, Shuffle: units.GB}, 3)
		if err != nil {
			t.Fatal(err)
		}
		classes = append(classes, w.Promise)
		factors = append(factors, float64(w.Deadline.Sub(w.Arrive))/float64(r.Deadlines.Dedicated(w)))
	}
	return classes, factors
}

// Classes come in the parts of their weights, each with factors of its own.
func TestDeadlineClasses(t *testing.T) {
	const n = 20_000
	tight, loose := DeadlineClass{"tight", 1, [2]float64{1.2, 2}}, DeadlineClass{"loose", 4, [2]float64{4, 8}}
	classes, factors := classesOf(t, Deadlines{Share: 0.5, Slots: 10, Classes: []DeadlineClass{tight, loose}}, n)
	count := map[string]int{}
	for i, c := range classes {
		count[c]++
		for _, k := range []DeadlineClass{tight, loose} {
			if c == k.Name && (factors[i] < k.Factor[0]-1e-6 || factors[i] > k.Factor[1]+1e-6) {
				t.Fatalf("a deadline of class %s with factor %g", c, factors[i])
			}
		}
	}
	for name, part := range map[string]float64{"": 0.5, "tight": 0.1, "loose": 0.4} {
		if got := float64(count[name]) / n; math.Abs(got-part) > 5*math.Sqrt(part*(1-part)/n) {
			t.Errorf("a part %g of the jobs is %q, want %g", got, name, part)
		}
	}

	// Without classes, and in whatever order, the same jobs have a deadline.
	plain, _ := classesOf(t, Deadlines{Share: 0.5, Slots: 10, Factor: [2]float64{1, 1}}, 1)
	if plain[0] != "" {
		t.Errorf("class %q without classes", plain[0])
	}
	if turned, _ := classesOf(t, Deadlines{Share: 0.5, Slots: 10, Classes: []DeadlineClass{loose, tight}}, n); fmt.Sprint(turned) != fmt.Sprint(classes) {
		t.Error("the order of the classes counts")
	}

	// A class that is added takes jobs from the others and changes nothing else of those that it does not take.
	more, changed := classesOf(t, Deadlines{Share: 0.5, Slots: 10, Classes: []DeadlineClass{tight, {"none", 1, [2]float64{9, 9}}, loose}}, n)
	taken := 0
	for i := range more {
		if more[i] == "none" && classes[i] != "" {
			taken++
			continue
		}
		if more[i] != classes[i] || changed[i] != factors[i] {
			t.Fatalf("job %d was %q with factor %g, now %q with %g", i, classes[i], factors[i], more[i], changed[i])
		}
	}
	if taken == 0 {
		t.Error("the class that was added took none")
	}
}
