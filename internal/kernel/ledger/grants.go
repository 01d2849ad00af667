package ledger

import "github.com/slackline/slackline/sched"

// grant is a start that the world was asked for and has not answered in full.
type grant struct {
	Item      sched.ItemID
	Job       sched.JobID
	Node      sched.NodeID
	Left      int32 // containers promised, neither started nor refused
	Stage     sched.Stage
	Container uint8
	Near      sched.Locality // where the world binds late: the demand it was taken from
	Taken     bool           // the world took it over
	// the demand that the world last told counts it: whatever came of it, that demand is right as
	// it stands
	Counted bool
	Second  sched.TaskID // the task of which it is a second attempt; 0 = it is a start
}

// grants are the open grants in the order of their items. Most are answered in the order they were
// made, so the list is a ring that is entered at the back and cleared at the front; one that is
// answered late keeps its place. Finding one costs O(log n) in the number of grants since the
// oldest open one.
type grants struct {
	ring []grant // its length is a power of two
	head int     // place of the oldest
	n    int
}

func (g *grants) at(i int) *grant { return &g.ring[(g.head+i)&(len(g.ring)-1)] }

// put enters a grant. A held item comes back with an older number than the last: then it is moved to its place.
func (g *grants) put(e grant) {
	if g.n == len(g.ring) {
		bigger := make([]grant, max(64, 2*g.n))
		for i := range g.n {
			bigger[i] = *g.at(i)
		}
		g.ring, g.head = bigger, 0
	}
	g.n++
	i := g.n - 1
	for ; i > 0 && g.at(i-1).Item > e.Item; i-- {
		*g.at(i) = *g.at(i - 1)
	}
	*g.at(i) = e
}

// granted notes that the world took an item over. It may take over less of a start than was asked:
// then the rest counts as refused, and rides in this batch. To hear it again changes nothing.
func (l *Ledger) granted(e *sched.Event) {
	if e.Item < 1 || e.Item > l.lastItem {
		l.discrepancy(e, "an item was taken over that was not planned")
		return
	}
	g := l.grants.find(e.Item)
	if g == nil || g.Taken {
		return // it is no start, or all of it has been answered
	}
	g.Taken = true
	if rest := g.Left - e.Count; e.Count > 0 && rest > 0 {
		r := sched.Event{Kind: sched.Refused, Item: g.Item, Job: g.Job, Stage: g.Stage, Node: g.Node, Count: rest, Why: sched.Stale}
		l.refusedByWorld(&r)
		r.Derived = true
		l.derived = append(l.derived, r)
	}
}

// find returns the grant of an item, nil if it is answered or never was.
func (g *grants) find(item sched.ItemID) *grant {
	if g.n > 0 {
		if e := g.at(0); e.Item == item && e.Left > 0 { // most often it is the oldest
			return e
		}
	}
	lo, hi := 0, g.n
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); g.at(m).Item < item {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < g.n && g.at(lo).Item == item && g.at(lo).Left > 0 {
		return g.at(lo)
	}
	return nil
}

// answer takes count containers off a grant and forgets answered ones at the front.
func (g *grants) answer(e *grant, count int32) {
	e.Left -= count
	for g.n > 0 && g.at(0).Left <= 0 {
		g.head = (g.head + 1) & (len(g.ring) - 1)
		g.n--
	}
	if g.n == 0 {
		g.head = 0 // so that what comes next is entered where memory was last touched
	}
}
