package ledger

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What happens to the two books in a world that binds late.

// describeLate makes up a job with stages of which so many are done.
func (m *model) describeLate(id string, done [sched.Stages]int) *workload.Job {
	spec := m.describe(id)
	for i, s := range stages {
		st := &spec.Stages[i]
		st.MaxTasks = []int{0, 4}[m.pick("moldable", 2)]
		if st.Grows = m.pick("grows", 3) > 0; st.Grows {
			st.Tasks = st.Tasks[:m.pick("listed", len(st.Tasks)+1)]
		} else if more := done[s] - len(st.Tasks); more > 0 { // what is final has all that is done
			st.Tasks = append(st.Tasks, make([]workload.Task, more)...)
		}
	}
	return spec
}

func (m *model) arriveLate() {
	m.arrived++
	id := sched.JobID(m.arrived)
	spec := m.describeLate(fmt.Sprint("job", id), [sched.Stages]int{})
	j := &mJob{id: id, spec: spec, state: sched.Pending,
		deadline: spec.Deadline, arrived: m.next(), began: units.Never}
	for _, s := range stages {
		j.limit[s], j.sample[s], j.done[s] = -1, -1, make(map[sched.TaskID]bool)
		j.asks[s].total = spec.Tasks(s)
	}
	j.ready[sched.Map] = true
	m.jobs[id] = j
	m.out = append(m.out, sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: spec}})
}

// amendLate changes a job. Of a stage that grows, or did, no fewer tasks are known than are done and
// under way; where the number was final and is, what is under way beyond it are further attempts.
func (m *model) amendLate(j *mJob, answers sched.ItemID) {
	var done [sched.Stages]int
	for _, s := range stages {
		done[s] = len(j.done[s])
	}
	spec := m.describeLate(j.spec.ID, done)
	m.out = append(m.out, sched.Event{Kind: sched.JobAmended, Job: j.id, Item: answers,
		Detail: &sched.Detail{Job: spec}})
	was := j.spec
	is := *spec
	is.Stages = slices.Clone(spec.Stages)
	j.spec, j.deadline = &is, is.Deadline
	for i, s := range stages {
		a, old := &j.asks[s], was.Stage(s)
		tasks := len(is.Stages[i].Tasks)
		switch there := done[s] + m.busy(j.id, s, 0); {
		case old.Grows && is.Stages[i].Grows: // the number only rises
			a.total = max(a.total, tasks)
		case old.Grows || is.Stages[i].Grows:
			a.total = max(tasks, there)
		default:
			a.total = max(tasks, done[s])
		}
		m.grow(j, s)
		if answers != 0 && j.molds[s].Item == answers {
			j.molds[s].Accepted = int32(a.total)
		}
	}
}

// eventsLate lets a few things happen.
func (m *model) eventsLate() {
	if m.pick("resync", 12) == 0 && len(m.out) == 0 {
		m.retell()
		for _, a := range handles(m.tries) {
			try := m.tries[a]
			j := m.jobs[try.job]
			j.began = min(j.began, try.from)
		}
		return
	}
	for range m.pick("events", 5) {
		m.happenLate()
	}
}

func (m *model) happenLate() {
	j := m.someJob()
	if j == nil {
		m.arriveLate()
		return
	}
	s := stages[m.pick("stage", 2)]
	switch m.pick("event", 16) {
	case 0:
		if len(m.jobs) < 4 { // few, so that much happens to each
			m.arriveLate()
		}
	case 1, 2, 3:
		m.ask(j, s, max(0, m.l.lastItem-sched.ItemID(11-m.pick("stale", 12))))
	case 4:
		m.ask(j, s, m.l.lastItem)
	case 5, 6, 7:
		m.answerLate()
	case 8:
		m.startLate(mGrant{0, j.id, s, m.someNode(), sched.Bound{}})
	case 9, 10:
		m.endLate()
	case 11:
		e := sched.Event{Kind: sched.OutputLost, Job: j.id, Stage: s}
		if n := len(j.done[s]); n > 0 {
			delete(j.done[s], sched.TaskID(n))
		} else {
			m.notes++
		}
		m.out = append(m.out, e)
	case 12:
		item := sched.ItemID(0)
		for _, asked := range stages { // what waits for its answer first
			if mold := j.molds[asked]; mold.Item != 0 && mold.Accepted == 0 {
				s = asked
			}
		}
		if mold := j.molds[s]; mold.Item != 0 && mold.Accepted == 0 {
			if item = mold.Item; m.pick("refuse", 3) == 0 {
				j.molds[s].Accepted = -1
				m.out = append(m.out, sched.Event{Kind: sched.Refused, Item: item, Job: j.id, Stage: s})
				return
			}
		}
		m.amendLate(j, item)
	case 13:
		m.controlLate()
	case 14:
		if m.pick("changes", 4) == 0 {
			m.change(m.someNode())
		} else {
			m.comeBack(m.someNode())
		}
	case 15:
		if m.pick("ends", 2) == 0 {
			m.endJob(j)
			return
		}
		j.ready[s] = true
		m.out = append(m.out, sched.Event{Kind: sched.StageReady, Job: j.id, Stage: s})
	}
}

