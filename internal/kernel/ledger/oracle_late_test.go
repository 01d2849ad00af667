package ledger

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// The oracle of a world that binds late. The dumb book keeps what was asked for last, word for word,
// and a list of the containers that were promised since; it counts both again for each question.

// mAsk is what is asked for of a stage.
type mAsk struct {
	count int
	rows  []sched.LocationDemand
	taken []mGrant // promised, and not in the count yet; how near says Bound
	total int      // the most tasks that were known of
}

// nearestAsk adds up the rows of the node, of its rack and of any place, and takes off what was promised,
// be there open containers left or not.
func (m *model) nearestAsk(n sched.NodeID, j *mJob, s sched.Stage) sched.Locality {
	a := &j.asks[s]
	rack := m.nodes[n].spec.Rack
	var near [3]int // on the node, in the rack, anywhere
	places, anywhere := false, false
	for _, row := range a.rows {
		switch {
		case row.Node > 0:
			places = true
			if row.Node == n {
				near[0] += int(row.Count)
			}
		case row.Rack > 0:
			places = true
			if row.Rack == rack {
				near[1] += int(row.Count)
			}
		default:
			anywhere = true
			near[2] += int(row.Count)
		}
	}
	if !anywhere {
		near[2] = a.count
	}
	for i := range near {
		near[i] = min(near[i], a.count)
	}
	for _, g := range a.taken {
		l := g.b.Locality
		if g.n == n && l == sched.NodeLocal {
			near[0]--
		}
		if m.nodes[g.n].spec.Rack == rack && (l == sched.NodeLocal || l == sched.RackLocal) {
			near[1]--
		}
		near[2]--
	}
	switch {
	case near[0] > 0:
		return sched.NodeLocal
	case near[1] > 0:
		return sched.RackLocal
	case near[2] > 0 && places:
		return sched.Remote
	case near[2] > 0:
		return sched.Anywhere
	}
	return sched.NoLocality
}

// grow counts the tasks of a stage whose number is not final: done, under way, asked for.
func (m *model) grow(j *mJob, s sched.Stage) {
	if a := &j.asks[s]; j.spec.Stage(s).Grows {
		a.total = max(a.total, len(j.done[s])+m.busy(j.id, s, 0)+max(m.open(j, s), 0))
	}
}

// ask tells a demand. It accounts for all items up to one, and for all that has started.
func (m *model) ask(j *mJob, s sched.Stage, upTo sched.ItemID) {
	a := &j.asks[s]
	a.count, a.rows, a.taken = 6-m.pick("asked", 7), nil, nil
	if m.pick("few", 3) == 0 { // so that a stage which grows has hardly more tasks than run
		a.count = min(a.count, 1)
	}
	if m.pick("placed", 2) == 0 { // as an ApplicationMaster asks: each task on a node, in its rack, anywhere
		for range a.count {
			if n := m.someNode(); m.nodes[n].spec != nil {
				a.rows = append(a.rows, sched.LocationDemand{Node: n, Count: 1},
					sched.LocationDemand{Rack: m.nodes[n].spec.Rack, Count: 1})
			}
		}
		a.rows = append(a.rows, sched.LocationDemand{Count: int32(a.count)})
	}
	for range m.pick("rows", 4) {
		row := sched.LocationDemand{Count: int32(m.pick("containers", 4))}
		switch m.pick("where", 3) {
		case 0:
			row.Node = sched.NodeID(m.pick("node", len(m.nodes)-1) + 1)
		case 1:
			row.Rack = cluster.RackID(m.pick("rack", 2) + 1)
		}
		a.rows = append(a.rows, row)
	}
	e := sched.Event{Kind: sched.Demand, Job: j.id, Stage: s, Count: int32(a.count), Item: upTo}
	if len(a.rows) > 0 {
		e.Detail = &sched.Detail{Demand: a.rows}
	}
	m.out = append(m.out, e)
	// What was promised later is taken off, the last item first: all of an item at one distance.
	var later []mGrant
	for _, g := range m.pending {
		if g.job == j.id && g.s == s && g.item > upTo {
			later = append(later, g)
		}
	}
	slices.SortStableFunc(later, func(a, b mGrant) int { return cmp.Compare(b.item, a.item) })
	for i, g := range later {
		if i > 0 && later[i-1].item == g.item {
			g.b.Locality = a.taken[i-1].b.Locality
		} else {
			g.b.Locality = m.nearestAsk(g.n, j, s)
		}
		a.taken = append(a.taken, g)
	}
	j.ready[s] = true
	m.grow(j, s)
}

// askAgain tells a stage's demand after a resync. A stage that asks for nothing may say nothing.
func (m *model) askAgain(j *mJob, s sched.Stage) {
	st := j.spec.Stage(s)
	j.asks[s] = mAsk{total: len(st.Tasks)}
	j.molds[s] = sched.Mold{}
	m.grow(j, s) // what is done and runs
	if m.pick("asks", 2) == 0 {
		m.ask(j, s, 0)
	}
}

// forget ends jobs and attempts that a resync will not tell again.
func (m *model) forget() {
	for _, a := range handles(m.tries) {
		if try := m.tries[a]; !m.nodes[try.n].up || m.pick("forgotten", 6) == 0 {
			delete(m.tries, a)
		}
	}
	for _, id := range handles(m.jobs) {
		if m.pick("gone", 6) == 0 {
			for _, a := range handles(m.tries) {
				if m.tries[a].job == id {
					delete(m.tries, a)
				}
			}
			delete(m.jobs, id)
		}
	}
	m.notes = 0
}

