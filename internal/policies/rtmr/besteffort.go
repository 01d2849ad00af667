package rtmr

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Jobs without a deadline, and those of which nothing is known, run on what no promise needs. The
// paper knows no such jobs. They stand behind all that have a promise, get any slot that is free once a
// node's jobs with a promise have been served, and are killed when a promised slot falls due: when a
// task with a promise could start and no slot is free for it. Admission does not count them.
//
// Tasks of a sample (sample.go) get their slots by the same rules, before those of jobs that have
// nothing to be in time for: these are killed for them too.

// lend lets a job run without a promise.
func (s *scheduler) lend(v sched.View, job *sched.Job, why sched.Reason, p *sched.Plan) {
	s.lendBy(v, job, means{}, why, p)
}

// lendBy is lend where it is known what the job's tasks take.
func (s *scheduler) lendBy(v sched.View, job *sched.Job, m means, why sched.Reason, p *sched.Plan) {
	r := s.note(job, lent)
	r.Grows = job.Spec.Growing() != nil
	if s.c.Most > 0 {
		s.hopesFor(job, r, m)
	}
	told := sched.Outlook{Word: sched.Unpromised}
	if why.Cause == sched.Begun {
		told.Word = sched.NoWord // what it was told before still counts
	}
	if !p.Admit(job.ID, told, why) {
		s.forget(job.ID)
		return
	}
	s.of(job.ID).Advice = job.Advice != sched.NoJob
}

// rest fills the node with tasks of jobs without a promise.
func (s *scheduler) rest(v sched.View, n *sched.Node, p *sched.Plan) {
	for stage := range sched.Stages {
		after := sched.JobID(0)
		for j := v.First(n.ID, stage, after); j != 0; j = v.First(n.ID, stage, after) {
			if s.promisedTo(j) {
				after = j
			} else if stage == sched.Master && s.crowded(v, v.Job(j)) {
				break
			} else if !s.startLent(v, n, j, stage, p) {
				after = j
			}
		}
	}
}

func (s *scheduler) startLent(v sched.View, n *sched.Node, j sched.JobID, stage sched.Stage, p *sched.Plan) bool {
	job := v.Job(j)
	locality := v.Nearest(n.ID, j, stage)
	kind, fits := container(job, stage, n)
	if locality == sched.NoLocality || !fits {
		return false
	}
	began := job.Stages[stage].Occupied == 0
	if !p.Add(sched.Item{Verb: sched.Start, Job: j, Stage: stage, Container: kind, Node: n.ID, Count: 1, Locality: locality, Reason: sched.Because(LeftOver)}) {
		return false
	}
	s.hold(j)
	if r := s.of(j); r != nil && r.Standing == sampled && stage == sched.Map {
		r.Sample.started(v.Now(), began, job, p)
	}
	return true
}

// container returns the best kind of container of the job's stage that fits on the node.
func container(job *sched.Job, stage sched.Stage, n *sched.Node) (kind uint8, fits bool) {
	st := job.Spec.Stage(stage)
	if st == nil {
		return 0, false
	}
	for i := range max(1, len(st.Containers)) {
		if c := st.Container(i); n.Free.Fits(&c.Needs) {
			return uint8(i), true
		}
	}
	return 0, false
}

// takes tells of which kind the slots are that a container takes: sched.Map, sched.Reduce, or none.
func takes(job *sched.Job, stage sched.Stage, kind uint8) sched.Stage {
	switch c := job.Spec.Stage(stage).Container(int(kind)); {
	case c.Needs[units.MapSlots] > 0:
		return sched.Map
	case c.Needs[units.ReduceSlots] > 0:
		return sched.Reduce
	}
	return sched.Stages
}

// held is how many slots of a kind tasks without a promise hold, of those in service.
func (s *scheduler) held(v sched.View, slot sched.Stage) (n int64) {
	n = -s.elsewhere(v, slot)
	for _, j := range s.holders(v) {
		has := holds(v.Job(j))
		if n += int64(has.Maps); slot == sched.Reduce {
			n += int64(has.Reduces - has.Maps)
		}
	}
	return n
}

// holders lists the jobs without a promise that hold containers, by arrival, so that nobody walks over
// all that wait. The list is kept as startLent goes, and made again where the book counts others.
func (s *scheduler) holders(v sched.View) []sched.JobID {
	if s.walked == v.Round() {
		return s.holding
	}
	s.walked = v.Round()
	sum := int32(0)
	for _, j := range s.active {
		sum += occupied(v.Job(j))
	}
	sum += s.retain(v, s.holding)
	whole := int32(0)
	for _, t := range v.Queue(sched.Root).Stages {
		whole += t.Occupied
	}
	if sum != whole {
		s.holding = nil
		s.retain(v, s.others)
	}
	return s.holding
}

// retain keeps those of the list that hold containers, and says how many.
func (s *scheduler) retain(v sched.View, from []sched.JobID) (sum int32) {
	list := s.holding[:0]
	for _, j := range from {
		if n := occupied(v.Job(j)); n > 0 {
			list, sum = append(list, j), sum+n
		}
	}
	s.holding = list
	return sum
}

// occupied is how many containers a job holds, 0 if there is none.
func occupied(job *sched.Job) (n int32) {
	if job != nil {
		for i := range job.Stages {
			n += job.Stages[i].Occupied
		}
	}
	return n
}

// hold notes that a job without a promise holds a container.
func (s *scheduler) hold(j sched.JobID) {
	if i, found := slices.BinarySearchFunc(s.holding, s.jobs[j].Claim.Seq, s.bySeq); !found {
		s.holding = slices.Insert(s.holding, i, j)
	}
}

func (s *scheduler) bySeq(j sched.JobID, seq int64) int { return cmp.Compare(s.jobs[j].Claim.Seq, seq) }

// holds is how many slots the job holds. A stage that can run in several kinds of containers counts
// as if it ran in the first.
func holds(job *sched.Job) (n slots) {
	for i := range job.Spec.Stages {
		stage := job.Spec.Stages[i].Kind
		occupied := int(job.Stages[stage].Occupied)
		if occupied == 0 {
			continue
		}
		switch takes(job, stage, 0) {
		case sched.Map:
			n.Maps += occupied
		case sched.Reduce:
			n.Reduces += occupied
		}
	}
	return n
}

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
