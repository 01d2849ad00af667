package rtmr

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// A scheduler is what the parts share: a record of each job, who stands where, and the schedule of what is promised.
type scheduler struct {
	conf config
	plan *Schedule

	jobs     []record      // by handle
	queue    []sched.JobID // with a promise, in their order: started ones first
	active   []sched.JobID // of these, those that have started, in that order
	others   []sched.JobID // without one, by arrival
	holding  []sched.JobID // of these, those that hold containers, and perhaps some that did; not saved
	walked   int64         // the round in which these were looked through
	samples  int           // of these, jobs that are being measured
	mastered int           // jobs with a promise that have a master
	starts   int64         // jobs that have started so far
	slots    slots         // in service

	looked bool           // at the nodes (service.go)
	out    []sched.NodeID // out of service
	strays strays         // not saved either
}

// newScheduler returns the scheduler before its first decision.
func newScheduler(c config) *scheduler { return &scheduler{conf: c, plan: NewSchedule(0, 0)} }

// slots are numbers of map and reduce slots.
type slots struct {
	Maps    int `json:"maps"`
	Reduces int `json:"reduces"`
}

// standing says what a job was told.
type standing uint8

const (
	unknown  standing = iota
	promised          // it finishes by its deadline
	sampled           // it is held while some of its maps are measured
	lent              // it runs on what no promise needs
)

// record is what the scheduler remembers of a job.
type record struct {
	ID       string   `json:"id"` // the job's own: its handle may be another one after a resync
	Standing standing `json:"standing"`
	Advice   bool     `json:"advice,omitempty"` // it stands so while the scheduler watches: nobody was told
	Claim    Claim    `json:"claim"`
	Rank     int64    `json:"rank,omitempty"` // among the jobs that have started, in order of start; 0 = it has not
	// its first start was refused, or void; it keeps its rank
	Unstarted bool   `json:"unstarted,omitempty"`
	Sample    sample `json:"sample,omitzero"`
	Grows     bool   `json:"grows,omitempty"` // it runs without a promise as nobody could tell how many tasks it has
	Maps      tally  `json:"maps,omitzero"`   // what it has committed
	Reduces   tally  `json:"reduces,omitzero"`

	Master life         `json:"master,omitempty"` // of a job with a promise
	Room   sched.NodeID `json:"room,omitempty"`   // the node where room is kept for it
}

// of returns the record of a job, nil if there is none.
func (s *scheduler) of(j sched.JobID) *record {
	if j < 1 || int(j) >= len(s.jobs) || s.jobs[j].Standing == unknown {
		return nil
	}
	return &s.jobs[j]
}

// promisedTo tells whether the job has a promise.
func (s *scheduler) promisedTo(j sched.JobID) bool {
	r := s.of(j)
	return r != nil && r.Standing == promised
}

// note opens the record of a job. What it has done already counts for no promise.
func (s *scheduler) note(job *sched.Job, as standing) *record {
	r := sched.Row(&s.jobs, job.ID)
	*r = record{ID: job.Spec.ID, Standing: as, Claim: claimOf(job),
		Maps: tally{Done: job.Stages[sched.Map].Done}, Reduces: tally{Done: job.Stages[sched.Reduce].Done}}
	if as != promised {
		i, _ := slices.BinarySearchFunc(s.others, job.Seq, s.bySeq)
		s.others = slices.Insert(s.others, i, job.ID)
		if as == sampled {
			s.samples++
		}
	}
	return r
}

// forget closes the record of a job.
func (s *scheduler) forget(j sched.JobID) {
	r := s.of(j)
	if r == nil {
		return
	}
	if r.Standing == promised && r.Master != without {
		s.mastered--
	} else if r.Standing == sampled {
		s.samples--
	}
	for _, list := range []*[]sched.JobID{&s.queue, &s.active, &s.others, &s.holding} {
		drop(list, j)
	}
	*r = record{}
}

// drop takes a job out of a list.
func drop(list *[]sched.JobID, j sched.JobID) {
	if i := slices.Index(*list, j); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
}

