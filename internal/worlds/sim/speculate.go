package sim

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// With Config.Progress set, attempts report how far they are at that interval, and a task may have
// a second attempt (speculative execution; paper 003, section 2.1.2). Whoever commits first counts,
// the other is superseded at that instant. Each attempt draws its own fate: a copy of a straggler
// may be quick.

// supersede ends the other attempts of a task that has committed.
func (w *World) supersede(s *stage, task int32) {
	for s.tasks[task-1].Live > 0 {
		for a := s.runs.first; a != 0; a = w.attempts[a].in[ofStage].next {
			if w.attempts[a].task == task {
				w.end(a, sched.Superseded, "")
				break
			}
		}
	}
}

// report tells the progress of every attempt, and comes again as long as any runs.
func (w *World) report() {
	w.reporting = false
	any := false
	for n := 1; n < len(w.nodes); n++ {
		for a := w.nodes[n].runs.last; a != 0; a = w.attempts[a].in[ofNode].prev {
			any = true
			w.emit(sched.Event{Kind: sched.Progress, Attempt: sched.AttemptID(a), Node: cluster.NodeID(n), X: w.progress(a)})
		}
	}
	if any {
		w.expectReport()
	}
}

// expectReport enters the next report, once.
func (w *World) expectReport() {
	if w.cfg.Progress > 0 && !w.reporting {
		w.reporting = true
		w.queue.push(w.now.Add(w.cfg.Progress), progressReport, 0, 0)
	}
}

// progress is how far an attempt is, as Hadoop counts it: a reduce is through a third when it has its input.
func (w *World) progress(a int32) float64 {
	at, p := &w.attempts[a], &w.paces[a]
	done := 0.0 // of its work
	if at.ready <= w.now && p.work > 0 {
		left := p.left
		if at.timed {
			left = max(0, left-float64(w.now.Sub(p.since))/p.slow)
		}
		done = 1 - left/p.work
	}
	if at.stage != sched.Reduce {
		return done
	}
	if at.ready > w.now {
		return w.fetchedPart(at) / 3
	}
	return 1./3 + done*2/3
}

// fetchedPart is how much of a reduce's input is there while it waits: the part of the maps that
// have committed, as what the rest of its shuffle does is not counted.
func (w *World) fetchedPart(at *attempt) float64 {
	maps := w.jobs[at.job].stage(sched.Map)
	if maps == nil || len(maps.tasks) == 0 {
		return 1
	}
	return float64(maps.Done) / float64(len(maps.tasks))
}
