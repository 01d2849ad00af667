package ledger

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// placeIndex lists tasks by place, a node or a rack, and is made when it is first asked. Places share
// buckets, 1<<shift to each, so that there are no more buckets than about two for each entry,
// however many nodes there are. No task of a bucket before its cursor is open; the cursor only moves
// forward, over tasks of places that are asked for, except when a task is opened again. So finding an
// open task costs O(1) on the average over all places, and O(1) amortised for those passed over.
type placeIndex struct {
	shift   uint8
	buckets []bucket // one more than there are, to end the last
	tasks   []int32  // by bucket, in order
	places  []int32  // beside them; nil where each bucket is of one place
}

// bucket is where the tasks of a bucket begin, and its cursor.
type bucket struct{ from, next int32 }

// placed is a task with a place of its input.
type placed struct{ place, task int32 }

// made tells whether somebody has asked.
func (x *placeIndex) made() bool { return x.buckets != nil }

// first returns the first open task of the place, 0 if there is none.
func (x *placeIndex) first(place int32, list []task) sched.TaskID {
	i := int(uint32(place) >> x.shift)
	if i+1 >= len(x.buckets) {
		return 0
	}
	b := &x.buckets[i]
	for at, end := b.next, x.buckets[i+1].from; at < end; at++ {
		if x.places != nil && x.places[at] != place {
			continue
		}
		if id := x.tasks[at]; list[id].State == taskOpen {
			return sched.TaskID(id)
		}
		if at == b.next {
			b.next++
		}
	}
	return 0
}

// reopen lets the cursor go back to a task of the place.
func (x *placeIndex) reopen(place int32, id sched.TaskID) {
	if i := int(uint32(place) >> x.shift); i+1 < len(x.buckets) {
		b := &x.buckets[i]
		at, _ := slices.BinarySearch(x.tasks[b.from:x.buckets[i+1].from], int32(id))
		b.next = min(b.next, b.from+int32(at))
	}
}

// indexPlaces makes an index of the ledger's list of tasks with their places, which come in the order
// of tasks. largest is the largest place.
func (l *Ledger) indexPlaces(largest int32) (x placeIndex) {
	n := len(l.placed)
	for int(largest>>x.shift) > 2*n {
		x.shift++
	}
	shift := x.shift & 31
	buckets := make([]bucket, largest>>shift+2)
	for i := range l.placed {
		buckets[l.placed[i].place>>shift].next++ // how many there are, to begin with
	}
	sum := int32(0)
	for i := range buckets {
		b := &buckets[i]
		b.from = sum
		sum += b.next
		b.next = sum
	}
	tasks, places := make([]int32, n), []int32(nil)
	if shift > 0 {
		places = make([]int32, n)
	}
	for i := n - 1; i >= 0; i-- { // from behind, so that the cursors come to stand at the front
		p := l.placed[i]
		b := &buckets[p.place>>shift]
		b.next--
		tasks[b.next] = p.task
		if places != nil {
			places[b.next] = p.place
		}
	}
	x.buckets, x.tasks, x.places = buckets, tasks, places
	return x
}

// onNode returns the stage's index by node.
func (l *Ledger) onNode(t *tasks) *placeIndex {
	if !t.nodes.made() {
		list, largest := l.placed[:0], int32(0)
		for i := range t.Spec.Tasks {
			for _, h := range t.Spec.Tasks[i].Hosts {
				if h > 0 {
					list = append(list, placed{int32(h), int32(i + 1)})
					largest = max(largest, int32(h))
				}
			}
		}
		l.placed = list
		t.nodes = l.indexPlaces(largest)
	}
	return &t.nodes
}

// inRack returns the stage's index by rack. Copies on nodes that the book does not know yet stand in no rack.
func (l *Ledger) inRack(t *tasks) *placeIndex {
	if !t.racks.made() {
		list, largest := l.placed[:0], int32(0)
		for i := range t.Spec.Tasks {
			last := cluster.RackID(0)
			for _, h := range t.Spec.Tasks[i].Hosts {
				if r := l.rackOf(h); r > 0 && r != last {
					list = append(list, placed{int32(r), int32(i + 1)})
					largest = max(largest, int32(r))
					last = r
				}
			}
		}
		l.placed = list
		t.racks = l.indexPlaces(largest)
	}
	return &t.racks
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
		return l.onNode(t).first(int32(n), t.List)
	}
	for i := range t.Spec.Tasks {
		if t.List[i+1].State == taskOpen && slices.Contains(t.Spec.Tasks[i].Hosts, n) {
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