// mold asks the world for another number of tasks.
func (m *model) mold(j *mJob, s sched.Stage) {
	p, n := &m.plan, m.pick("tasks", 6)
	ok := p.Add(sched.Item{Verb: sched.SetTasks, Job: j.id, Stage: s, Count: int32(n)})
	most, begun := j.spec.Stage(s).MaxTasks, m.busy(j.id, s, 0)+len(j.done[s]) > 0
	if ok != (n >= 1 && n <= most && !begun) {
		m.t.Fatalf("job %d %v is to have %d tasks, of at most %d, begun: %v: %v", j.id, s, n, most, begun,
			p.Items[len(p.Items)-1].Refused)
	}
	if ok && !m.watches {
		j.molds[s] = sched.Mold{Item: p.Items[len(p.Items)-1].ID, Asked: int32(n)}
	}
}

// begunLate checks a start: so many containers as may start, one by one, all equally near.
func (m *model) begunLate(asked sched.Item, it *sched.Item) {
	j, node := m.jobs[asked.Job], m.nodes[asked.Node]
	var got []mGrant
	for range asked.Count {
		if m.yielded || !node.up || !m.suits(asked.Node, j) || !m.startable(j, asked.Stage) ||
			j.state != sched.Admitted && j.sample[asked.Stage] <= len(got) {
			break
		}
		need, free := slotOf(asked.Stage), m.free(asked.Node)
		near := m.nearest(asked.Node, j, asked.Stage)
		if !free.Fits(&need) || near == sched.NoLocality ||
			asked.Locality != sched.NoLocality && near > asked.Locality ||
			len(got) > 0 && near != got[0].b.Locality {
			break
		}
		g := mGrant{it.ID, asked.Job, asked.Stage, asked.Node, sched.Bound{Locality: near}}
		got = append(got, g)
		m.pending = append(m.pending, g)
		j.asks[asked.Stage].taken = append(j.asks[asked.Stage].taken, g)
	}
	m.spend(j, asked.Stage, len(got))
	if len(got) > 0 && asked.Group > 0 && len(got) < int(asked.Count) { // all or nothing
		m.pending = m.pending[:len(m.pending)-len(got)]
		for _, g := range got {
			m.giveBack(g)
		}
		got = nil
	}
	switch {
	case (it.Refused == sched.OK) != (len(got) > 0):
		m.t.Fatalf("item %+v: %d could start", it, len(got))
	case len(got) > 0 && (int(it.Count) != len(got) || it.Locality != got[0].b.Locality || it.Tasks.Len() != 0):
		m.t.Fatalf("item %+v: want %d, %v", it, len(got), got[0].b.Locality)
	}
}

// agreeLate compares what only this world tells, besides all that agree does.
func (m *model) agreeLate() {
	m.agree()
	for _, j := range m.jobs {
		b := m.l.Job(j.id)
		if b.Started != j.began {
			m.t.Fatalf("job %d began at %v, want %v", j.id, b.Started, j.began)
		}
		for _, s := range stages {
			if t := b.Stages[s]; t.Ready != j.ready[s] || t.Withheld != j.withheld[s] || b.Molds[s] != j.molds[s] {
				m.t.Fatalf("job %d %v: ready %v, withheld %v, %+v, want %v, %v, %+v", j.id, s, t.Ready, t.Withheld, b.Molds[s],
					j.ready[s], j.withheld[s], j.molds[s])
			}
		}
	}
	for j := range m.l.Jobs() + 1 {
		if b := m.l.Job(j); b != nil && b.State != sched.Finished && m.jobs[j] == nil {
			m.t.Fatalf("job %d is in the book, and has gone", j)
		}
	}
}

func TestBookOfCountsAgreesWithADumbOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, late: true, order: testOrder{
			follows: sched.Tallies(rapid.IntRange(0, 2).Draw(t, "follows")),
			ceiling: int32(rapid.IntRange(1, 6).Draw(t, "ceiling")), back: make(map[sched.JobID]int64)},
			jobs: make(map[sched.JobID]*mJob), tries: make(map[sched.AttemptID]*mTry),
			granted: make(map[sched.ItemID]bool)}
		m.l = New(sched.Capabilities{Kill: true, Mold: true}, m.order)
		m.nodes = make([]*mNode, 5)
		for n := range m.nodes {
			m.nodes[n] = &mNode{}
		}
		for n := 1; n < 4; n++ { // the last comes later, if at all
			m.turn(sched.NodeID(n))
		}
		for range rapid.IntRange(80, 200).Draw(t, "batches") {
			m.eventsLate()
			m.round++
			var notes []string
			for _, e := range m.l.Apply(units.Time(m.round), m.round, m.out) {
				switch e.Kind {
				case sched.JobArrived:
					m.jobs[e.Job].seqIfThere(m.l)
				case sched.Discrepancy:
					notes = append(notes, e.Text)
				}
			}
			if len(notes) != m.notes {
				t.Fatalf("discrepancies %q, want %d", notes, m.notes)
			}
			m.out, m.notes, m.gone = m.out[:0], 0, m.gone[:0]
			m.agreeLate()
			m.l.Begin(&m.plan)
			m.due()
			for range m.pick("items", 5) {
				m.decide()
			}
			m.l.Check(&m.plan)
			m.enacted()
			m.agreeLate()
		}
	})
}
