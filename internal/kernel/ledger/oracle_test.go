package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// The oracle is a second book, as dumb as can be: it notes what happened to each task and counts everything anew each time it
// is asked. rapid drives both through random histories.

// model is the dumb book.
type model struct {
	t       *rapid.T
	l       *Ledger
	order   testOrder
	jobs    map[sched.JobID]*mJob
	nodes   []*mNode // by handle
	pending []mGrant // bound and not yet answered
	tries   map[sched.AttemptID]*mTry
	plan    sched.Plan
	round   int64
	arrived int64
	out     []sched.Event
}

type mJob struct {
	id       sched.JobID
	spec     *workload.Job
	state    sched.JobState
	seq      int64
	deadline units.Time
	ready    [sched.Stages]bool
	withheld [sched.Stages]bool
	limit    [sched.Stages]int
	done     [sched.Stages]map[sched.TaskID]bool
}

type mNode struct {
	spec *cluster.Node
	up   bool
}

type mGrant struct {
	item sched.ItemID
	job  sched.JobID
	s    sched.Stage
	n    sched.NodeID
	b    sched.Bound
}

type mTry struct {
	job  sched.JobID
	s    sched.Stage
	n    sched.NodeID
	task sched.TaskID
}

// testOrder has queues two deep, keys that change with occupancy, and a queue that closes when it occupies much.
type testOrder struct{ ceiling int32 }

func (testOrder) Path(j *sched.Job) []string {
	switch j.Spec.Queue {
	case "":
		return nil
	case "a":
		return []string{"a"}
	}
	return []string{"b", j.Spec.Queue}
}

func (testOrder) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	return sched.Key{int64(j.Stages[s].Occupied), int64(j.Deadline)}
}

func (testOrder) QueueKey(_ sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	return sched.Key{int64(q.Stages[s].Occupied)}
}

func (o testOrder) Open(_ sched.View, q *sched.Queue, s sched.Stage) bool {
	return q.ID == sched.Root || q.Stages[s].Occupied < o.ceiling
}

var stages = []sched.Stage{sched.Map, sched.Reduce}

// busy counts the containers that a job's stage occupies; task 0 counts all.
func (m *model) busy(j sched.JobID, s sched.Stage, task sched.TaskID) (n int) {
	for _, g := range m.pending {
		if g.job == j && g.s == s && (task == 0 || g.b.Task == task) {
			n++
		}
	}
	return n + m.running(j, s, task)
}

func (m *model) running(j sched.JobID, s sched.Stage, task sched.TaskID) (n int) {
	for _, a := range m.tries {
		if a.job == j && a.s == s && (task == 0 || a.task == task) {
			n++
		}
	}
	return n
}

func (m *model) isOpen(j *mJob, s sched.Stage, task sched.TaskID) bool {
	return !j.done[s][task] && m.busy(j.id, s, task) == 0
}

func (m *model) open(j *mJob, s sched.Stage) (n int) {
	for i := range j.spec.Tasks(s) {
		if m.isOpen(j, s, sched.TaskID(i+1)) {
			n++
		}
	}
	return n
}

func (m *model) free(n sched.NodeID) units.Vector {
	var v units.Vector
	if m.nodes[n].up {
		v = m.nodes[n].spec.Class.Capacity
	}
	for _, g := range m.pending {
		if g.n == n {
			need := slotOf(g.s)
			v.Sub(&need)
		}
	}
	for _, a := range m.tries {
		if a.n == n {
			need := slotOf(a.s)
			v.Sub(&need)
		}
	}
	return v
}

func slotOf(s sched.Stage) units.Vector {
	if s == sched.Reduce {
		return units.Slots(0, 1)
	}
	return units.Slots(1, 0)
}

func (m *model) startable(j *mJob, s sched.Stage) bool {
	return j.state == sched.Admitted && j.ready[s] && !j.withheld[s] && m.open(j, s) > 0 &&
		(j.limit[s] < 0 || m.busy(j.id, s, 0) < j.limit[s])
}

