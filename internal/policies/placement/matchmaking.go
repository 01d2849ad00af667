package placement

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
)

// Matchmaking gives every node a fair chance to take its local maps before any takes another's
// (paper 003, section 4.3, tables 4.1 and 4.2):
//
//	Algorithm 1, when node i beats and has s free slots:               here
//	 5      while s > 0:                                               turn.fill
//	 6-18     the first job in the queue with an unassigned            FirstLocal: the first job of the policy's order with a local map,
//	          local task gets it assigned; marker[i] = 1, or + 1       whatever stands before it; the marker goes
//	19-21     no local task, and marker[i] is not 0 yet:               the first time in a row: the node is marked and gets no map
//	          marker[i] = 0; stop
//	22-25     no local task, and marker[i] was 0:                      after that one non-local map of the first job, and no more on this
//	          one non-local task of the first job; stop                beat, no matter how many slots stay free
//	Algorithm 2, when a job comes: all markers = null                  all markers go
//
// Only whether a marker is 0 is ever asked, so a node is marked or it is not. Lines 19 to 26 are
// corrected: as printed, lines 19 to 21 catch the marker that is 0 as well, stop, and no node ever
// gets a non-local task, against the text of the section (TestPrintedFormStarves).
//
// What the paper leaves open:
//
//   - A task without preferred nodes is at home everywhere, so it is local. A task whose data lie in the rack is not.
//   - A node for which no map waits is not looking for one, so that is no failure to find one. (In
//     Hadoop nodes beat also while nothing waits.)
//   - A job comes when its maps come to stand in the queue: when it is admitted, or its
//     predecessors are done. A node that comes back is new.
//   - After a resync all markers are gone: nobody knows which jobs have come, and handles may be
//     others. A take-over changes nothing: jobs are admitted while a stock scheduler places work, too.
//   - Nothing bounds how often jobs come. While they come faster than nodes beat, no node gets a non-local map.
//   - Masters, reduces and further stages are served as Greedy does.
//
// Where nodes are served at once (a heartbeat of 0), there is no beat to wait for. It counts as the
// limit of ever shorter intervals: all nodes that are served take their turns again and again at
// the same instant, each with at most one non-local map and Reduces reduces, until none gets
// anything. So every one of them has had its chance before any gets a non-local map, none is left
// with room and a map that fits, and no job waits for ever.
//
// A beat costs O(log jobs) for each queue with work local to the node and for each map that it
// gets, whatever waits (package ledger, FirstLocal).
type Matchmaking struct {
	Reduces int // reduces per node and beat, 0 = no bound

	marked []sched.NodeID // ascending
	turn                  // reused
	line   matches
	again  []sched.NodeID
}

// NewMatchmaking returns the part with no node marked.
func NewMatchmaking(reduces int) *Matchmaking {
	return &Matchmaking{Reduces: reduces, marked: []sched.NodeID{}}
}

// Decide serves the nodes that beat, in the order of their beats.
func (m *Matchmaking) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	m.note(v, batch, p)
	m.again = m.again[:0]
	for i := range batch {
		if batch[i].Kind == sched.Heartbeat && m.serve(v, p, batch[i].Node) {
			m.again = append(m.again, batch[i].Node)
		}
	}
	if v.World().Heartbeat > 0 {
		return
	}
	for len(m.again) > 0 {
		m.again = slices.DeleteFunc(m.again, func(n sched.NodeID) bool { return !m.serve(v, p, n) })
	}
}

// note takes markers away: all when a job comes, a node's when it does.
func (m *Matchmaking) note(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; {
		case e.Kind == sched.NodeUp:
			m.mark(e.Node, false)
		case e.Kind == sched.StageReady && e.Stage == sched.Map:
			if j := v.Job(e.Job); j != nil && j.Standing() == sched.Admitted {
				m.marked = m.marked[:0]
			}
		case e.Kind == sched.Resync:
			m.marked = m.marked[:0]
		}
	}
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Admit && it.Refused == sched.OK {
			m.marked = m.marked[:0]
			return
		}
	}
}

// serve gives a node its turn. It tells whether there may be more for it at once: whether it got
// something, or was marked just now.
func (m *Matchmaking) serve(v sched.View, p *sched.Plan, n sched.NodeID) bool {
	t := &m.turn
	if !t.of(v, p, n) {
		return false
	}
	items, was := len(p.Items), m.isMarked(n)
	m.line = matches{m: m}
	t.serve(&m.line, m.Reduces, 1)
	for i := items; i < len(p.Items); i++ {
		if p.Items[i].Refused == sched.OK {
			return true
		}
	}
	return !was && m.isMarked(n)
}

func (m *Matchmaking) isMarked(n sched.NodeID) bool {
	_, is := slices.BinarySearch(m.marked, n)
	return is
}

func (m *Matchmaking) mark(n sched.NodeID, on bool) {
	switch at, is := slices.BinarySearch(m.marked, n); {
	case on && !is:
		m.marked = slices.Insert(m.marked, at, n)
	case is && !on:
		m.marked = slices.Delete(m.marked, at, at+1)
	}
}

// matches is the line of maps for one node and beat.
type matches struct {
	m     *Matchmaking
	after sched.JobID // jobs with local maps up to this one have been passed over
	far   sched.JobID // and jobs with any, for a non-local one
	local bool        // the job named last is to start a local one
	spent bool
}

func (l *matches) next(t *turn) sched.JobID {
	n := t.node.ID
	if l.spent {
		return 0
	}
	if j := t.v.FirstLocal(n, sched.Map, l.after); j != 0 {
		l.local = true
		return j
	}
	l.local = false
	j := t.v.First(n, sched.Map, l.far)
	if j != 0 && !l.m.isMarked(n) {
		l.m.mark(n, true)
		l.spent = true
		return 0
	}
	return j
}

func (l *matches) start(t *turn, j sched.JobID) {
	started := t.start(j, sched.Map, sched.Remote)
	switch {
	case started && l.local:
		l.m.mark(t.node.ID, false)
	case started:
		l.spent = true
	case l.local:
		l.after = j
	default:
		l.far = j
	}
}

// MarshalJSON saves which nodes are marked.
func (m *Matchmaking) MarshalJSON() ([]byte, error) { return json.Marshal(m.marked) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Matchmaking) UnmarshalJSON(text []byte) error {
	m.marked = m.marked[:0]
	err := json.Unmarshal(text, &m.marked)
	if err == nil && len(m.marked) > 0 && slices.Min(m.marked) < 1 {
		err = fmt.Errorf("node %d is no handle", slices.Min(m.marked))
	}
	slices.Sort(m.marked)
	return err
}

// CopyFrom takes over which nodes are marked.
func (m *Matchmaking) CopyFrom(other any) { m.marked = slices.Clone(other.(*Matchmaking).marked) }
