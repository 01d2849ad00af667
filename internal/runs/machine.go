package runs

import (
	"fmt"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
)

// Machine says how the engine divides this machine into workers.
type Machine struct {
	Nodes       int
	MapSlots    int // of a node
	ReduceSlots int
	Block       units.Bytes // largest input of a map
	Memory      units.Bytes // that the process is to take at most; 0 = no bound
	Sync        bool        // output is on disk before it is committed
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
	return Machine{Nodes: nodes, MapSlots: slots, ReduceSlots: slots, Block: 32 * units.MB}
}

// Cluster describes the workers.
func (m Machine) Cluster() *cluster.Cluster {
	return cluster.Uniform(m.Nodes, 1, cluster.Class{Name: LocalClass, Speed: 1, Capacity: units.Slots(m.MapSlots, m.ReduceSlots)})
}

// String prints the workers as people would say it.
func (m Machine) String() string {
	return fmt.Sprintf("%s of %s and %s, blocks of %v", units.Count(m.Nodes, "worker"), units.Count(m.MapSlots, "map slot"), units.Count(m.ReduceSlots, "reduce slot"), m.Block)
}