// nearness of the best open task, by looking at all of them.
func (m *model) nearest(n sched.NodeID, j *mJob, s sched.Stage) sched.Locality {
	rank := map[sched.Locality]int{sched.NodeLocal: 0, sched.Anywhere: 1, sched.RackLocal: 2, sched.Remote: 3, sched.NoLocality: 4}
	best := sched.NoLocality
	st := j.spec.Stage(s)
	if st == nil {
		return best
	}
	for i := range st.Tasks {
		if !m.isOpen(j, s, sched.TaskID(i+1)) {
			continue
		}
		near := sched.Remote
		if len(st.Tasks[i].Hosts) == 0 {
			near = sched.Anywhere
		}
		for _, h := range st.Tasks[i].Hosts {
			if h == n {
				near = sched.NodeLocal
			} else if near == sched.Remote && m.nodes[h].spec != nil && m.nodes[h].spec.Rack == m.nodes[n].spec.Rack {
				near = sched.RackLocal
			}
		}
		if rank[near] < rank[best] {
			best = near
		}
	}
	return best
}

// line returns all jobs with work that may start in the policy's order: a sort of each queue's children, recursively.
func (m *model) line(s sched.Stage) []sched.JobID {
	type child struct {
		key  sched.Key
		seq  int64
		jobs []sched.JobID
	}
	var below func(path []string) []child
	count := func(path []string) (n int32) {
		for _, j := range m.jobs {
			if p := m.order.Path(&sched.Job{Spec: j.spec}); len(p) >= len(path) && slices.Equal(p[:len(path)], path) {
				n += int32(m.busy(j.id, s, 0))
			}
		}
		return n
	}
	flat := func(c []child) (all []sched.JobID) {
		slices.SortFunc(c, func(a, b child) int {
			return cmp.Or(cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1]), cmp.Compare(a.seq, b.seq))
		})
		for _, x := range c {
			all = append(all, x.jobs...)
		}
		return all
	}
	below = func(path []string) []child {
		var list []child
		for _, j := range m.jobs {
			if slices.Equal(m.order.Path(&sched.Job{Spec: j.spec}), path) && m.startable(j, s) {
				list = append(list, child{sched.Key{int64(m.busy(j.id, s, 0)), int64(j.deadline)}, j.seq, []sched.JobID{j.id}})
			}
		}
		for _, q := range m.l.queues[2:] {
			var p []string
			for id := q.ID; id != sched.Root; id = m.l.queues[id].Parent {
				p = append([]string{m.l.queues[id].Name}, p...)
			}
			if len(p) != len(path)+1 || !slices.Equal(p[:len(path)], path) {
				continue
			}
			n := count(p)
			if n >= m.order.ceiling {
				continue
			}
			if jobs := flat(below(p)); len(jobs) > 0 {
				list = append(list, child{sched.Key{int64(n)}, q.Seq, jobs})
			}
		}
		return list
	}
	return flat(below(nil))
}

// agree compares the two books on everything a policy can ask.
func (m *model) agree() {
	l, t := m.l, m.t
	for _, j := range m.jobs {
		b := l.Job(j.id)
		if b == nil || b.State != j.state {
			t.Fatalf("job %d: book %+v, truth state %v", j.id, b, j.state)
		}
		for _, s := range stages {
			tally := b.Stages[s]
			got := [4]int{int(tally.Open), int(tally.Occupied), int(tally.Running), int(tally.Done)}
			want := [4]int{m.open(j, s), m.busy(j.id, s, 0), m.running(j.id, s, 0), len(j.done[s])}
			if got != want {
				t.Fatalf("job %d %v: open, occupied, running, done = %v, want %v", j.id, s, got, want)
			}
		}
	}
	var capacity units.Vector
	for n := 1; n < len(m.nodes); n++ {
		id := sched.NodeID(n)
		if m.nodes[n].spec == nil {
			continue
		}
		if m.nodes[n].up {
			capacity.Add(&m.nodes[n].spec.Class.Capacity)
		}
		if got, want := l.Node(id).Free, m.free(id); got != want {
			t.Fatalf("node %d: free %v, want %v", n, got, want)
		}
	}
	if *l.Capacity() != capacity {
		t.Fatalf("capacity %v, want %v", *l.Capacity(), capacity)
	}
	for _, s := range stages {
		want := m.line(s)
		var got []sched.JobID
		for j := l.Waiting(s, 0); j != 0; j = l.Waiting(s, j) {
			got = append(got, j)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("line for %v: %v, want %v", s, got, want)
		}
		for n := 1; n < len(m.nodes); n++ {
			m.agreeOn(sched.NodeID(n), s, want)
		}
		open, occupied := 0, 0
		for _, j := range m.jobs {
			if j.state == sched.Admitted && j.ready[s] && !j.withheld[s] {
				open += m.open(j, s)
			}
			occupied += m.busy(j.id, s, 0)
		}
		if q := l.Queue(sched.Root).Stages[s]; int(q.Open) != open || int(q.Occupied) != occupied {
			t.Fatalf("root %v: %+v, want open %d occupied %d", s, q, open, occupied)
		}
	}
}

