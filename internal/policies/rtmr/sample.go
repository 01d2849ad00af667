package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A job with a deadline of whose class nothing is known cannot be judged: a worst cost of 0 would
// admit everything. Unless it is to run without a promise, it is held while some of its maps are
// measured (sched.Sample), and judged by the longest of them, which is called an estimate and no
// worst case:
//
//   - The time of a map counts from the start of the first of those that ran together, so it is never too short.
//   - The longest counts as that of the largest input in the sample. A larger map takes longer in
//     proportion. Where the world binds late nobody knows which maps ran, so it counts as that of the
//     mean input.
//   - Of reduces nothing is measured. A byte is taken to cost them what it costs a map, and η for 1.
//
// A promise by an estimate may break, and so may those of jobs that stand behind it. With worst
// times that are only the worst so far, that is true of all promises, in smaller measure.
//
// Should the deadline pass while the sample runs, the job is judged once one map of it has ended:
// it is refused, and is told when it would have been done and which deadline would do.
//
// Should the class become known meanwhile, because another job of it has ended, the job is judged by that.

// sample is what was measured of a job.
type sample struct {
	Wanted  int32          `json:"wanted"`            // maps
	From    int32          `json:"from,omitempty"`    // maps done before
	Done    int32          `json:"done,omitempty"`    // of the sample
	Began   units.Time     `json:"began,omitempty"`   // start of the first that runs
	Longest units.Duration `json:"longest,omitempty"` // 0 = nothing was measured
	Largest units.Bytes    `json:"largest,omitempty"` // input of a map of the sample
}

// maps is how many maps the verdict rests on.
func (m *sample) maps() int32 { return min(m.Done, m.Wanted) }

// measure holds the job and has some of its maps run.
func (s *scheduler) measure(v sched.View, job *sched.Job, p *sched.Plan) {
	t := &job.Stages[sched.Map]
	n := s.sampleOf(job)
	r := s.note(job, sampled)
	r.Sample = sample{Wanted: n, From: t.Done}
	why := sched.Because(Sampling, int64(n))
	p.Hold(job.ID, why)
	r.Advice = job.Advice != sched.NoJob
	s.bringUp(job, p)
	p.Add(sched.Item{Verb: sched.Sample, Job: job.ID, Stage: sched.Map, Count: n, Reason: why})
	p.WakeMe(job.Deadline, sched.Because(sched.Wakeup, int64(job.Deadline)))
}

// bringUp lets the job's master start, which the maps of a sample need as all others do, or start again.
func (s *scheduler) bringUp(job *sched.Job, p *sched.Plan) {
	if t := &job.Stages[sched.Master]; t.Open > 0 && t.Sample <= 0 {
		p.Add(sched.Item{Verb: sched.Sample, Job: job.ID, Stage: sched.Master, Count: 1, Reason: sched.Because(Sampling, int64(s.of(job.ID).Sample.Wanted))})
	}
}

// sampleOf is how many maps of a job would be measured: of those that are still to start, which where
// the world binds late its ApplicationMaster need not have asked for yet.
func (s *scheduler) sampleOf(job *sched.Job) int32 {
	t := &job.Stages[sched.Map]
	return min(int32(s.conf.Sample), t.ToStart())
}

// started notes that the last item of the plan starts a map of the sample, the first that runs or one beside others.
func (m *sample) started(now units.Time, first bool, job *sched.Job, p *sched.Plan) {
	if first {
		m.Began = now
	}
	it := &p.Items[len(p.Items)-1]
	maps := job.Spec.Stage(sched.Map)
	for _, b := range p.Bound[it.Tasks.From:it.Tasks.To] {
		m.Largest = max(m.Largest, maps.Tasks[b.Task-1].Input)
	}
	if it.Tasks.Len() == 0 {
		m.Largest = maps.Input() / units.Bytes(len(maps.Tasks))
	}
}

// measured looks which samples are complete, and judges their jobs.
func (s *scheduler) measured(v sched.View, kinds sched.Events, p *sched.Plan) {
	if s.samples == 0 {
		return
	}
	for i := 0; i < len(s.others); i++ {
		j := s.others[i]
		r, job := s.of(j), v.Job(j)
		if r.Standing != sampled || job == nil || job.Standing() > sched.HeldBack {
			continue
		}
		s.bringUp(job, p)
		m, t := &r.Sample, &job.Stages[sched.Map]
		if done := t.Done - m.From; done > m.Done {
			began := m.Began
			if began == 0 { // others have started what was measured
				began = job.Started
			}
			m.Done, m.Longest = done, max(m.Longest, v.Now().Sub(began), 1)
		}
		idle, passed := t.Occupied <= 0, v.Now() >= job.Deadline
		switch {
		case m.Longest > 0 && (m.Done >= m.Wanted || passed || idle && t.Open <= 0), idle && estimate.Worst(v, job.Spec, s.conf.Skew).Known:
			s.verdict(v, job, p)
			i-- // it stands in this line no more
		case passed && idle: // none of them has got a slot
			s.forget(j)
			if job.Spec.GoesOn() {
				s.lend(job, sched.Because(sched.Begun), p)
			} else {
				p.Reject(j, sched.Outlook{}, sched.Because(DeadlinePassed, int64(job.Deadline)))
			}
			i--
		case idle && t.Sample <= 0: // attempts of the sample were killed, or failed
			left := m.Wanted - m.Done
			p.Add(sched.Item{Verb: sched.Sample, Job: j, Stage: sched.Map, Count: left, Reason: sched.Because(Sampling, int64(left))})
		case kinds.Has(sched.Tick) && !passed:
			p.WakeMe(job.Deadline, sched.Because(sched.Wakeup, int64(job.Deadline)))
		}
	}
}

// verdict judges a job by what was measured of it, or by what has become known meanwhile.
func (s *scheduler) verdict(v sched.View, job *sched.Job, p *sched.Plan) {
	r := record{Claim: claimOf(job), Sample: s.of(job.ID).Sample}
	s.forget(job.ID)
	if why, _, ok := s.claim(v, job, &r); ok {
		s.judge(v, job, &r, p)
	} else {
		p.Reject(job.ID, sched.Outlook{}, why)
	}
}

// guess is what the job's tasks take by a sample.
func (s *scheduler) guess(job *sched.Job, m *sample) estimate.Times {
	t := estimate.Times{Map: m.Longest, Reduce: m.Longest, Known: true}
	if m.Largest == 0 {
		return t
	}
	read, largest, reduces := units.Bytes(0), units.Bytes(0), 1
	for i := range job.Spec.Stages {
		st := &job.Spec.Stages[i]
		if st.Kind == workload.Reduce {
			reduces = len(st.Tasks)
			continue
		}
		for k := range st.Tasks {
			read, largest = read+st.Tasks[k].Input, max(largest, st.Tasks[k].Input)
		}
	}
	of := func(bytes float64) units.Duration {
		return m.Longest.Scale(units.Rounded(max(1, bytes/float64(m.Largest))))
	}
	t.Map, t.Reduce = of(float64(largest)), of(float64(read)/float64(reduces)*max(1, s.conf.Skew))
	return t
}
