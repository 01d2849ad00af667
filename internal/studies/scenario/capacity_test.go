package scenario

import (
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const allocation = "../../../examples/allocation.yaml"

const plan = `prices: {on_demand: 0.4, reserved: 0.1}
reserved_limit: 3
classes:
  - name: etl
    maps: 10
    map: {mean: 10s, max: 20s}
    map_slots: 2
    deadline: 5m
    at_least: 1
    at_most: 2
`

func TestReadCapacity(t *testing.T) {
	c, err := ReadCapacity("dir/night.yaml", []byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Classes[0]; c.Name != "night" || !c.Whole() || c.Bound != "mean" || k.ReduceSlots != 1 || k.Reduces != 0 || k.Deadline.Duration().Seconds() != 300 {
		t.Errorf("%+v", c)
	}
	// The same as JSON.
	v := `{"prices": {"on_demand": 0.4}, "integer": false, "classes": [{"name": "a", "maps": 1, "map": {"mean": "1s", "max": "1s"},
		"map_slots": 2, "deadline": "5m", "at_most": 2.5}]}`
	if c, err = ReadCapacity("a.json", []byte(v)); err != nil || c.Whole() || c.Classes[0].AtMost != 2.5 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestBadCapacity(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"map_slots: 2", "map_slots: 2\n    penalti: 3", `c.yaml:8:5: unknown key "penalti" in classes[0]; did you mean "penalty"?`},
		{"at_least: 1", "at_least: 3", `c.yaml:9:15: at_least is 3 and at_most 2: at_least must not be above at_most`},
		{"on_demand: 0.4", "on_demand: -1", `c.yaml:1:21: on_demand is -1, it must not be negative`},
		{"on_demand: 0.4, ", "", `c.yaml:1:9: the key "on_demand" in prices is missing: price of a machine on demand, in the currency an hour (δ)`},
		{"deadline: 5m", "deadline: 300", `c.yaml:8:15: deadline: "300" is not a span of time; write a number with a unit (ns, us, ms, s, m, h, d), such as 90s, 10m or 1h30m`},
		{"deadline: 5m", "deadline: 0", `c.yaml:8:15: deadline is 0s, it must be above 0`},
		{"deadline: 5m", "deadline: 64MB", `c.yaml:8:15: deadline: "64MB" is not a span of time`},
		{"at_most: 2", "at_most: 2.5", `c.yaml:10:14: at_most is 2.5, but jobs are whole numbers; write one, or set integer to false`},
		{"maps: 10", "maps: 10\n    reduces: 4", `c.yaml:6:14: reduces is 4, but reduce, the time of one, is missing: write reduce: {mean: 20s, max: 60s}`},
		{"    map: {mean: 10s, max: 20s}\n", "", `c.yaml:5:11: maps is 10, but map, the time of one, is missing`},
		{"map_slots: 2", "map_slots: 2\n    shuffle: {mean: 1s, max: 1s}", `c.yaml:8:14: shuffle and reduces contradict each other: a job of class "etl" has no reduces; leave shuffle out`},
		{"max: 20s", "max: 2s", `c.yaml:6:27: max is 2s and mean 10s: the mean must not be above the longest time; swap them`},
		{"mean: 10s", "mean: -1s", `c.yaml:6:17: mean is -1s, it must not be negative`},
		{"maps: 10\n    map: {mean: 10s, max: 20s}", "maps: 0", `c.yaml:5:11: a job of class "etl" has neither maps nor reduces; give it some`},
		{"maps: 10", "maps: 0", `c.yaml:5:11: a job of class "etl" has neither maps nor reduces; give it some`},
		{"prices: {on_demand: 0.4, reserved: 0.1}\n", "", `c.yaml:1:1: the key "prices" is missing: what machines cost`},
		{"name: etl", "name: ''", `c.yaml:4:11: name is empty; give the class one`},
		{"mean: 10s", "mean: 0s", `c.yaml:6:17: mean is 0s and max 20s: give the mean time of a task`},
		{", reserved: 0.1", "", `c.yaml:2:17: reserved_limit is 3, but prices.reserved, what a reserved machine costs, is missing`},
		{"at_most: 2\n", "at_most: 2\n  - {name: etl, maps: 1, map: {mean: 1s, max: 1s}, map_slots: 1, deadline: 1m, at_most: 1}\n",
			`c.yaml:11:12: the class "etl" is used twice; give each its own name`},
		{plan[strings.Index(plan, "classes"):], "classes: []\n", `c.yaml:3:10: classes is empty; give at least one`},
		{plan[strings.Index(plan, "classes"):], "", `c.yaml:1:1: the key "classes" is missing`},
		{"map_slots: 2", "map_slots: 1e-300", `c.yaml:7:16: map_slots is 1e-300, it must be at least 0.001`},
		{"at_most: 2", "at_most: 1e300", `c.yaml:10:14: at_most is 1e+300, it must be at most 1000000000`},
		{"reserved_limit: 3", "reserved_limit: 3\nbound: lower", `c.yaml:3:8: bound is "lower", it must be "mean" or "upper"`},
		{"reserved_limit: 3", "reserved_limit: 3\ninteger: maybe", `c.yaml:3:10: integer is "maybe", it must be true or false`},
	} {
		_, err := ReadCapacity("c.yaml", []byte(strings.Replace(plan, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q:\ngot  %v\nwant %s", c.new, c.old, err, c.want)
		}
	}
}

// Times that the file leaves out come from what runs taught; those that it has stay.
func TestCapacityFromProfiles(t *testing.T) {
	p := profile.New("words")
	p.Attempt(workload.Map, "local", 1, 2*units.Second, 0)
	p.Attempt(workload.Map, "fast", 1, 1*units.Second, 0)
	p.Merge(ofReduce(9, 3).AsCold())
	src := strings.Replace(plan, "    map: {mean: 10s, max: 20s}\n", "", 1)
	src = strings.Replace(src, "maps: 10", "maps: 10\n    profile: words\n    reduces: 2\n    shuffle: {mean: 1s, max: 4s}", 1)
	c, err := ReadCapacity("c.yaml", []byte(src), profile.New("other"), p)
	if err != nil {
		t.Fatal(err)
	}
	is := func(t TaskTimes, mean, most float64, samples int64) bool {
		return t.Mean.Duration().Seconds() == mean && t.Max.Duration().Seconds() == most && t.Samples == samples
	}
	k := c.Classes[0]
	if !is(k.Map, 1.5, 2, 2) || k.Map.Deviation == 0 || len(k.Map.Spread) != 2 || !is(k.Reduce, 9, 9, 1) || !is(k.FirstShuffle, 3, 3, 1) || !is(k.Shuffle, 1, 4, 0) {
		t.Errorf("%+v", k)
	}
	for want, p := range map[string]*profile.Class{
		"c.yaml:5:11: maps is 10, but map, the time of one, is missing: ":      ofReduce(9, 3),
		"c.yaml:7:14: reduces is 2, but reduce, the time of one, is missing: ": ofMap(4),
	} {
		if _, err := ReadCapacity("c.yaml", []byte(src), p); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// The class's own name, and no key profile.
	src = strings.Replace(plan, "    map: {mean: 10s, max: 20s}\n", "", 1)
	etl := ofMap(4)
	etl.Name = "etl"
	if c, err := ReadCapacity("c.yaml", []byte(src), etl); err != nil || !is(c.Classes[0].Map, 4, 4, 1) {
		t.Errorf("%+v, %v", c, err)
	}
}

func ofMap(seconds int64) *profile.Class {
	p := profile.New("words")
	p.Attempt(workload.Map, "local", 1, units.Duration(seconds)*units.Second, 0)
	return p
}

func ofReduce(seconds, shuffle int64) *profile.Class {
	p := profile.New("words")
	p.Attempt(workload.Reduce, "local", 1, units.Duration(seconds)*units.Second, units.Duration(shuffle)*units.Second)
	return p
}

// What the decoder takes the schema takes.
func TestCapacitySchema(t *testing.T) {
	example, err := os.ReadFile(allocation)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{plan, string(example)} {
		if _, err := ReadCapacity("c.yaml", []byte(src)); err != nil {
			t.Error(err)
		}
		v, err := asJSON([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(schemaOf(t, "capacity"), v, "capacity"); err != nil {
			t.Error(err)
		}
	}
	v, err := asJSON([]byte(strings.Replace(plan, "deadline: 5m", "deadline: 300", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if valid(schemaOf(t, "capacity"), v, "capacity") == nil {
		t.Error("the schema takes a deadline without a unit")
	}
}

// No input makes the reader panic, and an error always names the file.
func FuzzCapacity(f *testing.F) {
	f.Add([]byte(plan))
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := ReadCapacity("f.yaml", src); err != nil {
			if _, ok := err.(config.Errors); !ok {
				t.Fatalf("%T: %v", err, err)
			}
		}
	})
}
