package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What must hold in every run, whatever was drawn: slots are not held twice, time is not lost, work
// is what was ordered, energy is what nodes draw. Nothing here is by chance, so there are no bounds
// but those of rounding.

// books is a sink that keeps accounts of its own, from events alone.
type books struct {
	t        *testing.T
	at       units.Time
	jobs     int
	inSystem float64 // job seconds
	busy     float64 // slot seconds, from starts and ends
	cores    float64 // vcore seconds
	memory   float64 // byte seconds
	told     float64 // the same from the spans that ends tell
	load     float64 // joules that nodes draw for what runs on them
	drawn    float64 // and as ends tell it
	nodes    map[sched.NodeID]*room
	runs     map[sched.AttemptID]*held
	specs    map[sched.JobID]*workload.Job
	works    func(j *workload.Job, s *workload.StageSpec, e *sched.Event, h *held) // of attempts that commit
}

type room struct {
	class *cluster.Class // as it came up
	all   units.Vector
	held  units.Vector // by containers of which no watts are stated
	since units.Time   // from when on it holds that
	speed float64

	stated float64 // watts of containers of which something is
	load   float64 // joules for what ran on it
}

// hold changes what is held of a node; what it drew for what was held until now is added up. A node
// is as busy as the larger part of its slots, or of its vcores, that is held.
func (b *books) hold(nd *room, change func(*units.Vector)) {
	has, held := nd.class.Capacity, nd.held
	busy := 0.0
	if slots := has[units.MapSlots] + has[units.ReduceSlots]; slots > 0 {
		busy = float64(held[units.MapSlots]+held[units.ReduceSlots]) / float64(slots)
	}
	if cores := has[units.VCores]; cores > 0 {
		busy = max(busy, float64(held[units.VCores])/float64(cores))
	}
	if at := nd.class.Loads; at != nil {
		i := 1
		for at[i] < min(busy, 1) {
			i++
		}
		part := (min(busy, 1) - at[i-1]) / (at[i] - at[i-1])
		busy = nd.class.Curve[i-1]*(1-part) + nd.class.Curve[i]*part
	} else if steps := float64(len(nd.class.Curve) - 1); steps > 0 {
		whole, rest := math.Modf(min(busy, 1) * steps)
		busy = nd.class.Curve[int(whole)]
		if rest > 0 {
			busy = busy*(1-rest) + nd.class.Curve[int(whole)+1]*rest
		}
	}
	drew := (busy*float64(nd.class.Dynamic) + nd.stated) * b.at.Sub(nd.since).Seconds()
	b.load, nd.load = b.load+drew, nd.load+drew
	nd.since = b.at
	change(&nd.held)
}

type held struct {
	sched.Event
	began units.Time
	steps []step // of its node's speed since then
	rate  cluster.Rate
	class float64 // speed of that of its node
}

// said is what is stated of a kind of container for jobs of a class, or else for any.
func said(c *cluster.Class, jobs, container string) (is cluster.Rate) {
	for _, r := range c.Rates {
		if r.Container == container && (r.Jobs == jobs || r.Jobs == "" && is.Container == "") {
			is = r
		}
	}
	return is
}

type step struct {
	at    units.Time
	speed float64
}

func newBooks(t *testing.T) *books {
	return &books{t: t, nodes: map[sched.NodeID]*room{}, runs: map[sched.AttemptID]*held{}, specs: map[sched.JobID]*workload.Job{}}
}

func (b *books) Batch(_ int64, at units.Time, events []sched.Event) error {
	b.inSystem += float64(b.jobs) * at.Sub(b.at).Seconds()
	b.at = at
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.NodeUp:
			b.nodes[e.Node] = &room{class: e.Detail.Node.Class, speed: e.Detail.Node.Class.Speed}
		case sched.NodeChanged:
			nd := b.nodes[e.Node]
			nd.speed = nd.class.Speed * e.X
			for _, h := range b.runs {
				if h.Node == e.Node {
					h.steps = append(h.steps, step{at, nd.speed})
				}
			}
		case sched.JobArrived:
			b.jobs++
			b.specs[e.Job] = e.Detail.Job
		case sched.JobEnded:
			b.jobs--
		case sched.Started: // it may be told late
			b.at = at.Add(-e.Age)
			b.start(e)
		case sched.Ended:
			b.at = at.Add(-e.Age)
			b.end(e)
		}
		b.at = at
	}
	return nil
}

func (b *books) Plan(int64, units.Time, *sched.Plan) error { return nil }

