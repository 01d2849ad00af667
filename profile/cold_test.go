package profile

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ofMaps is a class with a job whose maps took so many seconds.
func ofMaps(seconds ...int) *Class {
	c := New("words")
	c.Runs = 1
	for _, s := range seconds {
		c.Attempt(workload.Map, "local", units.MB, units.Duration(s)*units.Second, 0)
	}
	return c
}

// A cold run is told until there is a warm one, and never again; worst cases keep it.
func TestColdRuns(t *testing.T) {
	mean := func(c *Class) float64 { return c.Any(workload.Map).Task.Mean }
	known := New("words")
	known.Merge(ofMaps(30).AsCold())
	if known.Runs != 0 || len(known.Stages) != 0 || mean(known.Told()) != 30 || mean(known.Whole()) != 30 {
		t.Errorf("after a cold run: %+v", known)
	}
	known.Merge(ofMaps(10))
	known.Merge(ofMaps(60).AsCold())
	if mean(known.Told()) != 10 || known.Told().Runs != 1 || known.Cold.Runs != 2 {
		t.Errorf("after a warm run: %+v", known)
	}
	if whole := known.Whole(); whole.Any(workload.Map).Task.Max != 60 || whole.Runs != 3 || whole.Cold != nil || math.Abs(mean(whole)-100.0/3) > 1e-9 {
		t.Errorf("all of it: %+v", whole)
	}
	if mean(known) != 10 || known.Cold.Runs != 2 { // to look changes nothing
		t.Errorf("it has changed: %+v", known)
	}
	text, err := Format([]*Class{known})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("p.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*Class{known}, got); d != "" {
		t.Error(d)
	}
}

// What cold runs taught is checked as the rest is.
func TestColdInFiles(t *testing.T) {
	for want, break_ := range map[string]func(*Class){
		"profiles[0].cold.name: it differs from that of the class":         func(c *Class) { c.Cold.Name = "other" },
		"profiles[0].cold.runs: it is negative":                            func(c *Class) { c.Cold.Runs = -1 },
		"profiles[0].cold.cold: a profile of cold runs has no such part":   func(c *Class) { c.Cold.Cold = New("words") },
		"profiles[0].cold.stages[0].task.n: it is 0, but there is a value": func(c *Class) { c.Cold.Stages[0].Task.N = 0 },
	} {
		c := ofMaps(1)
		c.Cold = ofMaps(2)
		break_(c)
		text, err := json.Marshal(file{FileSchema, []*Class{c}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("p.json", text); err == nil || err.Error() != "p.json:1: "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
