package sim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// ErrStuck is wrapped by the error of Next when jobs are left that nothing will ever bring on. The
// text names them and says what each waits for.
var ErrStuck = errors.New("the simulation is stuck")

// ErrTooLong is wrapped by the error of Next when the run goes on beyond what times can hold.
var ErrTooLong = errors.New("the simulation takes too long")

// horizon is the latest time that a run may come to: about 146 years, half of what a units.Time
// holds, so that sums of a time and a span within the run never wrap.
const horizon units.Time = 1 << 62

// A run without a policy that answers would go on for ever where nodes keep beating. It counts as
// stuck when nothing is left to happen at all, or when there is nothing but heartbeats, ticks, and
// nodes that fail by chance for the length of Config.Patience and at least idleBatches batches (a
// policy may set itself a late tick, so time alone says nothing), or when one instant does not end.
// ApplicationMasters that start again, as their nodes failed, bring nothing on by themselves
// either: they may hold all the room that the tasks wait for. That is looked at every idleBatches
// batches, as it takes a look at all attempts. So is a run in which attempts are lost at 100,000
// instants, and at 1,000 for each node, while nothing gets further: a task that outlasts its nodes
// ten times over might still have ended some day.
const (
	idleBatches = 1000
	sameInstant = 100_000
)

// idling counts since when, and in how many batches, nothing came of anything.
type idling struct {
	since   units.Time
	batches int
	instant units.Time
	same    int
	hope    units.Time // when more than masters that start again was last seen
	looked  int        // batches since then, or since the last look
}

func (i *idling) progress(now units.Time) {
	i.since, i.batches, i.same = now, 0, 0
	i.hope = now
}

// stuck returns an error if the batch at that time had better not be waited for.
func (w *World) stuck(at units.Time) error {
	i := &w.idle
	if at > horizon && w.timed+w.coming+w.fabric.flows > 0 {
		return fmt.Errorf("%w: the next event is more than %d years away; check task times, arrivals and speeds",
			ErrTooLong, horizon/units.Time(365*units.Day))
	}
	if f := &w.stall; f.arrivals > f.most.arrivals || f.losses > f.most.losses {
		if err := w.stalled(); err != nil {
			return err
		}
	}
	if at == units.Never {
		return w.stuckError(w.now, "nothing will ever happen again")
	}
	if i.same++; at != i.instant {
		i.instant, i.same = at, 0
	}
	if i.same > sameInstant {
		return w.stuckError(at, "time stands still: the policy is asked again and again, without effect")
	}
	if i.looked++; i.looked > idleBatches {
		i.looked = 0
		if w.coming > 0 || w.fabric.flows > 0 || w.works() {
			i.hope = at
		} else if w.timed > 0 && at.Sub(i.hope) > w.cfg.Patience {
			return w.stuckError(at, fmt.Sprintf("since %v nothing has happened but heartbeats, ticks and masters that start again", i.hope))
		}
	}
	if w.timed > 0 || w.coming > 0 || w.fabric.flows > 0 {
		i.since, i.batches = at, 0
		return nil
	}
	if i.batches++; i.batches > idleBatches && at.Sub(i.since) > w.cfg.Patience {
		return w.stuckError(at, fmt.Sprintf("since %v nothing has happened but heartbeats and ticks", i.since))
	}
	return nil
}

// again tells whether the next attempt of the stage is an ApplicationMaster that starts again.
func (w *World) again(h int32, s sched.Stage) bool {
	j := &w.jobs[h]
	return s == sched.Master && len(j.stages) > 1 && j.stages[1].Ready
}

// works tells whether an attempt runs whose end is known and which is no master that starts again.
func (w *World) works() bool {
	for a := range w.attempts {
		if at := &w.attempts[a]; at.job != 0 && at.timed && !w.again(at.job, at.stage) {
			return true
		}
	}
	return false
}

func (w *World) stuckError(at units.Time, why string) error {
	const most = 5
	var waits []string
	named := 0
	for h := range w.jobs {
		if !w.jobs[h].Here {
			continue
		}
		if named++; named <= most {
			waits = append(waits, fmt.Sprintf("job %q waits for %s", w.jobs[h].Spec.ID, w.waitsFor(&w.jobs[h])))
		}
	}
	if named > most {
		waits = append(waits, fmt.Sprintf("and %d more jobs", named-most))
	}
	return fmt.Errorf("%w at %v, %s: %s", ErrStuck, at, why, strings.Join(waits, "; "))
}

// waitsFor says what a job waits for.
func (w *World) waitsFor(j *job) string {
	if j.link.missing > 0 {
		var names []string
		for _, id := range j.Spec.After {
			for h := range w.jobs {
				if w.jobs[h].Here && w.jobs[h].Spec.ID == id {
					names = append(names, id)
				}
			}
		}
		return "its predecessors " + strings.Join(names, ", ")
	}
	if !j.Admitted {
		return "the policy to admit it"
	}
	for i := range j.stages {
		s := &j.stages[i]
		switch {
		case s.Open == 0 || !s.Ready:
		case s.Withheld:
			return fmt.Sprintf("the policy to release its %v stage", s.kind)
		case !w.anyNode(func(n int32) bool { return w.nodes[n].state == nodeOpen && !w.nodes[n].listed }):
			return fmt.Sprintf("a node to be up: %d %v tasks are open", s.Open, s.kind)
		case !w.possible(s):
			return fmt.Sprintf("a node that carries the labels and has room for %v: %d %v tasks are open",
				w.kinds[s.kinds[0]].needs.Words(w.cfg.Cluster.Named), s.Open, s.kind)
		case s.Limit >= 0 && s.Busy >= s.Limit:
			return fmt.Sprintf("the policy to grant its %v stage more than %d slots", s.kind, s.Limit)
		case !w.anyNode(func(n int32) bool { return w.kinds[s.kinds[0]].room.has(int(n - 1)) }):
			return fmt.Sprintf("room for %d %v tasks, which other attempts hold that wait themselves", s.Open, s.kind)
		default:
			return fmt.Sprintf("the policy to start %d open %v tasks", s.Open, s.kind)
		}
	}
	return "attempts that never end"
}

func (w *World) anyNode(ok func(n int32) bool) bool {
	for n := range w.nodes[1:] {
		if ok(int32(n + 1)) {
			return true
		}
	}
	return false
}

// possible tells whether an empty node that is up could run a task of the stage.
func (w *World) possible(s *stage) bool {
	for _, k := range s.kinds {
		kd := &w.kinds[k]
		if w.anyNode(func(n int32) bool {
			nd := &w.nodes[n]
			return nd.state == nodeOpen && nd.Spec.Class.Capacity.Fits(&kd.needs.Vector) && (kd.carries == nil || kd.carries[n-1])
		}) {
			return true
		}
	}
	return false
}