// comeBack turns a node on or off, one that runs something both. What it had when it comes back empty
// may start again at once, and nobody has planned that.
func (m *model) comeBack(n sched.NodeID) {
	var had *mTry
	for _, a := range handles(m.tries) {
		if m.tries[a].n == n {
			had = m.tries[a]
		}
	}
	m.turn(n)
	if had != nil && !m.nodes[n].up {
		m.turn(n)
	}
	if had != nil && m.nodes[n].up && m.pick("again", 2) == 0 {
		m.startLate(mGrant{0, had.job, had.s, n, sched.Bound{}})
	}
}

// controlLate asks for yield, take-over or watching, which only a resync begins.
func (m *model) controlLate() {
	verb := []sched.ControlVerb{sched.TakeOver, sched.Yield, sched.Watch}[m.pick("control", 3)]
	e := sched.Event{Kind: sched.Control, Control: verb}
	if m.watches || e.Control == sched.Watch {
		m.notes++
	} else {
		m.yielded = e.Control == sched.Yield
	}
	m.out = append(m.out, e)
}

// answerLate lets the world start a container that was promised, refuse it, or take over a part of its
// item.
func (m *model) answerLate() {
	if len(m.pending) == 0 {
		return
	}
	i := m.pick("grant", len(m.pending))
	g := m.pending[i]
	if m.pick("granted", 5) > 0 {
		m.pending = slices.Delete(m.pending, i, i+1)
		if m.pick("refuse", 3) > 0 {
			m.startLate(g)
			return
		}
		m.giveBack(g)
		m.out = append(m.out, sched.Event{Kind: sched.Refused, Item: g.item, Job: g.job,
			Stage: g.s, Node: g.n, Count: 1})
		return
	}
	n := m.pick("taken over", 3)
	m.out = append(m.out, sched.Event{Kind: sched.Granted, Item: g.item, Count: int32(n)})
	if m.granted[g.item] {
		return
	}
	m.granted[g.item] = true
	left := 0
	m.pending = slices.DeleteFunc(m.pending, func(o mGrant) bool {
		if o.item != g.item {
			return false
		}
		if left++; n == 0 || left <= n {
			return false
		}
		m.giveBack(o)
		return true
	})
}

// startLate starts an attempt of no task, with an age: of what was promised, or of what nobody planned.
func (m *model) startLate(g mGrant) {
	if m.nodes[g.n].spec == nil {
		return
	}
	j := m.jobs[g.job]
	age := min(units.Duration(m.pick("age", 3)), m.next().Sub(j.arrived))
	m.tried++
	m.tries[m.tried] = &mTry{g.job, g.s, g.n, 0, m.next().Add(-age)}
	j.began = min(j.began, m.next().Add(-age))
	m.out = append(m.out, sched.Event{Kind: sched.Started, Attempt: m.tried, Item: g.item, Job: g.job,
		Stage: g.s, Node: g.n, Age: age})
	if g.item == 0 {
		if !m.yielded && !m.watches {
			m.notes++
		}
		m.grow(j, g.s)
	}
}

func (m *model) endLate() {
	a := m.someTry()
	if a == 0 {
		return
	}
	try := m.tries[a]
	j := m.jobs[try.job]
	o := []sched.Outcome{sched.Committed, sched.Committed, sched.Failed, sched.Killed,
		sched.Lost, sched.Preempted}[m.pick("outcome", 6)]
	st, done := j.spec.Stage(try.s), j.done[try.s]
	if o == sched.Committed && !st.Grows && len(done) >= len(st.Tasks) {
		o = sched.Killed // all of its tasks have committed
	}
	delete(m.tries, a)
	if o == sched.Committed {
		done[sched.TaskID(len(done)+1)] = true
	}
	m.out = append(m.out, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: o})
}
