package adverse

import "github.com/slackline/slackline/sched"

// register is how many beats an ApplicationMaster takes from its start until it asks for anything.
const register = 2

// master returns the job's ApplicationMaster, nil if it has none that runs.
func (w *World) master(j sched.JobID) *attempt {
	for _, a := range w.attempts[1:] {
		if a != nil && a.job == j && w.jobs[j].stages[a.stage].spec.Kind == sched.Master {
			return a
		}
	}
	return nil
}

// moveMasters lets ApplicationMasters ask from when they have registered, end some time after their last
// task, and die now and then. With one that dies end the containers of its job; what its tasks have done
// stays done, and the next one asks for the rest only.
func (w *World) moveMasters() {
	for i := 1; i < len(w.jobs); i++ {
		jb, id := w.jobs[i], sched.JobID(i)
		if !jb.arrived || jb.over || jb.stages[0].spec.Kind != sched.Master {
			continue
		}
		a := w.master(id)
		if !jb.done(1) {
			jb.ended = 0
		} else if jb.ended == 0 {
			jb.ended = w.beat
		}
		switch {
		case a == nil:
		case jb.done(1):
			if w.beat >= w.cfg.Calm || w.dice.IntN(2) == 0 {
				w.end(a, sched.Committed)
				a = nil
			}
		case w.naughty(40):
			w.end(a, sched.Failed)
			a = nil
		}
		if a == nil {
			jb.shunned = 0 // what it wanted nothing of goes with it
		}
		away := a == nil || w.beat < a.since+register
		for k, s := range jb.stages[1:] {
			if mute := away || jb.quits > 0 && s.spec.Kind == sched.Map; s.mute != mute {
				s.mute, s.asked = mute, s.ready
			}
			for _, b := range w.attempts[1:] {
				if a == nil && b != nil && b.job == id && b.stage == k+1 {
					w.end(b, sched.Killed)
				}
			}
		}
	}
}

// finished tells whether all tasks of the stage are done.
func (s *stage) finished() bool { return s.done == len(s.spec.Tasks) }

// done tells whether all tasks of the stages from the kth on are done.
func (j *job) done(k int) bool {
	for _, s := range j.stages[k:] {
		if !s.finished() {
			return false
		}
	}
	return true
}