func (m *model) agreeOn(n sched.NodeID, s sched.Stage, line []sched.JobID) {
	if m.nodes[n].spec == nil {
		return
	}
	need := slotOf(s)
	free := m.free(n)
	fits := m.nodes[n].up && free.Fits(&need)
	var all, local []sched.JobID
	for _, j := range line {
		near := m.nearest(n, m.jobs[j], s)
		if got := m.l.Nearest(n, j, s); got != near {
			m.t.Fatalf("nearest of job %d %v for node %d: %v, want %v", j, s, n, got, near)
		}
		if fits {
			all = append(all, j)
			if near == sched.NodeLocal {
				local = append(local, j)
			}
		}
	}
	for name, list := range map[string][]sched.JobID{"First": all, "FirstLocal": local} {
		find := m.l.First
		if name == "FirstLocal" {
			find = m.l.FirstLocal
		}
		var got []sched.JobID
		for j := find(n, s, 0); j != 0; j = find(n, s, j) {
			got = append(got, j)
		}
		if !slices.Equal(got, list) {
			m.t.Fatalf("%s on node %d for %v: %v, want %v", name, n, s, got, list)
		}
	}
}

func (m *model) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(m.t, name) }

// someJob returns any job of the book, nil if there is none.
func (m *model) someJob() *mJob {
	if len(m.jobs) == 0 {
		return nil
	}
	ids := make([]sched.JobID, 0, len(m.jobs))
	for id := range m.jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return m.jobs[ids[m.pick("job", len(ids))]]
}

func (m *model) arrive() {
	id := sched.JobID(1)
	for m.jobs[id] != nil || slices.Contains(m.l.closing, id) {
		id++
	}
	tasks := func(n int, hosts bool) (list []workload.Task) {
		each := m.pick("replicas", 3)
		uneven := rapid.Bool().Draw(m.t, "uneven")
		for range n {
			var t workload.Task
			if hosts {
				k := each
				if uneven {
					k = m.pick("copies", 3)
				}
				for range k {
					if h := cluster.NodeID(m.pick("host", len(m.nodes)-1) + 1); !slices.Contains(t.Hosts, h) {
						t.Hosts = append(t.Hosts, h)
					}
				}
			}
			list = append(list, t)
		}
		return list
	}
	m.arrived++
	spec := &workload.Job{ID: fmt.Sprint("job", m.arrived), Queue: []string{"", "a", "x", "y"}[m.pick("queue", 4)],
		Deadline: units.Time(m.pick("deadline", 5) + 1), Stages: []workload.StageSpec{
			{Kind: workload.Map, Tasks: tasks(m.pick("maps", 6)+1, true)},
			{Kind: workload.Reduce, Tasks: tasks(m.pick("reduces", 3)+1, false)}}}
	j := &mJob{id: id, spec: spec, state: sched.Pending, deadline: spec.Deadline}
	for _, s := range stages {
		j.limit[s], j.done[s] = -1, make(map[sched.TaskID]bool)
	}
	j.ready[sched.Map] = true
	m.jobs[id] = j
	m.out = append(m.out, sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: spec}})
}

// plans lets the policy's side do something.
func (m *model) decide() {
	j := m.someJob()
	if j == nil {
		return
	}
	s := stages[m.pick("stage", 2)]
	p := &m.plan
	switch m.pick("item", 8) {
	case 0, 1:
		if p.Admit(j.id, sched.Reason{}) {
			j.state = sched.Admitted
		}
	case 2:
		if p.Hold(j.id, sched.Reason{}) {
			j.state = sched.HeldBack
		}
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
		j.deadline = units.Time(m.pick("to", 5))
		p.Add(sched.Item{Verb: sched.SetDeadline, Job: j.id, At: j.deadline})
	default:
		n := sched.NodeID(m.pick("node", len(m.nodes)-1) + 1)
		group := int32(m.pick("group", 3))
		p.Add(sched.Item{Verb: sched.Start, Job: j.id, Stage: s, Node: n, Count: int32(m.pick("count", 4) + 1), Group: group,
			Locality: []sched.Locality{sched.NoLocality, sched.NodeLocal, sched.RackLocal, sched.Remote}[m.pick("far", 4)]})
	}
}

