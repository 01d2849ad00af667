package ledger

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// fifo is a singly linked list of slots, numbered from 1; its links lie in an array that many lists share.
type fifo struct{ Head, Tail int32 }

// links are the next-pointers of slots: unlinked, end of list, or the next slot.
type links []int32

const (
	unlinked  int32 = -1
	endOfList int32 = 0
)

func newLinks(n int) links {
	l := make(links, n+1)
	for i := range l {
		l[i] = unlinked
	}
	return l
}

func (l links) pushBack(f *fifo, s int32) {
	if l[s] != unlinked {
		return // it is still there from before
	}
	l[s] = endOfList
	if f.Head == 0 {
		f.Head = s
	} else {
		l[f.Tail] = s
	}
	f.Tail = s
}

func (l links) pushFront(f *fifo, s int32) {
	if l[s] != unlinked {
		return
	}
	l[s] = f.Head // 0 is endOfList
	if f.Head == 0 {
		f.Tail = s
	}
	f.Head = s
}

func (l links) pop(f *fifo) {
	s := f.Head
	f.Head, l[s] = l[s], unlinked
	if f.Head == 0 {
		f.Tail = 0
	}
}

// taskState is where a task stands in the book.
type taskState uint8

const (
	taskOpen taskState = iota
	taskPromised
	taskLive
	taskDone
)

// local is one entry of a node's list of what could run on it near its data: a job's stage, with its list of open tasks
// (or, where the world binds late, their count).
type local struct {
	Job   sched.JobID
	Stage sched.Stage
	List  fifo
	Count int32
}

// tasks is the book on the tasks of one stage of a job. Where the world binds late there are none, only counts by place.
type tasks struct {
	State []taskState         // by task
	Live  []uint8             // attempts by task, promised ones included
	By    []int32             // by task: the item, cut to 32 bits, that promised it last
	Spec  *workload.StageSpec `json:"-"`
	Off   []int32             // slots of task t in ByNode and ByRack are Off[t-1]+1 … Off[t]; nil if no task has hosts
	Even  int32               // hosts of each task if all have as many, else 0
	// The lists' links. One slot per (task, host), per (task, host) for racks, per task for the others.
	ByNode, ByRack, ByTask links
	Racks                  []fifo // by rack
	All                    fifo   // tasks with hosts
	Home                   fifo   // tasks without: at home everywhere

	// Late binding: open demand by place, as the world's last Demand said, less what was promised since.
	RackCount []int32
	AnyCount  int32 // demand that accepts any place
}

// openStage books the tasks of a stage as open and enters them in the lists of their nodes and racks. O(tasks × replicas).
func (l *Ledger) openStage(j sched.JobID, spec *workload.StageSpec) *tasks {
	n := len(spec.Tasks)
	t := &tasks{State: make([]taskState, n+1), Live: make([]uint8, n+1), By: make([]int32, n+1), Spec: spec, ByTask: newLinks(n)}
	slots := 0
	for i := range spec.Tasks {
		slots += len(spec.Tasks[i].Hosts)
	}
	if slots > 0 {
		if each := len(spec.Tasks[0].Hosts); !slices.ContainsFunc(spec.Tasks, func(t workload.Task) bool { return len(t.Hosts) != each }) {
			t.Even = int32(each)
		}
		t.Off = make([]int32, n+1)
		t.ByNode, t.ByRack = newLinks(slots), newLinks(slots)
		for i := range spec.Tasks {
			t.Off[i+1] = t.Off[i] + int32(len(spec.Tasks[i].Hosts))
		}
	}
	for i := range n {
		l.enter(j, t, sched.TaskID(i+1), links.pushBack)
	}
	return t
}

// enter puts an open task into every list it belongs to.
func (l *Ledger) enter(j sched.JobID, t *tasks, id sched.TaskID, push func(links, *fifo, int32)) {
	hosts := t.Spec.Tasks[id-1].Hosts
	if len(hosts) == 0 {
		push(t.ByTask, &t.Home, int32(id))
		return
	}
	push(t.ByTask, &t.All, int32(id))
	for k, h := range hosts {
		slot := t.Off[id-1] + int32(k) + 1
		if h < 1 || int(h) >= len(l.nodes) {
			continue // a node the book does not know holds this copy
		}
		nb := &l.nodes[h]
		push(t.ByNode, &nb.localEntry(j, t.Spec.Kind).List, slot)
		if r := nb.rack(); r > 0 {
			for int(r) >= len(t.Racks) {
				t.Racks = append(t.Racks, fifo{})
			}
			if l.firstOfRack(hosts[:k], r) {
				push(t.ByRack, &t.Racks[r], slot)
			}
		}
	}
}

// firstOfRack tells whether none of the hosts stands in the rack.
func (l *Ledger) firstOfRack(hosts []cluster.NodeID, r cluster.RackID) bool {
	for _, h := range hosts {
		if h >= 1 && int(h) < len(l.nodes) && l.nodes[h].rack() == r {
			return false
		}
	}
	return true
}

// taskOf returns the task that a slot belongs to: O(1) if all tasks have as many hosts, else O(log tasks).
func (t *tasks) taskOf(slot int32) sched.TaskID {
	if t.Even > 0 {
		return sched.TaskID((slot-1)/t.Even + 1)
	}
	i, _ := slices.BinarySearch(t.Off, slot)
	return sched.TaskID(i)
}

