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

// The oracle is a second book, as dumb as can be: it notes what happened to each task and counts
// everything again each time it is asked. rapid drives both through random histories.

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
	yielded bool
	watches bool              // nothing that is planned is done, and what is decided on jobs is advice
	late    bool              // the world binds late: tasks have no numbers, and demand says what is open
	notes   int               // discrepancies that the book owes since the last batch
	gone    []sched.AttemptID // what a node had that came back in this batch
	tried   sched.AttemptID   // the last attempt of a world that binds late
	granted map[sched.ItemID]bool
	later   []sched.Item // items that wait for their time
	out     []sched.Event
}

type mJob struct {
	id       sched.JobID
	spec     *workload.Job
	state    sched.JobState
	seq      int64
	arrived  units.Time
	deadline units.Time
	virtual  units.Time // 0 = none
	ready    [sched.Stages]bool
	withheld [sched.Stages]bool
	limit    [sched.Stages]int
	sample   [sched.Stages]int
	done     [sched.Stages]map[sched.TaskID]bool
	asks     [sched.Stages]mAsk // where the world binds late
	molds    [sched.Stages]sched.Mold
	began    units.Time
}

type mNode struct {
	spec   *cluster.Node
	up     bool
	factor float64
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
	from units.Time
}

// testOrder has queues two deep, keys that change with the tallies that it says and with what only
// the order knows, and a queue that closes when it occupies much.
type testOrder struct {
	follows sched.Tallies
	ceiling int32
	back    map[sched.JobID]int64 // how far jobs are put back
	queues  map[string]int64      // and queues
}

func (testOrder) Path(j *sched.Job) []string {
	switch j.Spec.Queue {
	case "":
		return nil
	case "a":
		return []string{"a"}
	}
	return []string{"b", j.Spec.Queue}
}

func (o testOrder) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	takes := o.followed(s, func(s sched.Stage) int32 { return j.Stages[s].Occupied })
	return sched.Key{o.back[j.ID] + takes, int64(j.Due())}
}

func (o testOrder) QueueKey(_ sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	return sched.Key{o.queues[q.Name] + o.followed(s, func(s sched.Stage) int32 { return q.Stages[s].Occupied })}
}

// followed is what the order follows of the occupancy by stage.
func (o testOrder) followed(s sched.Stage, occupied func(sched.Stage) int32) int64 {
	switch o.follows {
	case sched.NoTally:
		return 0
	case sched.OwnTally:
		return int64(occupied(s))
	}
	return int64(occupied(sched.Map) + 2*occupied(sched.Reduce))
}

func (o testOrder) Follows() sched.Tallies { return o.follows }

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
	if m.late {
		return j.asks[s].count - len(j.asks[s].taken)
	}
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
	return j.may(s) && m.open(j, s) > 0 && (j.limit[s] < 0 || m.busy(j.id, s, 0) < j.limit[s])
}

func (j *mJob) may(s sched.Stage) bool {
	return (j.state == sched.Admitted || j.sample[s] > 0) && j.ready[s] && !j.withheld[s] &&
		(j.molds[s].Item == 0 || j.molds[s].Accepted != 0)
}

// total is the number of tasks that a stage has, as far as it is known.
func (m *model) total(j *mJob, s sched.Stage) int {
	if m.late {
		return j.asks[s].total
	}
	return j.spec.Tasks(s)
}

