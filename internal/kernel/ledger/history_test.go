package ledger

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// What happens to the two books of the oracle: the side of the policy, and that of the world.

func (m *model) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(m.t, name) }

// someJob returns any job of the book, nil if there is none.
func (m *model) someJob() *mJob {
	if len(m.jobs) == 0 {
		return nil
	}
	ids := handles(m.jobs)
	return m.jobs[ids[m.pick("job", len(ids))]]
}

// handles lists what a map has records for, ascending.
func handles[H ~int32, V any](pages map[H]V) (list []H) {
	for h := range pages {
		list = append(list, h)
	}
	slices.Sort(list)
	return list
}

func (m *model) arrive() {
	id := sched.JobID(1)
	for m.jobs[id] != nil || slices.Contains(m.l.closing, id) {
		id++
	}
	m.arrived++
	spec := m.describe(fmt.Sprint("job", m.arrived))
	j := &mJob{id: id, spec: spec, state: sched.Pending, deadline: spec.Deadline, arrived: m.next()}
	for _, s := range stages {
		j.limit[s], j.sample[s], j.done[s] = -1, -1, make(map[sched.TaskID]bool)
	}
	j.ready[sched.Map] = true
	m.jobs[id] = j
	m.out = append(m.out, sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: spec}})
}

// amend changes all of a job but what has begun.
func (m *model) amend(j *mJob) {
	spec := m.describe(j.spec.ID)
	m.out = append(m.out, sched.Event{Kind: sched.JobAmended, Job: j.id, Detail: &sched.Detail{Job: spec}})
	is := *spec
	is.Stages = slices.Clone(spec.Stages)
	for i, s := range stages {
		if m.busy(j.id, s, 0) > 0 || len(j.done[s]) > 0 {
			is.Stages[i] = *j.spec.Stage(s)
		}
	}
	j.spec, j.deadline = &is, is.Deadline
}

// describe makes up a job.
func (m *model) describe(id string) *workload.Job {
	maps := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, m.pick("maps", 6)+1)}
	each := m.pick("replicas", 3)
	uneven := rapid.Bool().Draw(m.t, "uneven")
	for t := range maps.Tasks {
		k := each
		if uneven {
			k = m.pick("copies", 3)
		}
		var hosts []cluster.NodeID
		for range k {
			if h := cluster.NodeID(m.pick("host", len(m.nodes)-1) + 1); !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
		maps.Hosts.Set(t, hosts...)
	}
	return &workload.Job{ID: id, Labels: [][]string{nil, nil, {"fast"}}[m.pick("labels", 3)], Avoids: [][]sched.NodeID{nil, nil, {1}, {3, 2}}[m.pick("avoids", 4)], Queue: []string{"", "a", "x", "y"}[m.pick("queue", 4)],
		Deadline: units.Time(m.pick("deadline", 5) + 1), Stages: []workload.StageSpec{
			maps, {Kind: workload.Reduce, Tasks: make([]workload.Task, m.pick("reduces", 3)+1)}}}
}

