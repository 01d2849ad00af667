package rtmr

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// auditor is a dispatcher that counts at each decision, node by node and attempt by attempt, what
// the scheduler knows from sums: slots in service, idle and lent.
type auditor struct {
	dispatcher
	said *[]string
}

func (a auditor) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for _, slot := range []sched.Stage{sched.Map, sched.Reduce} {
		a.audit(v, slot)
	}
	a.dispatcher.Decide(v, batch, p)
}

func (a auditor) audit(v sched.View, slot sched.Stage) {
	check := func(what string, got, want int64) {
		if got != want {
			*a.said = append(*a.said, fmt.Sprintf("%v: %d %v %s, counted %d", v.Now(), got, slot, what, want))
		}
	}
	var serving, idle, held int64
	serves := map[sched.NodeID]bool{}
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		node := v.Node(n)
		if node == nil || node.State != sched.Awake {
			continue
		}
		slots := node.Spec.Class.Capacity[dim(slot)]
		serves[n] = slots > 0
		serving, idle = serving+slots, idle+max(0, node.Free[dim(slot)])
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		r := a.of(j)
		if v.Job(j) == nil || r == nil || r.Standing == promised {
			continue
		}
		stages := []sched.Stage{slot}
		if st := v.Job(j).Spec.Stage(sched.Master); slot == sched.Map && st != nil && len(st.Containers) == 0 {
			stages = append(stages, sched.Master)
		}
		for _, stage := range stages {
			for at := v.Youngest(j, stage, 0); at != 0; at = v.Youngest(j, stage, at) {
				if it := v.Attempt(at); serves[it.Node] {
					held++
				}
			}
		}
	}
	check("slots in service", a.serving(v, slot), serving)
	check("slots idle", a.idle(v, slot), idle)
	check("slots lent", a.held(v, slot), held)
}

// While nodes drain and come back, the sums are at each decision what counting finds.
func TestAudit(t *testing.T) {
	gen := draining(mastered(streams(true, 12, 0, 3*units.Second), noMaster, noMaster, outside, inMapSlot))
	for seed := range 1000 {
		c := config{Feedback: true, BestEffort: seed%8 < 4, Sample: 2, Skew: 1}
		s := gen.Example(seed)
		var said []string
		if _, err := play(s, c, dispatching(func(s *scheduler) compose.Step { return auditor{dispatcher{s}, &said} })); err != nil {
			t.Fatalf("%v\n%v", err, s)
		}
		if len(said) > 0 {
			t.Fatalf("%+v: %s\n%v", c, said[0], s)
		}
	}
}
