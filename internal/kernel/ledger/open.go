package ledger

import (
	"math"
	"math/bits"

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

// task is the book on one task. What a start or an end touches of it lies together.
type task struct {
	// By is the item, cut to 32 bits, that promised it last; once it is done, less than 0: the node that did it.
	By    int32     `json:"by,omitempty"`
	State taskState `json:"state,omitempty"`
	Live  uint8     `json:"live,omitempty"` // attempts, promised ones included
}

// tasks is the book on the tasks of one stage of a job. Where the world binds late there are none,
// only demand by place.
type tasks struct {
	List []task              // by number, [0] unused
	open []uint64            // those that are open, by bit, and 0: who looks for one passes over many that are not
	Spec *workload.StageSpec `json:"-"`
	All  int32               // no task with hosts before this one is open
	Home int32               // no task without hosts, which is at home everywhere, before this one is open

	// Late binding: open demand by place, as the world's last Demand said, less what was promised since.
	Demand   []demandAt // on nodes, sorted
	ByRack   []demandAt // in racks, sorted
	Anywhere int32      // demand that accepts any place
	Placed   bool       // that Demand named a node or a rack: so any other place is a remote one

	nodes nodeIndex // tasks by the nodes that hold their input (places.go)
	racks rackIndex // and by the racks of these
	news  newsLink  // the job's link in this stage's list of news (local.go)
}

// of returns the book on a task, nil if it has none: of a stage that the job does not have, or where
// the world binds late.
func (t *tasks) of(id sched.TaskID) *task {
	if t == nil || id < 1 || int(id) >= len(t.List) {
		return nil
	}
	return &t.List[id]
}

// demandAt is open demand on a node or in a rack.
type demandAt struct {
	Place int32 // the handle of the node or of the rack
	Count int32
}

// openStage books the tasks of a stage as open. O(tasks).
func openStage(spec *workload.StageSpec) *tasks {
	n := len(spec.Tasks)
	t := &tasks{List: make([]task, n+1), Spec: spec, All: 1, Home: 1}
	t.openAll()
	for _, id := range spec.Done {
		if int(id) <= n { // more may be done of a stage that grows than are listed
			t.List[id].State = taskDone
			t.take(sched.TaskID(id))
		}
	}
	return t
}

// openAll notes that all tasks of the list are open.
func (t *tasks) openAll() {
	t.open = make([]uint64, len(t.List)/64+1)
	for i := range t.open {
		t.open[i] = math.MaxUint64
	}
}

// isOpen tells whether a task is open.
func (t *tasks) isOpen(id int32) bool { return t.open[id>>6]>>(id&63)&1 != 0 }

// take notes that a task is not open any more.
func (t *tasks) take(id sched.TaskID) { t.open[id>>6] &^= 1 << (id & 63) }

// nextOpen returns the first task from at on that is open; there may be no such task.
func (t *tasks) nextOpen(at int32) int32 {
	if i := int(at >> 6); i < len(t.open) {
		rest := t.open[i] >> (at & 63)
		for rest == 0 {
			if i++; i == len(t.open) {
				return int32(len(t.List))
			}
			at, rest = int32(i)<<6, t.open[i]
		}
		at += int32(bits.TrailingZeros64(rest))
	}
	return min(at, int32(len(t.List)))
}

// enter lets a task that is open again be found.
func (l *Ledger) enter(t *tasks, id sched.TaskID) {
	hosts := t.Spec.Hosts.Of(int(id - 1))
	if len(hosts) == 0 {
		t.Home = min(t.Home, int32(id))
		return
	}
	t.All = min(t.All, int32(id))
	for _, h := range hosts {
		t.nodes.reopen(h, id)
		rack := l.rackOf(h)
		if words := t.racks.words; len(words) > 0 {
			words[rack] = min(words[rack], int32(id>>6))
		}
		t.racks.lists.reopen(cluster.NodeID(rack), id)
	}
}

// atHome returns the first open task without hosts, 0 if there is none; far the first with hosts.
func (t *tasks) atHome() sched.TaskID { return t.scan(&t.Home, false) }
func (t *tasks) far() sched.TaskID    { return t.scan(&t.All, true) }

// Open walks the open tasks of a job's stage by number, as far as the book knows them.
func (l *Ledger) Open(j sched.JobID, s sched.Stage, after sched.TaskID) sched.TaskID {
	if b := l.job(j); b != nil && s < sched.Stages && b.tasks[s] != nil {
		if id := sched.TaskID(b.tasks[s].nextOpen(max(0, int32(after)) + 1)); b.tasks[s].of(id) != nil {
			return id
		}
	}
	return 0
}

func (t *tasks) scan(from *int32, hosts bool) sched.TaskID {
	at, end := t.nextOpen(*from), int32(len(t.List))
	for at < end && len(t.Spec.Hosts.Of(int(at-1))) > 0 != hosts {
		at = t.nextOpen(at + 1)
	}
	*from = at
	if at == end {
		return 0
	}
	return sched.TaskID(at)
}

// found is what the last questions found out about a job's stage on a node: who asks for the first job most
// often asks how near its task is, and starts it next.
type found struct {
	node      sched.NodeID
	job       sched.JobID
	stage     sched.Stage
	startable bool  // all holds that must before a container may go there
	container uint8 // of this kind
	asked     bool  // which task is nearest
	locality  sched.Locality
	task      sched.TaskID
}

// is tells whether it is about that.
func (f *found) is(n sched.NodeID, j sched.JobID, s sched.Stage) bool {
	return f.node == n && f.job == j && f.stage == s
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
	if t.few() {
		return l.nearestOfFew(nb, t)
	}
	if id := l.firstOn(t, nb.ID); id != 0 {
		return id, sched.NodeLocal
	}
	if id := t.atHome(); id != 0 {
		return id, sched.Anywhere
	}
	id := t.far()
	if id == 0 {
		return 0, sched.NoLocality
	}
	if nb.rack() > 0 {
		if near := l.firstInRack(nb, t); near != 0 {
			return near, sched.RackLocal
		}
	}
	return id, sched.Remote
}
