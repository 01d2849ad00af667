package profile

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/workload"
)

// A course of few steps keeps all that was done and all seconds of slots, and where they lie within a step.
func TestCourse(t *testing.T) {
	for seed := range uint64(50) {
		dice := rand.New(rand.NewPCG(seed, 1))
		var c Course
		type span struct{ began, ended float64 }
		var spans []span
		for range 200 {
			s := span{began: 5000 * dice.Float64()}
			s.ended = s.began + 300*dice.Float64()
			spans = append(spans, s)
			c.Add(s.began, s.ended, 1)
		}
		if len(c.Done) > courseSteps || len(c.Done) != len(c.Used) || c.Step != 128 {
			t.Fatalf("seed %d: %d and %d steps of %v s", seed, len(c.Done), len(c.Used), c.Step)
		}
		for at := 0.0; at <= 6400; at += 128 {
			want, all := 0.0, 0.0
			for _, s := range spans {
				if s.ended < at {
					want++
				}
				all += max(0, min(at, s.ended)-s.began)
			}
			if done, used := c.Until(at); math.Abs(done-want) > 1e-9 || math.Abs(used-all) > 1e-6 {
				t.Fatalf("seed %d: until %v s %v tasks in %v s of slots, want %v in %v", seed, at, done, used, want, all)
			}
		}
	}
	var c Course
	c.Add(0, 1, 1)
	c.Add(2, 3, 0) // which was killed
	c.Add(5, 4, 1)
	c.Add(math.NaN(), 9, 1)
	if done, used := c.Until(3.5); done != 1 || used != 2 {
		t.Errorf("%v tasks in %v s of slots", done, used)
	}
	if done, _ := c.Until(1.5); done != 0.5 {
		t.Errorf("in half of the step in which a task ends %v of it is done", done)
	}
}

// The last courses of each stage are kept, and come over when profiles merge; who is told while jobs run gets none.
func TestLastCourses(t *testing.T) {
	a, b := New("c"), New("c")
	for i := range 20 {
		of := []*Class{a, b}[i/12]
		of.Follow(Course{Stage: workload.Map, Tasks: i + 1, Step: 1, Done: []float64{1}, Used: []float64{1}})
		if i%4 == 0 {
			of.Follow(Course{Stage: workload.Reduce, Tasks: i + 1, Step: 1, Done: []float64{1}, Used: []float64{1}})
		}
	}
	a.Merge(b)
	var maps, reduces []int
	for _, c := range a.Courses {
		if c.Stage == workload.Map {
			maps = append(maps, c.Tasks)
		} else {
			reduces = append(reduces, c.Tasks)
		}
	}
	if !slices.Equal(maps, []int{13, 14, 15, 16, 17, 18, 19, 20}) || !slices.Equal(reduces, []int{1, 5, 9, 13, 17}) {
		t.Errorf("courses of %v and %v tasks are left", maps, reduces)
	}
	if len(a.Bare().Courses) != 0 {
		t.Error("they are told while jobs run")
	}
	text, err := Format([]*Class{a})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("p.json", text); err != nil || len(again[0].Courses) != len(a.Courses) {
		t.Errorf("read again: %v", err)
	}
	for want, bad := range map[string]Course{
		"courses[0].step: a step has a second or more":           {Tasks: 1, Step: 0.5},
		"courses[0].tasks: there are none":                       {Step: 1},
		"courses[0].done: it has as many steps as used has":      {Tasks: 1, Step: 1, Done: []float64{1}},
		"courses[0].done: tasks and seconds must be 0 or more":   {Tasks: 1, Step: 1, Done: []float64{1}, Used: []float64{-1}},
		"courses[0].done: it has as many steps as used has, at ": {Tasks: 1, Step: 1, Done: make([]float64, 65), Used: make([]float64, 65)},
	} {
		text, _ := Format([]*Class{{Name: "c", Courses: []Course{bad}}})
		if _, err := Parse("p.json", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
