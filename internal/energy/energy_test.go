package energy

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A node is as busy as its slots are, or its vcores, whichever is more.
func TestLoad(t *testing.T) {
	class := &cluster.Class{Capacity: units.Vector{units.MapSlots: 2, units.ReduceSlots: 2, units.VCores: 8}}
	for want, held := range map[float64]units.Vector{
		0:     {},
		0.25:  {units.MapSlots: 1},
		0.5:   {units.MapSlots: 1, units.VCores: 4},
		0.125: {units.VCores: 1},
		1:     {units.VCores: 9},
	} {
		if got := Load(class, &held); got != want {
			t.Errorf("%v: %v, want %v", held, got, want)
		}
	}
}

// What a node draws in each state, and nothing while it is down.
func TestDraws(t *testing.T) {
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100, Dynamic: 200, Sleep: 10}
	held := units.Vector{units.MapSlots: 1}
	for state, want := range map[sched.NodeState]units.Watts{sched.Awake: 150, sched.Asleep: 10, sched.Waking: 100} {
		if got := Draws(class, state, &held); got != want {
			t.Errorf("%v: %v, want %v", state, got, want)
		}
	}
}

// A node of 100 W for 10 s, then asleep at 10 W for 10 s, then down; 40 W are green from 5 s on.
func TestMeter(t *testing.T) {
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100, Sleep: 10}
	at := func(s int64) units.Time { return units.Time(units.Duration(s) * units.Second) }
	var m Meter
	m.Turn(0, 1, sched.Awake)
	m.Describe(0, 1, class)
	m.Feed(at(5), 40)
	m.Turn(at(10), 1, sched.Asleep)
	m.Describe(at(15), 1, &cluster.Class{}) // it drains
	m.Turn(at(20), 1, sched.Down)
	if all, green := m.Until(at(30)); all != 1100 || green != 5*40+10*10 {
		t.Errorf("%v, of it %v green", all, green)
	}
}
