package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// dice draws scenarios.
type dice struct{ *rand.Rand }

// chance is true with that probability.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// from is a whole number within bounds.
func (d dice) from(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// seconds is a span: whole seconds, on which many things happen at once, or any.
func (d dice) seconds(lo, hi float64) units.Duration {
	if d.chance(0.5) {
		return units.Duration(d.from(int(lo), int(hi))) * units.Second
	}
	return units.FromSeconds(lo + d.Float64()*(hi-lo))
}

func (d dice) at(lo, hi float64) units.Time { return units.Time(d.seconds(lo, hi)) }

func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// sleepy are policies under which nodes sleep, soon and long.
var sleepy = []string{"fifo+sleep(idle=3s)", "edf-p+sleep(idle=1s,keep=0)", "fair+sleep(idle=20s,keep=2)"}

var policies = []string{"fifo", "fair", "capacity", "edf-n", "edf-p", "fair(preemption=true,fair_timeout=4s,interval=2s)",
	"fifo+serial+greedy(nonlocal=2)", "edf+limit(running=2)", "fair-share(pool=user)+greedy(nonlocal=0,reduces=2)", "edf-p+greedy(local=rack)",
	"capacity(elastic=false)"}

// randomRun draws a scenario and a policy. The same seed gives the same.
func randomRun(seed uint64, of func(dice, *played)) played {
	d := dice{rand.New(rand.NewPCG(seed, 20260101))}
	var p played
	of(d, &p)
	if d := (dice{rand.New(rand.NewPCG(seed, 39))}); d.chance(0.3) && p.cfg.Workload != nil {
		d.moldable(p.cfg.Workload.Jobs)
	}
	return p
}

// moldable lets stages be cut otherwise.
func (d dice) moldable(jobs []*workload.Job) {
	for _, j := range jobs {
		for i := range j.Stages {
			st := &j.Stages[i]
			if n := len(st.Tasks); st.Kind != workload.Master && d.chance(0.7) {
				st.MinTasks, st.MaxTasks = 1, n+d.from(0, 3)
				for range st.MaxTasks {
					st.Works = append(st.Works, d.seconds(1, 30))
				}
			}
		}
	}
}

// plain is a scenario with everything but what shares, copies and sleeps.
func plain(d dice, p *played) {
	p.exact = true
	p.policy = one(d, slices.Concat(policies, sleepy)...)
	if d.chance(0.3) {
		p.meddle = 0.05
	}
	p.cfg = d.config(5, 8)
}

// shared is a scenario of at most 20 tasks with a network that shuffles share, second attempts, and nodes that sleep.
func shared(d dice, p *played) {
	p.policy = one(d, slices.Concat(policies, sleepy, []string{"fifo+speculate(lag=5s,gap=5,interval=1s)", "edf-p+speculate(lag=2s,gap=10)"})...)
	p.meddle = 0.25
	p.cfg = d.config(4, 3)
	if d.chance(0.8) {
		p.cfg.Network = sim.Network{Fabric: units.Bytes(d.from(10, 300)), Link: 100}
	}
	if d.chance(0.8) {
		p.cfg.Progress = d.seconds(1, 9)
	}
}

// config draws a cluster, what happens to it, and so many jobs with so many tasks a stage, at most.
func (d dice) config(jobs, tasks int) sim.Config {
	vectors := d.chance(0.4)
	cfg := sim.Config{Cluster: d.cluster(vectors), Seed: d.Uint64(), Patience: units.Minute}
	if d.chance(0.8) {
		cfg.Until = units.Time(d.from(50, 2000)) * units.Time(units.Second)
	}
	n := len(cfg.Cluster.Nodes)
	cfg.Heartbeat = one(d, 0, 0, units.Second, 3*units.Second, d.seconds(1, 10))
	cfg.Replicas = min(n, one(d, 0, 1, 2, 3))
	cfg.Placement = one(d, sim.Spread, sim.Scatter)
	cfg.MaxFailures = one(d, 0, 1, 2, 5)
	cfg.Workload = d.workload(n, jobs, tasks, vectors)
	if d.chance(0.1) {
		cfg.Workload, cfg.Source = nil, users(cfg.Workload.Jobs, d.seconds(0, 10))
	} else if d.chance(0.1) {
		cfg.Until = max(1, cfg.Workload.Jobs[0].Arrive)
	}
	d.nature(&cfg)
	d.happenings(&cfg, n)
	return cfg
}

// users makes a closed population: two users who think for so long after each of their jobs.
func users(jobs []*workload.Job, think units.Duration) func() workload.Source {
	return func() workload.Source { return &population{jobs: jobs, think: think, due: []units.Time{0, 0}} }
}

type population struct {
	jobs  []*workload.Job
	think units.Duration
	due   []units.Time // of users who think
}

func (p *population) Due() units.Time {
	if len(p.jobs) == 0 || len(p.due) == 0 {
		return units.Never
	}
	return slices.Min(p.due)
}

func (p *population) Next() (*workload.Job, error) {
	i := slices.Index(p.due, slices.Min(p.due))
	p.due = slices.Delete(p.due, i, i+1)
	j := p.jobs[0]
	p.jobs = p.jobs[1:]
	return j, nil
}

func (p *population) Ended(_ *workload.Job, at units.Time) { p.due = append(p.due, at.Add(p.think)) }

func (d dice) cluster(vectors bool) *cluster.Cluster {
	c := &cluster.Cluster{Racks: d.from(1, 3)}
	for i := range d.from(1, 2) {
		k := &cluster.Class{Name: fmt.Sprint("k", i), Speed: one(d, 1, 1, 0.5, 2, 1.3), Idle: 100, Dynamic: 50, WakeTime: one(d, 0, 5*units.Second, d.seconds(1, 9))}
		k.Capacity = units.Slots(d.from(1, 3), d.from(1, 2))
		if vectors {
			k.Capacity = units.Vector{units.VCores: int64(d.from(3, 6)), units.Memory: int64(d.from(3, 8)), units.Named0: int64(d.from(0, 1))}
		}
		c.Classes = append(c.Classes, k)
	}
	for i := range d.from(1, 6) {
		node := &cluster.Node{Name: fmt.Sprint("n", i+1), Rack: cluster.RackID(d.from(1, c.Racks)), Class: one(d, c.Classes...)}
		if d.chance(0.5) || i == 0 {
			node.Labels = []string{"fast"}
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c
}

func (d dice) workload(nodes, jobs, tasks int, vectors bool) *workload.Workload {
	w := &workload.Workload{}
	for i := range d.from(1, jobs) {
		w.Jobs = append(w.Jobs, d.job(i, nodes, tasks, vectors))
	}
	d.Shuffle(len(w.Jobs), func(i, k int) { w.Jobs[i], w.Jobs[k] = w.Jobs[k], w.Jobs[i] })
	return w
}

func (d dice) job(i, nodes, tasks int, vectors bool) *workload.Job {
	j := &workload.Job{ID: fmt.Sprint("j", i), Class: fmt.Sprint("c", i%2), User: fmt.Sprint("u", i%3), Arrive: d.at(0, 60), Soft: units.Never, Deadline: units.Never,
		Weight: one(d, 1, 2, 0.5), Priority: d.from(0, 2), SlowStart: one(d, 0, 0.05, 0.5, 1)}
	if d.chance(0.6) {
		j.Deadline = j.Arrive.Add(d.seconds(10, 200))
	}
	if i > 0 && d.chance(0.3) {
		j.After = []string{fmt.Sprint("j", d.IntN(i)), fmt.Sprint("j", d.IntN(i))}
	}
	if d.chance(0.15) {
		j.Labels = []string{"fast"}
	}
	if d.chance(0.2) {
		j.File = "shared"
	}
	kinds := one(d, []workload.Stage{workload.Map, workload.Reduce}, []workload.Stage{workload.Map, workload.Reduce}, []workload.Stage{workload.Map, workload.Reduce},
		[]workload.Stage{workload.Map}, []workload.Stage{workload.Master, workload.Map, workload.Reduce}, []workload.Stage{workload.Master, workload.Map},
		[]workload.Stage{workload.Map, workload.Reduce, workload.Other0}, []workload.Stage{workload.Map, workload.Other1}, []workload.Stage{workload.Reduce}, []workload.Stage{workload.Other0})
	for _, k := range kinds {
		s := workload.StageSpec{Kind: k, CPUShare: one(d, 0, 0, 0.5, 0.7)}
		n := d.from(1, tasks)
		if k == workload.Master {
			n = 1
		}
		for i := range n {
			t := workload.Task{Work: d.seconds(0, 30), Input: units.Bytes(d.from(0, 1000))}
			if k == workload.Reduce {
				t.Shuffle = d.seconds(0, 10)
			}
			if k == workload.Map && d.chance(0.1) {
				s.Hosts.Set(i, cluster.NodeID(d.from(1, nodes)))
			}
			s.Tasks = append(s.Tasks, t)
		}
		if vectors {
			for c := range d.from(1, 2) {
				s.Containers = append(s.Containers, cluster.Container{Name: fmt.Sprint("c", c), Needs: units.Vector{units.VCores: int64(d.from(1, 3)), units.Memory: int64(d.from(0, 3))}})
			}
			if k == workload.Map && d.chance(0.2) {
				s.Containers = append([]cluster.Container{{Name: "gpu", Needs: units.Vector{units.VCores: 1, units.Named0: 1}}}, s.Containers...)
			}
		}
		j.Stages = append(j.Stages, s)
	}
	return j
}

// nature draws how long things take, and how often they break.
func (d dice) nature(cfg *sim.Config) {
	if d.chance(0.5) {
		cfg.Times = sim.Times{Law: sim.Law(d.from(0, 6)), CV: one(d, 0, 0.2, 0.5), Values: []float64{1, 2, 3.5, 0.7}}
	}
	if d.chance(0.3) {
		cfg.Stragglers = sim.Straggling{Rate: 0.2, Factor: 3}
	}
	if d.chance(0.3) {
		cfg.Skew = one(d, 0.5, 1, 1.7)
	}
	if d.chance(0.3) {
		cfg.Read = sim.ReadRates{Rack: 200, Remote: one(d, units.Bytes(100), 0)}
	}
	if d.chance(0.3) {
		cfg.Files = sim.Files{Count: d.from(1, 4), Zipf: one(d, 0, 0.8, 1.5), Blocks: one(d, 0, 0, 1, 5)}
	}
	if d.chance(0.4) {
		cfg.Failures.Rate = one(d, 0.05, 0.3)
	}
	if d.chance(0.3) {
		cfg.Failures.Faulty, cfg.Failures.FaultyRate = 0.4, 0.6
	}
	if d.chance(0.3) {
		cfg.Failures.Blacklist = sim.Blacklist{Failures: d.from(1, 3), Restore: one(d, 0, d.seconds(5, 40))}
	}
	if d.chance(0.3) {
		cfg.Failures.MTBF, cfg.Failures.MTTR = d.seconds(40, 200), d.seconds(2, 30)
	}
	if d.chance(0.2) {
		cfg.Failures.RackMTBF, cfg.Failures.RackMTTR = d.seconds(60, 300), d.seconds(2, 20)
	}
}

// happenings draws what is written down to happen.
func (d dice) happenings(cfg *sim.Config, n int) {
	if d.chance(0.4) {
		for range d.from(1, 4) {
			cfg.Speeds = append(cfg.Speeds, sim.SpeedStep{At: d.at(0, 100), Node: cluster.NodeID(d.from(0, n)), Factor: one(d, 0.25, 0.5, 1, 1.7, 2)})
		}
	}
	if d.chance(0.4) {
		for range d.from(1, 3) {
			cfg.Sizes = append(cfg.Sizes, sim.SizeStep{At: d.at(0, 100), Nodes: d.from(0, n), Crash: d.chance(0.4)})
		}
		cfg.Sizes = append(cfg.Sizes, sim.SizeStep{At: d.at(100, 110), Nodes: n})
	}
	if d.chance(0.4) {
		for range d.from(1, 4) {
			o := sim.Outage{Node: cluster.NodeID(d.from(1, n)), Down: d.at(0, 90)}
			if d.chance(0.3) {
				o.Node, o.Rack = 0, cluster.RackID(d.from(1, cfg.Cluster.Racks))
			}
			if o.Up = units.Never; d.chance(0.8) {
				o.Up = o.Down.Add(d.seconds(1, 30))
			}
			cfg.Outages = append(cfg.Outages, o)
		}
	}
	if d.chance(0.2) {
		cfg.Supply = []sim.SupplyStep{{At: d.at(0, 50), Of: sched.GreenPower, Amount: 100}}
		cfg.Expect = []sim.Outlook{{At: d.at(0, 50), Of: sched.Price, Forecast: &sched.Forecast{Interval: units.Minute, Mid: []float64{1, 2}}}}
	}
	if d.chance(0.2) {
		cfg.Profiles = []*profile.Class{profile.New("c1"), profile.New("c0")}
	}
}
