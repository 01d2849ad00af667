package sim

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// beginShuffle sets when the work of an attempt that has just started may begin. A reduce ends its shuffle
//
//	max(start of the attempt, end of the job's last map) + Task.Shuffle
//
// so one of the first wave, started at slow start, overlaps with the maps and waits for the last of
// them, and one of a later wave takes its shuffle time. Shuffle is network: no speed acts on it;
// where the network is shared it may take longer (network.go). A map away from its input fetches
// that first (read.go). Everything else works from the start on.
func (w *World) beginShuffle(a int32, at *attempt, j *job, s *stage, locality sched.Locality) {
	switch {
	case at.stage == sched.Map:
		at.ready = w.launched(at).Add(w.cfg.Read.fetch(at.input, locality))
	case at.stage != sched.Reduce:
		at.ready = w.launched(at)
	case j.at[sched.Map] >= 0 && (j.mapsEnd == units.Never || j.vanished > 0):
		at.ready = units.Never
		if j.vanished > 0 { // a second attempt, of a task whose first has read what is gone by now
			w.rerun(j, at.job)
		}
		return // it waits; mapsDone goes on
	default:
		w.shuffle(a)
		return
	}
	w.schedule(a, at, j, s)
}

// launched is when the attempt's container has begun its task. What an ApplicationMaster states has that in it.
func (w *World) launched(at *attempt) units.Time {
	if at.stage == sched.Master {
		return w.now
	}
	return max(w.now, at.began.Add(w.cfg.Launch))
}

// shuffle lets a reduce fetch its input, all of which is there.
func (w *World) shuffle(a int32) {
	at := &w.attempts[a]
	j := &w.jobs[at.job]
	s := j.stage(sched.Reduce)
	takes := s.Spec.Tasks[at.task-1].Shuffle
	if s.weights != nil {
		takes = takes.Scale(s.weights[at.task-1])
	}
	if w.cfg.Network.Fabric > 0 && takes > 0 {
		w.fetch(a, takes)
		return
	}
	at.ready = w.launched(at).Add(takes)
	w.schedule(a, at, j, s)
}

// mapsDone lets the reduces that wait for the last map fetch its output.
func (w *World) mapsDone(j *job) {
	j.mapsEnd = w.now
	s := j.stage(sched.Reduce)
	if s == nil {
		return
	}
	for a := s.runs.first; a != 0; a = w.attempts[a].in[ofStage].next {
		if w.attempts[a].ready == units.Never {
			w.shuffle(a)
		}
	}
}

// mapsMissing parks the reduces that are still in their shuffle: a map's output is gone. Those past
// it have what they need.
func (w *World) mapsMissing(j *job) {
	j.mapsEnd = units.Never
	s := j.stage(sched.Reduce)
	if s == nil {
		return
	}
	for a := s.runs.first; a != 0; a = w.attempts[a].in[ofStage].next {
		if at := &w.attempts[a]; at.ready > w.now {
			w.park(at)
			at.ready = units.Never
		}
	}
}
