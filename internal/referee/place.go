package referee

import (
	"cmp"
	"slices"
)

// greedy is Hadoop's own placement (Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1).
type greedy struct {
	nonlocal int // maps beyond those that are local, for each node and beat; 0 = any number
	reduces  int // for each node and beat; 0 = any number
	rack     bool
}

func (g *greedy) decide(b *book, events []*line, p *wants) {
	for _, n := range beaten(b, events) {
		serve(b, n, p, &strict{greedy: g, stage: mapStage}, g.reduces)
	}
}

// A queue says who gets the node's next task of a stage, nil if nobody does, and starts it.
type queue interface {
	next(b *book, n *node) *job
	start(b *book, n *node, p *wants, j *job)
}

// serve fills a node: masters, then maps and so many reduces (0 = any number), then further stages.
// Where maps and reduces draw on the same resources the first job of all gets its task first, of
// one job maps.
func serve(b *book, n *node, p *wants, maps queue, reduces int) {
	each := func(q queue) {
		for j := q.next(b, n); j != nil; j = q.next(b, n) {
			q.start(b, n, p, j)
		}
	}
	each(&bounded{stage: master})
	_, whole := maps.(none003) // which wait until they get all they ask for
	red := &bounded{stage: reduceStage, most: reduces, late: whole}
	for n.shares() {
		m, r := maps.next(b, n), red.next(b, n)
		if m == nil || r == nil {
			break
		}
		if m != r && cmp.Or(b.order.compare(r, reduceStage, m, mapStage), cmp.Compare(r.seq, m.seq)) < 0 {
			red.start(b, n, p, r)
		} else {
			maps.start(b, n, p, m)
		}
	}
	each(maps)
	each(red)
	for s := other0; s < stages; s++ {
		each(&strict{greedy: &greedy{nonlocal: 1}, stage: s, late: whole})
	}
}

// shares tells whether maps and reduces may draw on the same resources there.
func (n *node) shares() bool {
	return slices.ContainsFunc(n.Class.Capacity[2:], func(x int64) bool { return x > 0 })
}

// bounded is the first job in the order, so many times (0 = any number).
type bounded struct {
	stage, most, given int
	late               bool // nobody's whose maps are to be done in the same resources
}

func (q *bounded) next(b *book, n *node) *job {
	if q.most > 0 && q.given == q.most {
		return nil
	}
	return b.firstFree(n, q.stage, q.late)
}

// firstFree is the first job, if it is late that none of whose maps are to be done that need something that a task of
// the stage takes.
func (b *book) firstFree(n *node, s int, late bool) *job {
	for _, j := range b.line(s) {
		m := j.stage[mapStage]
		both := false
		for d := 0; m != nil && m.done < len(m.Tasks) && d < len(m.needs); d++ {
			both = both || m.needs[d] > 0 && j.stage[s].needs[d] > 0
		}
		if b.serves(n, j, s) && !(late && both) {
			return j
		}
	}
	return nil
}

func (q *bounded) start(b *book, n *node, p *wants, j *job) {
	q.given++
	p.start(j, q.stage, n, "first-in-order")
}

// strict is the first job in the order: its tasks local to the node, then so many others, and with
// the last of them no more.
type strict struct {
	*greedy
	stage, far int
	late       bool
}

func (q *strict) next(b *book, n *node) *job {
	if q.far > 0 && q.far == q.nonlocal {
		return nil
	}
	return b.firstFree(n, q.stage, q.late)
}

func (q *strict) start(b *book, n *node, p *wants, j *job) {
	if _, near := b.nearest(n, j.stage[q.stage]); near == remote || near == rackLocal && !q.rack {
		q.far++
	}
	p.start(j, q.stage, n, "first-in-order")
}

// delay lets a job wait for nodes that hold its data (Zaharia et al. 2010, algorithm 2; paper 003, section 4.2).
type delay struct {
	d, rack  int64
	reduces  int
	waits    map[*job]*waited
	lastBeat int64
}

type waited struct {
	level   int
	wait    int64
	skipped bool
	since   int64 // where nodes are served at once: of its first skip, or of its last start
}