// headSlot returns the first task of the list that is still open, 0 if none is, and drops the others on the way.
func (t *tasks) headSlot(lk links, f *fifo) sched.TaskID {
	for f.Head != 0 {
		if id := t.taskOf(f.Head); t.State[id] == taskOpen {
			return id
		}
		lk.pop(f)
	}
	return 0
}

func (t *tasks) headTask(f *fifo) sched.TaskID {
	for f.Head != 0 {
		if t.State[f.Head] == taskOpen {
			return sched.TaskID(f.Head)
		}
		t.ByTask.pop(f)
	}
	return 0
}

// nearest returns the open task of the job's stage that is nearest to the node, and how near it is. Where the world binds
// late the task is 0.
func (l *Ledger) nearest(nb *nodeBook, j sched.JobID, s sched.Stage) (sched.TaskID, sched.Locality) {
	b := &l.jobs[j]
	t := b.tasks[s]
	if t == nil || b.Stages[s].Open <= 0 {
		return 0, sched.NoLocality
	}
	e := nb.findLocal(j, s)
	if !l.can.Bind {
		switch r := nb.rack(); {
		case e != nil && e.Count > 0:
			return 0, sched.NodeLocal
		case int(r) < len(t.RackCount) && t.RackCount[r] > 0:
			return 0, sched.RackLocal
		case t.AnyCount > 0 && len(t.RackCount) == 0:
			return 0, sched.Anywhere
		case t.AnyCount > 0:
			return 0, sched.Remote
		}
		return 0, sched.NoLocality
	}
	if e != nil {
		if id := t.headSlot(t.ByNode, &e.List); id != 0 {
			return id, sched.NodeLocal
		}
		nb.dropLocal(j, s)
	}
	if id := t.headTask(&t.Home); id != 0 {
		return id, sched.Anywhere
	}
	if r := nb.rack(); int(r) < len(t.Racks) {
		if id := t.headSlot(t.ByRack, &t.Racks[r]); id != 0 {
			return id, sched.RackLocal
		}
	}
	if id := t.headTask(&t.All); id != 0 {
		return id, sched.Remote
	}
	return 0, sched.NoLocality
}

// setDemand replaces the open demand of a late-binding stage by what the world says, by place; all of it may go anywhere
// unless the world says how much of it may.
func (l *Ledger) setDemand(j sched.JobID, s sched.Stage, all int32, places []sched.PlaceDemand) {
	b := &l.jobs[j]
	t := b.tasks[s]
	for n := range l.nodes {
		if e := l.nodes[n].findLocal(j, s); e != nil {
			e.Count = 0
		}
	}
	clear(t.RackCount)
	t.AnyCount = 0
	stated := false
	for _, p := range places {
		switch {
		case p.Node > 0 && int(p.Node) < len(l.nodes):
			l.nodes[p.Node].localEntry(j, s).Count = p.Count
		case p.Rack > 0:
			for int(p.Rack) >= len(t.RackCount) {
				t.RackCount = append(t.RackCount, 0)
			}
			t.RackCount[p.Rack] = p.Count
		case p.Node == 0:
			t.AnyCount, stated = p.Count, true
		}
	}
	if !stated {
		t.AnyCount = all
	}
}

// takeDemand takes one container on the node off the demand at each level, as YARN's own accounting does.
func (t *tasks) takeDemand(nb *nodeBook, j sched.JobID, s sched.Stage, by int32) {
	if e := nb.findLocal(j, s); e != nil && e.Count > 0 {
		e.Count -= by
	}
	if r := nb.rack(); int(r) < len(t.RackCount) && t.RackCount[r] > 0 {
		t.RackCount[r] -= min(by, t.RackCount[r])
	}
	if t.AnyCount > 0 {
		t.AnyCount -= min(by, t.AnyCount)
	}
}

// giveDemand is the inverse: the containers are asked for again, as near as they were.
func (t *tasks) giveDemand(nb *nodeBook, j sched.JobID, s sched.Stage, near sched.Locality, n int32) {
	if near == sched.NodeLocal {
		nb.localEntry(j, s).Count += n
	}
	if r := nb.rack(); int(r) < len(t.RackCount) && (near == sched.NodeLocal || near == sched.RackLocal) {
		t.RackCount[r] += n
	}
	t.AnyCount += n
}

// findLocal returns the node's entry for a job's stage, nil if it has none. The list is sorted by job, then stage.
func (nb *nodeBook) findLocal(j sched.JobID, s sched.Stage) *local {
	if i, ok := nb.searchLocal(j, s); ok {
		return &nb.local[i]
	}
	return nil
}

func (nb *nodeBook) searchLocal(j sched.JobID, s sched.Stage) (int, bool) {
	lo, hi := 0, len(nb.local)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if e := &nb.local[m]; e.Job < j || e.Job == j && e.Stage < s {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < len(nb.local) && nb.local[lo].Job == j && nb.local[lo].Stage == s
}

func (nb *nodeBook) localEntry(j sched.JobID, s sched.Stage) *local {
	i, ok := nb.searchLocal(j, s)
	if !ok {
		nb.local = slices.Insert(nb.local, i, local{Job: j, Stage: s})
	}
	return &nb.local[i]
}

func (nb *nodeBook) dropLocal(j sched.JobID, s sched.Stage) {
	if i, ok := nb.searchLocal(j, s); ok {
		nb.local = slices.Delete(nb.local, i, i+1)
	}
}
