package runs

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	commands "github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Machine says how the engine divides this machine into workers.
type Machine struct {
	Nodes       int
	MapSlots    int // of a node
	ReduceSlots int
	Block       units.Bytes   // largest input of a map; 0 = as the size of a job's input says
	Memory      units.Bytes   // that the process is to take at most; 0 = no bound
	Sync        outdir.Sync   // what outlives a loss of power
	Steps       []engine.Step // what the workers offer over time; none = all, always

	Power    Power       // by the model
	Meter    string      // that measures the machine; "" = the counters of its processor, if it has any
	GPUs     int         // GPU workers, each with a GPU for one map at a time
	GPUSpeed float64     // of a map there, against a core
	GPUPower units.Watts // of one

	Offers []*cluster.Class          // that may be rented besides
	Clouds map[string]cloud.Provider // who rents them out; those of whom nobody does are slots of this machine
}

// Rent lets be rented what job files offer.
func (m *Machine) Rent(jobs []*scenario.Job) error {
	for _, f := range jobs {
		if f.Run.GPUs > 0 {
			m.GPUs, m.GPUSpeed, m.GPUPower = f.Run.GPUs, f.Run.GPUSpeed, units.Watts(f.Run.GPUPower)
		}
		classes := f.Offers()
		if len(classes) > 0 && m.Offers != nil {
			return f.Errorf("run.offers", "another file of the run has offers as well; leave one out")
		}
		if len(classes) > 0 {
			var err error
			if m.Clouds, err = hooks(f.Run.Offers, "run.", f.Errorf); err != nil {
				return err
			}
			m.Offers = classes
		}
	}
	return nil
}

// hooks are who rents out nodes, by class. One command is asked for all its classes together.
func hooks(offers []scenario.Cloud, at string, errorf func(at, format string, args ...any) error) (map[string]cloud.Provider, error) {
	by, all := map[string]cloud.Provider{}, map[string]*cloud.Hook{}
	for i, o := range offers {
		if o.Command == "" {
			continue
		}
		argv, err := commands.Command(o.Command)
		if err != nil {
			return nil, errorf(fmt.Sprintf("%soffers[%d].command", at, i), "command: %v", err)
		}
		if all[o.Command] == nil {
			all[o.Command] = &cloud.Hook{Argv: argv, Timeout: time.Duration(o.Timeout.Duration())}
		}
		by[o.Name] = all[o.Command]
	}
	return by, nil
}

// Offers are the nodes that can be rented for a Hadoop cluster, and what its own draw, by what a file for yarn serve
// --offers says.
func Offers(f *scenario.Offers) (list []yarn.Offer, marked []*cluster.Class, err error) {
	by, err := hooks(f.Offers, "", f.Errorf)
	for _, class := range f.Classes() {
		list = append(list, yarn.Offer{Class: class, From: by[class.Name]})
	}
	return list, f.Marked(), err
}

// Follow lets the workers offer what a trace says: from each row on a part of all slots, rounded, shared out
// evenly, and at least one of each kind unless the part is 0. Before the first row they offer all.
func (m *Machine) Follow(path string) error {
	if m.GPUs > 0 {
		return fmt.Errorf("%s: GPU workers have no slots that a trace could give; leave out the trace, or gpus", path)
	}
	rows, err := scenario.ReadSlots(path, m.Nodes*(m.MapSlots+m.ReduceSlots))
	if err != nil {
		return err
	}
	if rows[len(rows)-1].Amount == 0 {
		return fmt.Errorf("%s: its last row leaves no slots, so what has not ended by then would never end; the last row must be above 0", path)
	}
	share := func(part float64, slots, worker int) int {
		all := int(math.Round(part * float64(m.Nodes*slots)))
		if part > 0 {
			all = max(all, min(1, slots))
		}
		return (all + m.Nodes - 1 - worker) / m.Nodes
	}
	m.Steps = nil
	for _, row := range rows {
		step := engine.Step{At: row.At}
		for worker := range m.Nodes {
			step.Slots = append(step.Slots, units.Slots(share(row.Amount, m.MapSlots, worker), share(row.Amount, m.ReduceSlots, worker)))
		}
		m.Steps = append(m.Steps, step)
	}
	return nil
}

