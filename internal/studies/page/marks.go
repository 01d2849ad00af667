package page

import (
	"slices"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The kinds of what is unusual on a node, in the order of js/over.js.
const (
	isDown = iota
	isSlow
	hasFailed // attempts, as the three below
	hasLost
	hasKilled
	hasPreempted
	markKinds
)

// mostMarks is how many marks a run has at most. Above it neighbours merge, as bars do.
const mostMarks = 2000

// mark is a stretch of time in which something was unusual on a node, so many times. Of a slow node n is the speed that
// it had, in percent of that of its class.
type mark struct {
	node       sched.NodeID
	kind       int
	begin, end units.Time
	n          int
}

// marks are what was unusual, by node and time. Nil ones note nothing.
type marks struct {
	list  []mark
	apart units.Duration           // what is no farther apart is one
	since [2]map[sched.NodeID]mark // of nodes that are down, and that are slow
}

// node notes that a node went down or came back, or changed its speed.
func (m *marks) node(now units.Time, e *follow.Record) {
	if m == nil {
		return
	}
	switch {
	case e.Kind == sched.NodeDown && e.State == sched.Down:
		m.turn(now, e.Node, isSlow, 0)
		m.turn(now, e.Node, isDown, 1)
	case e.Kind == sched.NodeUp:
		m.turn(now, e.Node, isDown, 0)
	case e.Kind == sched.NodeChanged && e.X > 0:
		n := 0
		if e.X < 1 {
			n = max(1, int(100*e.X))
		}
		m.turn(now, e.Node, isSlow, n)
	}
}

// turn notes that something begins, changes to n, or is over, which is 0.
func (m *marks) turn(now units.Time, node sched.NodeID, kind, n int) {
	if m.since[kind] == nil {
		m.since[kind] = map[sched.NodeID]mark{}
	}
	was := m.since[kind][node]
	if was.n == n {
		return
	}
	if was.n > 0 {
		was.end = now
		m.add(was)
	}
	if delete(m.since[kind], node); n > 0 {
		m.since[kind][node] = mark{node, kind, now, now, n}
	}
}

// ended notes an attempt that came to nothing.
func (m *marks) ended(now units.Time, node sched.NodeID, o sched.Outcome) {
	kind, is := map[sched.Outcome]int{sched.Failed: hasFailed, sched.Lost: hasLost, sched.Killed: hasKilled, sched.Preempted: hasPreempted}[o]
	if is && m != nil {
		m.add(mark{node, kind, now, now, 1})
	}
}

func (m *marks) add(x mark) {
	for m.list = append(m.list, x); len(m.list) > mostMarks; m.apart = max(2*m.apart, units.Millisecond) {
		m.merge()
	}
}

// merge makes one of neighbours that are not far apart, node by node. Speeds stay apart as long as there is room.
func (m *marks) merge() {
	slices.SortFunc(m.list, func(a, b mark) int {
		return slices.Compare([]int64{int64(a.node), int64(a.kind), int64(a.begin)}, []int64{int64(b.node), int64(b.kind), int64(b.begin)})
	})
	kept := m.list[:0]
	for _, x := range m.list {
		if n := len(kept); n > 0 && kept[n-1].node == x.node && kept[n-1].kind == x.kind && x.begin.Sub(kept[n-1].end) <= m.apart &&
			(x.kind != isSlow || x.n == kept[n-1].n || m.apart > 0) {
			if kept[n-1].end = max(kept[n-1].end, x.end); x.kind != isSlow {
				kept[n-1].n += x.n
			} else {
				kept[n-1].n = min(kept[n-1].n, x.n)
			}
			continue
		}
		kept = append(kept, x)
	}
	m.list = kept
}

// close ends what lasts until the end of the run.
func (m *marks) close(last units.Time) {
	if m == nil {
		return
	}
	for kind := range m.since {
		for node := range m.since[kind] {
			m.turn(last, node, kind, 0)
		}
	}
	m.merge()
}

// markData is what was unusual, node by node.
type markData struct {
	Nodes []string `json:"nodes"` // on which anything was
	List  column   `json:"list"`  // of each mark its node, kind, begin, length and count, or speed
}

// marks writes what was unusual, the nodes in the order of their handles.
func (d *data) marks(c *collector) *markData {
	m, at := &markData{}, map[sched.NodeID]int64{}
	for _, x := range c.marks.list {
		i, is := at[x.node]
		if !is {
			i, at[x.node] = int64(len(m.Nodes)), int64(len(m.Nodes))
			m.Nodes = append(m.Nodes, clip(c.nodes[x.node].name))
		}
		for _, n := range []int64{i, int64(x.kind), d.ticks(x.begin), d.ticks(x.end) - d.ticks(x.begin), int64(x.n)} {
			m.List.count(n)
		}
	}
	if m.Nodes == nil {
		return nil
	}
	return m
}
