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
func (s *scheduler) lend(job *sched.Job, why sched.Reason, p *sched.Plan) {
	r := s.note(job, lent)
	r.Grows = job.Spec.Growing() != nil
	told := sched.Outlook{Word: sched.Unpromised}
	if why.Cause == sched.Begun {
		told.Word = sched.NoWord // what it was told before still counts
	}
	if !p.Admit(job.ID, told, why) {
		s.forget(job.ID)
		return
	}
	r.Advice = job.Advice != sched.NoJob
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
	st := job.Spec.Stage(stage)
	if st == nil {
		return false
	}
	kind, fits := st.Fitting(&n.Free)
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
