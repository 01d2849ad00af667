package conform

import (
	"math/rand/v2"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
)

// meddler hands a world plans that no book has checked, beside those that the loop makes, and these
// twice: so the world's own checks are tried. What it wants done is aimed at what must not be, or
// simply wrong; what of it may be done by chance counts as unplanned.
type meddler struct {
	drive.World
	view  func() sched.View
	watch *Watch // which has to know what is done behind its back
	binds bool   // it binds tasks, and so sees to bounds itself
	seed  uint64
	next  sched.ItemID // of the items made here, far above those of the book; 0 for a world that counts demand by them
	turns uint64
	calm  uint64 // turns after which it leaves the world alone
	plan  sched.Plan
	// items of the plan, by their place in it, that no world may do
	barred map[int]forbidden
}

// Enact meddles before and behind the plan.
func (m *meddler) Enact(p *sched.Plan) error {
	m.turns++
	dice := rand.New(rand.NewPCG(m.seed, m.turns))
	if err := m.meddle(dice); err != nil {
		return err
	}
	for range 2 { // the second time changes nothing
		if err := m.World.Enact(p); err != nil {
			return err
		}
	}
	return m.meddle(dice)
}

func (m *meddler) meddle(dice *rand.Rand) error {
	if m.turns > m.calm || dice.IntN(3) > 0 {
		return nil
	}
	m.plan.Reset(nil)
	m.barred = make(map[int]forbidden)
	v := m.view()
	for range dice.IntN(3) {
		m.wrong(dice, v)
	}
	if j := v.Job(sched.JobID(1 + dice.IntN(max(1, int(v.Jobs()))))); j != nil {
		s := sched.Stage(dice.IntN(int(sched.Stages)))
		for s > 0 && j.Stages[s].Total == 0 {
			s--
		}
		// Many of its tasks on one node: open ones, running ones, done ones; whether it is admitted
		// and ready or not; whatever runs there.
		n, first, count := sched.NodeID(1+dice.IntN(max(1, int(v.Nodes())))), 1+dice.IntN(3), min(int(j.Stages[s].Total), 6)
		if away := v.Node(v.Nodes()); v.World().Power && away != nil && away.State != sched.Waking && dice.IntN(4) == 0 {
			if n = away.ID; away.Serves() {
				m.plan.Add(sched.Item{Verb: sched.Sleep, Node: n})
			} else {
				m.plan.Add(sched.Item{Verb: sched.Wake, Node: n})
			}
		}
		for away := sched.NodeID(1); !v.World().Power && away <= v.Nodes(); away++ {
			if nd := v.Node(away); nd != nil && !nd.Serves() {
				n = away
			}
		}
		if m.binds && dice.IntN(2) == 0 {
			m.bound(v, j, s, n, first, count)
		}
		m.start(j.ID, s, n, 0, first, count)
	}
	for i := range m.plan.Items {
		it := &m.plan.Items[i]
		if it.ID = m.next; m.next > 0 {
			m.next++
		}
		if no, is := m.barred[i]; is {
			m.watch.barred[it.ID] = no
		}
	}
	return m.World.Enact(&m.plan)
}

// start asks for count tasks from the first on, as a binder that knows nothing would.
func (m *meddler) start(j sched.JobID, s sched.Stage, n sched.NodeID, container uint8, first, count int) {
	from := int32(len(m.plan.Bound))
	for i := range count {
		m.plan.Bound = append(m.plan.Bound, sched.Bound{Task: sched.TaskID(first + i), Locality: sched.Remote})
	}
	m.plan.Add(sched.Item{Verb: sched.Start, Job: j, Stage: s, Node: n, Container: container, Count: int32(count), Locality: sched.Remote,
		Tasks: sched.Span{From: from, To: int32(len(m.plan.Bound))}})
}

// bound asks for the same of a job that is held, of a stage that is withheld, and of one that may occupy
// nothing, and takes that back.
func (m *meddler) bound(v sched.View, j *sched.Job, s sched.Stage, n sched.NodeID, first, count int) {
	do := func(verb sched.Verb, count int32) {
		m.plan.Add(sched.Item{Verb: verb, Job: j.ID, Stage: s, Count: count})
	}
	barred := func(n sched.NodeID, by sched.Verb, why sched.Code) {
		m.barred[len(m.plan.Items)] = forbidden{by, why}
		m.start(j.ID, s, n, 0, first, count)
	}
	if j.State == sched.Admitted {
		do(sched.Hold, 0)
		barred(n, sched.Hold, sched.NotAdmitted)
		do(sched.Admit, 0)
	}
	do(sched.Withhold, 0)
	barred(n, sched.Withhold, sched.Withheld)
	do(sched.Release, 0)
	do(sched.SetSlots, 0)
	barred(n, sched.SetSlots, sched.AtLimit)
	do(sched.SetSlots, -1)
}

// wrong asks for what does not exist.
func (m *meddler) wrong(dice *rand.Rand, v sched.View) {
	j, n := v.Jobs(), v.Nodes()
	switch dice.IntN(9) {
	case 0:
		m.start(j+1+sched.JobID(dice.IntN(9)), sched.Map, 1, 0, 1, 1)
	case 1:
		m.start(-1, sched.Map, 1, 0, 1, 1)
	case 2:
		m.start(j, sched.Map, n+1+sched.NodeID(dice.IntN(9)), 0, 1, 1)
	case 3:
		m.start(j, sched.Map, -1, 0, 1, 1)
	case 4:
		m.start(j, sched.Map+sched.Stage(dice.IntN(200)), 1, 0, 1, 1)
	case 5:
		m.start(j, sched.Map, 1, 200, 1, 1)
	case 6:
		m.start(j, sched.Map, 1, 0, 1<<30, 1)
	case 7:
		m.start(j, sched.Map, 1, 0, 1, 0)
		m.plan.Items[len(m.plan.Items)-1].Tasks = sched.Span{From: -1, To: 99}
	default:
		m.plan.Add(sched.Item{Verb: sched.Kill, Job: j, Stage: sched.Map, Attempts: sched.Span{From: 0, To: int32(dice.IntN(3))}})
		m.plan.Victims = append(m.plan.Victims, -1, 1<<30)
	}
}
