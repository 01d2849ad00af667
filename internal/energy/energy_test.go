package energy

import (
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
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
		if got := class.Load(&held); got != want {
			t.Errorf("%v: %v, want %v", held, got, want)
		}
	}
}

// What a node draws in each state, and nothing while it is down; by a curve as well.
func TestDraws(t *testing.T) {
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100, Dynamic: 200, Sleep: 10}
	for state, want := range map[sched.NodeState]units.Watts{sched.Awake: 150, sched.Asleep: 10, sched.Waking: 100} {
		if got := Draws(class, state, 0.25); got != want {
			t.Errorf("%v: %v, want %v", state, got, want)
		}
	}
	class.Curve, class.Loads = []float64{0, 0.5, 1}, []float64{0, 0.25, 1}
	for load, want := range map[float64]units.Watts{0: 100, 0.125: 150, 0.25: 200, 0.5: 200 + 100.0/3, 0.625: 250, 1: 300} {
		if got := Draws(class, sched.Awake, load); math.Abs(float64(got-want)) > 1e-9 {
			t.Errorf("unequal steps, load %v: %v, want %v", load, got, want)
		}
	}
	class.Curve, class.Loads = []float64{0, 0.5, 0.75, 1, 1}, nil
	for load, want := range map[float64]units.Watts{0: 100, 0.125: 150, 0.25: 200, 0.375: 225, 0.5: 250, 0.875: 300, 1: 300} {
		if got := Draws(class, sched.Awake, load); got != want {
			t.Errorf("load %v: %v, want %v", load, got, want)
		}
	}
}

// A node of 100 W for 10 s, then asleep at 10 W for 10 s, then down; 40 W are green from 5 s on. What is not costs 2 a
// kWh, from 7 s on 3, and emits 500 g from then on. A quarter of that is billed for a quarter of the energy.
func TestMeter(t *testing.T) {
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100, Sleep: 10}
	at := func(s int64) units.Time { return units.Time(units.Duration(s) * units.Second) }
	var m Meter
	m.Node(0, 1, class, sched.Awake)
	m.Feed(0, sched.Price, 2)
	m.Feed(at(5), sched.GreenPower, 40)
	m.Feed(at(7), sched.Price, 3)
	m.Feed(at(7), sched.Carbon, 500)
	m.Node(at(10), 1, class, sched.Asleep)
	m.Node(at(15), 1, &cluster.Class{}, sched.Asleep) // it offers nothing
	m.Node(at(20), 1, class, sched.Down)
	used := m.Until(at(30))
	if cost, grams := used.Cost*3.6e6, used.Grams*3.6e6; used.All != 1100 || used.Green != 5*40+10*10 ||
		math.Abs(cost-(2*(500+2*60)+3*3*60)) > 1e-6 || math.Abs(grams-500*3*60) > 1e-6 {
		t.Errorf("%v, of it %v green; it costs %v a kWs and emits %v g", used.All, used.Green, cost/1000, grams/1000)
	}
	if cost, grams := used.Bill(275); cost != used.Cost/4 || grams != used.Grams/4 {
		t.Errorf("a quarter costs %v and emits %v g", cost, grams)
	}
	if cost, grams := used.Since(used).Bill(0); cost != 0 || grams != 0 {
		t.Errorf("nothing costs %v and emits %v g", cost, grams)
	}
}

// A node draws 100 W idle, 160 at a quarter of its load, 190 at three quarters, and 200. Its slots are taken one after
// the other, so for 10 s each it draws 160, 175, 190 and 200 W.
func TestCurveByHand(t *testing.T) {
	slot := units.Slots(1, 0)
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100, Dynamic: 100, Curve: []float64{0, 0.6, 0.9, 1}, Loads: []float64{0, 0.25, 0.75, 1}}
	at := func(s int64) units.Time { return units.Time(units.Duration(s) * units.Second) }
	var m Meter
	m.Node(0, 1, class, sched.Awake)
	for i := range int64(4) {
		m.Hold(at(10*i), 1, &slot, &workload.Job{}, workload.Map, 0, 1)
	}
	if got := m.Until(at(40)).All; math.Abs(float64(got)-10*(160+175+190+200)) > 1e-9 {
		t.Errorf("%v", got)
	}
}

// Of two nodes with four slots at 50 W each, one holds two slots for 10 s, and is down from 5 s on; the other drains
// from 5 s on with one slot, which it holds until 10 s.
func TestHold(t *testing.T) {
	class, slot := &cluster.Class{Capacity: units.Slots(4, 0), Dynamic: 200}, units.Slots(1, 0)
	at := func(s int64) units.Time { return units.Time(units.Duration(s) * units.Second) }
	var m Meter
	hold := func(s int64, h sched.NodeID, sign int) {
		m.Hold(at(s), h, &slot, &workload.Job{}, workload.Map, 0, sign)
	}
	for h := sched.NodeID(1); h < 3; h++ {
		m.Node(0, h, class, sched.Awake)
		hold(0, h, 1)
	}
	hold(0, 1, 1)
	m.Node(at(5), 1, class, sched.Down)
	m.Node(at(5), 2, class, sched.Draining)
	for _, h := range []sched.NodeID{1, 1, 2} {
		hold(10, h, -1)
	}
	m.Node(at(15), 1, class, sched.Awake)
	if got := m.Until(at(20)).All; got != 5*150+5*50 || m.Power() != 0 {
		t.Errorf("%v J, and draws %v", got, m.Power())
	}
}

