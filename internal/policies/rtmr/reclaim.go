package rtmr

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// reclaimer kills tasks without a promise when the slots that they hold fall due.
type reclaimer struct{ *scheduler }

// Decide kills the youngest tasks of the jobs that came last, as many as there are tasks with a
// promise, or of a sample, that find no slot.
func (r reclaimer) Decide(v sched.View, _ []sched.Event, p *sched.Plan) {
	r.breakDeadlock(v, p)
	if len(r.queue)+r.samples == 0 || len(r.others) == 0 {
		return
	}
	// Where all open maps find a free slot, none is due.
	if r.mastered > 0 || int64(v.Queue(sched.Root).Stages[sched.Map].Open) > r.idle(v, sched.Map) {
		due, kept, sample := r.mapsDue(v)
		r.reclaim(v, sched.Map, due, due+kept, sample, p)
	}
	if r.promisedTo(v.Waiting(sched.Reduce, 0)) {
		due, kept := r.due(v, sched.Reduce)
		r.reclaim(v, sched.Reduce, due, due+kept, 0, p)
	}
}

// mapsDue is how many maps with a promise could start, were there slots, how many slots to keep, and
// how many maps of samples could.
func (s *scheduler) mapsDue(v sched.View) (due, kept, sample int64) {
	rising := s.rising(v)
	if rising {
		due, kept = s.due(v, sched.Map)
	}
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		r, t := s.of(j), &v.Job(j).Stages[sched.Map]
		switch {
		case r != nil && r.Standing == promised:
			if !rising {
				due += int64(t.Open)
			}
		case r != nil && r.Standing == sampled:
			sample += int64(max(0, min(t.Open, t.Sample)))
		default:
			return due, kept, sample // nor is any behind it
		}
	}
	return due, kept, sample
}

// due is how many tasks with a promise the dispatcher would start in slots of a kind, were there any:
// algorithm 5.4 over and over. Where slots wait for beats, it also tells how many have to be kept for
// jobs before those: should their tasks come to want slots before the next beat, they take those that
// are free, and the tasks that are due now must not have to wait for a beat once more.
func (s *scheduler) due(v sched.View, slot sched.Stage) (due, kept int64) {
	beats := v.World().Heartbeat > 0
	s.walk(v, slot, func(job *sched.Job, stage sched.Stage, free, reserved int64) (int64, bool) {
		takes := max(0, min(int64(job.Stages[stage].Open), free))
		if due += takes; takes > 0 && beats {
			kept = reserved
		}
		return takes, false
	})
	return due, kept
}

// reclaim kills as many tasks as slots are missing to those that are due, or to be kept for them,
// and to samples. For a sample only tasks of jobs are killed that nobody measures.
func (s *scheduler) reclaim(v sched.View, slot sched.Stage, due, need, sample int64, p *sched.Plan) {
	missing := need + sample - max(0, s.idle(v, slot))
	if missing <= 0 {
		return
	}
	held := s.held(v, slot)
	if held <= 0 && len(s.out) == 0 {
		return // nothing is lent
	}
	holders := s.holders(v)
	for _, j := range slices.Backward(holders) { // those that die already
		s.eachLent(v, j, slot, func(a *sched.Attempt) {
			if a.Dying {
				missing--
			}
		})
	}
	for _, of := range []standing{lent, sampled} {
		for _, j := range slices.Backward(holders) {
			if missing <= 0 {
				return
			}
			if s.of(j).Standing != of {
				continue
			}
			s.eachLent(v, j, slot, func(a *sched.Attempt) {
				if missing > 0 && !a.Dying && p.Add(sched.Item{Verb: sched.Kill, Job: j, Stage: a.Stage, Attempt: a.ID, Outcome: sched.Preempted,
					Reason: sched.Because(SlotDue, due+sample, held)}) {
					missing--
				}
			})
		}
		missing -= sample
	}
}

// eachLent calls do with the attempts of a job that hold slots of the kind in service, the youngest first.
func (s *scheduler) eachLent(v sched.View, j sched.JobID, slot sched.Stage, do func(*sched.Attempt)) {
	s.eachOf(v, j, func(a *sched.Attempt, of sched.Stage) {
		if of == slot && (len(s.out) == 0 || inService(v.Node(a.Node), slot)) {
			do(a)
		}
	})
}

// eachOf calls do with the attempts of a job, its master behind all tasks, of each stage the youngest
// first, and what kind of slot each holds.
func (s *scheduler) eachOf(v sched.View, j sched.JobID, do func(a *sched.Attempt, slot sched.Stage)) {
	job := v.Job(j)
	if job == nil {
		return
	}
	for i := range job.Spec.Stages {
		stage := job.Spec.Stages[i].Kind
		if job.Spec.Stages[0].Kind == sched.Master {
			stage = job.Spec.Stages[(i+1)%len(job.Spec.Stages)].Kind
		}
		if job.Stages[stage].Occupied == 0 {
			continue
		}
		for a := v.Youngest(j, stage, 0); a != 0; {
			next := v.Youngest(j, stage, a)
			at := v.Attempt(a)
			do(at, takes(job, stage, at.Container))
			a = next
		}
	}
}
