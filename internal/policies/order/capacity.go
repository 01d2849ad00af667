package order

import (
	"math"
	"strings"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// CapacityConfig says how a Capacity order shares.
type CapacityConfig struct {
	Queues queues.Config // the tree: capacity, maximum, user limits
	Rigid  bool          // no queue grows beyond its guaranteed share, even if others are idle
}

// Capacity shares the cluster among a tree of queues (Hadoop's CapacityScheduler):
//
//   - of two queues of one parent, the one with the smaller ratio of used to guaranteed share goes first,
//   - a queue is closed once it has its maximum share of the cluster, or, without elasticity, its guaranteed one,
//   - in a leaf the user whose first job with work that may start has the higher priority, or came
//     earlier, goes first, with all of that user's jobs by priority, then arrival; jobs of a user
//     who has the user limit are passed over.
//
// A user may have at most the larger of an equal part among the active users of the leaf and
// minimum_user_limit percent, both of what the leaf has and rounded up, and never more than
// user_limit_factor times the guaranteed share. A user is active who holds something or has work
// that may start. What the leaf has is its guaranteed share or, once it uses that up, what it uses
// and the one unit that is asked for. So with Hadoop's defaults, 100 % and 1, one user cannot take
// a leaf beyond its guaranteed share even if the cluster is idle. Jobs that name no user have no
// user limit.
//
// Used is memory or virtual cores if containers take any (as YARN's calculators), else slots of the
// stage (as Hadoop 1). Limits hold in every resource that counts for the stage, in whole units
// (slots, bytes, cores): a share of the cluster is rounded down. A queue that holds nothing may
// always start one container, so that a tiny share does not mean none; a container of several units
// may go beyond a limit by less than its own size.
//
// A job names its leaf by name or by path ("research.vision", with or without "root."). Jobs of
// queues that are not described, or are no leaves, are refused before they come here
// (queues.Config.Check). Should a world bring one all the same, its queue has no guarantee and no
// limit: it is served when no queue with a guarantee has work that may start.
type Capacity struct {
	root     node
	stranger node                // settings of a queue that the tree does not have
	leaves   map[string][]string // by name and by path
	rigid    bool
}

// node is a queue of the tree.
type node struct {
	children   map[string]*node
	share      int64   // guaranteed, of the parent's, in hundredths of a percent
	guaranteed float64 // of the cluster, in [0,1]
	maximum    float64 // of the cluster, in [0,1]
	userLimit  float64 // of the queue, in (0,1]
	userFactor float64 // times the guaranteed share; negative = no limit
}

// NewCapacity returns the order. The tree must be valid. Without any queue, the default queue has everything.
func NewCapacity(c CapacityConfig) *Capacity {
	o := &Capacity{rigid: c.Rigid, leaves: make(map[string][]string), root: node{share: 10000, guaranteed: 1, maximum: 1},
		stranger: node{maximum: 1, userLimit: 1, userFactor: -1}}
	qs := c.Queues.Queues
	if len(qs) == 0 {
		qs = []queues.Queue{{Name: queues.Default, Capacity: 100}}
	}
	o.grow(&o.root, nil, qs)
	return o
}

func (o *Capacity) grow(parent *node, path []string, qs []queues.Queue) {
	parent.children = make(map[string]*node, len(qs))
	for i := range qs {
		q := &qs[i]
		n := &node{
			share:      int64(math.Round(units.Rounded(q.Capacity * 100))),
			guaranteed: parent.guaranteed * (q.Capacity / 100),
			maximum:    parent.maximum,
			userLimit:  1,
			userFactor: 1,
		}
		if q.Maximum > 0 {
			n.maximum *= q.Maximum / 100
		}
		if o.rigid {
			n.maximum = n.guaranteed
		}
		if q.MinimumUserLimit > 0 {
			n.userLimit = q.MinimumUserLimit / 100
		}
		if q.UserLimitFactor != 0 {
			n.userFactor = q.UserLimitFactor
		}
		if q.Capacity == 0 {
			n.userFactor = -1 // a multiple of nothing
		}
		parent.children[q.Name] = n
		here := append(path[:len(path):len(path)], q.Name)
		if len(q.Queues) > 0 {
			o.grow(n, here, q.Queues)
			continue
		}
		o.leaves[q.Name] = here
		o.leaves[strings.Join(here, ".")] = here
	}
}

// Path is the job's leaf and its user.
func (o *Capacity) Path(j *sched.Job) []string {
	name := queues.Of(j.Spec)
	leaf := o.leaves[name]
	if leaf == nil {
		if o.root.children[name] != nil {
			// an inner queue: no name has a dot, so this one stands beside it, and no user is mistaken
			// for a queue below it
			name += "."
		}
		leaf = []string{name}
	}
	return append(leaf[:len(leaf):len(leaf)], userOf(j.Spec))
}

// Guaranteed returns what the leaf of that name, or path, is guaranteed, as part of the cluster.
func (o *Capacity) Guaranteed(queue string) float64 {
	n := &o.root
	for _, name := range o.leaves[queue] {
		n = n.children[name]
	}
	if n == &o.root {
		return o.stranger.guaranteed
	}
	return n.guaranteed
}

// find returns the settings of a queue; user tells that it is a user's part of that queue.
func (o *Capacity) find(v sched.View, q *sched.Queue) (n *node, user bool) {
	if q.ID == sched.Root {
		return &o.root, false
	}
	n, user = o.find(v, v.Queue(q.Parent))
	if user || len(n.children) == 0 {
		return n, true // below a leaf
	}
	if c := n.children[q.Name]; c != nil {
		return c, false
	}
	return &o.stranger, false
}

// Follows says that keys follow what queues have used.
func (o *Capacity) Follows() sched.Tallies { return sched.AllTallies }

// QueueKey ranks queues by used over guaranteed share, queues without a guarantee behind them; and
// users by their first job.
func (o *Capacity) QueueKey(v sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	n, user := o.find(v, q)
	if user {
		if j := v.Job(q.Head[s]); j != nil {
			return fifoKey(j)
		}
		return sched.Key{}
	}
	if n.share == 0 {
		return sched.Key{1, used(q, s)}
	}
	return sched.Key{0, sched.Ratio(used(q, s)*10000, n.share)}
}

// used is what counts as used for a queue's place in the order: megabytes, virtual cores or slots.
func used(q *sched.Queue, s sched.Stage) int64 {
	switch {
	case q.Used[units.Memory] > 0:
		return (q.Used[units.Memory] + int64(units.MB) - 1) / int64(units.MB)
	case q.Used[units.VCores] > 0:
		return q.Used[units.VCores]
	}
	return int64(q.Stages[s].Occupied)
}

// JobKey ranks jobs of one leaf.
func (o *Capacity) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return fifoKey(j) }