// plans lets the policy's side do something.
func (m *model) decide() {
	j := m.someJob()
	if j == nil {
		return
	}
	s := stages[m.pick("stage", 2)]
	p := &m.plan
	switch m.pick("item", 13) {
	case 0, 1:
		if p.Admit(j.id, sched.Outlook{}, sched.Reason{}) {
			j.decided(sched.Admitted)
		}
	case 2:
		if p.Hold(j.id, sched.Reason{}) {
			j.decided(sched.HeldBack)
		}
	case 7:
		n := m.pick("sample", 3)
		if p.Add(sched.Item{Verb: sched.Sample, Job: j.id, Stage: s, Count: int32(n)}) != (j.state != sched.Admitted) {
			m.t.Fatalf("a sample of a job that is %v: %v", j.state, p.Items[len(p.Items)-1].Refused)
		}
		if j.state != sched.Admitted {
			j.sample[s] = n
		}
	case 8:
		if m.late {
			m.mold(j, s)
			return
		}
		task := sched.TaskID(m.pick("task", j.spec.Tasks(s)) + 1)
		before := m.busy(j.id, s, task)
		if p.Add(sched.Item{Verb: sched.Speculate, Job: j.id, Stage: s, Task: task, Node: m.someNode(), Group: int32(m.pick("group", 3))}) {
			if m.yielded || before != 1 || j.done[s][task] || !j.may(s) {
				m.t.Fatalf("a second attempt of a task that has %d", before)
			}
			m.spend(j, s, 1)
			m.take(&p.Items[len(p.Items)-1])
		}
	case 9: // later
		it := sched.Item{Verb: sched.SetSlots, Job: j.id, Stage: s, Count: int32(m.pick("limit", 5) - 1), At: m.l.Now() + units.Time(m.pick("wait", 4)+1)}
		if m.pick("start", 2) == 0 {
			it.Verb, it.Node, it.Count = sched.Start, m.someNode(), 1
		}
		if m.yielded && it.Verb == sched.Start {
			if p.Add(it) {
				m.t.Fatalf("held: %+v", p.Items[len(p.Items)-1])
			}
			return
		}
		if !p.Add(it) {
			m.t.Fatalf("not held: %+v", p.Items[len(p.Items)-1])
		}
		m.later = append(m.later, p.Items[len(p.Items)-1])
	case 12:
		m.order.back[j.id] = int64(m.pick("back", 4))
		p.Rank(j.id, sched.Reason{})
	case 3:
		p.Add(sched.Item{Verb: sched.Withhold, Job: j.id, Stage: s})
		j.withheld[s] = true
	case 4:
		p.Add(sched.Item{Verb: sched.Release, Job: j.id, Stage: s})
		j.withheld[s] = false
	case 5:
		j.limit[s] = m.pick("limit", 5) - 1
		p.Add(sched.Item{Verb: sched.SetSlots, Job: j.id, Stage: s, Count: int32(j.limit[s])})
	case 6:
		j.virtual = units.Time(m.pick("to", 5))
		p.Add(sched.Item{Verb: sched.SetDeadline, Job: j.id, At: j.virtual})
	default:
		group := int32(m.pick("group", 3))
		it := sched.Item{Verb: sched.Start, Job: j.id, Stage: s, Node: m.someNode(), Count: int32(m.pick("count", 4) + 1), Group: group,
			Locality: []sched.Locality{sched.NoLocality, sched.NodeLocal, sched.RackLocal, sched.Remote}[m.pick("far", 4)]}
		p.Add(it)
		m.begun(it, &p.Items[len(p.Items)-1])
	}
}

func (m *model) someNode() sched.NodeID { return sched.NodeID(m.pick("node", len(m.nodes)-1) + 1) }

// decided ends all samples.
func (j *mJob) decided(to sched.JobState) {
	j.state = to
	for s := range j.sample {
		j.sample[s] = -1
	}
}

// giveBack counts a container that was promised and will not be as one that may be asked for again.
func (m *model) giveBack(g mGrant) {
	j := m.jobs[g.job]
	if j.sample[g.s] >= 0 {
		j.sample[g.s]++
	}
	taken := &j.asks[g.s].taken
	if i := slices.IndexFunc(*taken, func(t mGrant) bool { return t.item == g.item }); i >= 0 {
		*taken = slices.Delete(*taken, i, i+1)
	}
}

// spend counts n tasks off a sample.
func (m *model) spend(j *mJob, s sched.Stage, n int) {
	if j.sample[s] > 0 {
		j.sample[s] -= n
	}
}

