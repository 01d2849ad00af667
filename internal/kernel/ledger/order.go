package ledger

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/sched"
)

// queueOf returns the leaf under which a job stands, making the queues on its path as needed. A
// queue is there as long as jobs stand in it, and to the end of the batch that takes the last: one
// that comes again comes as a new one.
func (l *Ledger) queueOf(j *sched.Job) sched.QueueID {
	q := sched.Root
	for _, name := range l.order.Path(j) {
		next := l.queues[q].children[name]
		if next == 0 {
			next = l.freeQueue()
			l.arrivals++
			qb := &l.queues[next]
			qb.Queue = sched.Queue{ID: next, Parent: q, Name: name, Depth: l.queues[q].Depth + 1}
			qb.Seq = l.arrivals
			if l.queues[q].children == nil {
				l.queues[q].children = make(map[string]sched.QueueID)
			}
			l.queues[q].children[name] = next
		}
		q = next
	}
	return q
}

// freeQueue returns the lowest handle that no queue has.
func (l *Ledger) freeQueue() sched.QueueID {
	if n := len(l.freeQueues); n > 0 {
		q := l.freeQueues[n-1]
		l.freeQueues = l.freeQueues[:n-1]
		return q
	}
	l.queues = append(l.queues, queueBook{})
	return sched.QueueID(len(l.queues) - 1)
}

// clearVacant forgets the queues in which no job stands any more.
func (l *Ledger) clearVacant() {
	for _, q := range l.vacant {
		for qb := &l.queues[q]; q != sched.Root && qb.ID == q && qb.Jobs == 0 && len(qb.children) == 0; qb = &l.queues[q] {
			delete(l.queues[qb.Parent].children, qb.Name)
			i, _ := slices.BinarySearchFunc(l.freeQueues, q, func(a, b sched.QueueID) int { return cmp.Compare(b, a) })
			l.freeQueues = slices.Insert(l.freeQueues, i, q)
			parent := qb.Parent
			*qb = queueBook{ranks: qb.ranks} // which are empty, and have room
			q = parent
		}
	}
	l.vacant = l.vacant[:0]
}

// startable tells whether tasks of the stage may start as far as the job is concerned.
func (b *jobBook) startable(s sched.Stage) bool {
	t := &b.Stages[s]
	return t.Open > 0 && b.may(s) && (t.Limit < 0 || t.Occupied < t.Limit)
}

// may tells whether tasks of the stage may start at all, those of a sample even before the job is admitted.
func (b *jobBook) may(s sched.Stage) bool {
	t := &b.Stages[s]
	is := b.Standing()
	return t.Ready && !t.Withheld && !b.Cancelled && !b.Molds[s].Open() && (is == sched.Admitted ||
		t.Sample > 0 && (is == sched.Pending || is == sched.HeldBack))
}

// allStages are the bits of all stages.
const allStages = 1<<sched.Stages - 1

// counted tells, after attempts of the job's stage were booked or ended, which stages have keys that this
// may change, by bit. There are none if the order follows no tally, and the job stands where it stood.
func (l *Ledger) counted(b *jobBook, s sched.Stage) uint8 {
	bit := uint8(1) << s
	switch l.tallies {
	case sched.AllTallies:
		return allStages
	case sched.NoTally:
		t := &b.Stages[s]
		if b.Ranked&bit != 0 && t.Open > 0 && t.Limit < 0 && t.Sample < 0 { // nothing that counts bars it
			l.countTo(b, s, t.Open)
			return 0
		}
		want := l.countOpen(b, s) && (t.Limit < 0 || t.Occupied < t.Limit)
		if want == (b.Ranked&bit != 0) && (want || t.Occupied > 0) == (b.Active&bit != 0) {
			return 0
		}
	}
	return bit
}

