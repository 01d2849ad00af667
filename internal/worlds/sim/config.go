package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Config is a run: what there is, what arrives, and what happens to it. Nothing in it is changed,
// so that runs on several cores may share clusters and workloads. Zero values switch a mechanism
// off.
type Config struct {
	Cluster  *cluster.Cluster
	Workload *workload.Workload     // what arrives, as a list
	Source   func() workload.Source // or one by one; a new one for each run
	// of these so many back a job may name others that it waits for; 0 = workload.Remembered
	Recent   int
	Profiles []*profile.Class // what is known of job classes from the start
	// Door says whether a job may come in that has arrived. Nobody is told of one that may not, and who waits for it
	// never starts. nil = all may.
	Door   func(j *workload.Job, at units.Time) bool
	Seed   uint64
	Origin string // the instant that 0 stands for, in RFC 3339; "" = none

	Heartbeat units.Duration // interval; 0 = nodes are served at once. See heartbeat.go
	Launch    units.Duration // from when a container is given until its task begins, if it is no ApplicationMaster
	// copies of each block of a job's input that has no hosts yet; 0 = leave it without. See
	// placement.go
	Replicas  int
	Placement Placement

	Speeds  []SpeedStep  // speed over time
	Supply  []SupplyStep // over time; policies are told
	Expect  []Outlook    // forecasts of it; policies are told
	Sizes   []SizeStep   // number of nodes over time
	Outages []Outage     // failures of nodes, one by one

	Times       Times // how long tasks take against their Work. See times.go
	Stragglers  Straggling
	Skew        float64 // Zipf exponent of the shares that a job's reduces get; 0 = even. See skew.go
	Read        ReadRates
	Network     Network
	Files       Files    // which jobs read the same input
	Failures    Failures // by chance. See failures.go
	Outlived    float64  // how likely what has outlived all that is known is over when it is here (From); 0 = a half
	MaxFailures int      // a task that failed so often fails its job (mapreduce.map.maxattempts); 0 = 4

	// interval at which attempts report; a task may then have a second one; 0 = neither. See
	// speculate.go
	Progress units.Duration
	Until    units.Time     // whatever still runs then is killed and the run ends; 0 = no limit
	Patience units.Duration // heartbeats and ticks without anything else for so long mean that the run is stuck; 0 = 1h
}

// SpeedStep sets the speed of a node, or of all nodes, from a time on. Factor multiplies the speed
// of the node's class and acts on the CPU share of tasks only (scale-up, paper 000, section 6).
type SpeedStep struct {
	At     units.Time
	Node   cluster.NodeID // 0 = every node
	Factor float64        // > 0
}

// SupplyStep sets how much there is of a supply from a time on. The world does nothing by it: nodes
// come and go by Sizes.
type SupplyStep struct {
	At     units.Time
	Of     sched.SupplyKind
	Amount float64
}

// Outlook is a forecast that is issued at a time.
type Outlook struct {
	At       units.Time
	Of       sched.SupplyKind
	Forecast *sched.Forecast
}

// SizeStep sets the number of nodes from a time on (scale-out, paper 000, section 6): nodes above
// the number leave, the others come back.
type SizeStep struct {
	At    units.Time
	Nodes int
	Crash bool // leaving nodes drop what they run; else they drain: see nodes.go
}

// Outage is one failure of a node, or of a rack.
type Outage struct {
	Node cluster.NodeID
	Rack cluster.RackID // or a rack, which goes with all its nodes
	Down units.Time
	Up   units.Time // units.Never: it does not come back
}

// Placement says how the first copies of a job's blocks are spread.
type Placement uint8

// The placements.
const (
	Spread  Placement = iota // evenly over the nodes (paper 003, section 4.4.1)
	Scatter                  // each on a node of its own draw
	Cover                    // each on a node, drawn, of the covering set: see placement.go
)

// Validate reports the first thing that cannot be, as one sentence. What a number by itself may be, such as a rate of
// stragglers, is said and checked where people write it: in the tags of package scenario.
func (c *Config) Validate() error {
	if c.Cluster == nil || (c.Workload == nil) == (c.Source == nil) {
		return fmt.Errorf("simulation: a cluster and a workload are needed, as a list or as a source")
	}
	if err := c.Cluster.Validate(); err != nil {
		return err
	}
	n := len(c.Cluster.Nodes)
	switch {
	case n > math.MaxInt32:
		return fmt.Errorf("simulation: %d nodes are too many", n)
	case c.Heartbeat < 0:
		return fmt.Errorf("simulation: heartbeat %v is negative", c.Heartbeat)
	case c.Heartbeat > units.Duration(math.MaxInt64)/units.Duration(n):
		return fmt.Errorf("simulation: heartbeat %v is too long for %d nodes", c.Heartbeat, n)
	case c.Launch < 0:
		return fmt.Errorf("simulation: launch %v is negative", c.Launch)
	case c.Replicas < 0:
		return fmt.Errorf("simulation: replicas is %d, it must not be negative", c.Replicas)
	case c.Replicas > n:
		return fmt.Errorf("simulation: %d replicas do not fit on %d nodes", c.Replicas, n)
	case c.Placement > Cover:
		return fmt.Errorf("simulation: there is no placement %d", c.Placement)
	case c.Recent < 0:
		return fmt.Errorf("simulation: %d recent jobs are remembered, it must not be negative", c.Recent)
	case c.MaxFailures < 0 || c.MaxFailures > math.MaxUint8:
		return fmt.Errorf("simulation: %d failures of a task, it must be 1 to %d", c.MaxFailures, math.MaxUint8)
	case c.Until < 0 || c.Patience < 0 || c.Progress < 0:
		return fmt.Errorf("simulation: the time limit, the patience and the interval of reports must not be negative")
	case slices.ContainsFunc(c.Times.Values, func(x float64) bool { return x > 1e100 }):
		return fmt.Errorf("task times: the largest value is %v, which is too long", slices.Max(c.Times.Values))
	}
	if err := c.validateTold(); err != nil {
		return err
	}
	if c.Workload == nil {
		return nil
	}
	if err := c.Workload.Validate(); err != nil {
		return err
	}
	for _, j := range c.Workload.Jobs {
		if err := validateHosts(j, n); err != nil {
			return err
		}
	}
	return nil
}

