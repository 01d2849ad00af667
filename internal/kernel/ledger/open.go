package ledger

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// taskState is where a task stands in the book.
type taskState uint8

const (
	taskOpen taskState = iota
	taskPromised
	taskLive
	taskDone
)

// tasks is the book on the tasks of one stage of a job. Where the world binds late there are none,
// only demand by place.
type tasks struct {
	State []taskState         // by task
	Live  []uint8             // attempts by task, promised ones included
	By    []int32             // by task: the item, cut to 32 bits, that promised it last
	Spec  *workload.StageSpec `json:"-"`
	Nodes taskIndex           // tasks by the nodes that hold their input
	Racks taskIndex           // and by the racks of these
	All   int32               // no task with hosts before this one is open
	Home  int32               // no task without hosts, which is at home everywhere, before this one is open

	// Late binding: open demand by place, as the world's last Demand said, less what was promised since.
	Demand   []demandAt // on nodes, sorted
	ByRack   []demandAt // in racks, sorted
	Anywhere int32      // demand that accepts any place
	Placed   bool       // that Demand named a node or a rack: so any other place is a remote one

	news newsLink // the job's link in this stage's list of news (local.go)
}

// taskIndex lists tasks by a key, such as a node: the tasks of Keys[i] are Tasks[From[i]:From[i+1]], in
// order, and none of them before Next[i] is open. A cursor only moves forward, except when a task is
// opened again. So finding an open task costs O(log keys), and O(1) amortised for those passed over.
// Where most keys have tasks, Keys is nil: the keys are 1, 2, …
type taskIndex struct {
	Keys  []int32 `json:"-"` // ascending; nil: all from 1 on, some of them without tasks
	From  []int32 `json:"-"`
	Tasks []int32 `json:"-"`
	Next  []int32
}

// demandAt is open demand on a node or in a rack.
type demandAt struct {
	Place int32 // the handle of the node or of the rack
	Count int32
}

// index returns the position of a key in the list.
func (l *taskIndex) index(key int32) (int, bool) {
	if l.Keys == nil {
		return int(key - 1), key > 0 && int(key) < len(l.From)
	}
	return slices.BinarySearch(l.Keys, key)
}

// holds tells whether the key has tasks.
func (l *taskIndex) holds(key int32) bool {
	i, ok := l.index(key)
	return ok && l.From[i] < l.From[i+1]
}

// sortByKey sorts pairs of key (upper half) and task, which come in the order of tasks, by key: a
// radix sort by bytes, as the keys of a cluster have few. O(pairs) for each byte of the largest
// key. spare is as long as pairs; the result is one of the two.
func sortByKey(pairs, spare []uint64, largest uint64) []uint64 {
	for shift := 32; largest>>(shift-32) > 0; shift += 8 {
		var start [257]int
		for _, p := range pairs {
			start[p>>shift&255+1]++
		}
		for i := 1; i < len(start); i++ {
			start[i] += start[i-1]
		}
		for _, p := range pairs {
			b := p >> shift & 255
			spare[start[b]] = p
			start[b]++
		}
		pairs, spare = spare, pairs
	}
	return pairs
}

// indexTasks makes an index of the ledger's pairs of key and task; double pairs count once.
func (l *Ledger) indexTasks() taskIndex {
	largest := uint64(0)
	for _, p := range l.pairs {
		largest = max(largest, p>>32)
	}
	if 2*uint64(len(l.pairs)) >= largest {
		return l.indexByCounting(int(largest))
	}
	return l.indexBySorting(largest)
}

// indexBySorting makes an index of few keys among many that there could be, by sorting.
func (l *Ledger) indexBySorting(largest uint64) taskIndex {
	n := len(l.pairs)
	l.pairs = slices.Grow(l.pairs, n) // the second half to sort with
	pairs := slices.Compact(sortByKey(l.pairs, l.pairs[n:2*n], largest))
	keys := 0
	for i, p := range pairs {
		if i == 0 || p>>32 != pairs[i-1]>>32 {
			keys++
		}
	}
	// One array for all: a job has some of these for each of its stages.
	array := make([]int32, 3*keys+1+len(pairs))
	p := taskIndex{Keys: array[:0:keys], From: array[keys : keys : 2*keys+1], Next: array[2*keys+1 : 2*keys+1 : 3*keys+1], Tasks: array[3*keys+1:]}
	for i, pair := range pairs {
		if i == 0 || pair>>32 != pairs[i-1]>>32 {
			p.Keys = append(p.Keys, int32(pair>>32))
			p.From = append(p.From, int32(i))
			p.Next = append(p.Next, int32(i))
		}
		p.Tasks[i] = int32(uint32(pair))
	}
	p.From = append(p.From, int32(len(pairs)))
	return p
}