func (b *books) start(e *sched.Event) {
	nd := b.nodes[e.Node]
	needs := b.specs[e.Job].Stage(e.Stage).Container(int(e.Container)).Needs
	rate := said(nd.class, b.specs[e.Job].Class, b.specs[e.Job].Stage(e.Stage).Container(int(e.Container)).Name)
	b.hold(nd, func(held *units.Vector) {
		if nd.stated += float64(rate.Watts); rate.Watts == 0 {
			held.Add(&needs)
		}
	})
	if nd.all.Add(&needs); !nd.class.Capacity.Fits(&nd.all) {
		b.t.Errorf("at %v node %d holds %v, it has %v", b.at, e.Node, nd.all, nd.class.Capacity)
	}
	b.runs[e.Attempt] = &held{Event: *e, began: b.at, steps: []step{{b.at, nd.speed}}, rate: rate, class: nd.class.Speed}
}

func (b *books) end(e *sched.Event) {
	h, nd := b.runs[e.Attempt], b.nodes[b.runs[e.Attempt].Node]
	delete(b.runs, e.Attempt)
	s := b.specs[h.Job].Stage(h.Stage)
	needs := s.Container(int(h.Container)).Needs
	b.hold(nd, func(held *units.Vector) {
		if nd.stated -= float64(h.rate.Watts); h.rate.Watts == 0 {
			held.Sub(&needs)
		}
	})
	nd.all.Sub(&needs)
	b.drawn += e.X
	took, told := b.at.Sub(h.began), units.Duration(0)
	for _, d := range e.Spans {
		told += d
	}
	slots := needs[units.MapSlots] + needs[units.ReduceSlots]
	b.busy += took.Seconds() * float64(slots)
	b.told += told.Seconds() * float64(slots)
	b.cores += took.Seconds() * float64(needs[units.VCores])
	b.memory += took.Seconds() * float64(needs[units.Memory])
	if b.works != nil && e.Outcome == sched.Committed {
		b.works(b.specs[h.Job], s, e, h)
	}
}