// Can says what a simulation is able to do, before it is made.
func (c *Config) Can() sched.Capabilities {
	return sched.Capabilities{World: "sim", Bind: true, Kill: true, Mold: true, Power: true, Speculate: c.Progress > 0, Heartbeat: c.Heartbeat, Origin: c.Origin}
}

// source begins the arrivals of a run.
func (c *Config) source() workload.Source {
	if c.Source != nil {
		return c.Source()
	}
	return c.Workload.Source()
}

// validateTold checks what is told of supplies, which files and forecasters make up.
func (c *Config) validateTold() error {
	for _, s := range c.Supply {
		if s.At < 0 || s.At == units.Never {
			return fmt.Errorf("supply at %v: it is outside of the run", s.At)
		}
		if err := s.Of.Check(s.Amount); err != nil {
			return fmt.Errorf("supply at %v: %w", s.At, err)
		}
	}
	for _, o := range c.Expect {
		if o.At < 0 || o.At == units.Never || o.Forecast == nil {
			return fmt.Errorf("forecast at %v: it is outside of the run, or empty", o.At)
		}
		if err := o.Forecast.Check(o.Of); err != nil {
			return fmt.Errorf("forecast at %v: %w", o.At, err)
		}
	}
	return nil
}

// validateHosts checks what a job states beyond its own bounds: kinds of containers, and nodes that hold its input.
func validateHosts(j *workload.Job, n int) error {
	for i := range j.Stages {
		s := &j.Stages[i]
		if len(s.Containers) > math.MaxUint8 {
			return fmt.Errorf("job %q: stage %v can run in %d kinds of containers, at most %d are possible", j.ID, s.Kind, len(s.Containers), math.MaxUint8)
		}
		if s.Grows {
			return fmt.Errorf("job %q: stage %v grows, and the simulator has to know all its tasks when the job arrives", j.ID, s.Kind)
		}
		if len(s.Done) > 0 {
			return fmt.Errorf("job %q: tasks of stage %v are done already, and the simulator starts every job at its beginning", j.ID, s.Kind)
		}
		for t := range len(s.Hosts.Nodes) / max(1, s.Hosts.Each) {
			for _, h := range s.Hosts.Of(t) {
				if h < 1 || int(h) > n {
					return fmt.Errorf("job %q: stage %v, task %d: its input lies on node %d, the cluster has %d", j.ID, s.Kind, t+1, h, n)
				}
			}
		}
	}
	return nil
}

// change is one entry of the script that the configuration makes.
type change struct {
	at     units.Time
	does   changeKind
	node   cluster.NodeID
	nodes  int
	crash  bool
	factor float64
	tells  sched.Event
}

type changeKind uint8

const (
	toDown changeKind = iota
	toUp
	toSize
	toSpeed
	toTell
)

// script returns all changes in order of time, those of one time in the order of the configuration.
func (c *Config) script() []change {
	var all []change
	out := func(o *Outage, node cluster.NodeID) {
		all = append(all, change{at: o.Down, does: toDown, node: node})
		if o.Up != units.Never {
			all = append(all, change{at: o.Up, does: toUp, node: node})
		}
	}
	for i := range c.Outages {
		o := &c.Outages[i]
		if o.Rack == 0 {
			out(o, o.Node)
			continue
		}
		for k, n := range c.Cluster.Nodes {
			if n.Rack == o.Rack {
				out(o, cluster.NodeID(k+1))
			}
		}
	}
	for _, s := range c.Sizes {
		all = append(all, change{at: s.At, does: toSize, nodes: s.Nodes, crash: s.Crash})
	}
	for _, s := range c.Speeds {
		all = append(all, change{at: s.At, does: toSpeed, node: s.Node, factor: s.Factor})
	}
	for _, s := range c.Supply {
		all = append(all, change{at: s.At, does: toTell, tells: sched.Event{Kind: sched.SupplyChanged, Of: s.Of, X: s.Amount}})
	}
	for _, o := range c.Expect {
		all = append(all, change{at: o.At, does: toTell, tells: sched.Event{Kind: sched.ForecastIssued, Of: o.Of, Detail: &sched.Detail{Forecast: o.Forecast}}})
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return all
}