// rekey asks the order for the keys of a job again, in those of the stages in which the job is ranked or
// now has to be, and for those of the queues above it. It is called after each change of the job's
// record. O(depth × log jobs).
func (l *Ledger) rekey(b *jobBook, stages uint8) {
	var has uint8
	for rest := stages; rest != 0; rest &= rest - 1 {
		s := sched.Stage(bits.TrailingZeros8(rest))
		bit := uint8(1) << s
		t := &b.Stages[s]
		is := b.Ranked&bit != 0
		if t.Total == 0 && t.Open <= 0 && !is {
			continue // the job has no such stage
		}
		want := b.startable(s)
		has |= bit
		if t.Open != b.Counted[s] || !want {
			l.countOpen(b, s)
		}
		r := &l.queues[b.Queue].ranks[s]
		if want {
			key := l.order.JobKey(l, &b.Job, s)
			if !is || key != b.Keys[s] {
				e := entry{key: key, seq: b.Seq, elem: int32(b.ID)}
				if is {
					r.move(b.Keys[s], e)
				} else {
					l.rank(b, s, 1)
					l.stand(r, s, e)
				}
				forward := l.indexing && (!is || key.Less(b.Keys[s]))
				b.Keys[s] = key
				if forward {
					l.postNews(b, s)
				}
			}
		} else if is {
			r.remove(b.Keys[s], b.Seq)
			l.rank(b, s, -1)
			l.dropNews(b, s)
		}
		active := want || t.Occupied > 0
		if active != (b.Active&bit != 0) {
			b.Active ^= bit
			if active {
				l.queues[b.Queue].Active[s]++
			} else {
				l.queues[b.Queue].Active[s]--
			}
		}
	}
	for q := b.Queue; q != sched.Root; q = l.queues[q].Parent {
		qb := &l.queues[q]
		// what the job takes counts for the queue in stages that the job does not have
		for rest := (has | qb.Ranked) & stages; rest != 0; rest &= rest - 1 {
			l.rekeyQueue(qb, sched.Stage(bits.TrailingZeros8(rest)))
		}
	}
}

// rank notes that a job came into its queue's ranking for a stage, or left it.
func (l *Ledger) rank(b *jobBook, s sched.Stage, by int32) {
	b.Ranked ^= 1 << s
	for _, k := range b.kinds[s] {
		l.kinds[k].jobs[s] += by
	}
}

// room returns the first kind of container that a job in the rankings could use and the node has room for,
// -1 if there is none. O(kinds).
func (l *Ledger) room(nb *nodeBook, s sched.Stage) int32 {
	for i := range l.kinds {
		if k := &l.kinds[i]; k.jobs[s] > 0 && nb.Free.Fits(&k.need) {
			return int32(i)
		}
	}
	return -1
}

// countOpen brings the open tasks that the queues above the job count up to date, and tells whether there
// are any that may start at all.
func (l *Ledger) countOpen(b *jobBook, s sched.Stage) bool {
	open := b.Stages[s].Open
	if open < 0 || open > 0 && !b.may(s) {
		open = 0
	}
	l.countTo(b, s, open)
	return open > 0
}

// countTo makes the queues above the job count so many open tasks of it.
func (l *Ledger) countTo(b *jobBook, s sched.Stage, open int32) {
	more := open - b.Counted[s]
	if more == 0 {
		return
	}
	b.Counted[s] = open
	for q := b.Queue; ; q = l.queues[q].Parent {
		l.queues[q].Stages[s].Open += more
		if q == sched.Root {
			return
		}
	}
}

// markDirty notes that the record of a job changed, so that its keys are asked for again at the end of the batch.
func (l *Ledger) markDirty(b *jobBook, stages uint8) {
	if b.Dirty == 0 && stages != 0 {
		l.dirty = append(l.dirty, b.ID)
	}
	b.Dirty |= stages
}

// rekeyDirty asks for the keys of the jobs whose records changed.
func (l *Ledger) rekeyDirty() {
	for _, j := range l.dirty {
		if b := l.job(j); b != nil && b.Dirty != 0 {
			stages := b.Dirty
			b.Dirty = 0
			l.rekey(b, stages)
		}
	}
	l.dirty = l.dirty[:0]
}

// Misranked returns the first ranked job whose key, or whose queue's key, is not what the order says now,
// 0 if there is none. If an order's keys depend on something that no event or item announced, it has such
// jobs until the policy asks for a Rank. While a Rank of all jobs is held, a key may also be what the order
// says of the same pages in an earlier view, one of those given. O((jobs + queues) × views): for the
// conformance suite.
func (l *Ledger) Misranked(earlier ...sched.View) (job sched.JobID, stage sched.Stage) {
	l.misranked(earlier, func(k staleKey) bool {
		if job, stage = k.Job, k.Stage; k.Queue != 0 {
			job = l.queues[k.Queue].Head[k.Stage]
		}
		return false
	})
	return job, stage
}

