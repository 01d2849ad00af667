package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/units"
)

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
