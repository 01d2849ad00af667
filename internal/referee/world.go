package referee

import (
	"fmt"
	"math"
)

// A pace is how fast a node works from an instant on, against the machine for which task times hold.
type pace struct {
	at     int64
	factor float64
}

// pace begins the history of a node's speed.
func (j *judge) pace(n *node) { n.paces = []pace{{j.now, n.factor}} }

// change takes in a new speed or description.
func (j *judge) change(n *node, l *line) {
	if x := l.float("x"); x != 0 {
		n.factor = x
	}
	n.paces = append(n.paces, pace{j.now, n.factor})
}

// rented tells whether the node is a cloud's.
func (n *node) rented() bool { return n.Class.Most > 0 }

// asks notes what an item asks of a node, sleep or wake, until the world answers.
func (n *node) asks(verb string, now int64) {
	n.comes = now + n.Class.WakeTime
	n.asleep, n.waking = true, verb == "wake"
	switch {
	case !n.rented():
	case verb == "wake":
		n.offered = false
	case n.occupied > 0:
		n.asleep, n.draining = false, true
	default:
		n.up, n.asleep, n.offered = false, false, true
	}
}

// declines takes that back.
func (n *node) declines() {
	if !n.rented() {
		n.asleep, n.waking = n.waking, false
		return
	}
	n.offered, n.up = n.waking, !n.waking
	n.asleep, n.waking, n.draining = false, false, false
}

// stand notes where a node stands since a time, as an event says; without a word it stands as it did.
func (n *node) stand(state string, since int64) error {
	if state == "waking" && !n.waking {
		n.comes = since + n.Class.WakeTime
	}
	switch state {
	case "":
		return nil
	case "awake", "asleep", "waking", "draining", "offered":
		n.asleep, n.waking, n.draining = state == "asleep" || state == "waking", state == "waking", state == "draining"
		if n.offered = state == "offered"; n.offered || state == "waking" && n.rented() {
			n.up = false
		}
		return nil
	}
	return fmt.Errorf("the referee does not know nodes that are %s", state)
}

// due holds the end of an attempt to what it had to do: a map its work, a reduce its shuffle behind
// the later of its start and the job's last map, then its work. Speed acts on the CPU share c of
// the work: a nanosecond of it takes c/speed + 1-c.
func (j *judge) due(a *attempt, outcome string) {
	gone := j.jobs[a.job]
	s, n := gone.stage[a.stage], j.nodes[a.node]
	if a.stage == master || outcome != "committed" {
		return
	}
	t := &s.Tasks[a.task-1]
	at := a.started
	if a.stage == reduceStage {
		if m := gone.stage[mapStage]; m != nil {
			if m.lost || m.done < len(m.Tasks) {
				return // which outputs it had by then the journal does not say
			}
			at = max(at, m.ended)
		}
		at += t.Shuffle
	}
	c := s.CPUShare
	if c == 0 {
		c = 1
	}
	left, steps := float64(t.Work), int64(0)
	for i, p := range n.paces {
		slow := c/(n.Class.Speed*p.factor) + 1 - c
		if i+1 < len(n.paces) && n.paces[i+1].at > at {
			part := float64(n.paces[i+1].at-at) / slow
			if part < left {
				left -= part
				at = n.paces[i+1].at
				steps++
				continue
			}
		} else if i+1 < len(n.paces) {
			continue
		}
		at += int64(math.Round(left * slow))
		break
	}
	j.report.Ends++
	if max(at-j.now, j.now-at) > steps { // each new speed rounds once more
		j.differ(j.line, fmt.Sprintf("that attempt %d of task %d of job %d ends at %d", a.id, a.task, a.job, at), fmt.Sprintf("its end at %d", j.now))
	}
}

// beat holds a beat to its phase. With an interval I and N nodes, node n beats at (n-1)·I/N + k·I.
func (j *judge) beat(id int) {
	n := j.node(id)
	if n == nil || !n.up {
		j.differ(j.line, fmt.Sprintf("no beat of node %d, which is not up", id), "one")
		return
	}
	n.beaten = j.now
	interval := j.world.World.Heartbeat
	if !j.opt.Plain || interval == 0 {
		return
	}
	j.report.Beats++
	if j.now%interval != j.phase(id) {
		j.differ(j.line, fmt.Sprintf("beats of node %d at %d and every %d behind it", id, j.phase(id), interval), fmt.Sprintf("one at %d", j.now))
	}
}

func (j *judge) phase(id int) int64 {
	return int64(id-1) * j.world.World.Heartbeat / int64(j.nodesN)
}

// gap holds the time from now until the next round, in which nothing happened, to the beats that
// were due in it: of nodes with room for what waits.
func (j *judge) gap(until int64) {
	interval := j.world.World.Heartbeat
	if !j.opt.Plain || interval == 0 || j.nodesN == 0 {
		return
	}
	if until-j.now > interval {
		until = j.now + interval
	}
	// from the node whose phase comes next, one by one
	id := int((j.now%interval)*int64(j.nodesN)/interval) + 1
	for id > 1 && j.phase(id-1) >= j.now%interval {
		id--
	}
	for ; id <= j.nodesN && j.phase(id) < j.now%interval; id++ {
	}
	base := j.now - j.now%interval
	for range j.nodesN {
		if id > j.nodesN {
			id, base = 1, base+interval
		}
		at := base + j.phase(id)
		if at >= until {
			return
		}
		n := j.node(id)
		if n != nil && n.serves() && n.beaten != at && at >= j.now && j.wanted(n) {
			j.differ(j.line, fmt.Sprintf("a beat of node %d at %d, which has room for what waits", id, at), fmt.Sprintf("nothing from %d to %d", j.now, until))
			return
		}
		id++
	}
}

// wanted tells whether the node has room for something that waits.
func (j *judge) wanted(n *node) bool {
	for _, o := range j.live {
		for i := range o.Stages {
			if s := &o.Stages[i]; j.runs(o, s) && s.needs.fits(&n.free) {
				return true
			}
		}
	}
	return false
}

// over looks at what is left when the run has ended.
func (j *judge) over() {
	for _, a := range j.attempts {
		if j.opt.Plain && j.jobs[a.job].state != finished {
			j.differ(j.line, fmt.Sprintf("that attempt %d of task %d of job %d ends", a.id, a.task, a.job), "no end of it")
		}
	}
}
