package ledger

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Ledger is the book. It implements sched.View for policies and sched.Book for plans.
type Ledger struct {
	can     sched.Capabilities
	order   sched.Order
	tallies sched.Tallies // that its keys follow
	now     units.Time
	round   int64

	jobs       []jobBook     // by handle, [0] unused
	nodes      []nodeBook    // by handle
	classes    []sched.Class // by handle
	queues     []queueBook   // by handle, the root is 1; a record without a number is free
	attempts   []attemptBook // by handle
	ids        map[string]sched.JobID
	vacant     []sched.QueueID // queues that were left by their last job
	freeQueues []sched.QueueID // handles of queues that are gone, the lowest last
	kinds      []kind
	profiles   profile.Set
	supplies   [sched.Supplies]*sched.Supply
	expected   [sched.Supplies]*sched.Forecast
	capacity   units.Vector
	nothing    units.Need // what a stage takes that a job does not have
	arrivals   int64      // jobs and queues seen, for ties in the order

	yielded   bool // the stock scheduler places work
	watching  bool // so it does, and nothing that is planned is done
	lastItem  sched.ItemID
	found     found // by the last questions, until something else is booked
	grants    grants
	held      []sched.Item // items that wait for a beat or a time
	wake      units.Time
	rankable  units.Time     // when all jobs may be ranked again
	beating   []sched.NodeID // nodes that can be served in this batch
	closing   []sched.JobID  // jobs whose record goes with the next batch
	refusals  []sched.Event  // of the last plan, to ride in the next batch
	unsettled bool           // the plan has an item of a group, or one that is refused or held

	// Of the batch that is being taken in.
	derived   []sched.Event     // what follows from its events
	events    []sched.Event     // all of it together
	left      []sched.AttemptID // that were on nodes which came up
	dirty     []sched.JobID     // jobs whose keys have to be asked for again
	resyncing bool
	begun     map[string]units.Time // when jobs began, while a resync tells them again

	// The index behind FirstLocal (local.go).
	indexing   bool                       // a policy has asked
	lastNews   int64                      // number of the last news
	newest     [sched.Stages]sched.JobID  // job with the last news
	localJobs  [][sched.Stages]localIndex // by node: jobs with open tasks whose input lies there
	everywhere [sched.Stages]localIndex   // jobs with open tasks that are at home everywhere

	racks    []cluster.RackID // by node
	lastRack cluster.RackID   // the highest of these
}

// kind is a kind of container, and how many jobs in the rankings could use it, by stage. So a node
// that has no room for any of them is known to be full without a look at the jobs. One that no job
// names gives its place to the next new one.
type kind struct {
	need units.Vector
	refs int32 // stages of jobs that name it
	jobs [sched.Stages]int32
}

// jobBook is the record of a job with what only the ledger needs.
type jobBook struct {
	sched.Job
	Decided sched.JobState      // what the policy said of a job that still waits for its predecessors
	Ranked  uint8               // stages in which it stands in its queue's ranking, by bit
	Active  uint8               // stages in which it counts as an active child of its queue, by bit
	Dirty   uint8               // stages whose keys have to be asked for again; if any, the ledger lists it
	Counted [sched.Stages]int32 // open tasks that the queues above count
	Keys    [sched.Stages]sched.Key
	tasks   [sched.Stages]*tasks
	needs   [sched.Stages][]units.Need // of each kind of container
	kinds   [sched.Stages][]int32      // their places in the ledger's list
	heads   [sched.Stages]sched.AttemptID
}

// nodeBook is the record of a node, three lines of memory: what starts and ends touch is in the first.
type nodeBook struct {
	sched.Node
	// as described while it is up, else nothing; Free is this less what containers take
	Capacity units.Vector
	asked    sched.ItemID // the last Sleep or Wake, if it stands as that has put it
}

func (nb *nodeBook) rack() cluster.RackID {
	if nb.Spec == nil {
		return 0
	}
	return nb.Spec.Rack
}

// queueBook is the record of a queue.
type queueBook struct {
	sched.Queue
	Seq      int64
	Ranked   uint8 // stages in which it stands in its parent's ranking
	ActiveIn uint8 // stages in which it counts as an active child of its parent
	Keys     [sched.Stages]sched.Key
	ranks    [sched.Stages]ranking
	children map[string]sched.QueueID
}

// attemptBook is the record of an attempt, linked with the others of its job's stage from the youngest to the oldest.
type attemptBook struct {
	sched.Attempt
	older, younger sched.AttemptID
}

// New returns an empty book for a world that can do so much. Without an order, jobs stand in order of arrival.
func New(can sched.Capabilities, order sched.Order) *Ledger {
	if order == nil {
		order = arrival{}
	}
	l := &Ledger{can: can, order: order, tallies: order.Follows()}
	l.clear()
	return l
}

// clear voids the book, all but profiles, supplies and forecasts. Items keep counting: their
// numbers are never used again.
func (l *Ledger) clear() {
	l.jobs, l.nodes, l.attempts = make([]jobBook, 1), make([]nodeBook, 1), make([]attemptBook, 1)
	l.queues = make([]queueBook, 2)
	l.queues[sched.Root] = queueBook{Queue: sched.Queue{ID: sched.Root}}
	l.ids = make(map[string]sched.JobID)
	l.capacity, l.classes = units.Vector{}, make([]sched.Class, 1)
	l.kinds, l.vacant, l.freeQueues, l.racks, l.lastRack = nil, nil, nil, nil, 0
	l.grants = grants{}
	l.held, l.beating, l.closing, l.dirty = nil, nil, nil, nil
	l.indexing, l.lastNews, l.newest = false, 0, [sched.Stages]sched.JobID{}
	l.localJobs, l.everywhere = nil, [sched.Stages]localIndex{}
	l.wake, l.rankable, l.yielded, l.watching = units.Never, 0, false, false
}