// enqueue puts a job with a promise at its place.
func (s *scheduler) enqueue(j sched.JobID) {
	i, _ := slices.BinarySearchFunc(s.queue, j, s.byPlace)
	s.queue = slices.Insert(s.queue, i, j)
}

// byPlace compares jobs with a promise by their places.
func (s *scheduler) byPlace(a, b sched.JobID) int {
	switch ka, kb := s.place(a), s.place(b); {
	case ka.Less(kb):
		return -1
	case kb.Less(ka):
		return 1
	}
	return 0
}

// resize counts the slots in service.
func (s *scheduler) resize(v sched.View) {
	now := slots{int(s.serving(v, sched.Map)), int(s.serving(v, sched.Reduce))}
	if now != s.slots {
		s.slots = now
		s.plan.Resize(v.Now(), now.Maps, now.Reduces)
	}
}

// resync starts again with what the book now says. What was promised stays promised, in the same
// order. What ran without a promise runs on without one, as does what had begun and nobody here
// knows; only samples begin again. What was only advice is forgotten. Of what has run so far the
// schedule counts the worst case once more.
func (s *scheduler) resync(v sched.View, p *sched.Plan) {
	was, jobs := s.queue, s.jobs
	*s = scheduler{conf: s.conf, plan: NewSchedule(0, 0), starts: s.starts, looked: s.looked, out: s.out}
	s.resize(v)
	for _, j := range was {
		old := &jobs[j]
		job := v.Job(v.Find(old.ID))
		if old.Advice || job == nil || job.Standing() >= sched.Rejected || s.of(job.ID) != nil {
			continue
		}
		s.renew(v, job, old, p)
	}
	stood := make(map[string]standing)
	for i := range jobs {
		if !jobs[i].Advice {
			stood[jobs[i].ID] = jobs[i].Standing
		}
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || s.of(j) != nil || job.Standing() != sched.Pending {
			continue
		}
		as := stood[job.Spec.ID]
		if as == unknown && job.Spec.Promised && job.Begun() && !astride(job) && s.regain(v, job, p) {
			continue
		}
		if as == lent || as == unknown && job.Begun() {
			s.lend(job, sched.Because(sched.Begun), p)
			if r := s.of(j); r != nil && as == lent {
				r.Advice = false // it was told so before
			}
		}
	}
	slices.SortStableFunc(s.queue, s.byPlace)
	s.activate()
}

// renew tells a job again what it was promised, perhaps under another handle. It starts now if it had
// started, unless that start is void, and keeps the real ends of its tasks.
func (s *scheduler) renew(v sched.View, job *sched.Job, old *record, p *sched.Plan) {
	r, now := s.note(job, promised), v.Now()
	seq := r.Claim.Seq
	r.Claim, r.Rank, r.Maps.Ends, r.Reduces.Ends = old.Claim, old.Rank, old.Maps.Ends, old.Reduces.Ends
	r.Claim.Job, r.Claim.Seq = job.ID, seq
	r.Unstarted = old.Unstarted || old.Rank > 0 && old.Claim.Maps > 0 && !old.begun(job)
	s.queue = append(s.queue, job.ID)
	if s.master(v, job, r, old.Claim.Startup); r.Master != without {
		s.mastered++
	}
	s.plan.Admit(now, r.Claim)
	if r.Rank > 0 {
		s.plan.Start(now, job.ID)
	}
	_, by, _ := s.plan.Estimate(now, job.ID)
	p.Admit(job.ID, worst(by), sched.Because(estimate.Promised, int64(r.Claim.Deadline)))
	s.restrain(job, p)
}

// activate finds the jobs with a promise that have started.
func (s *scheduler) activate() {
	s.active = slices.DeleteFunc(slices.Clone(s.queue), func(j sched.JobID) bool { return s.of(j).Rank == 0 })
	slices.SortFunc(s.active, func(a, b sched.JobID) int { return cmp.Compare(s.of(a).Rank, s.of(b).Rank) })
}