// MaxWorkers bounds the workers of one machine: each looks for work fifty times a second.
const MaxWorkers = 1000

// LocalClass is the class of this machine's nodes, under which profiles know them.
const LocalClass = "local"

// ThisMachine returns two workers that share the cores, one if there is but one core: as many map
// slots as cores, so that all are used, and as many reduce slots, so that they are used behind the
// maps as well. Two workers are the fewest with which locality means something.
func ThisMachine(cores int) Machine {
	nodes := min(2, cores)
	slots := (cores + nodes - 1) / nodes
	return Machine{Nodes: nodes, MapSlots: slots, ReduceSlots: slots}
}

// Cluster describes the workers. Of classes of jobs whose maps have run on both kinds of workers, what these took and
// drew counts in place of what is stated.
func (m Machine) Cluster(known ...*profile.Class) *cluster.Cluster {
	c := cluster.Uniform(m.Nodes, 1, cluster.Class{Name: LocalClass, Speed: 1, Capacity: units.Slots(m.MapSlots, m.ReduceSlots)})
	if core := cmp.Or(m.Power, DefaultPower).Core; m.GPUs > 0 {
		for _, slot := range []string{"cpu", cluster.MapSlot().Name, cluster.ReduceSlot().Name} {
			c.Classes[0].Rates = append(c.Classes[0].Rates, cluster.Rate{Container: slot, Watts: core})
		}
		gpu := &cluster.Class{Name: "gpu", Speed: 1, Capacity: units.Vector{units.Named0: 1}, Rates: []cluster.Rate{{Container: "gpu", Speed: m.GPUSpeed, Watts: m.GPUPower}}}
		for _, p := range Told(known) {
			maps := p.Any(workload.Map).Work
			size := maps.Bytes / float64(max(1, maps.N))
			of := func(node, container string) (takes, draws float64) {
				run, drew := p.Exact(profile.Key{Stage: workload.Map, Node: node}), p.Exact(profile.Key{Stage: workload.Map, Node: node, Container: container, Part: profile.Energy})
				if run == nil || drew == nil {
					return 0, 0
				}
				return run.Typical(size, -1), drew.Typical(size, -1) / run.Typical(size, -1)
			}
			core, watts := of(LocalClass, "cpu")
			if takes, draws := of(gpu.Name, "gpu"); takes > 0 && core > 0 {
				gpu.Rates = append(gpu.Rates, cluster.Rate{Container: "gpu", Jobs: p.Name, Speed: core / takes, Watts: units.Watts(draws)})
				c.Classes[0].Rates = append(c.Classes[0].Rates, cluster.Rate{Container: "cpu", Jobs: p.Name, Watts: units.Watts(watts)})
			}
		}
		c.Named, c.Classes = []string{"gpus"}, append(c.Classes, gpu)
		for i := range m.GPUs {
			c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprintf("gpu%d", i+1), Rack: 1, Class: gpu})
		}
	}
	for _, class := range m.Offers {
		c.Classes = append(c.Classes, class)
		for range class.Most {
			c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprintf("n%d", len(c.Nodes)+1), Rack: 1, Class: class})
		}
	}
	return c
}

// String prints the workers as people would say it.
func (m Machine) String() string {
	blocks := m.Block.String()
	if m.Block == 0 {
		blocks = fmt.Sprintf("%v to %v", input.LeastBlock, input.MostBlock)
	}
	if m.GPUs > 0 {
		blocks += fmt.Sprintf("; %s, declared %v times as fast, at %v", units.Count(m.GPUs, "GPU worker"), m.GPUSpeed, m.GPUPower)
	}
	return fmt.Sprintf("%s of %s and %s, blocks of %s", units.Count(m.Nodes, "worker"), units.Count(m.MapSlots, "map slot"), units.Count(m.ReduceSlots, "reduce slot"), blocks)
}