// staleKey is the key of a ranked job, or of a queue, which the order would not give it now.
type staleKey struct {
	Job   sched.JobID   `json:"job,omitempty"`
	Queue sched.QueueID `json:"queue,omitempty"`
	Stage sched.Stage   `json:"stage"`
	Key   sched.Key     `json:"key"`
}

// misranked finds such keys. That of a queue that stands alone does not count, as it is asked for
// again when another comes.
func (l *Ledger) misranked(earlier []sched.View, found func(staleKey) bool) {
	says := func(is sched.Key, key func(v sched.View) sched.Key) bool {
		return key(l) == is || slices.ContainsFunc(earlier, func(v sched.View) bool { return key(v) == is })
	}
	for s := range sched.Stages {
		for j := range l.jobs {
			b := &l.jobs[j]
			if b.Ranked&(1<<s) != 0 && !says(b.Keys[s], func(v sched.View) sched.Key { return l.order.JobKey(v, &b.Job, s) }) &&
				!found(staleKey{Job: b.ID, Stage: s, Key: b.Keys[s]}) {
				return
			}
		}
		for q := range l.queues {
			qb := &l.queues[q]
			if qb.Ranked&(1<<s) != 0 && l.queues[qb.Parent].ranks[s].n > 1 &&
				!says(qb.Keys[s], func(v sched.View) sched.Key { return l.order.QueueKey(v, &qb.Queue, s) }) &&
				!found(staleKey{Queue: qb.ID, Stage: s, Key: qb.Keys[s]}) {
				return
			}
		}
	}
}

// recalled is an order that gives some jobs and queues the keys that they had.
type recalled struct {
	sched.Order
	stale []staleKey // of jobs and queues in the order in which misranked finds them
}

// JobKey is the one that the job had, else what the order says.
func (o *recalled) JobKey(v sched.View, j *sched.Job, s sched.Stage) sched.Key {
	if k, is := o.find(staleKey{Job: j.ID, Stage: s}); is {
		return k
	}
	return o.Order.JobKey(v, j, s)
}

// QueueKey is the one that the queue had, else what the order says.
func (o *recalled) QueueKey(v sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	if k, is := o.find(staleKey{Queue: q.ID, Stage: s}); is {
		return k
	}
	return o.Order.QueueKey(v, q, s)
}

func (o *recalled) find(k staleKey) (sched.Key, bool) {
	i, is := slices.BinarySearchFunc(o.stale, k, func(a, b staleKey) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Job, b.Job))
	})
	if !is {
		return sched.Key{}, false
	}
	return o.stale[i].Key, true
}

func (l *Ledger) rekeyQueue(qb *queueBook, s sched.Stage) {
	bit := uint8(1) << s
	parent := &l.queues[qb.Parent]
	r := &parent.ranks[s]
	want, is := qb.ranks[s].n > 0, qb.Ranked&bit != 0
	if want {
		qb.Head[s] = l.headOf(qb.ranks[s].first(), s)
	} else {
		qb.Head[s] = 0
	}
	switch {
	case want && !is:
		qb.Keys[s] = l.order.QueueKey(l, &qb.Queue, s)
		qb.Ranked |= bit
		l.stand(r, s, entry{key: qb.Keys[s], seq: qb.Seq, elem: -int32(qb.ID)})
	case want && r.n > 1:
		l.moveQueue(r, qb, s)
	case is && !want:
		r.remove(qb.Keys[s], qb.Seq)
		qb.Ranked &^= bit
	}
	active := want || qb.Stages[s].Occupied > 0
	if active != (qb.ActiveIn&bit != 0) {
		qb.ActiveIn ^= bit
		if active {
			parent.Active[s]++
		} else {
			parent.Active[s]--
		}
	}
}

// stand enters a job or a queue into the ranking of its parent. A queue that stands there alone keeps its
// key, whatever changes, until another comes.
func (l *Ledger) stand(r *ranking, s sched.Stage, e entry) {
	if r.n == 1 && r.first().elem < 0 {
		l.moveQueue(r, &l.queues[-r.first().elem], s)
	}
	r.insert(e)
}