// indexByCounting makes an index with all keys up to the largest, by counting: two passes over the pairs.
func (l *Ledger) indexByCounting(largest int) taskIndex {
	l.last = slices.Grow(l.last[:0], largest+1)[:largest+1]
	clear(l.last)
	array := make([]int32, 2*largest+1+len(l.pairs))
	p := taskIndex{From: array[: largest+1 : largest+1], Next: array[largest+1 : 2*largest+1 : 2*largest+1], Tasks: array[2*largest+1:]}
	for _, pair := range l.pairs {
		if key, task := pair>>32, int32(uint32(pair)); l.last[key] != task {
			l.last[key] = task
			p.From[key]++ // of the key before, so that the sums are where each begins
		}
	}
	for i := 1; i <= largest; i++ {
		p.From[i] += p.From[i-1]
	}
	copy(p.Next, p.From)
	clear(l.last)
	for _, pair := range l.pairs {
		if key, task := pair>>32, int32(uint32(pair)); l.last[key] != task {
			l.last[key] = task
			p.Tasks[p.Next[key-1]] = task
			p.Next[key-1]++
		}
	}
	copy(p.Next, p.From)
	p.Tasks = p.Tasks[:p.From[largest]]
	return p
}

// first returns the first open task of the key, 0 if there is none.
func (l *taskIndex) first(key int32, state []taskState) sched.TaskID {
	i, ok := l.index(key)
	if !ok {
		return 0
	}
	at, end := l.Next[i], l.From[i+1]
	for at < end && state[l.Tasks[at]] != taskOpen {
		at++
	}
	l.Next[i] = at
	if at == end {
		return 0
	}
	return sched.TaskID(l.Tasks[at])
}

// reopen lets the cursor of the key go back to the task.
func (l *taskIndex) reopen(key int32, id sched.TaskID) {
	if i, ok := l.index(key); ok {
		at, _ := slices.BinarySearch(l.Tasks[l.From[i]:l.From[i+1]], int32(id))
		l.Next[i] = min(l.Next[i], l.From[i]+int32(at))
	}
}

// openStage books the tasks of a stage as open. O(t log t) in their number times that of replicas.
func (l *Ledger) openStage(spec *workload.StageSpec) *tasks {
	n := len(spec.Tasks)
	t := &tasks{State: make([]taskState, n+1), Live: make([]uint8, n+1), By: make([]int32, n+1), Spec: spec, All: 1, Home: 1}
	for _, id := range spec.Done {
		if int(id) <= n { // more may be done of a stage that grows than are listed
			t.State[id] = taskDone
		}
	}
	l.listStage(t)
	return t
}

// listStage makes the lists of a stage by node and rack.
func (l *Ledger) listStage(t *tasks) {
	l.pairs = l.pairs[:0]
	for i := range t.Spec.Tasks {
		for _, h := range t.Spec.Tasks[i].Hosts {
			if h > 0 {
				l.pairs = append(l.pairs, uint64(h)<<32|uint64(i+1))
			}
		}
	}
	if len(l.pairs) > 0 {
		t.Nodes = l.indexTasks()
		l.listRacks(t)
	}
}

// listRacks makes the list by rack. Copies on nodes that the book does not know yet stand in no rack.
func (l *Ledger) listRacks(t *tasks) {
	l.pairs = l.pairs[:0]
	for i := range t.Spec.Tasks {
		for _, h := range t.Spec.Tasks[i].Hosts {
			if r := l.rackOf(h); r > 0 {
				l.pairs = append(l.pairs, uint64(r)<<32|uint64(i+1))
			}
		}
	}
	t.Racks = l.indexTasks()
}

func (l *Ledger) rackOf(n cluster.NodeID) cluster.RackID {
	if nb := l.node(n); nb != nil {
		return nb.rack()
	}
	return 0
}

// enter lets a task that is open again be found.
func (l *Ledger) enter(t *tasks, id sched.TaskID) {
	hosts := t.Spec.Tasks[id-1].Hosts
	if len(hosts) == 0 {
		t.Home = min(t.Home, int32(id))
		return
	}
	t.All = min(t.All, int32(id))
	for _, h := range hosts {
		t.Nodes.reopen(int32(h), id)
		t.Racks.reopen(int32(l.rackOf(h)), id)
	}
}

// atHome returns the first open task without hosts, 0 if there is none; far the first with hosts.
func (t *tasks) atHome() sched.TaskID { return t.scan(&t.Home, false) }
func (t *tasks) far() sched.TaskID    { return t.scan(&t.All, true) }

func (t *tasks) scan(from *int32, hosts bool) sched.TaskID {
	at, end := *from, int32(len(t.State))
	for at < end && (t.State[at] != taskOpen || len(t.Spec.Tasks[at-1].Hosts) > 0 != hosts) {
		at++
	}
	*from = at
	if at == end {
		return 0
	}
	return sched.TaskID(at)
}

// nearest returns the open task of the job's stage that is nearest to the node, and how near it is.
// Where the world binds late the task is 0.
func (l *Ledger) nearest(nb *nodeBook, j sched.JobID, s sched.Stage) (sched.TaskID, sched.Locality) {
	b := &l.jobs[j]
	t := b.tasks[s]
	if t == nil || b.Stages[s].Open <= 0 {
		return 0, sched.NoLocality
	}
	if !l.can.Bind {
		return 0, t.nearestDemand(nb)
	}
	if id := t.Nodes.first(int32(nb.ID), t.State); id != 0 {
		return id, sched.NodeLocal
	}
	if id := t.atHome(); id != 0 {
		return id, sched.Anywhere
	}
	if id := t.Racks.first(int32(nb.rack()), t.State); id != 0 {
		return id, sched.RackLocal
	}
	if id := t.far(); id != 0 {
		return id, sched.Remote
	}
	return 0, sched.NoLocality
}
