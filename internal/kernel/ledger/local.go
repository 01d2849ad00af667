package ledger

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// The index behind FirstLocal. Each node that was asked about has, for each stage and queue, a ranking of
// the jobs with an open task that is local to it. One more ranking, of no node, has the jobs with an open
// task that is at home everywhere. A job has input on thousands of nodes, and under some orders its key
// changes with each of its tasks, so the rankings do not follow each change. They are lazy:
//
//   - An entry may be out of date. It is checked when it reaches the front, and is then removed, or moved
//     back to where the job stands now. So an entry may stand too far in front, but never too far behind.
//   - News is whatever could bring a job further to the front somewhere: it was ranked, its key fell, or a
//     task of it is open again. Each job is once in a list ordered by the time of its last news. A node
//     that is asked about reads the news since the last question about it.
//
// So a question costs O(log jobs) for each queue with local work, and O(log jobs) for each job with news
// since the last question about the node. A job that only waits costs nothing. The index is kept only once
// a policy has asked, and is not saved, as answers do not depend on it.

// localIndex is the index of one node and stage.
type localIndex struct {
	seen  int64  // number of the last news taken in
	lines []line // by queue, ascending
}

// line ranks jobs of one queue. A job may stand in it more than once, until its entries are refreshed.
type line struct {
	ranking
	queue sched.QueueID
	sweep int // when it has grown to so many entries, all are looked at
}

// newsLink links a job into the list of news of a stage.
type newsLink struct {
	number       int64 // of its last news; 0: it is not in the list
	older, newer sched.JobID
}

// FirstLocal is First among the jobs that have an open task which is local to the node: its input
// lies there, or it is at home everywhere.
func (l *Ledger) FirstLocal(n sched.NodeID, s sched.Stage, after sched.JobID) sched.JobID {
	nb := l.node(n)
	if nb == nil || s >= sched.Stages || l.yielded || !nb.Serves() {
		return 0
	}
	fits := l.room(nb, s)
	if fits < 0 {
		return 0
	}
	l.startIndex()
	for int(n) >= len(l.localJobs) {
		l.localJobs = append(l.localJobs, [sched.Stages]localIndex{})
	}
	from := l.job(after)
	best := l.frontOf(nb, nb, &l.localJobs[n][s], s, fits, from)
	if b := l.frontOf(nb, nil, &l.everywhere[s], s, fits, from); b != nil && (best == nil || l.before(b, best, s)) {
		best = b
	}
	if best == nil {
		return 0
	}
	return best.ID
}

// frontOf returns the first job of an index that stands behind from and suits the node nb, nil if there is
// none. at is the node of the index, nil for the index of tasks that are at home everywhere.
func (l *Ledger) frontOf(nb, at *nodeBook, index *localIndex, s sched.Stage, fits int32, from *jobBook) *jobBook {
	l.readNews(at, index, s)
	var best *jobBook
	index.lines = slices.DeleteFunc(index.lines, func(li line) bool { return l.queues[li.queue].ID == 0 })
	for i := range index.lines {
		li := &index.lines[i]
		if li.n == 0 || !l.open(li.queue, s) {
			continue
		}
		for e := li.first(); e != nil; {
			is := *e
			b := &l.jobs[is.elem]
			if l.refresh(at, li, is, s) && (from == nil || l.before(from, b, s)) && l.suits(nb, b, s, fits) {
				if best == nil || l.before(b, best, s) {
					best = b
				}
				break
			}
			e = li.after(is.key, is.seq)
		}
	}
	return best
}

// refresh tells whether an entry is up to date. One that is not is removed, or moved to where the job stands.
func (l *Ledger) refresh(at *nodeBook, li *line, e entry, s sched.Stage) bool {
	b := &l.jobs[e.elem]
	if b.Seq == e.seq && b.Ranked&(1<<s) != 0 && b.Queue == li.queue && l.local(at, b, s) {
		key := b.Keys[s]
		if key == e.key {
			return true
		}
		li.put(entry{key: key, seq: e.seq, elem: e.elem})
	}
	li.remove(e.key, e.seq)
	return false
}

// local tells whether the job has an open task of the stage whose input lies on the node; for no
// node, one that is at home everywhere.
func (l *Ledger) local(at *nodeBook, b *jobBook, s sched.Stage) bool {
	t := b.tasks[s]
	switch {
	case at == nil && l.can.Bind:
		return t.atHome() != 0
	case at == nil:
		return t.Anywhere > 0 && !t.Placed
	case l.can.Bind:
		return l.localTask(t, at.ID) != 0
	}
	i, asks := demandOf(t.Demand, int32(at.ID))
	return asks && t.Demand[i].Count > 0
}

// readNews enters the jobs with news since the last question.
func (l *Ledger) readNews(at *nodeBook, index *localIndex, s sched.Stage) {
	for j := l.newest[s]; j != 0; {
		b := &l.jobs[j]
		g := &b.tasks[s].news
		if g.number <= index.seen {
			break
		}
		if l.local(at, b, s) {
			l.enlist(at, index, b, s)
		}
		j = g.older
	}
	index.seen = l.lastNews
}

// enlist enters a job where it stands now.
func (l *Ledger) enlist(at *nodeBook, index *localIndex, b *jobBook, s sched.Stage) {
	i, found := slices.BinarySearchFunc(index.lines, b.Queue, func(li line, q sched.QueueID) int { return int(li.queue) - int(q) })
	if !found {
		index.lines = slices.Insert(index.lines, i, line{queue: b.Queue, sweep: 2 * chunkCap})
	}
	li := &index.lines[i]
	li.put(entry{key: b.Keys[s], seq: b.Seq, elem: int32(b.ID)})
	if li.n >= li.sweep {
		for e := li.first(); e != nil; {
			is := *e
			l.refresh(at, li, is, s)
			e = li.after(is.key, is.seq)
		}
		li.sweep = 2*li.n + 2*chunkCap
	}
}

// put is insert, but for an entry that stands there already.
func (r *ranking) put(e entry) {
	if ci, pos := r.find(e.key, e.seq); ci < len(r.chunks) {
		if is := &r.chunks[ci][pos]; is.key == e.key && is.seq == e.seq {
			return
		}
	}
	r.insert(e)
}

// startIndex begins to keep news when a policy asks for the first time.
func (l *Ledger) startIndex() {
	if l.indexing {
		return
	}
	l.indexing = true
	for j := range l.jobs {
		for s := range sched.Stages {
			l.postNews(&l.jobs[j], s)
		}
	}
}

// postNews says that the job may stand further in front somewhere than before. O(1).
func (l *Ledger) postNews(b *jobBook, s sched.Stage) {
	if !l.indexing || b.Ranked&(1<<s) == 0 || b.tasks[s] == nil {
		return // when it comes to stand in the order, that is news
	}
	l.dropNews(b, s)
	g := &b.tasks[s].news
	l.lastNews++
	g.number, g.older = l.lastNews, l.newest[s]
	if g.older != 0 {
		l.jobs[g.older].tasks[s].news.newer = b.ID
	}
	l.newest[s] = b.ID
}

// dropNews takes the job out of the list of news.
func (l *Ledger) dropNews(b *jobBook, s sched.Stage) {
	if !l.indexing || b.tasks[s] == nil || b.tasks[s].news.number == 0 {
		return
	}
	g := &b.tasks[s].news
	if g.newer != 0 {
		l.jobs[g.newer].tasks[s].news.older = g.older
	} else {
		l.newest[s] = g.older
	}
	if g.older != 0 {
		l.jobs[g.older].tasks[s].news.newer = g.newer
	}
	*g = newsLink{}
}