// nearness of the best open task, by looking at all of them.
func (m *model) nearest(n sched.NodeID, j *mJob, s sched.Stage) sched.Locality {
	if m.late && m.open(j, s) <= 0 {
		return sched.NoLocality
	}
	if m.late {
		return m.nearestAsk(n, j, s)
	}
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
		locality := sched.Remote
		if len(st.Hosts.Of(i)) == 0 {
			locality = sched.Anywhere
		}
		for _, h := range st.Hosts.Of(i) {
			if h == n {
				locality = sched.NodeLocal
			} else if locality == sched.Remote && m.nodes[h].spec != nil && m.nodes[h].spec.Rack == m.nodes[n].spec.Rack {
				locality = sched.RackLocal
			}
		}
		if rank[locality] < rank[best] {
			best = locality
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
	count := func(path []string, s sched.Stage) (n int32) {
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
				takes := m.order.followed(s, func(s sched.Stage) int32 { return int32(m.busy(j.id, s, 0)) })
				key := sched.Key{takes + m.order.back[j.id], int64(cmp.Or(j.virtual, j.deadline))}
				list = append(list, child{key, j.seq, []sched.JobID{j.id}})
			}
		}
		for _, q := range m.l.queues[2:] {
			if q.ID == 0 {
				continue
			}
			var p []string
			for id := q.ID; id != sched.Root; id = m.l.queues[id].Parent {
				p = append([]string{m.l.queues[id].Name}, p...)
			}
			if len(p) != len(path)+1 || !slices.Equal(p[:len(path)], path) {
				continue
			}
			if count(p, s) >= m.order.ceiling {
				continue
			}
			takes := m.order.followed(s, func(s sched.Stage) int32 { return count(p, s) })
			if jobs := flat(below(p)); len(jobs) > 0 {
				list = append(list, child{sched.Key{takes}, q.Seq, jobs})
			}
		}
		return list
	}
	return flat(below(nil))
}

// agree compares the two books on everything a policy can ask.
func (m *model) agree() {
	l, t := m.l, m.t
	if err := l.bitsAgree(); err != nil {
		t.Fatal(err)
	}
	for _, j := range m.jobs {
		b := l.Job(j.id)
		if b != nil && (m.watches && b.State != sched.Pending || !m.watches && b.Advice != sched.NoJob) {
			t.Fatalf("job %d is %v and advised to be %v, watching: %v", j.id, b.State, b.Advice, m.watches)
		}
		if b == nil || b.Standing() != j.state || b.Deadline != j.deadline || b.Virtual != j.virtual || b.Arrived != j.arrived {
			t.Fatalf("job %d: book %+v, truth state %v", j.id, b, j.state)
		}
		for _, s := range stages {
			tally := b.Stages[s]
			got := [7]int{int(tally.Total), int(tally.Open), int(tally.Occupied), int(tally.Running), int(tally.Done), int(tally.Limit), int(tally.Sample)}
			want := [7]int{m.total(j, s), m.open(j, s), m.busy(j.id, s, 0), m.running(j.id, s, 0), len(j.done[s]), j.limit[s], j.sample[s]}
			if got != want {
				t.Fatalf("job %d %v: total, open, occupied, running, done, limit, sample = %v, want %v", j.id, s, got, want)
			}
		}
	}
	for _, j := range m.jobs {
		for _, k := range m.jobs {
			if j.arrived < k.arrived && l.Job(j.id).Seq > l.Job(k.id).Seq {
				t.Fatalf("job %d, of %v, comes after job %d, of %v", j.id, j.arrived, k.id, k.arrived)
			}
		}
		for _, s := range stages {
			last := units.Never
			for a := l.Youngest(j.id, s, 0); a != 0; a = l.Youngest(j.id, s, a) {
				if from := l.Attempt(a).Started; from != m.tries[a].from || from > last {
					t.Fatalf("attempt %d started at %v behind one of %v, the truth is %v", a, from, last, m.tries[a].from)
				}
				last = l.Attempt(a).Started
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
		if got, want := l.Node(id).Speed, m.nodes[n].spec.Class.Speed*m.nodes[n].factor; got != want {
			t.Fatalf("node %d: speed %v, want %v", n, got, want)
		}
	}
	runs := int32(0)
	for _, j := range m.jobs {
		if j.state == sched.Admitted {
			runs++
		}
	}
	if got := l.Queue(sched.Root).Runs; got != runs {
		t.Fatalf("%d jobs run, want %d", got, runs)
	}
	for _, s := range stages {
		active := make(map[string]bool) // children of the root that have work, or occupy something
		for _, j := range m.jobs {
			if j.state != sched.Finished && (m.startable(j, s) || m.busy(j.id, s, 0) > 0) {
				name := fmt.Sprint("job ", j.id)
				if path := m.order.Path(&sched.Job{Spec: j.spec}); len(path) > 0 {
					name = path[0]
				}
				active[name] = true
			}
		}
		if got := l.Queue(sched.Root).Active[s]; int(got) != len(active) {
			t.Fatalf("%d active in %v, want %d: %v", got, s, len(active), active)
		}
	}
	due := units.Never
	for i := range m.later {
		if at := m.later[i].At; at > l.Now() {
			due = min(due, at)
		}
	}
	if len(l.held) != len(m.later) || l.Due() != due {
		t.Fatalf("%d items wait, due at %v, want %d at %v", len(l.held), l.Due(), len(m.later), due)
	}
	if *l.Capacity() != capacity {
		t.Fatalf("capacity %v, want %v", *l.Capacity(), capacity)
	}
	checkClasses(t, l)
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
			if j.may(s) {
				open += max(m.open(j, s), 0)
			}
			occupied += m.busy(j.id, s, 0)
		}
		if q := l.Queue(sched.Root).Stages[s]; int(q.Open) != open || int(q.Occupied) != occupied {
			t.Fatalf("root %v: %+v, want open %d occupied %d", s, q, open, occupied)
		}
	}
}