// begun checks what a start was granted, and takes it over.
func (m *model) begun(asked sched.Item, it *sched.Item) {
	if m.late {
		m.begunLate(asked, it)
		return
	}
	if it.Refused != sched.OK {
		return
	}
	if m.yielded {
		m.t.Fatalf("item %d starts what the stock scheduler places", it.ID)
	}
	j := m.jobs[it.Job]
	if it.Tasks.Len() != int(it.Count) || it.Tasks.Len() == 0 {
		m.t.Fatalf("item %d: %d tasks for a count of %d", it.ID, it.Tasks.Len(), it.Count)
	}
	if node := m.nodes[it.Node]; !node.up || !m.suits(it.Node, j) || !j.may(it.Stage) || j.state != sched.Admitted && j.sample[it.Stage] < int(it.Count) {
		m.t.Fatalf("item %d, of a job that is %v, sample %v, on node %+v", it.ID, j.state, j.sample, node)
	}
	if n := j.limit[it.Stage]; n >= 0 && m.busy(j.id, it.Stage, 0)+int(it.Count) > n {
		m.t.Fatalf("item %d starts %d beyond a limit of %d", it.ID, it.Count, n)
	}
	for _, b := range m.plan.Bound[it.Tasks.From:it.Tasks.To] {
		if !m.isOpen(j, it.Stage, b.Task) {
			m.t.Fatalf("item %d took task %d, which is not open", it.ID, b.Task)
		}
	}
	if free, need := m.free(it.Node), slotOf(it.Stage); free.Times(&need) < int64(it.Count) {
		m.t.Fatalf("item %d takes %d of node %d, which has %v", it.ID, it.Count, it.Node, free)
	}
	m.take(it)
	m.spend(j, it.Stage, int(it.Count))
}

func (m *model) take(it *sched.Item) {
	for _, b := range m.plan.Bound[it.Tasks.From:it.Tasks.To] {
		m.pending = append(m.pending, mGrant{it.ID, it.Job, it.Stage, it.Node, b})
	}
}

// due does what has waited until now: the plan begins with it.
func (m *model) due() {
	done := 0
	m.later = slices.DeleteFunc(m.later, func(it sched.Item) bool {
		if it.At > m.l.Now() {
			return false
		}
		if j := m.jobs[it.Job]; m.watches && j != nil && it.Verb == sched.SetSlots && j.limit[it.Stage] == int(it.Count) {
			return true // it says what stands already
		}
		got := &m.plan.Items[done]
		done++
		if got.ID != it.ID || got.Held {
			m.t.Fatalf("item %d is due, %d came", it.ID, got.ID)
		}
		switch j := m.jobs[it.Job]; {
		case j == nil:
			if got.Refused == sched.OK {
				m.t.Fatalf("item %d of a job that has gone: done", it.ID)
			}
		case it.Verb == sched.Start:
			m.begun(it, got)
		case got.Refused == sched.OK:
			j.limit[it.Stage] = int(it.Count)
		}
		return true
	})
	if done != len(m.plan.Items) {
		m.t.Fatalf("the plan begins with %d items, %d were due", len(m.plan.Items), done)
	}
}

// enacted takes back what belongs to broken groups, and what is only watched.
func (m *model) enacted() {
	if m.watches {
		m.later = slices.DeleteFunc(m.later, func(it sched.Item) bool { return it.Verb == sched.Start })
		for _, g := range m.pending {
			m.giveBack(g)
		}
		m.pending = nil
		for i := range m.plan.Items {
			if it := &m.plan.Items[i]; it.Refused == sched.OK && !it.Held && it.Verb != sched.Rank {
				m.t.Fatalf("item %d, %v, is to be done while the scheduler watches", it.ID, it.Verb)
			}
		}
		return
	}
	for i := range m.plan.Items {
		it := &m.plan.Items[i]
		if it.Refused != sched.GroupBroken {
			continue
		}
		m.pending = slices.DeleteFunc(m.pending, func(g mGrant) bool {
			if g.item == it.ID {
				m.giveBack(g)
			}
			return g.item == it.ID
		})
	}
}

func (m *model) freeAttempt() sched.AttemptID {
	a := sched.AttemptID(1)
	for m.tries[a] != nil || slices.Contains(m.gone, a) { // a handle is used again in a later batch
		a++
	}
	return a
}

// next is when the book will hear of what happens now.
func (m *model) next() units.Time { return units.Time(m.round + 1) }

