package rtmr

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/internal/policies/reservetest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// auditor is a dispatcher that counts at each decision, node by node and attempt by attempt, what
// the scheduler knows from sums: slots in service, idle and lent.
type auditor struct {
	reserve.Dispatcher
	said *[]string
}

func (a auditor) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for _, slot := range []sched.Stage{sched.Map, sched.Reduce} {
		a.audit(v, slot)
	}
	a.Dispatcher.Decide(v, batch, p)
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
		if node == nil || !node.Up || node.Draining || node.Power != sched.Awake {
			continue
		}
		slots := node.Spec.Class.Capacity[reserve.Dim(slot)]
		serves[n] = slots > 0
		serving, idle = serving+slots, idle+max(0, node.Free[reserve.Dim(slot)])
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		r := a.Of(j)
		if v.Job(j) == nil || r == nil || r.Standing == reserve.Promised {
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
	check("slots in service", a.Serving(v, slot), serving)
	check("slots idle", a.Idle(v, slot), idle)
	check("slots lent", a.Held(v, slot), held)
}

// While nodes drain and come back, the sums are at each decision what counting finds.
func TestAudit(t *testing.T) {
	gen := reservetest.Draining(reservetest.Mastered(reservetest.Streams(true, 12, 0, 3*units.Second), reservetest.NoMaster, reservetest.NoMaster, reservetest.Outside, reservetest.InMapSlot))
	for seed := range 1000 {
		c := Config{reserve.Config{BestEffort: seed%8 < 4, Sample: 2, Skew: 1}, true}
		s := gen.Example(seed)
		var said []string
		if _, err := play(s, c, dispatching(func(s *scheduler) compose.Step { return auditor{reserve.Dispatcher{Scheduler: s.Scheduler}, &said} })); err != nil {
			t.Fatalf("%v\n%v", err, s)
		}
		if len(said) > 0 {
			t.Fatalf("%+v: %s\n%v", c, said[0], s)
		}
	}
}
