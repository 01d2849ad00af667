package ledger

import (
	"math/bits"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// nodeIndex lists the tasks of a stage by node, and is made when it is first asked. The lists lie one
// behind the other, each in the order of its tasks, so that who passes over tasks reads on in the memory
// that he has. Nodes share lists where there would be many more of these than copies of input. No task of a
// list before its cursor is open; the cursor only moves forward, over tasks that are not, except when one is
// opened again. So finding an open task costs O(1) on the average over all nodes, and O(1) amortised for
// those passed over that are not open; open tasks of others in a shared list are passed over each time.
type nodeIndex struct {
	shared  bool    // a list has tasks of several nodes
	cursors []int32 // by node, of which the last bits count
	lists   []int32 // of tasks, with a 0 before and behind each; never changes
}

// cursor is that of the list which has the node.
func (x *nodeIndex) cursor(n cluster.NodeID) *int32 { return &x.cursors[int(n)&(len(x.cursors)-1)] }

// reopen lets the cursor go back to a task of the node.
func (x *nodeIndex) reopen(n cluster.NodeID, id sched.TaskID) {
	if x.cursors == nil {
		return
	}
	for at := x.cursor(n); x.lists[*at-1] >= int32(id); {
		*at--
	}
}

// firstOn returns the first open task with input on the node, 0 if there is none.
func (l *Ledger) firstOn(t *tasks, n cluster.NodeID) sched.TaskID {
	x := &t.nodes
	if x.cursors == nil {
		*x = indexOf(&t.Spec.Hosts, len(l.nodes))
	}
	if !x.shared && int(n) >= len(x.cursors) {
		return 0
	}
	from, lists := x.cursor(n), x.lists
	at := *from
	for !t.isOpen(lists[at]) { // the 0 behind the list is
		at++
	}
	*from = at
	for x.shared && lists[at] != 0 && !(t.isOpen(lists[at]) && slices.Contains(t.Spec.Hosts.Of(int(lists[at]-1)), n)) {
		at++
	}
	return sched.TaskID(lists[at])
}

// indexOf makes an index. O(tasks).
func indexOf(hosts *workload.Hosts, nodes int) nodeIndex {
	table := hosts.Nodes
	cursors := make([]int32, 1<<bits.Len(uint(min(nodes, len(table)))))
	mask, all := cluster.NodeID(len(cursors)-1), cluster.NodeID(0)
	for _, n := range table {
		all |= n
		cursors[n&mask]++
	}
	end := int32(0)
	for i, n := range cursors {
		if n > 0 { // else its list is the 0 before all
			end += n + 1
			cursors[i] = end
		}
	}
	lists := make([]int32, end+1)
	// From behind, so that the cursors end at the heads.
	for i, id := len(table), int32(len(table)/max(1, hosts.Each)); i > 0; id-- {
		for row := i - hosts.Each; i > row; i-- {
			at := &cursors[table[i-1]&mask]
			*at--
			lists[*at] = id
		}
	}
	return nodeIndex{shared: uint32(all) > uint32(mask), cursors: cursors, lists: lists}
}

// rackIndex says which tasks of a stage have input in which rack, and is made when it is first asked: by
// bit where there are at most 63 racks, each with a cursor, so that a question costs O(1) amortised for 64
// tasks passed over; else by lists, as of nodes.
type rackIndex struct {
	rows  int      // of bits for each 64 tasks
	bits  []uint64 // by 64 tasks, and by rack; never changes
	words []int32  // by rack: before this word of the stage's bits no task with input there is open
	lists nodeIndex
}

// firstInRack returns the first open task with input in the rack of the node, 0 if there is none.
func (l *Ledger) firstInRack(nb *nodeBook, t *tasks) sched.TaskID {
	x, rack := &t.racks, int(nb.rack())
	if x.words == nil {
		*x = l.racksOf(&t.Spec.Hosts, len(t.open))
	}
	if x.rows == 0 {
		return l.listedInRack(nb, t)
	}
	for i := int(x.words[rack]); i < len(t.open); i++ {
		if rest := t.open[i] & x.bits[i*x.rows+rack]; rest != 0 {
			x.words[rack] = int32(i)
			return sched.TaskID(i<<6 + bits.TrailingZeros64(rest))
		}
	}
	x.words[rack] = int32(len(t.open))
	return 0
}

// listedInRack is firstInRack where there are lists.
func (l *Ledger) listedInRack(nb *nodeBook, t *tasks) sched.TaskID {
	from, lists := t.racks.lists.cursor(cluster.NodeID(nb.rack())), t.racks.lists.lists
	for !t.isOpen(lists[*from]) {
		*from++
	}
	at := *from
	for lists[at] != 0 && !(t.isOpen(lists[at]) && l.distance(nb, t, sched.TaskID(lists[at])) == sched.RackLocal) {
		at++
	}
	return sched.TaskID(lists[at])
}

// racksOf makes an index. Copies on nodes that the book does not know yet stand in no rack. O(tasks).
func (l *Ledger) racksOf(hosts *workload.Hosts, words int) rackIndex {
	if l.lastRack > 63 {
		racks := make([]cluster.NodeID, len(hosts.Nodes))
		for i, n := range hosts.Nodes {
			racks[i] = cluster.NodeID(l.rackOf(n))
		}
		return rackIndex{words: []int32{}, lists: indexOf(&workload.Hosts{Nodes: racks, Each: hosts.Each}, int(l.lastRack)+1)}
	}
	x := rackIndex{rows: int(l.lastRack) + 1, words: make([]int32, l.lastRack+1)}
	x.bits = make([]uint64, x.rows*words)
	row, bit, left := x.bits, uint64(1)<<1, hosts.Each
	for _, n := range hosts.Nodes {
		row[l.rackOf(n)] |= bit
		if left--; left == 0 {
			left, bit = hosts.Each, bits.RotateLeft64(bit, 1)
			if bit == 1 {
				row = row[x.rows:]
			}
		}
	}
	return x
}

// rackOf returns the rack of a node, 0 if the book does not know it.
func (l *Ledger) rackOf(n cluster.NodeID) cluster.RackID {
	if n < 0 || int(n) >= len(l.racks) {
		return 0
	}
	return l.racks[n]
}

// describe takes in what the node is. If that tells a new rack, no job knows any more which of its tasks lie
// in which: O(jobs).
func (l *Ledger) describe(nb *nodeBook, is *cluster.Node) {
	nb.Spec = is
	l.classify(nb)
	rack, was := max(0, is.Rack), sched.Row(&l.racks, nb.ID)
	if *was == rack {
		return
	}
	*was, l.lastRack = rack, max(l.lastRack, rack)
	for j := range l.jobs {
		for _, t := range l.jobs[j].tasks {
			if t != nil {
				t.racks = rackIndex{}
			}
		}
	}
}

// localTask returns the first open task of the stage whose input lies on the node, 0 if there is none.
func (l *Ledger) localTask(t *tasks, n sched.NodeID) sched.TaskID {
	if !t.few() {
		return l.firstOn(t, n)
	}
	for i := range t.Spec.Tasks {
		if t.isOpen(int32(i+1)) && slices.Contains(t.Spec.Hosts.Of(i), n) {
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
		if !t.isOpen(int32(id)) {
			continue
		}
		if d := l.distance(nb, t, id); best == 0 || d < locality {
			best, locality = id, d
		}
	}
	return best, locality
}