// enacted takes over what the plan's starts were granted.
func (m *model) enacted() {
	for i := range m.plan.Items {
		it := &m.plan.Items[i]
		if it.Verb != sched.Start || it.Refused != sched.OK {
			continue
		}
		if it.Tasks.Len() != int(it.Count) || it.Tasks.Len() == 0 {
			m.t.Fatalf("item %d: %d tasks for a count of %d", it.ID, it.Tasks.Len(), it.Count)
		}
		for _, b := range m.plan.Bound[it.Tasks.From:it.Tasks.To] {
			if j := m.jobs[it.Job]; !m.isOpen(j, it.Stage, b.Task) {
				m.t.Fatalf("item %d took task %d, which is not open", it.ID, b.Task)
			}
			m.pending = append(m.pending, mGrant{it.ID, it.Job, it.Stage, it.Node, b})
		}
	}
}

func (m *model) freeAttempt() sched.AttemptID {
	a := sched.AttemptID(1)
	for m.tries[a] != nil {
		a++
	}
	return a
}

// happen lets the world's side do something.
func (m *model) happen() {
	switch m.pick("event", 9) {
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
			m.out = append(m.out, sched.Event{Kind: sched.Refused, Item: g.item, Job: g.job, Stage: g.s, Node: g.n, Task: g.b.Task, Count: 1})
			return
		}
		a := m.freeAttempt()
		m.tries[a] = &mTry{g.job, g.s, g.n, g.b.Task}
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
		m.tries[a] = &mTry{j.id, s, n, task}
		m.out = append(m.out, sched.Event{Kind: sched.Started, Attempt: a, Job: j.id, Stage: s, Node: n, Task: task})
	case 7:
		m.turn(sched.NodeID(m.pick("node", len(m.nodes)-1) + 1))
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
	ids := make([]sched.AttemptID, 0, len(m.tries))
	for a := range m.tries {
		ids = append(ids, a)
	}
	if len(ids) == 0 {
		return 0
	}
	slices.Sort(ids)
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
		nd.up = true
		if nd.spec == nil {
			class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(m.pick("maps", 3), m.pick("reduces", 2))}
			nd.spec = &cluster.Node{Name: fmt.Sprint("n", n), Rack: cluster.RackID(m.pick("rack", 2) + 1), Class: class}
		}
		m.out = append(m.out, sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: nd.spec}})
		return
	}
	nd.up = false
	m.out = append(m.out, sched.Event{Kind: sched.NodeDown, Node: n})
}

func (m *model) endJob(j *mJob) {
	for a, try := range m.tries {
		if try.job == j.id {
			delete(m.tries, a) // the world forgot to tell: the book ends them with the job
		}
	}
	m.pending = slices.DeleteFunc(m.pending, func(g mGrant) bool { return g.job == j.id })
	delete(m.jobs, j.id)
	m.out = append(m.out, sched.Event{Kind: sched.JobEnded, Job: j.id, Outcome: sched.Committed})
}

func TestBookAgreesWithADumbOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, order: testOrder{ceiling: int32(rapid.IntRange(1, 6).Draw(t, "ceiling"))},
			jobs: make(map[sched.JobID]*mJob), tries: make(map[sched.AttemptID]*mTry)}
		m.l = New(sched.Capabilities{Bind: true, Kill: true}, m.order)
		m.nodes = make([]*mNode, 5)
		for n := range m.nodes {
			m.nodes[n] = &mNode{}
		}
		for n := 1; n < 4; n++ { // the last comes later, if at all
			m.turn(sched.NodeID(n))
		}
		for range rapid.IntRange(1, 60).Draw(t, "batches") {
			for range m.pick("events", 4) {
				m.happen()
			}
			m.round++
			for _, e := range m.l.Apply(units.Time(m.round), m.round, m.out) {
				if e.Kind == sched.JobArrived {
					m.jobs[e.Job].seqIfThere(m.l)
				}
			}
			m.out = m.out[:0]
			m.agree()
			m.l.Begin(&m.plan)
			for range m.pick("items", 4) {
				m.decide()
			}
			m.l.Check(&m.plan)
			m.enacted()
			m.agree()
		}
	})
}

func (j *mJob) seqIfThere(l *Ledger) {
	if j != nil && l.Job(j.id) != nil {
		j.seq = l.Job(j.id).Seq
	}
}
