package ledger

import (
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
	By    int32     `json:"by,omitempty"` // the item, cut to 32 bits, that promised it last
	State taskState `json:"state,omitempty"`
	Live  uint8     `json:"live,omitempty"` // attempts, promised ones included
}

// tasks is the book on the tasks of one stage of a job. Where the world binds late there are none,
// only demand by place.
type tasks struct {
	List []task              // by number, [0] unused
	Spec *workload.StageSpec `json:"-"`
	All  int32               // no task with hosts before this one is open
	Home int32               // no task without hosts, which is at home everywhere, before this one is open

	// Late binding: open demand by place, as the world's last Demand said, less what was promised since.
	Demand   []demandAt // on nodes, sorted
	ByRack   []demandAt // in racks, sorted
	Anywhere int32      // demand that accepts any place
	Placed   bool       // that Demand named a node or a rack: so any other place is a remote one

	nodes, racks placeIndex // tasks by the nodes that hold their input, and by the racks of these (places.go)
	news         newsLink   // the job's link in this stage's list of news (local.go)
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
	for _, id := range spec.Done {
		if int(id) <= n { // more may be done of a stage that grows than are listed
			t.List[id].State = taskDone
		}
	}
	return t
}

// enter lets a task that is open again be found.
func (l *Ledger) enter(t *tasks, id sched.TaskID) {
	hosts := t.Spec.Hosts.Of(int(id - 1))
	if len(hosts) == 0 {
		t.Home = min(t.Home, int32(id))
		return
	}
	t.All = min(t.All, int32(id))
	for c, h := range hosts {
		t.nodes.reopen(int32(h), id, c)
		t.racks.reopen(int32(l.rackOf(h)), id, c)
	}
}

// atHome returns the first open task without hosts, 0 if there is none; far the first with hosts.
func (t *tasks) atHome() sched.TaskID { return t.scan(&t.Home, false) }
func (t *tasks) far() sched.TaskID    { return t.scan(&t.All, true) }

func (t *tasks) scan(from *int32, hosts bool) sched.TaskID {
	at, end := *from, int32(len(t.List))
	for at < end && (t.List[at].State != taskOpen || len(t.Spec.Hosts.Of(int(at-1))) > 0 != hosts) {
		at++
	}
	*from = at
	if at == end {
		return 0
	}
	return sched.TaskID(at)
}

// found is the task that a question found to be nearest: who asks for it most often starts it next.
type found struct {
	node     sched.NodeID
	job      sched.JobID
	stage    sched.Stage
	task     sched.TaskID
	locality sched.Locality
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
	if id := l.firstAt(t, &t.nodes, int32(nb.ID)); id != 0 {
		return id, sched.NodeLocal
	}
	if id := t.atHome(); id != 0 {
		return id, sched.Anywhere
	}
	id := t.far()
	if id == 0 {
		return 0, sched.NoLocality
	}
	if l.distance(nb, t, id) == sched.RackLocal { // the first of all is the first of the rack; in one rack it always is
		return id, sched.RackLocal
	}
	if rack := nb.rack(); rack > 0 {
		if near := l.firstAt(t, &t.racks, int32(rack)); near != 0 {
			return near, sched.RackLocal
		}
	}
	return id, sched.Remote
}