// arrival is the order without an order.
type arrival struct{ sched.Flat }

func (arrival) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{int64(j.Arrived)}
}

// Now is the time of the batch.
func (l *Ledger) Now() units.Time { return l.now }

// Round is the number of the batch.
func (l *Ledger) Round() int64 { return l.round }

// World says what the world can do.
func (l *Ledger) World() *sched.Capabilities { return &l.can }

// Capacity is what all nodes that are up offer.
func (l *Ledger) Capacity() *units.Vector { return &l.capacity }

// Job returns the record of a job, nil if the handle is not in use.
func (l *Ledger) Job(j sched.JobID) *sched.Job {
	if b := l.job(j); b != nil {
		return &b.Job
	}
	return nil
}

func (l *Ledger) job(j sched.JobID) *jobBook {
	if j < 1 || int(j) >= len(l.jobs) || l.jobs[j].State == sched.NoJob {
		return nil
	}
	return &l.jobs[j]
}

// Jobs returns a bound: no handle in use is above it.
func (l *Ledger) Jobs() sched.JobID { return sched.JobID(len(l.jobs) - 1) }

// Find returns the handle of the job with that ID, 0 if it is not in the book.
func (l *Ledger) Find(id string) sched.JobID { return l.ids[id] }

// Node returns the record of a node, nil if it was never up.
func (l *Ledger) Node(n sched.NodeID) *sched.Node {
	if nb := l.node(n); nb != nil {
		return &nb.Node
	}
	return nil
}

func (l *Ledger) node(n sched.NodeID) *nodeBook {
	if n < 1 || int(n) >= len(l.nodes) || l.nodes[n].Spec == nil {
		return nil
	}
	return &l.nodes[n]
}

// Nodes returns a bound: no handle in use is above it.
func (l *Ledger) Nodes() sched.NodeID { return sched.NodeID(len(l.nodes) - 1) }

// Class returns the record of a class of nodes, nil if there is none.
func (l *Ledger) Class(c sched.ClassID) *sched.Class {
	if c < 1 || int(c) >= len(l.classes) {
		return nil
	}
	return &l.classes[c]
}

// Classes returns a bound: no handle in use is above it.
func (l *Ledger) Classes() sched.ClassID { return sched.ClassID(len(l.classes) - 1) }

// Queue returns the record of a queue, nil if the handle is not in use.
func (l *Ledger) Queue(q sched.QueueID) *sched.Queue {
	if q < 1 || int(q) >= len(l.queues) || l.queues[q].ID == 0 {
		return nil
	}
	return &l.queues[q].Queue
}

// Queues returns a bound: no handle in use is above it.
func (l *Ledger) Queues() sched.QueueID { return sched.QueueID(len(l.queues) - 1) }

// Attempt returns the record of a running attempt, nil if there is none.
func (l *Ledger) Attempt(a sched.AttemptID) *sched.Attempt {
	if ab := l.attempt(a); ab != nil {
		return &ab.Attempt
	}
	return nil
}

// Ended returns the job, the stage and the node of an attempt that has ended in this batch.
func (l *Ledger) Ended(a sched.AttemptID) (sched.JobID, sched.Stage, sched.NodeID) {
	if a < 1 || int(a) >= len(l.attempts) {
		return 0, 0, 0
	}
	if ab := &l.attempts[a]; ab.ID == 0 && ab.Item == sched.ItemID(l.round) {
		return ab.Job, ab.Stage, ab.Node
	}
	return 0, 0, 0
}

func (l *Ledger) attempt(a sched.AttemptID) *attemptBook {
	if a < 1 || int(a) >= len(l.attempts) || l.attempts[a].ID == 0 {
		return nil
	}
	return &l.attempts[a]
}

// Profile returns what is known of a class of jobs, nil if nothing is.
func (l *Ledger) Profile(class string) *profile.Class { return l.profiles.Of(class) }

// Supply returns how much there is of a kind of supply, nil if nobody has said.
func (l *Ledger) Supply(k sched.SupplyKind) *sched.Supply {
	if k >= sched.Supplies {
		return nil
	}
	return l.supplies[k]
}

// Forecast returns the latest forecast of a kind of supply, nil if there is none.
func (l *Ledger) Forecast(k sched.SupplyKind) *sched.Forecast {
	if k >= sched.Supplies {
		return nil
	}
	return l.expected[k]
}

// Nearest returns the best locality at which the job has an open task of the stage for the node.
func (l *Ledger) Nearest(n sched.NodeID, j sched.JobID, s sched.Stage) sched.Locality {
	nb, b := l.node(n), l.job(j)
	if nb == nil || b == nil || s >= sched.Stages {
		return sched.NoLocality
	}
	f := &l.found
	if !f.is(n, j, s) {
		*f = found{node: n, job: j, stage: s}
	}
	f.task, f.locality = l.nearest(nb, j, s)
	f.asked = true
	return f.locality
}

// Holds tells whether items wait for a beat or a time.
func (l *Ledger) Holds() bool { return len(l.held) > 0 }

// Refuses tells whether refusals of the last plan wait for the next batch.
func (l *Ledger) Refuses() bool { return len(l.refusals) > 0 }

// Due is when the ledger wants a Tick: the earliest of the policy's wake-up and the times that held items wait for.
func (l *Ledger) Due() units.Time {
	due := l.wake
	for i := range l.held {
		if at := l.held[i].At; at > l.now {
			due = min(due, at)
		}
	}
	return due
}
