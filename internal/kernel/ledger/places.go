package ledger

import (
	"math/bits"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// placeIndex lists the tasks of a stage by place, a node or a rack, and is made when it is first asked.
// A list links copies of input: the c-th copy of a task, from 0, has the number task·copies + c. So a
// list that is linked from behind is in the order of its tasks. Places share lists where there would
// be many more of these than copies. No task of a list before its cursor is open; the cursor only
// moves forward, over tasks that are not, except when one is opened again. So finding an open task
// costs O(1) on the average over all places, and O(1) amortised for those passed over.
type placeIndex struct {
	copies  uint32  // that a task has at most
	shared  bool    // a list has copies at several places
	cursors []int32 // by place, of which the last bits count; 0 = the end of the list
	next    []int32 // by number; never changes
}

// made tells whether somebody has asked.
func (x *placeIndex) made() bool { return x.cursors != nil }

// cursor is that of the list which has the place.
func (x *placeIndex) cursor(place int32) *int32 { return &x.cursors[int(place)&(len(x.cursors)-1)] }

// reopen lets the cursor go back to a copy at the place.
func (x *placeIndex) reopen(place int32, id sched.TaskID, c int) {
	if !x.made() {
		return
	}
	at := int32(id)*int32(x.copies) + int32(c)
	if from := x.cursor(place); *from == 0 || *from > at {
		*from = at
	}
}

// firstAt returns the first open task with a copy at the place of an index, 0 if there is none.
func (l *Ledger) firstAt(t *tasks, x *placeIndex, place int32) sched.TaskID {
	if !x.made() {
		l.index(t, x)
	}
	if !x.shared && int(place) >= len(x.cursors) {
		return 0
	}
	from, next, list, copies := x.cursor(place), x.next, t.List, x.copies
	at := *from
	for at != 0 && list[uint32(at)/copies].State != taskOpen {
		at = next[at]
	}
	*from = at
	for x.shared && at != 0 && (list[uint32(at)/copies].State != taskOpen || l.placeOf(t, x, at) != place) {
		at = next[at]
	}
	if at == 0 {
		return 0
	}
	return sched.TaskID(uint32(at) / copies)
}

// placeOf returns the place of a copy in an index.
func (l *Ledger) placeOf(t *tasks, x *placeIndex, at int32) int32 {
	h := t.Spec.Hosts.Nodes[uint32(at)-x.copies]
	if x == &t.racks {
		return int32(l.rackOf(h))
	}
	return int32(h)
}

// index makes an index. Copies on nodes that the book does not know yet stand in no rack. O(tasks).
func (l *Ledger) index(t *tasks, x *placeIndex) {
	hosts, copies := t.Spec.Hosts.Nodes, max(1, t.Spec.Hosts.Each)
	next, cursors := make([]int32, copies+len(hosts)), make([]int32, 1<<bits.Len(uint(min(len(l.nodes), len(hosts)))))
	var racks []cluster.RackID
	if x == &t.racks {
		racks = l.racks
	}
	largest, mask, tasks := uint32(0), uint(len(cursors)-1), next[copies:]
	for i, h := range slices.Backward(hosts) {
		if h == 0 {
			continue
		}
		place := uint32(h)
		if racks != nil {
			if place < uint32(len(racks)) {
				place = uint32(racks[place])
			} else {
				place = 0
			}
		}
		largest = max(largest, place)
		tasks[i], cursors[uint(place)&mask] = cursors[uint(place)&mask], int32(copies+i)
	}
	*x = placeIndex{copies: uint32(copies), shared: int(largest) >= len(cursors), cursors: cursors, next: next}
}

// rackOf returns the rack of a node, 0 if the book does not know it.
func (l *Ledger) rackOf(n cluster.NodeID) cluster.RackID {
	if n < 0 || int(n) >= len(l.racks) {
		return 0
	}
	return l.racks[n]
}

// describe takes in what the node is.
func (l *Ledger) describe(nb *nodeBook, is *cluster.Node) {
	nb.Spec = is
	for int(nb.ID) >= len(l.racks) {
		l.racks = append(l.racks, 0)
	}
	l.racks[nb.ID] = is.Rack
}

// localTask returns the first open task of the stage whose input lies on the node, 0 if there is none.
func (l *Ledger) localTask(t *tasks, n sched.NodeID) sched.TaskID {
	if !t.few() {
		return l.firstAt(t, &t.nodes, int32(n))
	}
	for i := range t.Spec.Tasks {
		if t.List[i+1].State == taskOpen && slices.Contains(t.Spec.Hosts.Of(i), n) {
			return sched.TaskID(i + 1)
		}
	}
	return 0
}

// few tells whether the stage has so few tasks that it is searched one by one: lists would not be worth
// making.
func (t *tasks) few() bool { return len(t.Spec.Tasks) <= 16 }

// nearestOfFew is nearest for a stage of few tasks.
func (l *Ledger) nearestOfFew(nb *nodeBook, t *tasks) (best sched.TaskID, locality sched.Locality) {
	if id := l.localTask(t, nb.ID); id != 0 {
		return id, sched.NodeLocal
	}
	for i := range t.Spec.Tasks {
		id := sched.TaskID(i + 1)
		if t.List[id].State != taskOpen {
			continue
		}
		if d := l.distance(nb, t, id); best == 0 || d < locality {
			best, locality = id, d
		}
	}
	return best, locality
}
