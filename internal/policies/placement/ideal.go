package placement

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// ideal takes a map only on the nodes, and in the kind of container, in which it uses the least energy above idle,
// however long it waits for one: the bound to which paper 003 compares EFH (section 6.3.3.3). Of classes and kinds
// that are equally good the first counts.
func (l *worthy) ideal(t *turn, j *sched.Job) bool {
	class, kind := thriftiestOf(t.v, j, false)
	box := j.Spec.Stage(sched.Map).Container(kind)
	l.kind, l.why = uint8(kind), sched.Because(LeastEnergy)
	return t.node.Class == class && t.node.Free.Fits(&box.Needs)
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
		Step:   func(compose.Args) (compose.Step, error) { return &Worth{strict: true}, nil },
	}
}
