package placement

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Ideal runs each map on the nodes, and in the kind of container, in which it uses the least energy above idle, however
// long it waits for one: the bound to which paper 003 compares EFH (section 6.3.3.3). Of classes and kinds that are
// equally good the first counts. Masters, reduces and further stages are served as Greedy does.
type Ideal struct {
	order sched.Order
	turn  turn // reused
}

// Follow takes the policy's order.
func (i *Ideal) Follow(o sched.Order) error {
	i.order = o
	return nil
}

// Decide serves the nodes that beat.
func (i *Ideal) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	t := &i.turn
	for k := range batch {
		if batch[k].Kind == sched.Heartbeat && t.of(v, p, batch[k].Node) {
			t.serve(i.order, &thriftiest{}, 1, 1)
		}
	}
}

// thriftiest is the line of maps that use the least energy on the node.
type thriftiest struct {
	after sched.JobID
	kind  uint8 // of the job named last
}

func (l *thriftiest) next(t *turn) sched.JobID {
	for {
		j := t.v.First(t.node.ID, sched.Map, l.after)
		if j == 0 {
			return 0
		}
		job := t.v.Job(j)
		class, kind := thriftiestOf(t.v, job, false)
		if box := job.Spec.Stage(sched.Map).Container(kind); t.node.Class == class && t.node.Free.Fits(&box.Needs) {
			l.kind = uint8(kind)
			return j
		}
		l.after = j
	}
}

// thriftiestOf is the class and the kind of container in which a job's maps use the least, of classes with nodes that
// are awake or of all; of equal ones the first.
func thriftiestOf(v sched.View, j *sched.Job, awake bool) (class sched.ClassID, kind int) {
	most := 0.0
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		for k, box := range j.Spec.Stage(sched.Map).Kinds() {
			ef := efficiency(v.Class(c).Rate(j.Spec, sched.Map, k))
			if units.Rounded(ef) > units.Rounded(most) && (!awake || v.Class(c).Nodes[sched.Awake] > 0) && v.Class(c).Spec.Capacity.Fits(&box.Needs) {
				most, class, kind = ef, c, k
			}
		}
	}
	return class, kind
}

func (l *thriftiest) start(t *turn, j sched.JobID) {
	if !t.p.Add(sched.Item{Verb: sched.Start, Job: j, Stage: sched.Map, Container: l.kind, Node: t.node.ID, Count: 1, Locality: sched.Remote, Reason: sched.Because(LeastEnergy)}) {
		l.after = j
	}
}

// LeastEnergy places a map.
var LeastEnergy = &sched.Cause{Name: "least-energy", Text: "nowhere else does it use less energy"}

// IdealEntry lists the part.
func IdealEntry() compose.Entry {
	return compose.Entry{
		Name:   "ideal",
		Kind:   compose.KindPlace,
		Doc:    "runs each map only where it uses the least energy above idle, however long it waits",
		Cite:   "paper 003, section 6.3.3.3 (IDEAL)",
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.Heartbeat), Causes: []*sched.Cause{LeastEnergy, sched.FirstInOrder}},
		Step:   func(compose.Args) (compose.Step, error) { return &Ideal{}, nil },
	}
}
