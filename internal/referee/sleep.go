package referee

import (
	"slices"
	"time"
)

// sleeper puts nodes to sleep on which nothing has run for a while and which no waiting task would
// go to, the last first, and wakes them for work that finds no room, the first first.
type sleeper struct {
	idle, tick int64 // tick: when it looks next, 0 = when something changes
	keep       int   // nodes that stay awake
}

func sleeperOf(_ *made, a *asked) part {
	return &sleeper{idle: max(a.span("idle", 5*time.Minute), int64(time.Second)), keep: a.count("keep", 1)}
}

// bring are the events that may bring work, or change nodes; that a task has been committed leaves
// less to do.
var bring = []string{"job-arrived", "job-ended", "job-amended", "stage-ready", "output-lost", "node-up", "node-down", "node-changed"}

// A bed is a node with what is left of it when waiting tasks have gone there.
type bed struct {
	*node
	free           vector
	sleeps, wanted bool
}

func (s *sleeper) decide(b *book, events []*line, p *wants) {
	look := s.tick != 0 && b.now >= s.tick
	if look {
		s.tick = 0
	}
	for _, e := range events {
		look = look || slices.Contains(bring, e.name) || e.name == "ended" && e.get("outcome") != "committed"
	}
	if !look {
		return
	}
	var beds []*bed
	awake, sleepers, due := 0, false, false
	for _, n := range b.nodes {
		if n == nil || !n.up || n.draining {
			continue
		}
		x := &bed{node: n, free: n.free, sleeps: n.asleep && !n.waking}
		beds = append(beds, x)
		if x.sleeps {
			sleepers = true
			continue
		}
		awake++
		due = due || s.tired(b, n)
	}
	due = due && awake > s.keep
	if (sleepers || due) && s.fill(b, beds, p) == 0 && due {
		for _, x := range slices.Backward(beds) {
			if awake > s.keep && !x.sleeps && !x.wanted && s.tired(b, x.node) {
				p.power("sleep", x.node, "node-idle"+numbers(x.since, int64(awake)))
				awake--
			}
		}
	}
	if awake <= s.keep {
		return
	}
	next := b.now + s.idle
	for _, x := range beds {
		if x.occupied == 0 && !x.asleep && x.since+s.idle > b.now {
			next = min(next, x.since+s.idle)
		}
	}
	if s.tick == 0 || next < s.tick {
		s.tick = next
	}
}

// tired tells whether a node has been idle for long enough.
func (s *sleeper) tired(b *book, n *node) bool {
	return n.occupied == 0 && !n.asleep && b.now-n.since >= s.idle
}

// fill gives waiting tasks to nodes, and wakes some for those that find no room. It returns how
// many find none even so.
func (s *sleeper) fill(b *book, beds []*bed, p *wants) (left int64) {
	for k := range stages {
		for _, j := range b.line(k) {
			st := j.stage[k]
			if !b.runs(j, st) || !b.order.open(b, j, k) {
				continue
			}
			wait := int64(st.open)
			if st.limit >= 0 {
				wait = min(wait, int64(st.limit-st.occupied))
			}
			for _, sleeping := range []bool{false, true} {
				none := wait // of these find no room on nodes that are awake
				for _, x := range beds {
					if wait == 0 || x.sleeps != sleeping || !x.carries(j) || !st.needs.fits(&x.free) {
						continue
					}
					if x.sleeps {
						x.sleeps = false
						p.power("wake", x.node, "no-room-awake"+numbers(none))
					}
					for x.wanted = true; wait > 0 && st.needs.fits(&x.free); wait-- {
						x.free.add(&st.needs, -1)
					}
				}
			}
			left += wait
		}
	}
	return left
}
