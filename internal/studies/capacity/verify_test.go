package capacity

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Every user submits ten jobs or more, as they take less than planned; a seed plays the same again,
// and another seed does not.
func TestVerify(t *testing.T) {
	c := example(t)
	c.Bound = "upper"
	policies := []string{"", "fair", "capacity(elastic=false)"}
	if testing.Short() {
		policies = policies[:2]
	}
	for _, policy := range policies {
		r := Plan(c)
		play := func(seed uint64) Played {
			t.Helper()
			if err := r.Verify(context.Background(), c, policy, seed); err != nil {
				t.Fatal(err)
			}
			return *r.Played
		}
		one, again, other := play(1), play(1), play(2)
		if !reflect.DeepEqual(one, again) || reflect.DeepEqual(one.Classes, other.Classes) {
			t.Errorf("%s: a seed is not what decides", policy)
		}
		for i, k := range one.Classes {
			if k.Jobs < 10*int(r.Classes[i].Admitted) || k.InTime.N != k.Jobs || k.Refused != 0 || k.Mean <= 0 || k.Longest < k.Mean {
				t.Errorf("%s: %+v", policy, k)
			}
			if policy == "" && k.InTime.K != k.InTime.N { // proposition 2.5, on slots of their own
				t.Errorf("jobs are later than their upper bound: %+v", k)
			}
		}
	}
	if err := Plan(c).Verify(context.Background(), c, "none", 1); err == nil {
		t.Error("a policy that is not there plays")
	}
}

// A job that is alone on its slots, by hand: two maps of 10 s and of 30 s one after the other.
func TestVerifyByHand(t *testing.T) {
	c := read(t, `
prices: {on_demand: 1}
classes: [{name: a, maps: 2, map: {mean: 20s, max: 30s}, map_slots: 1, deadline: 41s, at_least: 1, at_most: 1}]
`)
	r := Plan(c)
	if err := r.Verify(context.Background(), c, "", 1); err != nil {
		t.Fatal(err)
	}
	k := r.Played.Classes[0]
	if k.Jobs < 7 || k.Jobs > 10 || math.Abs(k.Mean-40) > 0.1 || k.InTime.K != k.Jobs || r.Played.Kept.K != 1 || r.Played.Mean.K != 1 {
		t.Errorf("%+v", k)
	}
}

// The tasks of a job have the mean of the class, and none is longer than its longest.
func TestTaskTimes(t *testing.T) {
	for _, c := range []struct{ mean, max float64 }{{1, 1}, {12, 100}, {50, 100}, {99, 100}, {0, 5}, {0, 0}} {
		times := scenario.TaskTimes{Mean: config.Span(units.FromSeconds(c.mean)), Max: config.Span(units.FromSeconds(c.max))}
		list := tasks(200, draw.Of(1, "times"), times)
		sum, most := 0.0, 0.0
		for _, task := range list {
			sum += task.Work.Seconds()
			most = max(most, task.Work.Seconds())
		}
		if math.Abs(sum/200-c.mean) > 0.02*c.max || most > c.max+1e-9 || most < 0.9*c.mean {
			t.Errorf("%+v: mean %v, longest %v", c, sum/200, most)
		}
	}
}

// What is played is told beside what is planned: classes alone have their slots rounded up, by hand 80/(100-20)
// and 80/(84-20) = 1.25 for three jobs, 3 and 3.75 slots on machines of two.
func TestRoomIsTold(t *testing.T) {
	const class = "  - {name: %s, maps: 10, map: {mean: 10s, max: 20s}, map_slots: 2, deadline: %s, at_least: 3, at_most: 3}\n"
	c := read(t, "prices: {on_demand: 1}\nclasses:\n"+fmt.Sprintf(class, "a", "100s")+fmt.Sprintf(class, "b", "84s"))
	for policy, want := range map[string]struct {
		given Room
		said  string
	}{
		"":     {Room{3.5, 7}, "planned: 6.75 slots, on 4 machines; played: 7 slots, those of each class rounded up, as on 3.50 machines"},
		"fair": {Room{4, 0}, "planned: 4 machines; played: 4"},
	} {
		r := Plan(c)
		if err := r.Verify(context.Background(), c, policy, 1); err != nil {
			t.Fatal(err)
		}
		if r.Played.Given != want.given || r.Played.Planned.Machines != 4 || !strings.Contains(table(t, r), want.said) {
			t.Errorf("%q: %+v", policy, r.Played)
		}
	}
	r := Plan(asFleet(c))
	if err := r.Verify(context.Background(), asFleet(c), "", 1); err != nil {
		t.Fatal(err)
	}
	if r.Played.Given != (Room{4, 7}) || !near(r.Played.Planned.Slots, 6.75) {
		t.Errorf("%+v", r.Played)
	}
}