// events lets a few things happen; now and then the world tells all that it knows again instead.
func (m *model) events() {
	if m.pick("resync", 12) == 0 && len(m.out) == 0 {
		m.retell()
		return
	}
	for range m.pick("events", 4) {
		m.happen()
	}
}

// retell makes a resync: facts with their age. All that was decided, and what runs on nodes that are down, is gone.
func (m *model) retell() {
	m.out = append(m.out, sched.Event{Kind: sched.Resync})
	m.pending, m.later = nil, nil
	if m.late {
		m.forget()
	}
	if m.watches = m.pick("watch", 3) == 0; m.watches {
		m.yielded = false
		m.out = append(m.out, sched.Event{Kind: sched.Control, Control: sched.Watch})
	} else if m.yielded {
		m.out = append(m.out, sched.Event{Kind: sched.Control, Control: sched.Yield})
	}
	for n := 1; n < len(m.nodes); n++ {
		nd := m.nodes[n]
		if !nd.up {
			nd.spec = nil
			continue
		}
		m.out = append(m.out, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: nd.spec}},
			sched.Event{Kind: sched.NodeChanged, Node: sched.NodeID(n), X: nd.factor})
	}
	for _, id := range handles(m.jobs) {
		j := m.jobs[id]
		spec := *j.spec
		spec.Stages = slices.Clone(spec.Stages)
		for i, s := range stages {
			for _, task := range handles(j.done[s]) {
				spec.Stages[i].Done = append(spec.Stages[i].Done, int32(task))
			}
			j.limit[s], j.withheld[s] = -1, false
			if j.ready[s] {
				m.out = append(m.out, sched.Event{Kind: sched.StageReady, Job: id, Stage: s})
			}
			if m.late {
				m.askAgain(j, s)
			}
		}
		j.virtual = 0
		j.decided(sched.Pending)
		m.out = append(m.out, sched.Event{Kind: sched.JobArrived, Job: id, Age: m.next().Sub(j.arrived), Detail: &sched.Detail{Job: &spec}})
	}
	for _, a := range handles(m.tries) {
		try := m.tries[a]
		if !m.nodes[try.n].up {
			delete(m.tries, a)
			continue
		}
		m.out = append(m.out, sched.Event{Kind: sched.Started, Attempt: a, Job: try.job, Stage: try.s, Node: try.n, Task: try.task,
			Age: m.next().Sub(try.from)})
	}
}

// happen lets the world's side do something.
func (m *model) happen() {
	switch m.pick("event", 12) {
	case 0, 1:
		m.arrive()
	case 2, 3: // the world answers a grant
		if len(m.pending) == 0 {
			return
		}
		i := m.pick("grant", len(m.pending))
		g := m.pending[i]
		m.pending = slices.Delete(m.pending, i, i+1)
		if m.pick("refuse", 4) == 0 {
			m.giveBack(g)
			m.out = append(m.out, sched.Event{Kind: sched.Refused, Item: g.item, Job: g.job, Stage: g.s, Node: g.n, Task: g.b.Task, Count: 1})
			return
		}
		a := m.freeAttempt()
		m.tries[a] = &mTry{g.job, g.s, g.n, g.b.Task, m.next()}
		m.out = append(m.out, sched.Event{Kind: sched.Started, Attempt: a, Item: g.item, Job: g.job, Stage: g.s, Node: g.n,
			Task: g.b.Task, Locality: g.b.Locality})
	case 4, 5: // an attempt ends
		if a := m.someTry(); a != 0 {
			m.end(a, []sched.Outcome{sched.Committed, sched.Committed, sched.Failed, sched.Killed}[m.pick("outcome", 4)])
		}
	case 6: // something starts that nobody planned
		j := m.someJob()
		if j == nil {
			return
		}
		s := stages[m.pick("stage", 2)]
		task := sched.TaskID(m.pick("task", j.spec.Tasks(s)) + 1)
		a, n := m.freeAttempt(), sched.NodeID(m.pick("node", len(m.nodes)-1)+1)
		if m.nodes[n].spec == nil {
			return
		}
		m.tries[a] = &mTry{j.id, s, n, task, m.next()}
		m.out = append(m.out, sched.Event{Kind: sched.Started, Attempt: a, Job: j.id, Stage: s, Node: n, Task: task})
	case 11:
		e := sched.Event{Kind: sched.Control, Control: []sched.ControlVerb{sched.TakeOver, sched.Yield, sched.Watch}[m.pick("control", 3)]}
		if !m.watches && e.Control != sched.Watch { // else only a resync begins it, and ends it
			m.yielded = e.Control == sched.Yield
		}
		m.out = append(m.out, e)
	case 7:
		m.turn(sched.NodeID(m.pick("node", len(m.nodes)-1) + 1))
	case 9:
		m.change(m.someNode())
	case 10:
		if j := m.someJob(); j != nil {
			m.amend(j)
		}
	case 8:
		j := m.someJob()
		if j == nil {
			return
		}
		switch m.pick("what", 3) {
		case 0:
			j.ready[sched.Reduce] = true
			m.out = append(m.out, sched.Event{Kind: sched.StageReady, Job: j.id, Stage: sched.Reduce})
		case 1:
			for i := range j.spec.Tasks(sched.Map) {
				if id := sched.TaskID(i + 1); j.done[sched.Map][id] {
					delete(j.done[sched.Map], id)
					m.out = append(m.out, sched.Event{Kind: sched.OutputLost, Job: j.id, Stage: sched.Map, Task: id})
					return
				}
			}
		case 2:
			m.endJob(j)
		}
	}
}

