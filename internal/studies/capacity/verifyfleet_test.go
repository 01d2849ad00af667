package capacity

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// played plays a plan with so many jobs of each user.
func played(t *testing.T, c *scenario.Capacity, policy string, rounds int) *Result {
	t.Helper()
	r := Plan(c)
	if r.Reason != "" {
		t.Fatal(r.Reason)
	}
	if err := r.verify(context.Background(), c, policy, 1, rounds); err != nil {
		t.Fatal(err)
	}
	return r
}

// two has jobs of eight maps of 10 s on machines of two types: eight waves on one slot, and four
// seconds a wave where machines are two and a half times as fast.
const two = `
machines:
  - {name: slow, on_demand: 1, map_slots: 2}
  - {name: fast, on_demand: 1, speed: 2.5, map_slots: 2}
classes:
  - {name: a, types: slow, maps: 8, map: {mean: 10s, max: 10s}, deadline: 81s, at_least: 2, at_most: 2}
  - {name: b, types: fast, maps: 8, map: {mean: 10s, max: 10s}, deadline: 33s, at_least: 2, at_most: 2}
`

// Jobs run on the machines that they are planned for, at their speed: 80 s of work on one slot each, by hand.
func TestVerifyTypes(t *testing.T) {
	for _, policy := range []string{"", "fair"} {
		r := played(t, read(t, two), policy, 10)
		if len(r.Played.On) != 2 || r.Played.On[0].Type != "slow" || r.Played.On[1].Type != "fast" {
			t.Fatalf("%+v", r.Played)
		}
		for i, want := range []float64{80, 32} {
			k := r.Played.On[i]
			if k.Longest > want+1e-6 || k.Longest < 0.95*want || k.Mean > k.Longest ||
				k.Mean < 0.8*want || k.InTime.K != k.Jobs || k.Jobs < 12 {
				t.Errorf("%q: %+v, its jobs take %v s at most", policy, k, want)
			}
			if of := r.Played.Classes[i]; of.Jobs != k.Jobs || of.InTime != k.InTime || of.Mean != k.Mean {
				t.Errorf("%q: the class %+v, on its machines %+v", policy, of, k)
			}
		}
		if r.Played.Kept.K != 2 || r.Played.Kept.N != 2 {
			t.Errorf("%q: %+v", policy, r.Played)
		}
	}
}

// Machines with slots of both kinds apart run maps of one job beside reduces of another: two tasks on
// two machines never wait for those of the other class.
func TestVerifyApart(t *testing.T) {
	r := played(t, read(t, `
machines: [{name: mrv1, on_demand: 1, map_slots: 1, reduce_slots: 1, slots: apart}]
classes:
  - {name: a, maps: 0, reduces: 2, reduce: {mean: 10s, max: 10s}, deadline: 21s, at_least: 1, at_most: 1}
  - {name: b, maps: 2, map: {mean: 10s, max: 10s}, deadline: 21s, at_least: 1, at_most: 1}
`), "fifo", 20)
	for _, k := range r.Played.Classes {
		if r.OnDemand != 2 || math.Abs(k.Longest-10) > 1e-6 || k.Jobs < 20 {
			t.Errorf("%v machines, %+v", r.OnDemand, k)
		}
	}
}

// A task of 60 s on a machine that is taken away every minute ends after 60 (e - 1) s on average, if
// another machine comes at once: the model that the plan is made by.
func TestVerifySpot(t *testing.T) {
	const src = `
machines: [{name: m, spot: 0.1, interruptions: 60, map_slots: 1}, {name: stays, on_demand: 9, map_slots: 1}]
classes: [{name: a, maps: 1, map: {mean: 60s, max: 60s}, deadline: 4m, at_least: 1, at_most: 1}]
`
	want := 60 * (math.E - 1)
	for _, policy := range []string{"", "fifo"} {
		r := played(t, read(t, src), policy, 4000)
		if k := r.Played.On[0]; !k.Spot || math.Abs(k.Mean-want) > 0.05*want || k.Jobs < 3000 || k.InTime.K == k.Jobs {
			t.Errorf("%q: %+v, want a mean of %.1f s", policy, k, want)
		}
	}
	c := read(t, src)
	c.Machines[0].Interruptions = 0
	if k := played(t, c, "", 100).Played.On[0]; math.Abs(k.Longest-60) > 1e-6 {
		t.Errorf("without interruptions: %+v", k)
	}
}

// Hours that are alike are played once, others by themselves.
func TestVerifyHours(t *testing.T) {
	jobs := func(hours, policy string) (int, int) {
		src := strings.Replace(two, "deadline: 81s, ", "deadline: 81s, by_hour: "+hours+", ", 1)
		r := played(t, read(t, src), policy, 3)
		return r.Played.On[0].Jobs, r.Played.On[1].Jobs
	}
	for _, policy := range []string{"", "fair"} {
		a, b := jobs("[1, 1, 1]", policy)
		if x, y := jobs("[1]", policy); x != a || y != b {
			t.Errorf("%q: three hours alike %d and %d jobs, one %d and %d", policy, a, b, x, y)
		}
		more, same := jobs("[1, 0.5, 0.5, 1]", policy)
		if more <= a || policy == "" && same != b || policy != "" && same <= b {
			t.Errorf("%q: two kinds of hours %d and %d jobs, one %d and %d", policy, more, same, a, b)
		}
		if none, _ := jobs("[0, 0.5]", policy); none == 0 || none >= more {
			t.Errorf("%q: %d jobs with an hour without any", policy, none)
		}
	}
}

// The example plays to the end, twice the same, and tells what it assumes.
func TestVerifyFleet(t *testing.T) {
	c := readFile(t, "fleet.yaml")
	policies := []string{"", "fair", "capacity(elastic=false)"}
	if testing.Short() {
		policies = policies[:1]
	}
	for _, policy := range policies {
		one, again := played(t, c, policy, 2), played(t, c, policy, 2)
		if !reflect.DeepEqual(one.Played, again.Played) {
			t.Errorf("%q: a seed is not what decides", policy)
		}
		sum := 0
		for i := range one.Played.On {
			if k := &one.Played.On[i]; k.Jobs == 0 {
				t.Errorf("%q: %+v", policy, k)
			}
			sum += one.Played.On[i].Jobs
		}
		for i := range one.Played.Classes {
			sum -= one.Played.Classes[i].Jobs
		}
		var b bytes.Buffer
		if err := one.WriteTable(&b); err != nil || sum != 0 || !strings.Contains(b.String(), "replaced at once") {
			t.Errorf("%q: %v, %d jobs more by types than by classes\n%s", policy, err, sum, b.String())
		}
	}
	c.Classes[0].AtMost, c.Classes[0].AtLeast, c.Machines[0].OnDemandLimit, c.Budget = 1e5, 1e5, nil, 0
	if err := Plan(c).Verify(context.Background(), c, "", 1); err == nil || !strings.Contains(err.Error(), "no more than 10000 are played") {
		t.Errorf("%v", err)
	}
}