// Line ranks jobs that wait for a limit.
func (o *Capacity) Line(j *sched.Job) sched.Key { return fifoKey(j) }

// Open closes a queue at its maximum share and a user at the user limit.
func (o *Capacity) Open(v sched.View, q *sched.Queue, s sched.Stage) bool {
	if q.ID == sched.Root {
		return true
	}
	n, user := o.find(v, q)
	if user && q.Name == nobody {
		return true
	}
	cluster := v.Capacity()
	for d := range units.Dims {
		if q.Used[d] == 0 || !counts(d, s) {
			continue
		}
		limit := part(n.maximum, cluster[d])
		if !user && n.maximum >= 1 {
			break // a bound of all that there is would only keep out who needs other things, as masters do
		}
		if user {
			leaf := v.Queue(q.Parent)
			limit = n.userLimitOf(part(n.guaranteed, cluster[d]), leaf.Used[d], int64(leaf.Active[s]))
		}
		if q.Used[d] >= limit {
			return false
		}
	}
	return true
}

// userLimitOf is the user limit of a leaf in one resource (Hadoop 1.2.1,
// CapacitySchedulerQueue.assignSlotsToJob; YARN, LeafQueue.computeUserLimit).
func (n *node) userLimitOf(guaranteed, used, users int64) int64 {
	has := guaranteed
	if used >= guaranteed {
		has = used + 1 // with the container that is asked for
	}
	users = max(users, 1)
	limit := max((has+users-1)/users, int64(math.Ceil(units.Rounded(float64(has)*n.userLimit))))
	if n.userFactor < 0 {
		return limit
	}
	return min(limit, part(n.userFactor, guaranteed))
}

// part returns a share of an amount, rounded down, at least 1.
func part(share float64, amount int64) int64 {
	return max(1, int64(math.Floor(units.Rounded(share*float64(amount))))) // of 100, 0.29 must be 29
}

// counts tells whether a resource bounds a stage: its own kind of slot, and everything that is not a slot.
func counts(d units.Dim, s sched.Stage) bool {
	switch d {
	case units.MapSlots:
		return s != sched.Reduce
	case units.ReduceSlots:
		return s == sched.Reduce
	}
	return true
}
