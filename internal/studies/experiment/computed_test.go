package experiment

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/weather"
)

// The computed series of an experiment are judged as those that run are, other assumptions too.
func TestComputed(t *testing.T) {
	for _, name := range []string{"004-sharing", "004-concurrency", "004-deadlines"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Plan([]uint64{1, 2, 3}, true)
		if err != nil {
			t.Fatal(err)
		}
		var done atomic.Int64
		r, err := p.Run(context.Background(), 0, func() { done.Add(1) })
		if n := int(done.Load()); err != nil || n != p.Runs() || n == 0 {
			t.Fatalf("%d of %d: %v", n, p.Runs(), err)
		}
		for _, c := range r.Claims {
			if c.Ours == nil || c.Verdict == Refuted {
				t.Errorf("%s: %+v", name, c)
			}
			if !strings.Contains(c.Note, "other assumptions") {
				t.Errorf("%s: no assumption is varied: %s", name, c.Note)
			}
		}
	}
}

// Weather that was measured takes the place of what is made up: of a constant wind nothing is left to
// foresee. The report says which it was; a record too short for a seed, and one for an experiment that
// needs none, are refused.
func TestMeasuredWeather(t *testing.T) {
	calm := &weather.Series{From: "calm.csv (CSV)", Step: time.Hour, Zone: time.UTC}
	for i := range int64(14 * 24) {
		calm.Samples = append(calm.Samples, weather.Sample{At: 3600 * i, Wind: 5})
	}
	calm.Samples[30].Wind = math.NaN() // what is missing is not judged
	of := func(name string, measured *weather.Series, seeds ...uint64) (*Report, error) {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		e.Under(measured)
		p, err := e.Plan(seeds, false)
		if err != nil {
			return nil, err
		}
		return p.Run(context.Background(), 0, func() {})
	}
	nothing := regexp.MustCompile(`persistence, 6 ahead +0\.0 %`)
	for _, measured := range []*weather.Series{nil, calm} {
		r, err := of("000-capacity", measured, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		says, still := "; weather made up)", false
		if measured != nil {
			says, still = "; weather of calm.csv (CSV))", true
		}
		if !strings.Contains(b.String(), says) || nothing.MatchString(b.String()) != still {
			t.Errorf("%v:\n%s", measured != nil, b.String())
		}
	}
	if _, err := of("000-capacity", calm, 3); err == nil || !strings.Contains(err.Error(), "calm.csv (CSV) has no days for seed 3: each takes 7, so seeds may be 1 to 2") {
		t.Error(err)
	}
	windless := *calm
	windless.Samples = slices.Clone(calm.Samples)
	for i := range windless.Samples {
		windless.Samples[i].Wind = math.NaN()
	}
	if _, err := of("000-capacity", &windless, 1); err == nil || err.Error() != "calm.csv (CSV) has no wind speed, which a turbine needs; give another file, or none to have weather made up" {
		t.Error(err)
	}
	short := *calm
	short.Samples = short.Samples[:24]
	if _, err := of("000-capacity", &short, 1); err == nil || !strings.Contains(err.Error(), "calm.csv (CSV) is too short: each seed takes 7 days") {
		t.Error(err)
	}
	if _, err := of("004-sharing", calm, 1); err == nil || err.Error() != "004-sharing computes nothing from weather" {
		t.Error(err)
	}
}

// By hand: on two slots two users have one each. A job has two maps of 1 s and two reduces of 1 s,
// so that the upper bound is (2 - 2)/1 + 2 for each phase, 4 s, and so is the lower. Alone a job
// takes 2 s.
func TestBesideUsers(t *testing.T) {
	const users = `compute: bounds
seeds: [1..8]
slots: 2
users: 2
rounds: 20
groups: [{classes: a}]
profiles: [{name: a, maps: 2, map: {mean: 1s, max: 1s}, reduces: 2, reduce: {mean: 1s, max: 1s}}]
`
	evaluation := func(users, measure string) *Experiment {
		e := &Experiment{Name: "own", folders: beside(map[string]string{"own/users.yaml": users,
			"own/published.json": `{"a": {"source": "mine", "where": "here", "says": "it is"}}`})}
		upper, middle := value("gap of the upper bound", "%"), value("gap of the midpoint", "%")
		by, fixed := play("users", "users.yaml", measure), play("fixed", "users.yaml", "fixed point")
		e.claim("a", "above", above(0.001, upper, by))
		e.claim("a", "below", below(0.499, upper, by))
		e.claim("a", "as well", below(0.499, middle, fixed))
		e.claim("a", "not above", above(0.5, upper, by))
		return e
	}
	e := evaluation(users, "users")
	p, err := e.Plan(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, false} {
		if c := r.Claims[i]; (c.Verdict == Reproduces) != want || c.Ours == nil || math.IsNaN(*c.Ours) || *c.Ours < 0 || *c.Ours > 0.5 {
			t.Errorf("%+v, %v", c, *c.Ours)
		}
	}
	for old, bad := range map[string]string{
		"classes: a":       "classes: b",
		"compute: bounds":  "compute: bonds",
		"seeds: [1..8]\n":  "",
		"users: 2\nrounds": "users: 1\nrounds",
		"compute: bound":   "compute: order", // which has no such series
	} {
		p, err := evaluation(strings.Replace(users, old, bad, 1), "users").Plan(nil, false)
		if err == nil {
			_, err = p.Run(context.Background(), 0, nil)
		}
		if err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	if _, err := evaluation(users, "usrs").Plan(nil, false); err == nil || err.Error() != `experiments/own/users.yaml: bounds computes no "usrs"` {
		t.Error(err)
	}
}