// Two containers share what their node draws: a node of two slots and four vcores, of which one holds a slot,
// the other three vcores from 10 s on. Alone they are a load of 0.5 and 0.75, together of 0.75. A third has 30 W
// stated, and its part is its own.
func TestShare(t *testing.T) {
	class := &cluster.Class{Capacity: units.Vector{units.MapSlots: 2, units.VCores: 4}, Dynamic: 100, Rates: []cluster.Rate{{Container: "gpu", Watts: 30}, {Container: "gpu", Jobs: "md", Watts: 50}}}
	at := func(s int64) units.Time { return units.Time(units.Duration(s) * units.Second) }
	slot, cores := units.Vector{units.MapSlots: 1}, units.Vector{units.VCores: 3}
	job := &workload.Job{Class: "md", Stages: []workload.StageSpec{{Kind: workload.Map, Containers: []cluster.Container{{Name: "cpu"}, {Name: "gpu"}}}}}
	var s Share
	first := s.Begin(0, class, job, workload.Map, 0, &slot)
	gpu := s.Begin(0, class, job, workload.Map, 1, &cores)
	second := s.Begin(at(10), class, job, workload.Map, 0, &cores)
	if got := s.End(at(20), class, first, &slot); got != 50*10+75*10*0.5/1.25 {
		t.Errorf("first: %v", got)
	}
	if got := s.End(at(20), class, gpu, &cores); got != 50*20 {
		t.Errorf("gpu: %v", got)
	}
	if got := s.End(at(30), class, second, &cores); got != 75*10*0.75/1.25+75*10 {
		t.Errorf("second: %v", got)
	}
	other := *job
	other.Class = "grep"
	if got := Stated(class, &other, workload.Map, 1); got != 30 {
		t.Errorf("of other jobs: %v", got)
	}
}

// Work of 10 W at speed 1 takes 40 W at speed 8 in the other container, that is half, where a node has room for it: on
// the second class alone. Other jobs, stages and nodes have nothing to be compared with.
func TestLeast(t *testing.T) {
	cpu, gpu := units.Vector{units.VCores: 1}, units.Vector{units.VCores: 1, units.Named0: 1}
	rates := []cluster.Rate{{Container: "cpu", Jobs: "md", Watts: 10}, {Container: "gpu", Jobs: "md", Watts: 40, Speed: 8}, {Container: "fast", Jobs: "md", Watts: 4, Speed: 8}}
	job := &workload.Job{Class: "md", Stages: []workload.StageSpec{{Kind: workload.Map, Containers: []cluster.Container{
		{Name: "cpu", Needs: cpu}, {Name: "gpu", Needs: gpu}, {Name: "fast", Needs: units.Vector{units.VCores: 100}}}}}}
	var m Meter
	m.Node(0, 1, &cluster.Class{Name: "a", Speed: 1, Capacity: units.Vector{units.VCores: 4}, Rates: rates}, sched.Awake)
	if got := m.Least(1, job, workload.Map, 0); got != 1 {
		t.Errorf("where no other fits: %v", got)
	}
	m.Node(0, 2, &cluster.Class{Name: "b", Speed: 1, Capacity: units.Vector{units.VCores: 4, units.Named0: 1}, Rates: rates}, sched.Awake)
	for _, c := range []struct {
		what  string
		node  sched.NodeID
		stage workload.Stage
		kind  uint8
		want  float64
	}{
		{"a core", 1, workload.Map, 0, 0.5}, {"the GPU", 2, workload.Map, 1, 1}, {"another stage", 1, workload.Reduce, 0, 1},
		{"no node", 0, workload.Map, 0, 1}, {"one that nobody knows", 9, workload.Map, 0, 1},
	} {
		if got := m.Least(c.node, job, c.stage, c.kind); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v of it, want %v", c.what, got, c.want)
		}
	}
	m.Node(0, 3, &cluster.Class{Name: "c", Speed: 1, Capacity: units.Vector{units.VCores: 4}}, sched.Awake)
	if got := m.Least(3, job, workload.Map, 0); got != 1 {
		t.Errorf("where it draws nothing: %v", got)
	}
}

// A node is woken twice, the second time at once, and one is rented; one that comes back after a failure is neither.
func TestWakes(t *testing.T) {
	class := &cluster.Class{Capacity: units.Slots(4, 0), Idle: 100}
	var m Meter
	for i, state := range []sched.NodeState{sched.Awake, sched.Asleep, sched.Waking, sched.Awake, sched.Draining, sched.Asleep, sched.Asleep, sched.Awake, sched.Down, sched.Awake} {
		m.Node(units.Time(i), 1, class, state)
	}
	for i, state := range []sched.NodeState{sched.Offered, sched.Waking, sched.Awake, sched.Offered} {
		m.Node(units.Time(10+i), 2, class, state)
	}
	if got := m.Until(20).Wakes; got != 3 {
		t.Errorf("%d", got)
	}
}