func (d *delay) decide(b *book, events []*line, p *wants) {
	interval := b.world.World.Heartbeat
	for i, n := range beaten(b, events) {
		for _, w := range d.waits {
			if w.skipped && interval > 0 && i == 0 { // the beats of one instant are one
				w.wait += min(b.now-d.lastBeat, interval)
				w.skipped = false
			}
		}
		d.lastBeat = b.now
		serve(b, n, p, d, d.reduces)
	}
	for j := range d.waits {
		if j.state == finished {
			delete(d.waits, j)
		}
	}
}

// next is the first job that may start a map on the node.
func (d *delay) next(b *book, n *node) *job {
	for _, j := range b.line(mapStage) {
		if !b.serves(n, j, mapStage) {
			continue
		}
		_, near := b.nearest(n, j.stage[mapStage])
		if near == anywhere {
			return j
		}
		w := d.waits[j]
		if w == nil {
			w = &waited{since: -1}
			d.waits[j] = w
		}
		wait := w.wait
		if b.world.World.Heartbeat == 0 && w.since >= 0 {
			wait = b.now - w.since
		}
		level := w.level
		switch {
		case level == 0 && wait >= d.d+d.rack, level == 1 && wait >= d.rack:
			level = 2
		case level == 0 && wait >= d.d:
			level = 1
		}
		if near-nodeLocal <= level {
			return j
		}
		w.skipped = true
		if w.since < 0 {
			w.since = b.now
		}
	}
	return nil
}

func (d *delay) start(b *book, n *node, p *wants, j *job) {
	if _, near := b.nearest(n, j.stage[mapStage]); near != anywhere {
		w := d.waits[j]
		w.level, w.wait, w.skipped = near-nodeLocal, 0, false
		if w.since >= 0 {
			w.since = b.now
		}
	}
	p.start(j, mapStage, n, "first-in-order")
}

// matchmaking gives every node a chance to take its local maps before any takes another's (paper 003, section 4.3).
type matchmaking struct {
	reduces int
	marked  map[int]bool
}

func (m *matchmaking) decide(b *book, events []*line, p *wants) {
	m.clear(b, events, p)
	nodes := beaten(b, events)
	for again := true; again; {
		again = false
		for _, n := range nodes {
			had, t := len(p.acts), &turn{matchmaking: m}
			serve(b, n, p, t, m.reduces)
			again = again || t.marks || len(p.acts) > had
		}
		again = again && b.world.World.Heartbeat == 0
	}
}

// clear takes all marks away when the maps of a job come to stand in the queue, and that of a node which comes back.
func (m *matchmaking) clear(b *book, events []*line, p *wants) {
	for _, e := range events {
		switch e.name {
		case "node-up":
			delete(m.marked, e.int("node"))
		case "stage-ready":
			if e.get("stage") == "map" && b.jobs[e.int("job")] != nil && b.jobs[e.int("job")].state == admitted {
				clear(m.marked)
			}
		}
	}
	for _, a := range p.acts {
		if a.verb == "admit" {
			clear(m.marked)
		}
	}
}

// A turn is lines 5 to 27 of algorithm 1, with the marker tested before it is set.
type turn struct {
	*matchmaking
	marks, over bool // it has marked the node; the node gets no more on this beat
}

func (t *turn) next(b *book, n *node) *job {
	first := b.firstJob(n, mapStage)
	if t.over || first == nil {
		return nil // nothing to look for is no failure to find it
	}
	for _, j := range b.line(mapStage) {
		if b.serves(n, j, mapStage) && local(b, n, j) {
			return j
		}
	}
	if t.marked[n.id] {
		return first
	}
	t.marked[n.id], t.marks, t.over = true, true, true
	return nil
}

func (t *turn) start(b *book, n *node, p *wants, j *job) {
	if local(b, n, j) {
		delete(t.marked, n.id)
	} else {
		t.over = true
	}
	p.start(j, mapStage, n, "")
}

// local tells whether the job has a map at home on the node.
func local(b *book, n *node, j *job) bool {
	_, near := b.nearest(n, j.stage[mapStage])
	return near == anywhere || near == nodeLocal
}