// suits tells whether a job may run on a node.
func (m *model) suits(n sched.NodeID, j *mJob) bool {
	return m.nodes[n].spec.Carries(j.spec.Labels) && !slices.Contains(j.spec.Avoids, n)
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
		locality := m.nearest(n, m.jobs[j], s)
		if got := m.l.Nearest(n, j, s); got != locality {
			m.t.Fatalf("nearest of job %d %v for node %d: %v, want %v", j, s, n, got, locality)
		}
		if fits && !m.yielded && m.suits(n, m.jobs[j]) {
			all = append(all, j)
			if locality == sched.NodeLocal || locality == sched.Anywhere {
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

func TestBookAgreesWithADumbOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, order: testOrder{follows: sched.Tallies(rapid.IntRange(0, 2).Draw(t, "follows")),
			ceiling: int32(rapid.IntRange(1, 6).Draw(t, "ceiling")), back: make(map[sched.JobID]int64)},
			jobs: make(map[sched.JobID]*mJob), tries: make(map[sched.AttemptID]*mTry)}
		m.l = New(sched.Capabilities{Bind: true, Kill: true, Speculate: true}, m.order)
		m.nodes = make([]*mNode, 5)
		for n := range m.nodes {
			m.nodes[n] = &mNode{}
		}
		for n := 1; n < 4; n++ { // the last comes later, if at all
			m.turn(sched.NodeID(n))
		}
		for range rapid.IntRange(1, 60).Draw(t, "batches") {
			m.events()
			m.round++
			for _, e := range m.l.Apply(units.Time(m.round), m.round, m.out) {
				if e.Kind == sched.JobArrived {
					m.jobs[e.Job].seqIfThere(m.l)
				}
			}
			m.out, m.gone = m.out[:0], m.gone[:0]
			m.agree()
			m.l.Begin(&m.plan)
			m.due()
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

// checkClasses counts the nodes of each class and what those have free that are awake, one by one.
func checkClasses(t interface{ Fatalf(string, ...any) }, l *Ledger) {
	count := map[string]*sched.Class{}
	for n := sched.NodeID(1); n <= l.Nodes(); n++ {
		if nd := l.Node(n); nd != nil {
			c := count[nd.Spec.Class.Name]
			if c == nil {
				c = &sched.Class{}
				count[nd.Spec.Class.Name] = c
			}
			if c.Nodes[nd.State]++; nd.State == sched.Awake {
				c.Free.Add(&nd.Free)
			}
		}
	}
	for id := sched.ClassID(1); id <= l.Classes(); id++ {
		got, want := l.Class(id), count[l.Class(id).Spec.Name]
		if want == nil {
			want = &sched.Class{}
		}
		if got.Nodes != want.Nodes || got.Free != want.Free {
			t.Fatalf("class %s: %v free %v, want %v free %v", got.Spec.Name, got.Nodes, got.Free, want.Nodes, want.Free)
		}
		delete(count, got.Spec.Name)
	}
	if len(count) > 0 {
		t.Fatalf("no class for %v", count)
	}
}
