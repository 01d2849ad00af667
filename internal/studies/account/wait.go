package account

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stands is whether a job may run a stage.
type stands struct {
	ready, told, sampled bool
	held, withheld       bool
	bound                int32  // slots of the stage, -1 = none
	why, bar             string // it is held; it is withheld, or bound
}

// wait tells of the time since from, in which the job waited to start an attempt (nil: it waits still) of a stage.
func (w *walk) wait(from units.Time, stage sched.Stage, r *ran) {
	from = max(from, w.j.arrived)
	if from >= w.at {
		return
	}
	s := stands{bound: -1, ready: len(w.j.spec.After) == 0}
	var parts []Part
	at := from
	until := func(t units.Time) {
		if t = min(t, w.at); t > at {
			parts = w.because(parts, &s, at, t, stage, r)
			at = t
		}
	}
	for i := range w.j.gates {
		g, next := &w.j.gates[i], s
		if next.take(g, stage); next != s {
			until(g.at)
			s = next
		}
	}
	until(w.at)
	for _, p := range slices.Backward(parts) {
		w.back(p.From, p)
	}
}

// take lets a gate change how the job stands.
func (s *stands) take(g *gate, stage sched.Stage) {
	switch g.verb {
	case sched.NoVerb:
		s.ready = true
	case sched.Admit:
		s.told, s.held = true, false
	case sched.Reject:
		s.told = true
	case sched.Hold:
		s.held, s.sampled, s.why = true, false, g.why
	case sched.Sample:
		s.sampled = true
	}
	if g.stage == stage {
		switch g.verb {
		case sched.Withhold:
			s.withheld, s.bar = true, g.why
		case sched.Release:
			s.withheld = false
		case sched.SetSlots:
			s.bound, s.bar = g.count, g.why
		}
	}
}

// because adds what a wait was for while the job stood so.
func (w *walk) because(parts []Part, s *stands, from, to units.Time, stage sched.Stage, r *ran) []Part {
	one := func(c Cause, from, to units.Time, why string) {
		if from < to {
			parts = join(parts, Part{Cause: c, From: from, Took: to.Sub(from), Stage: &stage, Task: taskOf(r), Why: why})
		}
	}
	switch {
	case !s.ready:
		one(Predecessors, from, to, "")
		parts[len(parts)-1].Jobs = w.predecessors(to)
	case !s.told && s.sampled:
		one(Sample, from, to, "")
	case s.held:
		one(Held, from, to, s.why)
	case !s.told && w.judged():
		one(Verdict, from, to, "")
	case s.withheld:
		one(Limit, from, to, s.bar)
	case s.bound >= 0:
		for at := from; at < to; {
			n, next := w.occupied(stage, at, to)
			if n >= s.bound {
				one(Limit, at, next, s.bar)
			} else {
				parts = w.room(parts, at, next, stage, r)
			}
			at = next
		}
	default:
		parts = w.room(parts, from, to, stage, r)
	}
	return parts
}

// judged tells whether anybody says that the job may run: else it ran already, or its sample was all of it.
func (w *walk) judged() bool {
	return len(w.j.ran) == 0 || slices.ContainsFunc(w.j.gates, func(g gate) bool {
		return g.verb == sched.Admit || g.verb == sched.Reject || g.verb == sched.Hold
	})
}

func taskOf(r *ran) sched.TaskID {
	if r == nil {
		return 0
	}
	return r.task
}

// join adds a part, to the last one if that goes on.
func join(parts []Part, p Part) []Part {
	if n := len(parts) - 1; n >= 0 && parts[n].Cause == p.Cause && parts[n].Why == p.Why && parts[n].Jobs == nil && p.Jobs == nil {
		parts[n].Took += p.Took
		return parts
	}
	return append(parts, p)
}

// occupied is how many attempts of a stage run at a time, and until when that is so, at most until to.
func (w *walk) occupied(stage sched.Stage, at, to units.Time) (n int32, until units.Time) {
	until = to
	for _, r := range w.j.ran {
		if r.stage != stage {
			continue
		}
		if r.began <= at && at < r.ended {
			n++
		}
		for _, t := range [2]units.Time{r.began, r.ended} {
			if t > at {
				until = min(until, t)
			}
		}
	}
	return n, until
}

// predecessors are the jobs that this one comes after and that had not ended long before, the last to end first.
func (w *walk) predecessors(to units.Time) (list []Other) {
	for _, id := range w.j.spec.After {
		end, over := w.ended[id]
		if !over {
			end = units.Never
		}
		list = append(list, Other{Job: id, Until: end})
	}
	slices.SortStableFunc(list, func(a, b Other) int { return -int(min(1, max(-1, a.Until-b.Until))) })
	for i := range list {
		list[i].Until = min(list[i].Until, to)
	}
	return list[:min(len(list), mostOthers)]
}
