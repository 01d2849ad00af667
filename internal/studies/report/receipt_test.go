package report

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

func mapJob(id string, n int, takes units.Duration, due units.Time) *workload.Job {
	j := &workload.Job{ID: id, Deadline: due, Soft: units.Never, Weight: 1, Stages: []workload.StageSpec{{Kind: workload.Map}}}
	for range n {
		j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: takes})
	}
	return j
}

// Four maps of 10 s on a node that takes half of that and draws 200 W for each, and on one that draws 50; a kWh costs
// 2 for 9 s, then 1, and a job of one map lets the run last 40 s. With twice the time all would go to the frugal node,
// and behind the first 9 s.
func TestReceipt(t *testing.T) {
	hungry := &cluster.Class{Name: "hungry", Speed: 2, Capacity: units.Slots(2, 0), Dynamic: 400}
	frugal := &cluster.Class{Name: "frugal", Speed: 1, Capacity: units.Slots(3, 0), Dynamic: 150}
	k := &cluster.Cluster{Racks: 1, Classes: []*cluster.Class{hungry, frugal}, Nodes: []*cluster.Node{{Name: "n1", Rack: 1, Class: hungry}, {Name: "n2", Rack: 1, Class: frugal}}}
	for _, c := range []struct {
		due              float64
		of               sched.SupplyKind
		own, least, cost float64 // joules, and their cost
	}{
		{30, sched.Price, 3000, 2000, 2000},          // up to 40 s: ten seconds at 1
		{30, sched.Carbon, 3000, 2000, 2},            // grams are told in kg
		{9.5, sched.Price, 3000, 2000, 2000},         // up to 19 s: the same
		{7, sched.Price, 3000, 2000, 2000 * 1.5},     // up to 14 s: five at 1, and five at 2
		{1, sched.Price, 3000, 2000, 2000 * 19 / 10}, // until it ended, as it was late: as it was
	} {
		w, err := sim.New(sim.Config{Cluster: k, Supply: []sim.SupplyStep{{Of: c.of, Amount: 2}, {At: second(9), Of: c.of, Amount: 1}},
			Workload: &workload.Workload{Jobs: []*workload.Job{mapJob("j", 4, 10*units.Second, second(c.due)), mapJob("long", 1, 40*units.Second, units.Never)}}})
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder("sim", "s", "p", 1)
		if err := drive.New(w, greedy{}, follow.New(b)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		j := b.Run().Jobs[0]
		cost := j.Patient.EnergyCost
		if c.of == sched.Carbon {
			cost = j.Patient.Carbon
		}
		if math.Abs(*j.Energy*3.6e6-c.own) > 1e-6 || math.Abs(*j.Patient.Energy*3.6e6-c.least) > 1e-6 || math.Abs(*cost*3.6e6-c.cost) > 1e-6 {
			t.Errorf("due %v: %v J, at best %v for %v; want %v, %v for %v", c.due, *j.Energy*3.6e6, *j.Patient.Energy*3.6e6, *cost*3.6e6, c.own, c.least, c.cost)
		}
		if got, want := j.Receipt(), "its tasks drew above idle 3 kJ, cost 0.00163; with twice the time at best 2 kJ, cost 0.000556, an estimate"; c.due == 30 && c.of == sched.Price && got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A map of 10 s takes two slots of a node that draws 100 W for each, and could do with one.
func TestReceiptOfKinds(t *testing.T) {
	k := cluster.Uniform(1, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(4, 0), Dynamic: 400})
	j := mapJob("j", 1, 10*units.Second, second(30))
	j.Stages[0].Containers = []cluster.Container{{Name: "wide", Needs: units.Slots(2, 0)}, {Name: "narrow", Needs: units.Slots(1, 0)}}
	w, err := sim.New(sim.Config{Cluster: k, Workload: &workload.Workload{Jobs: []*workload.Job{j}}})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder("sim", "s", "p", 1)
	if err := drive.New(w, greedy{}, follow.New(b)).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if j := b.Run().Jobs[0]; math.Abs(*j.Energy*3.6e6-2000) > 1e-6 || math.Abs(*j.Patient.Energy*3.6e6-1000) > 1e-6 {
		t.Errorf("%v J, at best %v", *j.Energy*3.6e6, *j.Patient.Energy*3.6e6)
	}
}

// Whatever the prices and deadlines, more time costs no more than what was: it may stay as it is.
func TestReceiptCostsNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &cluster.Cluster{Racks: 1}
		for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
			c := &cluster.Class{Name: fmt.Sprint("c", i), Speed: rapid.Float64Range(0.5, 2).Draw(t, "speed"), Capacity: units.Slots(2, 0), Idle: 50,
				Dynamic: units.Watts(rapid.IntRange(0, 200).Draw(t, "dynamic"))}
			k.Classes, k.Nodes = append(k.Classes, c), append(k.Nodes, &cluster.Node{Name: fmt.Sprint("n", i), Rack: 1, Class: c})
		}
		cfg := sim.Config{Cluster: k, Workload: &workload.Workload{}}
		for i, of := range rapid.SliceOfN(rapid.SampledFrom([]sched.SupplyKind{sched.Price, sched.Carbon, sched.GreenPower}), 1, 8).Draw(t, "supply") {
			cfg.Supply = append(cfg.Supply, sim.SupplyStep{At: second(float64(7 * i)), Of: of, Amount: rapid.Float64Range(0, 300).Draw(t, "amount")})
		}
		for i := range 3 {
			arrive := second(rapid.Float64Range(0, 30).Draw(t, "arrive"))
			j := mapJob(fmt.Sprint("j", i), rapid.IntRange(1, 8).Draw(t, "maps"), 5*units.Second, arrive.Add(units.FromSeconds(rapid.Float64Range(1, 90).Draw(t, "due"))))
			j.Arrive = arrive
			cfg.Workload.Jobs = append(cfg.Workload.Jobs, j)
		}
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder("sim", "s", "p", 1)
		if err := drive.New(w, greedy{}, follow.New(b)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, j := range b.Run().Jobs {
			switch p := j.Patient; {
			case p == nil || *p.Energy > *j.Energy*(1+1e-9):
				t.Fatalf("%s: %v of %v kWh", j.ID, p, *j.Energy)
			case p.EnergyCost != nil && *p.EnergyCost > *j.EnergyCost*(1+1e-9), p.EnergyCost == nil && p.Carbon != nil && *p.Carbon > *j.Carbon*(1+1e-9):
				t.Fatalf("%s: %v, and it was %v", j.ID, p, &j.Uses)
			}
		}
	})
}
