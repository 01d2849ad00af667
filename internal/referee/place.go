package referee

import "slices"

// greedy is Hadoop's own placement (Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1).
type greedy struct {
	nonlocal int // maps beyond those that are local, for each node and beat; 0 = any number
	reduces  int // for each node and beat; 0 = any number
	rack     bool
}

func (g *greedy) decide(b *book, events []*line, p *wants) {
	for _, n := range beaten(b, events) {
		masters(b, n, p)
		g.fill(b, n, p, mapStage)
		reduces(b, n, p, g.reduces)
		for s := other0; s < stages; s++ {
			g.fill(b, n, p, s)
		}
	}
}

// masters come before tasks.
func masters(b *book, n *node, p *wants) {
	for {
		j := b.firstJob(n, master)
		if j == nil || !p.start(j, master, n, "first-in-order") {
			return
		}
	}
}

// reduces gives a node that many at most.
func reduces(b *book, n *node, p *wants, most int) {
	for given := 0; most == 0 || given < most; given++ {
		j := b.firstJob(n, reduceStage)
		if j == nil || !p.start(j, reduceStage, n, "first-in-order") {
			return
		}
	}
}

// fill gives the node tasks of the first job: those local to it, then so many others, and with the last of them no more.
func (g *greedy) fill(b *book, n *node, p *wants, s int) {
	far := 0
	for {
		j := b.firstJob(n, s)
		if j == nil {
			return
		}
		_, near := b.nearest(n, j.stage[s])
		if near == remote || near == rackLocal && !g.rack {
			far++
		}
		p.start(j, s, n, "first-in-order")
		if far > 0 && far == g.nonlocal {
			return
		}
	}
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
	for _, n := range beaten(b, events) {
		for _, w := range d.waits {
			if w.skipped && interval > 0 {
				w.wait += min(b.now-d.lastBeat, interval)
				w.skipped = false
			}
		}
		d.lastBeat = b.now
		masters(b, n, p)
		for d.one(b, n, p, interval) {
		}
		reduces(b, n, p, d.reduces)
	}
	for j := range d.waits {
		if j.state == finished {
			delete(d.waits, j)
		}
	}
}

// one starts one map on the node, if any job may.
func (d *delay) one(b *book, n *node, p *wants, interval int64) bool {
	for _, j := range b.line(mapStage) {
		if !b.serves(n, j, mapStage) {
			continue
		}
		_, near := b.nearest(n, j.stage[mapStage])
		if near == anywhere {
			return p.start(j, mapStage, n, "first-in-order")
		}
		w := d.waits[j]
		if w == nil {
			w = &waited{since: -1}
			d.waits[j] = w
		}
		wait := w.wait
		if interval == 0 && w.since >= 0 {
			wait = b.now - w.since
		}
		level := w.level
		switch {
		case level == 0 && wait >= d.d+d.rack, level == 1 && wait >= d.rack:
			level = 2
		case level == 0 && wait >= d.d:
			level = 1
		}
		if int(near)-nodeLocal > level {
			w.skipped = true
			if w.since < 0 {
				w.since = b.now
			}
			continue
		}
		w.level, w.wait, w.skipped = near-nodeLocal, 0, false
		if w.since >= 0 {
			w.since = b.now
		}
		return p.start(j, mapStage, n, "first-in-order")
	}
	return false
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
			given := len(p.acts)
			masters(b, n, p)
			marks := m.turn(b, n, p)
			reduces(b, n, p, m.reduces)
			again = again || marks || len(p.acts) > given
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

// turn is lines 5 to 27 of algorithm 1, with the marker tested before it is set. It tells whether it set one.
func (m *matchmaking) turn(b *book, n *node, p *wants) (marks bool) {
	for {
		first := b.firstJob(n, mapStage)
		if first == nil {
			return false // nothing to look for is no failure to find it
		}
		i := slices.IndexFunc(b.line(mapStage), func(j *job) bool {
			_, near := b.nearest(n, j.stage[mapStage])
			return (near == anywhere || near == nodeLocal) && b.serves(n, j, mapStage)
		})
		switch {
		case i >= 0:
			delete(m.marked, n.id)
			p.start(b.line(mapStage)[i], mapStage, n, "")
		case !m.marked[n.id]:
			m.marked[n.id] = true
			return true
		default:
			p.start(first, mapStage, n, "")
			return false
		}
	}
}
