package capacity

import (
	"math"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Three jobs of a class, of which two ran side by side until the third began, one that failed, and a
// class whose jobs had no deadline.
func TestFromHistory(t *testing.T) {
	at := func(seconds float64) *time.Time {
		then := time.Unix(1000, 0).Add(time.Duration(seconds * 1e9))
		return &then
	}
	job := func(id int64, class string, maps, reduces int, submitted, started, ended float64) *store.Job {
		return &store.Job{
			ID: id, Class: class, State: store.Finished, Maps: store.Tally{Tasks: maps}, Reduces: store.Tally{Tasks: reduces},
			Submitted: *at(submitted), Started: at(started), Ended: at(ended),
		}
	}
	jobs := []*store.Job{
		job(1, "words", 3, 2, 0, 10, 120), job(2, "words", 2, 1, 0, 50, 120), job(3, "words", 2, 1, 110, 120, 200),
		job(4, "words", 9, 9, 0, 0, 999), job(5, "sums", 1, 0, 0, 5, 30), job(6, "gone", 1, 1, 0, 5, 30),
	}
	jobs[1].Deadline, jobs[2].Deadline = at(300), at(350) // 300 s and 240 s
	jobs[3].State = store.Failed
	attempts := func(id int64) ([]*store.Attempt, error) {
		a := func(stage string, began, took, shuffle float64) *store.Attempt {
			return &store.Attempt{Stage: stage, Began: *at(began), Took: took, Shuffle: shuffle, Outcome: "committed"}
		}
		switch id {
		case 1:
			killed := a("map", 10, 99, 0)
			killed.Outcome = "killed"
			return []*store.Attempt{
				// The last map ends at 40; the first reduce waited for it for 10 s, and fetched for 4 s behind it.
				a("map", 10, 30, 0), killed, a("reduce", 30, 34, 14), a("reduce", 64, 26, 6),
			}, nil
		case 5:
			return []*store.Attempt{a("map", 5, 25, 0)}, nil
		case 6:
			return nil, nil
		}
		return []*store.Attempt{a("map", 50, 20, 0)}, nil
	}
	src, err := FromHistory(jobs, 4, attempts)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenario.ReadCapacity("history.yaml", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if len(c.Classes) != 2 || c.Prices.OnDemand != 1 {
		t.Fatalf("%s", src)
	}
	span := func(seconds float64) config.Span { return config.Span(units.FromSeconds(seconds)) }
	sums, words := c.Classes[0], c.Classes[1]
	if words.Name != "words" || words.Maps != 3 || words.Reduces != 2 || words.Deadline != span(240) || words.AtMost != 2 ||
		words.AtLeast != 2 || words.MapSlots != 4 || math.Abs(words.Map.Mean.Duration().Seconds()-70.0/3) > 1e-8 || words.Map.Max != span(30) ||
		words.FirstShuffle.Max != span(4) || words.Shuffle.Max != span(6) || words.Reduce.Mean != span(20) {
		t.Errorf("%+v\n%s", words, src)
	}
	if sums.Maps != 1 || sums.Reduces != 0 || sums.Deadline != span(30) || sums.AtMost != 1 {
		t.Errorf("%+v\n%s", sums, src)
	}
	if Plan(c).Status != "optimal" {
		t.Errorf("%+v", Plan(c))
	}
	if _, err := FromHistory(jobs[3:4], 4, attempts); err == nil {
		t.Error("a plan for nothing")
	}
}
