package report

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// sleeper puts node 2 to sleep at once and wakes it at 5 s; else it is greedy.
type sleeper struct{ greedy }

func (s sleeper) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	if v.Now() == 0 && v.Round() == 1 {
		p.Add(sched.Item{Verb: sched.Sleep, Node: 2, Reason: sched.Because(sched.FirstInOrder)})
		p.WakeMe(units.Time(5*units.Second), sched.Because(sched.FirstInOrder))
	}
	for _, e := range batch {
		if e.Kind == sched.Tick {
			p.Add(sched.Item{Verb: sched.Wake, Node: 2, Reason: sched.Because(sched.FirstInOrder)})
		}
	}
	s.greedy.Decide(v, batch, p)
}

func (sleeper) Save(io.Writer) error { return nil }
func (sleeper) Load(io.Reader) error { return nil }
func (sleeper) About() sched.About   { return sched.About{} }

func second(s float64) units.Time { return units.Time(units.FromSeconds(s)) }

// Two nodes of two slots, of which one sleeps until 5 s and is awake at 8 s. Four maps of 10 s arrive at 0:
//
//	0–8 s    node 1 full: 300 W; node 2 asleep 10 W until 5 s, then on its way up: 100 W
//	8–10 s   both full: 600 W, as the two maps that wait start at 8 s
//	10–18 s  node 1 idle: 100 W; node 2 full: 300 W
//
// and green power of 250 W from 4 s on. The rest costs 2 a kWh, from 9 s on 5, and emits 400 g.
func TestEnergy(t *testing.T) {
	class := cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(2, 0), Idle: 100, Dynamic: 200, Sleep: 10, WakeTime: 3 * units.Second}
	w, err := sim.New(sim.Config{Cluster: cluster.Uniform(2, 1, class), Supply: []sim.SupplyStep{{At: second(4), Of: sched.GreenPower, Amount: 250},
		{Of: sched.Price, Amount: 2}, {At: second(9), Of: sched.Price, Amount: 5}, {Of: sched.Carbon, Amount: 400}},
		Workload: &workload.Workload{Jobs: []*workload.Job{{ID: "j", Deadline: units.Never, Soft: units.Never, Weight: 1,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: []workload.Task{{Work: 10 * units.Second}, {Work: 10 * units.Second}, {Work: 10 * units.Second}, {Work: 10 * units.Second}}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder("sim", "s", "p", 1)
	if err := drive.New(w, sleeper{}, follow.New(b)).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := b.Run().Summary
	want := 5*310. + 3*400 + 2*600 + 8*400
	green := 250. * 14
	if s.Makespan != 18 || s.Energy == nil || math.Abs(*s.Energy*3.6e6-want) > 1e-6 || math.Abs(*s.Green*3.6e6-green) > 1e-6 || math.Abs(*s.Brown*3.6e6-(want-green)) > 1e-6 {
		t.Errorf("makespan %v, %v J, green %v, brown %v; want 18 s, %v J, green %v", s.Makespan, *s.Energy*3.6e6, *s.Green*3.6e6, *s.Brown*3.6e6, want, green)
	}
	cost, carbon := 2*(4*310.+60+3*150+350)+5*(350.+8*150), 0.4*(want-green)
	if math.Abs(*s.EnergyCost*3.6e6-cost) > 1e-6 || math.Abs(*s.Carbon*3.6e6-carbon) > 1e-6 {
		t.Errorf("it costs %v and emits %v, want %v and %v", *s.EnergyCost*3.6e6, *s.Carbon*3.6e6, cost, carbon)
	}
	for name, parts := range map[string][2]float64{"maps": {*s.TaskEnergy, 4000}, "idle": {*s.IdleEnergy, 18*100 + 10*100}, "wake": {*s.WakeEnergy, 3 * 100}, "asleep": {*s.SleepEnergy, 5 * 10}} {
		if math.Abs(parts[0]*3.6e6-parts[1]) > 1e-6 {
			t.Errorf("%s: %v J, want %v", name, parts[0]*3.6e6, parts[1])
		}
	}
	if s.Wakes != 1 {
		t.Errorf("nodes were woken %d times", s.Wakes)
	}
	// Its maps draw 100 W each for 10 s, at what all cost.
	j, part := &b.Run().Jobs[0], 4*1000/want
	if math.Abs(*j.EnergyCost*3.6e6-part*cost) > 1e-6 || math.Abs(*j.Carbon*3.6e6-part*carbon) > 1e-6 {
		t.Errorf("the job costs %v and emits %v, want %v and %v", *j.EnergyCost*3.6e6, *j.Carbon*3.6e6, part*cost, part*carbon)
	}
}

// The meter against a sum over small steps of what every node does, on runs with failures, drains
// and nodes that come and go.
func TestEnergyAgainstSteps(t *testing.T) {
	for seed := range uint64(20) {
		cfg := wild(seed)
		for _, n := range cfg.Cluster.Nodes {
			n.Class.Idle, n.Class.Dynamic = 70, 130
		}
		b, all := NewBuilder("sim", "s", "p", seed), &record{}
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := drive.New(w, greedy{}, follow.New(b), all).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := b.Run().Summary
		up, class, held := map[sched.NodeID]bool{}, map[sched.NodeID]*cluster.Class{}, map[sched.NodeID]int64{}
		where := map[sched.AttemptID]sched.NodeID{}
		joules, since := 0.0, 0.0
		for _, e := range all.all {
			if e.at > got.Makespan {
				break
			}
			for n := range up {
				slots := class[n].Capacity[units.MapSlots] + class[n].Capacity[units.ReduceSlots]
				joules += (e.at - since) * (70 + 130*min(1, float64(held[n])/float64(slots)))
			}
			since = e.at
			switch e.Kind {
			case sched.NodeUp:
				up[e.Node], class[e.Node] = true, e.Detail.Node.Class
			case sched.NodeDown:
				delete(up, e.Node)
			case sched.Started:
				held[e.Node]++
				where[e.Attempt] = e.Node
			case sched.Ended:
				held[where[e.Attempt]]--
			}
		}
		if math.Abs(*got.Energy*3.6e6-joules) > 1e-6*joules {
			t.Errorf("seed %d: %v J, counted %v J", seed, *got.Energy*3.6e6, joules)
		}
	}
}

// Without a model of power the report has none.
func TestNoEnergyWithoutAModel(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	w, err := sim.New(wild(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.New(w, greedy{}, follow.New(b)).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := b.Run().Summary; s.Energy != nil || s.Green != nil || s.Brown != nil {
		t.Error("energy out of nothing")
	}
}

// What a node draws follows its state: another speed does not wake it.
func TestDrawFollowsPowerStates(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	f := follow.New(b)
	class := &cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(2, 0), Idle: 100, Sleep: 10}
	tell := func(e sched.Event, want float64) {
		t.Helper()
		e.Node = 1
		if err := f.Batch(1, 0, []sched.Event{e}); err != nil || float64(b.meter.Power()) != want {
			t.Errorf("%v: %v W, want %v (%v)", e.Kind, b.meter.Power(), want, err)
		}
	}
	up := sched.Event{Kind: sched.NodeUp, Detail: &sched.Detail{Node: &cluster.Node{Class: class}}}
	tell(up, 100)
	tell(sched.Event{Kind: sched.NodeChanged, State: sched.Asleep}, 10)
	tell(sched.Event{Kind: sched.NodeChanged, X: 2, Detail: up.Detail}, 10)
	tell(sched.Event{Kind: sched.NodeChanged, State: sched.Waking}, 100)
	tell(sched.Event{Kind: sched.NodeChanged, State: sched.Asleep}, 10)
	tell(sched.Event{Kind: sched.NodeChanged, State: sched.Offered}, 0)
	tell(up, 100)
	tell(sched.Event{Kind: sched.NodeDown}, 0)
	up.State = sched.Asleep
	tell(up, 10)
}

// What a job has used that has not ended is billed at what power cost while it ran: here 1 a kWh, and -2 before.
func TestBillOfAJobThatHasNotEnded(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	node := up(1, 2, 0)
	node.Detail.Node.Class.Idle = 100
	s.at(0, node, sched.Event{Kind: sched.SupplyChanged, Of: sched.Price, X: -2})
	s.at(100, sched.Event{Kind: sched.SupplyChanged, Of: sched.Price, X: 1}, arrived(1, "a", 100, 0, 2, 0))
	s.at(200, started(1, 1, 1, sched.Map, 1, sched.NodeLocal))
	end := ended(1, sched.Committed, 0, 0, 0, 10)
	end.X = 1000
	s.at(210, end)
	if j := b.Run().Jobs[0]; math.Abs(*j.EnergyCost-*j.Energy) > 1e-12 || *j.Energy == 0 {
		t.Errorf("%v kWh cost %v", *j.Energy, *j.EnergyCost)
	}
}

// Who is paid for what he takes sees by how much.
func TestEnergyThatIsPaidFor(t *testing.T) {
	run := &Run{Policy: "p"}
	run.Summary.EnergyCost = new(-3.0)
	var text bytes.Buffer
	if err := summaryTable("", []*Run{run}).Write(&text); err != nil || !strings.Contains(text.String(), "-3.00") {
		t.Errorf("the cost of -3 is told as (%v)\n%s", err, text.String())
	}
}

// A supply that cannot be is none: neither of a kind that there is not nor of an amount that is no number.
func TestSuppliesThatCannotBe(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	node := up(1, 2, 0)
	node.Detail.Node.Class.Idle = 100
	s.at(0, node, arrived(1, "a", 0, 0, 1, 0))
	for of, x := range map[sched.SupplyKind]float64{sched.Supplies: 1, sched.NoSupply: 1, sched.GreenPower: -1, sched.Price: math.NaN(), sched.Carbon: math.Inf(1)} {
		s.at(1, sched.Event{Kind: sched.SupplyChanged, Of: of, X: x})
	}
	s.at(10, jobEnded(1, sched.Killed, ""))
	if sum := b.Run().Summary; *sum.Energy == 0 || sum.Green != nil || sum.EnergyCost != nil || sum.Carbon != nil {
		t.Errorf("%v kWh are %v green, cost %v and emit %v", *sum.Energy, sum.Green, sum.EnergyCost, sum.Carbon)
	}
}

// A small cost is told in three digits, not as nothing or as twice as much.
func TestMoney(t *testing.T) {
	for x, want := range map[float64]string{0.0156: "0.0156", 0.965432: "0.965", 12.346: "12.35", 1234.5: "1234.50", 0: "0"} {
		if got := money(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