func (m *model) someTry() sched.AttemptID {
	ids := handles(m.tries)
	if len(ids) == 0 {
		return 0
	}
	return ids[m.pick("attempt", len(ids))]
}

func (m *model) end(a sched.AttemptID, o sched.Outcome) {
	try := m.tries[a]
	delete(m.tries, a)
	if o == sched.Committed {
		m.jobs[try.job].done[try.s][try.task] = true
	}
	m.out = append(m.out, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: o})
}

func (m *model) turn(n sched.NodeID) {
	nd := m.nodes[n]
	if !nd.up {
		nd.up, nd.factor = true, 1
		for a, try := range m.tries { // it comes back empty
			if try.n == n {
				delete(m.tries, a)
				m.notes++
				m.gone = append(m.gone, a)
			}
		}
		if nd.spec == nil {
			class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(4-m.pick("maps", 5), 2-m.pick("reduces", 3))}
			nd.spec = &cluster.Node{Name: fmt.Sprint("n", n), Rack: cluster.RackID(m.pick("rack", 2) + 1), Class: class,
				Labels: [][]string{nil, {"fast"}}[m.pick("label", 2)]}
		}
		m.out = append(m.out, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: nd.spec}})
		return
	}
	nd.up = false
	m.out = append(m.out, sched.Event{Kind: sched.NodeDown, Node: n})
}

// change gives a node another speed, or another description with other room.
func (m *model) change(n sched.NodeID) {
	nd := m.nodes[n]
	if nd.spec == nil {
		return
	}
	e := sched.Event{Kind: sched.NodeChanged, Node: n, X: []float64{0, 0.5, 2}[m.pick("factor", 3)]}
	if e.X > 0 {
		nd.factor = e.X
	}
	if rapid.Bool().Draw(m.t, "described") {
		spec := *nd.spec
		spec.Class = &cluster.Class{Name: "d", Speed: 4, Capacity: units.Slots(m.pick("maps", 3), m.pick("reduces", 2))}
		nd.spec, e.Detail = &spec, &sched.Detail{Node: &spec}
	}
	m.out = append(m.out, e)
}

func (m *model) endJob(j *mJob) {
	for a, try := range m.tries {
		if try.job == j.id {
			delete(m.tries, a) // the world forgot to tell: the book ends them with the job
			m.notes++
		}
	}
	m.pending = slices.DeleteFunc(m.pending, func(g mGrant) bool { return g.job == j.id })
	delete(m.jobs, j.id)
	m.out = append(m.out, sched.Event{Kind: sched.JobEnded, Job: j.id, Outcome: sched.Committed})
}
