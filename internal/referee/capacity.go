package referee

import (
	"cmp"
	"math"
)

// capacityShare is Hadoop's CapacityScheduler: of two queues of one parent the one with the smaller
// ratio of used to guaranteed share goes first; the jobs of a leaf stand by priority, then arrival;
// queues at their maximum and users at their limit are passed over.
type capacityShare struct {
	queues *describedQueues
	rigid  bool // no queue grows beyond its guaranteed share
	of     map[*job]*leaf
	nodes  map[string]*share
	came   map[string]int
	total  vector // of the cluster
}

// A share is a queue of the tree with what it holds.
type share struct {
	part, most float64 // of the cluster
	held       [stages]int
	used       vector
	works      [stages]bool // of a user: it holds slots, or has tasks that may start
	head       [stages]*job // of a user: its first job with such tasks
	seq        int
}

// A leaf is where a job stands.
type leaf struct {
	path  []*share // from below the root
	queue *describedQueue
	user  *share
	users map[string]*share // of the leaf
	key   string
}

func capacityOf(m *made, a *asked) order {
	return &capacityShare{queues: m.queues, rigid: !a.on("elastic", true), came: map[string]int{}}
}

func (o *capacityShare) shares() bool       { return true }
func (o *capacityShare) line(x, y *job) int { return byArrival{}.line(x, y) }

// look counts what each queue and each user holds.
func (o *capacityShare) look(b *book) {
	o.of, o.nodes = map[*job]*leaf{}, map[string]*share{}
	o.total = b.capacity
	leaves := map[string]map[string]*share{}
	was := o.came
	o.came = map[string]int{}
	for _, j := range b.live {
		l := &leaf{}
		q, path := o.queues.leaf(j.Queue)
		part, most := 1.0, 1.0
		if q == nil {
			q = &describedQueue{Capacity: 100}
			if len(o.queues.Queues) == 0 && (j.Queue == "" || j.Queue == "default") {
				path = []*describedQueue{{Name: "default", Capacity: 100}}
			} else {
				path = []*describedQueue{{Name: j.Queue, Capacity: 0}}
			}
		}
		l.queue = q
		for _, d := range path {
			l.key += "." + d.Name
			top := 100.0
			if d.Maximum != 0 {
				top = d.Maximum
			}
			part, most = part*d.Capacity/100, most*top/100
			n := o.nodes[l.key]
			if n == nil {
				n = &share{part: part, most: most}
				if o.rigid {
					n.most = part
				}
				o.nodes[l.key] = n
			}
			n.seq = sinceWhen(was, o.came, l.key, j.joined)
			l.path = append(l.path, n)
		}
		if leaves[l.key] == nil {
			leaves[l.key] = map[string]*share{}
		}
		l.users = leaves[l.key]
		if l.user = l.users[j.User]; l.user == nil {
			l.user = &share{}
			l.users[j.User] = l.user
		}
		l.user.seq = sinceWhen(was, o.came, l.key+"."+j.User+".", j.joined)
		for i := range j.Stages {
			s := &j.Stages[i]
			for _, n := range append([]*share{l.user}, l.path...) {
				n.held[s.kind] += s.occupied
				n.used.add(&s.needs, int64(s.occupied))
			}
			if b.runs(j, s) && (l.user.head[s.kind] == nil || inLine(j, l.user.head[s.kind]) < 0) {
				l.user.head[s.kind] = j
			}
			l.user.works[s.kind] = l.user.works[s.kind] || b.runs(j, s) || s.occupied > 0
		}
		o.of[j] = l
	}
}

func (o *capacityShare) compare(x *job, s int, y *job, t int) int {
	a, b := o.of[x], o.of[y]
	for i := range min(len(a.path), len(b.path)) {
		p, q := a.path[i], b.path[i]
		if p == q {
			continue
		}
		if (p.part == 0) != (q.part == 0) {
			if p.part == 0 {
				return 1
			}
			return -1
		}
		if p.part == 0 {
			return cmp.Or(cmp.Compare(p.counts(s), q.counts(t)), came(s, p.seq, t, q.seq))
		}
		return cmp.Or(cmp.Compare(ratio(p.counts(s), p.part), ratio(q.counts(t), q.part)), came(s, p.seq, t, q.seq))
	}
	if a.user != b.user {
		h, k := a.user.head[s], b.user.head[t]
		switch {
		case h != nil && k != nil:
			return cmp.Or(inLine(h, k), came(s, a.user.seq, t, b.user.seq))
		case h != nil:
			return -1
		case k != nil:
			return 1
		}
		return came(s, a.user.seq, t, b.user.seq) // neither has any work
	}
	return inLine(x, y)
}

func inLine(x, y *job) int {
	return cmp.Or(byArrival{}.line(x, y), cmp.Compare(x.arrived, y.arrived))
}

// ratio is used over guaranteed share, without the rounding errors that would tell equals apart.
func ratio(held int64, part float64) float64 { return math.Round(float64(held)/part*1e9) / 1e9 }

// open closes a queue at its maximum, and a user at the user limit: the larger of an equal part
// among the active users of the leaf and the minimum user limit, both of what the leaf has (what it
// is guaranteed, or, once that is used up, what it holds and the one that is asked for) and rounded
// up, and never more than the factor times what it is guaranteed.
func (o *capacityShare) open(b *book, j *job, s int) bool {
	l := o.of[j]
	end := l.path[len(l.path)-1]
	for d, total := range o.total {
		if d == 1 && s != reduceStage || d == 0 && s == reduceStage {
			continue // the other kind of slot
		}
		for _, n := range l.path {
			if n.part > 0 && n.most < 1 && n.used[d] > 0 && n.used[d] >= whole(n.most*float64(total)) {
				return false
			}
		}
		if j.User != "" && end.part > 0 && l.user.used[d] > 0 && l.user.used[d] >= l.most(end.used[d], whole(end.part*float64(total)), s) {
			return false
		}
	}
	return true
}

// most is the user limit in one resource.
func (l *leaf) most(held, guaranteed int64, s int) int64 {
	users := 0
	for _, u := range l.users {
		if u.works[s] {
			users++
		}
	}
	least, factor := l.queue.MinimumUserLimit, l.queue.UserLimitFactor
	if least == 0 {
		least = 100
	}
	if factor == 0 {
		factor = 1
	}
	has := guaranteed
	if held >= guaranteed {
		has = held + 1 // with the one that is asked for
	}
	most := max(int64(math.Ceil(float64(has)/float64(max(users, 1)))), int64(math.Ceil(rounded(float64(has)*least/100))))
	if factor > 0 {
		most = min(most, whole(factor*float64(guaranteed)))
	}
	return most
}

// whole is a limit in whole units: rounded down, at least one.
func whole(x float64) int64 { return max(1, int64(x+1e-6)) }

// counts is what stands for a queue's use: memory, in whole MB, or cores where it holds any, else slots of the stage.
func (n *share) counts(s int) int64 {
	switch {
	case n.used[3] > 0:
		return (n.used[3] + 1<<20 - 1) >> 20
	case n.used[2] > 0:
		return n.used[2]
	}
	return int64(n.held[s])
}