// done is the work of an attempt until the end of its run: its speed, integrated over that.
func (h *held) done(share float64, until units.Time, run units.Duration) float64 {
	sum := 0.0
	for i, s := range h.steps {
		from, to := max(s.at, until.Add(-run)), until
		if i+1 < len(h.steps) {
			to = h.steps[i+1].at
		}
		if to > from {
			speed := s.speed
			if h.rate.Speed > 0 {
				speed *= h.rate.Speed / h.class
			}
			sum += float64(to.Sub(from)) / (share/speed + (1 - share))
		}
	}
	return sum
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Random runs with all that can happen to them: what attempts hold fits, and their spans are their times.
func TestSlotsAreConserved(t *testing.T) {
	for seed := range uint64(scenarios(100, 2000)) {
		p := randomRun(seed, shared)
		b := newBooks(t)
		if p.cfg.Until == 0 {
			p.cfg.Until = units.Time(units.Hour)
		}
		play(t, p.cfg, p.policy, b)
		if !same(b.busy, b.told) || len(b.runs) > 0 || b.jobs > 0 {
			t.Errorf("seed %d: attempts ran %v slot seconds and told %v; %d run and %d jobs are left", seed, b.busy, b.told, len(b.runs), b.jobs)
		}
		if t.Failed() {
			t.Fatalf("seed %d, %s", seed, p.policy)
		}
	}
}

// Work is what was ordered: the speed of a node, integrated over the time that an attempt worked on
// it, is the task's Work, however often the speed changes. Where nodes neither change nor fail the
// report says the same of utilisation and energy, be it slots that tasks take, vcores, or some
// these and some those of one node.
func TestWorkAndEnergyAreConserved(t *testing.T) {
	for seed := range uint64(scenarios(100, 2000)) {
		d := dice{rand.New(rand.NewPCG(seed, 3))}
		cfg := d.config(4, 6)
		if cfg.Workload != nil && d.chance(0.5) {
			mix(d, &cfg)
		}
		steady := d.chance(0.5)
		cfg.Times, cfg.Stragglers, cfg.Skew, cfg.Failures, cfg.Outages, cfg.Sizes, cfg.Until = sim.Times{}, sim.Straggling{}, 0, sim.Failures{}, nil, nil, units.Time(units.Hour)
		if steady {
			cfg.Speeds = nil
		}
		if d.chance(0.5) {
			rate(seed, cfg.Cluster)
		}
		b := newBooks(t)
		b.works = func(j *workload.Job, s *workload.StageSpec, e *sched.Event, h *held) {
			if s.Kind == sched.Master && len(j.Stages) > 1 {
				return // it works until its job ends
			}
			ordered, done := float64(s.Tasks[h.Task-1].Work), h.done(s.Share(), b.at, e.Spans[sched.PhaseRun])
			if math.Abs(ordered-done) > 4 { // half a nanosecond of rounding at speed 4 at most
				t.Errorf("seed %d: job %s, %v task %d: %v ns of work ordered, %v done", seed, j.ID, s.Kind, h.Task, ordered, done)
			}
		}
		r := report.NewBuilder("sim", "", "", seed)
		play(t, cfg, one(d, policies...), b, follow.New(r))
		run := r.Run()
		s := run.Summary
		for _, n := range run.Nodes {
			h := slices.IndexFunc(cfg.Cluster.Nodes, func(c *cluster.Node) bool { return c.Name == n.Node })
			if nd := b.nodes[sched.NodeID(h+1)]; !same(n.Energy*float64(units.JoulesPerKWh), nd.load) {
				t.Errorf("seed %d: the report says that attempts drew %v kWh on %s; it was %v J", seed, n.Energy, n.Node, nd.load)
			}
		}
		capacity := cfg.Cluster.Capacity()
		if slots := s.MapUtilization*float64(capacity[units.MapSlots]) + s.ReduceUtilization*float64(capacity[units.ReduceSlots]); !same(slots*s.Makespan, b.busy) {
			t.Errorf("seed %d: the report says %v slot seconds, attempts ran %v", seed, slots*s.Makespan, b.busy)
		}
		for _, c := range []struct {
			name string
			d    units.Dim
			part *float64
			held float64
		}{{"vcore", units.VCores, s.CoreUtilization, b.cores}, {"byte", units.Memory, s.MemoryUtilization, b.memory}} {
			if has := float64(capacity[c.d]); (c.part != nil) != (has > 0) || c.part != nil && !same(*c.part*has*s.Makespan, c.held) {
				t.Errorf("seed %d: the report says %v of %v %ss in %v s, attempts held %v %s seconds", seed, c.part, has, c.name, s.Makespan, c.held, c.name)
			}
		}
		idle := 0.0
		for _, n := range cfg.Cluster.Nodes {
			idle += float64(n.Class.Idle)
		}
		if joules := *s.Energy * float64(units.JoulesPerKWh); !same(joules, idle*s.Makespan+b.load) {
			t.Errorf("seed %d: the report says %v J, nodes draw %v", seed, joules, idle*s.Makespan+b.load)
		}
		if parts := *s.TaskEnergy + *s.IdleEnergy + *s.WakeEnergy + *s.SleepEnergy; !same(parts, *s.Energy) {
			t.Errorf("seed %d: the report says %v kWh, and its parts are %v", seed, *s.Energy, parts)
		}
		if joules := *s.TaskEnergy * float64(units.JoulesPerKWh); !same(joules, b.load) || !same(b.drawn, b.load) {
			t.Errorf("seed %d: nodes draw %v J for attempts, their ends tell %v, the report says %v", seed, b.load, b.drawn, joules)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// mix gives every node slots and vcores, and lets tasks take some a slot, some vcores, some both.
func mix(d dice, cfg *sim.Config) {
	for _, k := range cfg.Cluster.Classes {
		k.Capacity = units.Slots(d.from(1, 3), d.from(1, 2))
		k.Capacity[units.VCores], k.Capacity[units.Memory] = int64(d.from(2, 9)), int64(d.from(3, 8))
	}
	for _, j := range cfg.Workload.Jobs {
		for i := range j.Stages {
			slot := units.MapSlots
			if j.Stages[i].Kind == workload.Reduce {
				slot = units.ReduceSlots
			}
			needs := units.Vector{units.VCores: int64(d.from(1, 2)), units.Memory: int64(d.from(0, 3))}
			j.Stages[i].Containers = one(d, nil, []cluster.Container{{Name: "cores", Needs: needs}}, []cluster.Container{{Name: "both", Needs: needs}})
			if c := j.Stages[i].Containers; len(c) > 0 && c[0].Name == "both" {
				c[0].Needs[slot] = 1
			}
		}
	}
}

// Little's law: over a run that begins and ends empty, the mean number of jobs in the system is
// their rate times their mean response; and the mean number of busy slots is the rate times the
// work of a job.
func TestLittle(t *testing.T) {
	for _, policy := range []string{"fifo", "fair", "edf-p"} {
		for seed := range uint64(scenarios(5, 50)) {
			rng := rand.New(rand.NewPCG(seed, 11))
			w := &workload.Workload{}
			at, ordered := 0.0, 0.0
			for i := range 300 {
				at += rng.ExpFloat64() * 12
				work := make([]units.Duration, 1+rng.IntN(8))
				for k := range work {
					work[k] = units.Duration(rng.IntN(20_000_000_000))
					ordered += work[k].Seconds()
				}
				w.Jobs = append(w.Jobs, single(fmt.Sprint(i), units.Time(units.FromSeconds(at)), work))
			}
			b, r := newBooks(t), report.NewBuilder("sim", "", policy, seed)
			c := cluster.Uniform(3, 1, cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(2, 0)})
			play(t, sim.Config{Cluster: c, Workload: w, Heartbeat: units.Second, Seed: seed}, policy, b, follow.New(r))
			s := r.Run().Summary
			rate := float64(s.Jobs) / s.Makespan
			if l := b.inSystem / s.Makespan; !same(l, rate**s.MeanResponse) {
				t.Errorf("%s, seed %d: %v jobs in the system, %v a second stay %v s", policy, seed, l, rate, *s.MeanResponse)
			}
			if busy := s.MapUtilization * 6; !same(busy, rate*ordered/float64(s.Jobs)) {
				t.Errorf("%s, seed %d: %v slots busy, %v s of work were ordered in %v s", policy, seed, busy, ordered, s.Makespan)
			}
		}
	}
}

// whim is why tests do things.
var whim = &sched.Cause{Name: "whim"}

// sleeper puts node 2 to sleep at once and wakes it after 100 s.
type sleeper struct{ *compose.Policy }

// About says that it heeds its Tick, besides what the policy heeds.
func (y sleeper) About() sched.About {
	a := y.Policy.About()
	a.Heeds |= sched.EventsOf(sched.Tick)
	return a
}

func (y sleeper) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	y.Policy.Decide(v, batch, p)
	switch n := v.Node(2); {
	case v.Now() == 0 && n.State == sched.Awake:
		p.Add(sched.Item{Verb: sched.Sleep, Node: 2, Reason: sched.Because(whim)})
		p.WakeMe(units.Time(100*units.Second), sched.Because(whim))
	case v.Now() == units.Time(100*units.Second) && n.State == sched.Asleep:
		p.Add(sched.Item{Verb: sched.Wake, Node: 2, Reason: sched.Because(whim)})
	}
}

// Energy in closed form, with a node that sleeps 100 s and wakes for 20, under a supply of green
// power of 130 W until 200 s. One map of 300 s holds one of the two slots of node 1, which draws
// 100 + 60/2 W; node 2 draws 5 W asleep and 100 W else, and 100 + 60/2 W for the 10 s of a map that
// had to wait for it.
func TestEnergyInClosedForm(t *testing.T) {
	class := cluster.Class{Name: "k", Speed: 1, Capacity: units.Slots(2, 0), Idle: 100, Dynamic: 60, Sleep: 5, WakeTime: 20 * units.Second}
	jobs := []*workload.Job{single("j", 0, []units.Duration{300 * units.Second}), single("late", units.Time(units.Second), []units.Duration{10 * units.Second})}
	jobs[1].Labels = []string{"sleeps"}
	c := cluster.Uniform(2, 1, class)
	c.Nodes[1].Labels = jobs[1].Labels
	cfg := sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: jobs},
		Supply: []sim.SupplyStep{{Of: sched.GreenPower, Amount: 130}, {At: units.Time(200 * units.Second), Of: sched.GreenPower}}}
	base, err := catalog.New("fifo", NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	r := report.NewBuilder("sim", "", "", 0)
	drivePolicy(t, cfg, sleeper{base}, follow.New(r))
	run := r.Run()
	s := run.Summary
	joules := float64(units.JoulesPerKWh)
	if began := run.Jobs[1].Started; began == nil || *began != 120 {
		t.Errorf("the node that slept began to work at %v s, want 120", began)
	}
	if want := 300*130. + 100*5 + 200*100 + 10*30; s.Energy == nil || !same(*s.Energy*joules, want) {
		t.Errorf("%v J, want %v", *s.Energy*joules, want)
	}
	if want := 200 * 130.; s.Green == nil || !same(*s.Green*joules, want) {
		t.Errorf("%v J of them green, want %v", *s.Green*joules, want)
	}
}