// moveQueue asks for the key of a queue in a ranking again.
func (l *Ledger) moveQueue(r *ranking, qb *queueBook, s sched.Stage) {
	if key := l.order.QueueKey(l, &qb.Queue, s); key != qb.Keys[s] {
		r.move(qb.Keys[s], entry{key: key, seq: qb.Seq, elem: -int32(qb.ID)})
		qb.Keys[s] = key
	}
}

func (l *Ledger) headOf(e *entry, s sched.Stage) sched.JobID {
	if e.elem > 0 {
		return sched.JobID(e.elem)
	}
	return l.queues[-e.elem].Head[s]
}

// Waiting returns the job behind after in the order, with open tasks of the stage that may start somewhere.
func (l *Ledger) Waiting(s sched.Stage, after sched.JobID) sched.JobID {
	q := sched.Root
	var e *entry
	if b := l.job(after); b != nil {
		// The job may have left the ranking since; its last key still says where it stood.
		q = b.Queue
		e = l.queues[q].ranks[s].after(b.Keys[s], b.Seq)
	} else {
		if !l.order.Open(l, &l.queues[q].Queue, s) {
			return 0
		}
		e = l.queues[q].ranks[s].first()
	}
	for {
		for e == nil {
			if q == sched.Root {
				return 0
			}
			qb := &l.queues[q]
			q = qb.Parent
			e = l.queues[q].ranks[s].after(qb.Keys[s], qb.Seq)
		}
		if e.elem > 0 {
			return sched.JobID(e.elem)
		}
		child := sched.QueueID(-e.elem)
		if l.order.Open(l, &l.queues[child].Queue, s) {
			q = child
			e = l.queues[q].ranks[s].first()
		} else {
			e = l.queues[q].ranks[s].after(e.key, e.seq)
		}
	}
}

// First returns the first job in the order, behind after, with an open task of the stage that may start on the node.
func (l *Ledger) First(n sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	if s >= sched.Stages || l.queues[sched.Root].ranks[s].n == 0 {
		return 0
	}
	nb := l.node(n)
	if nb == nil || l.yielded || !nb.Serves() {
		return 0
	}
	fits := l.room(nb, s)
	if fits < 0 {
		return 0
	}
	for j := l.Waiting(s, after); j != 0; j = l.Waiting(s, j) {
		if l.suits(nb, &l.jobs[j], s, fits) {
			return j
		}
	}
	return 0
}

// suits tells whether a container of the stage fits on the node, as one of a kind is known to do, and the
// node suits the job.
func (l *Ledger) suits(nb *nodeBook, b *jobBook, s sched.Stage, fits int32) bool {
	if !nb.Suits(b.Spec) {
		return false
	}
	for i, k := range b.kinds[s] {
		if k == fits || nb.Free.Fits(&l.kinds[k].need) {
			l.found = found{node: nb.ID, job: b.ID, stage: s, startable: true, container: uint8(i)}
			return true
		}
	}
	return false
}

// open tells whether the queue and all above it are open.
func (l *Ledger) open(q sched.QueueID, s sched.Stage) bool {
	for ; ; q = l.queues[q].Parent {
		if !l.order.Open(l, &l.queues[q].Queue, s) {
			return false
		}
		if q == sched.Root {
			return true
		}
	}
}

// before tells whether job a stands before job b in the order: by the keys of the first pair of records on
// their paths that are children of the same queue.
func (l *Ledger) before(a, b *jobBook, s sched.Stage) bool {
	ka, sa, qa := a.Keys[s], a.Seq, a.Queue
	kb, sb, qb := b.Keys[s], b.Seq, b.Queue
	up := func(k *sched.Key, seq *int64, q *sched.QueueID) {
		qb := &l.queues[*q]
		*k, *seq, *q = qb.Keys[s], qb.Seq, qb.Parent
	}
	for l.queues[qa].Depth > l.queues[qb].Depth {
		up(&ka, &sa, &qa)
	}
	for l.queues[qb].Depth > l.queues[qa].Depth {
		up(&kb, &sb, &qb)
	}
	for qa != qb {
		up(&ka, &sa, &qa)
		up(&kb, &sb, &qb)
	}
	e := entry{key: ka, seq: sa}
	return e.before(kb, sb)
}
