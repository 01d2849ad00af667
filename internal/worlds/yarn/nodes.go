package yarn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Split cuts nodes into slots, which promises are made of: room for ApplicationMasters is taken off
// first, and the rest is so many slots of one size, shared out between maps and reduces. With it a
// container of a map or reduce counts as slots and as nothing else, and an ApplicationMaster as the
// memory and vcores that it takes.
type Split struct {
	Masters units.Vector // of each node
	Slot    units.Vector // memory and vcores of one slot
	Maps    int          // of Maps + Reduces slots so many are for maps; 3
	Reduces int          // and so many for reduces; 1
}

// validate fills in the usual shares, and says what cannot be.
func (s *Split) validate() error {
	if s == nil {
		return nil
	}
	if s.Maps == 0 && s.Reduces == 0 {
		s.Maps, s.Reduces = 3, 1
	}
	for d, n := range s.Slot {
		if n < 0 || s.Masters[d] < 0 {
			return fmt.Errorf("yarn: a slot of %v beside masters of %v cannot be", s.Slot, s.Masters)
		}
	}
	switch {
	case s.Maps < 0 || s.Reduces < 0:
		return fmt.Errorf("yarn: slots cannot be shared %d to %d between maps and reduces", s.Maps, s.Reduces)
	case s.Slot == units.Vector{} || s.Slot[units.MapSlots] != 0 || s.Slot[units.ReduceSlots] != 0:
		return fmt.Errorf("yarn: a slot is some memory or vcores, not %v", s.Slot)
	}
	return nil
}

// capacity is what a node that has so much offers.
func (s *Split) capacity(total units.Vector) units.Vector {
	if s == nil {
		return total
	}
	masters := s.Masters
	for d := range masters {
		masters[d] = min(masters[d], total[d])
	}
	total.Sub(&masters)
	slots := total.Times(&s.Slot)
	reduces := slots * int64(s.Reduces) / int64(s.Maps+s.Reduces)
	masters[units.MapSlots], masters[units.ReduceSlots] = slots-reduces, reduces
	return masters
}

// needs is what a container that takes so much counts as.
func (s *Split) needs(stage sched.Stage, takes units.Vector) units.Vector {
	if s == nil || stage == sched.Master {
		return takes
	}
	slots := int64(1)
	for d, n := range s.Slot {
		if n > 0 {
			slots = max(slots, (takes[d]+n-1)/n)
		}
	}
	if stage == sched.Reduce {
		return units.Vector{units.ReduceSlots: slots}
	}
	return units.Vector{units.MapSlots: slots}
}

// vector is an amount of YARN's resources. What nobody wants counted is left out.
func (w *World) vector(of map[string]int64) (v units.Vector) {
	for name, n := range of {
		switch {
		case name == "memory-mb":
			v[units.Memory] = n * int64(units.MB)
		case name == "vcores":
			v[units.VCores] = n
		default:
			if i := slices.Index(w.cfg.Named, name); i >= 0 {
				v[int(units.Named0)+i] = n
			}
		}
	}
	return v
}

// apart begins the label of a node of a partition, where the stock scheduler places all work.
const apart = "partition="

// describe says what the policy is to know of a node. Nodes of one size are of one class, but where they carry an
// attribute of which something is said.
func (w *World) describe(n *wire.Node) *cluster.Node {
	total := w.vector(n.Resources)
	if n.Partition != "" {
		total = units.Vector{}
	}
	labels := slices.Clone(n.Attributes)
	if n.Partition != "" {
		labels = append(labels, apart+n.Partition)
	}
	class := cluster.Class{Speed: 1}
	if i := slices.IndexFunc(w.cfg.Marked, func(c *cluster.Class) bool { return c.Name == "" || slices.Contains(labels, c.Name) }); i >= 0 {
		class = *w.cfg.Marked[i]
	}
	class.Name, class.Capacity = strings.TrimPrefix(class.Name+", "+total.Words(w.cfg.Named), ", "), w.cfg.Slots.capacity(total)
	return &cluster.Node{Name: n.Name, Rack: w.racks.give(n.Rack), Labels: labels, Class: &class}
}

// nodeUp takes in a node that has joined, empty. If containers ran there when it was here before,
// nobody has told their end: they are lost, before it comes up.
func (w *World) nodeUp(n *wire.Node) {
	id := w.nodes.give(n.Name)
	if w.endAll("was on a node that has come back empty", func(b *box) bool { return b.node == id }) {
		w.batches.flush(w.at)
	}
	spec, state := w.joined(id, w.describe(n))
	if slots := w.cfg.Slots; slots != nil && spec.Class.Capacity[units.MapSlots] == 0 && len(n.Resources) > 0 && !w.narrow {
		w.narrow = true // the same is not said of each
		w.note("node %s has %s, in which a slot of %s has no room beside %s for ApplicationMasters: no map is placed there", n.Name,
			spec.Class.Name, slots.Slot.Words(nil), slots.Masters.Words(nil))
	}
	w.up[id] = spec
	w.tell(sched.Event{Kind: sched.NodeUp, Node: id, State: state, Age: w.age(n.IdleSinceMs), Detail: &sched.Detail{Node: spec}})
	w.moved(always)
	var wary []*app // that name it, or its rack
	for _, a := range w.apps {
		if len(a.avoids) > 0 {
			wary = append(wary, a)
		}
	}
	slices.SortFunc(wary, func(x, y *app) int { return cmp.Compare(x.id, y.id) })
	for _, a := range wary {
		w.shun(a)
	}
}

func (w *World) nodeChanged(n *wire.Node) {
	id := w.nodes.find(n.Name)
	if w.up[id] == nil {
		w.note("node %s changed, which is not there", n.Name)
		return
	}
	spec, _ := w.joined(id, w.describe(n))
	if was := w.up[id]; was.Rack == spec.Rack && was.Class.Same(spec.Class) && slices.Equal(was.Labels, spec.Labels) {
		return // YARN says so of all nodes whenever one joins
	}
	w.up[id] = spec
	w.moved(always)
	w.tell(sched.Event{Kind: sched.NodeChanged, Node: id, Detail: &sched.Detail{Node: spec}})
}

// nodeDown takes in that a node is gone. Its handle stays its own: it may come back.
func (w *World) nodeDown(name string) {
	id := w.nodes.find(name)
	if w.up[id] == nil {
		w.note("node %s went away, which was not there", name)
		return
	}
	delete(w.up, id)
	if t := w.tenants[id]; t != nil && t.lease == leaving {
		return // its cloud says when it is gone
	} else if t != nil {
		w.giveBack(t) // nobody pays for a node that does not serve
	}
	w.tell(sched.Event{Kind: sched.NodeDown, Node: id})
}

func (w *World) heartbeat(name string) {
	if id := w.nodes.find(name); w.up[id] != nil {
		w.tell(sched.Event{Kind: sched.Heartbeat, Node: id})
	}
}
