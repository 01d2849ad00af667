package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What maps of a class took and drew counts in place of what was declared, once they have run on both kinds of workers.
func TestMeasuredRates(t *testing.T) {
	teach := func(nodes map[string]float64) *profile.Class {
		// Seconds of a map, by "node container"; each draws its seconds squared.
		c, g := profile.New("x"), profile.Gather{}
		for range 30 {
			for at, takes := range nodes {
				node, box, _ := strings.Cut(at, " ")
				k := profile.Key{Stage: workload.Map, Node: node}
				g.Add(k, 1e6, -1, takes)
				k.Container, k.Part = box, profile.Energy
				g.Add(k, 1e6, -1, takes*takes)
				c.Attempt(workload.Map, node, 1e6, units.FromSeconds(takes), 0)
			}
			c.Learn(&g, nil)
		}
		c.Runs = 30
		profile.Fit([]*profile.Class{c})
		return c
	}
	m := Machine{Nodes: 1, MapSlots: 1, ReduceSlots: 1, GPUs: 1, GPUSpeed: 9, GPUPower: 60}
	cpu, gpu := cluster.Container{Name: "cpu", Needs: units.Slots(1, 0)}, cluster.Container{Name: "gpu", Needs: units.Vector{units.Named0: 1}}
	for _, c := range []struct {
		of       map[string]float64
		speed    float64
		gpu, cpu units.Watts
	}{{nil, 9, 60, 8}, {map[string]float64{"local cpu": 6, "gpu gpu": 2}, 3, 2, 6}, {map[string]float64{"local cpu": 6}, 9, 60, 8}, {map[string]float64{"gpu gpu": 2}, 9, 60, 8}} {
		is := m.Cluster(teach(c.of))
		slow, fast := is.Classes[0].Rate("x", &cpu), is.Classes[1].Rate("x", &gpu)
		if units.Rounded(fast.Speed) != c.speed || units.Rounded(float64(fast.Watts)) != float64(c.gpu) || units.Rounded(float64(slow.Watts)) != float64(c.cpu) || slow.Speed != 1 {
			t.Errorf("%v: %+v and %+v, want %+v", c.of, slow, fast, c)
		}
		if other := is.Classes[1].Rate("y", &gpu); other.Speed != 9 || other.Watts != 60 {
			t.Errorf("%v: other jobs have %+v", c.of, other)
		}
		if err := is.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slots.csv")
	follow := func(text string) ([]engine.Step, error) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m := Machine{Nodes: 2, MapSlots: 2, ReduceSlots: 1}
		err := m.Follow(file)
		return m.Steps, err
	}
	steps, err := follow("at,capacity\n10,0.5\n1m,0\n90s,0.1\n2m,0.75\n3m,1\n")
	if err != nil {
		t.Fatal(err)
	}
	// By hand: of 4 map slots and 2 reduce slots a half, none, one of each, three and two (1.5), all.
	for i, want := range []engine.Step{
		{At: 10e9, Slots: []units.Vector{units.Slots(1, 1), units.Slots(1, 0)}},
		{At: 60e9, Slots: []units.Vector{{}, {}}},
		{At: 90e9, Slots: []units.Vector{units.Slots(1, 1), units.Slots(0, 0)}},
		{At: 120e9, Slots: []units.Vector{units.Slots(2, 1), units.Slots(1, 1)}},
		{At: 180e9, Slots: []units.Vector{units.Slots(2, 1), units.Slots(2, 1)}},
	} {
		if got := steps[i]; got.At != want.At || got.Slots[0] != want.Slots[0] || got.Slots[1] != want.Slots[1] {
			t.Errorf("step %d is %v, want %v", i, got, want)
		}
	}
	if steps, err := follow("at,slots\n0,3\n"); err != nil || steps[0].Slots[0] != units.Slots(1, 1) {
		t.Errorf("3 of 6 slots: %v, %v", steps, err)
	}
	for text, want := range map[string]string{
		"":                             "slots.csv: it is empty",
		"at,capacity\n":                "it has no row",
		"at,watts\n0,1\n":              "slots.csv:1:4: unexpected column \"watts\"",
		"at,capacity\n0,1\n5,-0.5\n":   "slots.csv:3:3: ",
		"at,capacity\n0,1\n5,1.5\n":    "slots.csv:3:3: ",
		"at,capacity\n5,1\n4,0.5\n":    "slots.csv:3:1: 4 is not after the row before",
		"at,capacity\n0,1\n5,\n6,1\n":  "slots.csv:3:3: capacity is missing",
		"at,capacity\n0,1\n5\n":        "slots.csv:3:1: the row has 1 field, but the heading has 2",
		"at,capacity\n0,1\nnoon,0.5\n": "slots.csv:3:1: \"noon\" is not a time of the run",
		"at,slots\n0,7\n":              "slots.csv:2:3: slots is 7, it must be at most 6",
		"at,capacity\n0,1\n5,0\n":      "its last row leaves no slots",
	} {
		if _, err := follow(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
