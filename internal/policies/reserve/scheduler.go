package reserve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/sched"
)

// Config is what people can set of any such policy.
type Config struct {
	BestEffort bool        // a job of an unknown class runs without a promise, instead of a sample of it
	Sample     int         // maps in a sample
	Skew       float64     // the largest share of a reduce over the mean
	Masters    admit.Share // the part of the cluster that masters of jobs without a promise may take
}

// A Scheduler keeps slots for jobs with a promise, and lends the others: a record of each job, and who stands where.
type Scheduler struct {
	Conf Config
	Own  Promiser

	Jobs     []Record      // by handle
	Queue    []sched.JobID // with a promise, in their order: started ones first
	Active   []sched.JobID // of these, those that have started, in that order
	Others   []sched.JobID // without one, by arrival
	holding  []sched.JobID // of these, those that hold containers, and perhaps some that did; not saved
	walked   int64         // the round in which these were looked through
	Samples  int           // of these, jobs that are being measured
	Mastered int           // jobs with a promise that have a master
	Started  int64         // jobs that have started so far
	Slots    Slots         // in service

	looked bool           // at the nodes (service.go)
	out    []sched.NodeID // out of service
	strays strays         // not saved either
}

// Slots are numbers of map and reduce slots.
type Slots struct {
	Maps    int `json:"maps"`
	Reduces int `json:"reduces"`
}

// standing says what a job was told.
type standing uint8

const (
	unknown  standing = iota
	Promised          // it finishes by its deadline
	sampled           // it is held while some of its maps are measured
	Lent              // it runs on what no promise needs
)

// Record is what the scheduler remembers of a job.
type Record struct {
	ID       string   `json:"id"` // the job's own: its handle may be another one after a resync
	Standing standing `json:"standing"`
	Advice   bool     `json:"advice,omitempty"` // it stands so while the scheduler watches: nobody was told
	Claim    Claim    `json:"claim"`
	Rank     int64    `json:"rank,omitempty"` // among the jobs that have started, in order of start; 0 = it has not
	// its first start was refused, or void; it keeps its rank
	Unstarted bool   `json:"unstarted,omitempty"`
	Sample    Sample `json:"sample,omitzero"`
	Grows     bool   `json:"grows,omitempty"` // it runs without a promise as nobody could tell how many tasks it has

	Master life         `json:"master,omitempty"` // of a job with a promise
	Room   sched.NodeID `json:"room,omitempty"`   // the node where room is kept for it
}

// Of returns the record of a job, nil if there is none.
func (s *Scheduler) Of(j sched.JobID) *Record {
	if j < 1 || int(j) >= len(s.Jobs) || s.Jobs[j].Standing == unknown {
		return nil
	}
	return &s.Jobs[j]
}

// PromisedTo tells whether the job has a promise.
func (s *Scheduler) PromisedTo(j sched.JobID) bool {
	r := s.Of(j)
	return r != nil && r.Standing == Promised
}

// Note opens the record of a job.
func (s *Scheduler) Note(job *sched.Job, as standing) *Record {
	for int(job.ID) >= len(s.Jobs) {
		s.Jobs = append(s.Jobs, Record{})
	}
	r := &s.Jobs[job.ID]
	*r = Record{ID: job.Spec.ID, Standing: as, Claim: ClaimOf(job)}
	s.Own.Opened(job)
	if as != Promised {
		i, _ := slices.BinarySearchFunc(s.Others, job.Seq, s.bySeq)
		s.Others = slices.Insert(s.Others, i, job.ID)
		if as == sampled {
			s.Samples++
		}
	}
	return r
}

// Forget closes the record of a job.
func (s *Scheduler) Forget(j sched.JobID) {
	r := s.Of(j)
	if r == nil {
		return
	}
	list := &s.Others
	if r.Standing == Promised {
		list = &s.Queue
		if r.Master != Without {
			s.Mastered--
		}
	}
	for _, l := range []*[]sched.JobID{list, &s.holding, &s.Active} {
		if i := slices.Index(*l, j); i >= 0 {
			if l == &s.Queue {
				s.Own.Moved(i, false)
			}
			*l = slices.Delete(*l, i, i+1)
		}
	}
	if r.Standing == sampled {
		s.Samples--
	}
	*r = Record{}
	s.Own.Closed(j)
}

// Enqueue puts a job with a promise at its place.
func (s *Scheduler) Enqueue(j sched.JobID) {
	k := s.Place(j)
	i, _ := slices.BinarySearchFunc(s.Queue, k, func(a sched.JobID, k sched.Key) int {
		if s.Place(a).Less(k) {
			return -1
		}
		return 1
	})
	s.Queue = slices.Insert(s.Queue, i, j)
	s.Own.Moved(i, true)
}

// Resize counts the slots in service.
func (s *Scheduler) Resize(v sched.View) {
	now := Slots{int(s.Serving(v, sched.Map)), int(s.Serving(v, sched.Reduce))}
	if now != s.Slots {
		s.Slots = now
		s.Own.Resized(v.Now())
	}
}

// Resync starts again with what the book now says. What was promised stays promised, in the same
// order. What ran without a promise runs on without one, as does what had begun and nobody here
// knows; only samples begin again. What was only advice is forgotten.
func (s *Scheduler) Resync(v sched.View, p *sched.Plan) {
	was, jobs := s.Queue, s.Jobs
	s.Jobs, s.Queue, s.Others, s.Samples, s.Mastered, s.Slots = nil, nil, nil, 0, 0, Slots{}
	s.holding, s.walked, s.Active = nil, 0, nil
	s.Own.Void()
	s.Resize(v)
	for _, j := range was {
		old := &jobs[j]
		job := v.Job(v.Find(old.ID))
		if old.Advice || job == nil || job.Standing() >= sched.Rejected || s.Of(job.ID) != nil {
			continue
		}
		r := s.Note(job, Promised)
		seq := r.Claim.Seq
		r.Claim, r.Rank = old.Claim, old.Rank
		r.Claim.Job, r.Claim.Seq = job.ID, seq
		s.Queue = append(s.Queue, job.ID)
		if s.master(v, job, r, old.Claim.Startup); r.Master != Without {
			s.Mastered++
		}
		s.Own.Renew(v, job, r, old, j, p)
		s.Restrain(job, p)
	}
	stood := make(map[string]standing)
	for i := range jobs {
		if !jobs[i].Advice {
			stood[jobs[i].ID] = jobs[i].Standing
		}
	}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || s.Of(j) != nil || job.Standing() != sched.Pending {
			continue
		}
		as := stood[job.Spec.ID]
		if as == unknown && job.Spec.Promised && job.Begun() && !astride(job) && s.regain(v, job, p) {
			continue
		}
		if as == Lent || as == unknown && job.Begun() {
			s.Lend(v, job, sched.Because(sched.Begun), p)
			if r := s.Of(j); r != nil && as == Lent {
				r.Advice = false // it was told so before
			}
		}
	}
	slices.SortStableFunc(s.Queue, func(a, b sched.JobID) int {
		switch ka, kb := s.Place(a), s.Place(b); {
		case ka.Less(kb):
			return -1
		case kb.Less(ka):
			return 1
		}
		return 0
	})
	s.activate()
}

// activate finds the jobs with a promise that have started.
func (s *Scheduler) activate() {
	s.Active = slices.DeleteFunc(slices.Clone(s.Queue), func(j sched.JobID) bool { return s.Of(j).Rank == 0 })
	slices.SortFunc(s.Active, func(a, b sched.JobID) int { return cmp.Compare(s.Of(a).Rank, s.Of(b).Rank) })
}

// Copy takes over what another scheduler of the same parameters remembers.
func (s *Scheduler) Copy(o *Scheduler) {
	c := *o
	c.Own, c.Jobs, c.Queue, c.Others = s.Own, slices.Clone(o.Jobs), slices.Clone(o.Queue), slices.Clone(o.Others)
	c.Active, c.holding, c.walked, c.out = slices.Clone(o.Active), nil, 0, slices.Clone(o.out)
	*s = c
}

// State is the saved form.
type State struct {
	Jobs   []savedRecord  `json:"jobs,omitempty"`
	Queue  []sched.JobID  `json:"queue,omitempty"`
	Others []sched.JobID  `json:"others,omitempty"`
	Starts int64          `json:"starts"`
	Slots  Slots          `json:"slots"`
	Looked bool           `json:"looked,omitempty"`
	Out    []sched.NodeID `json:"out,omitempty"` // saved, as they are looked at only when nodes change
}

type savedRecord struct {
	Job sched.JobID `json:"job"`
	Record
}

// Save returns what is saved.
func (s *Scheduler) Save() State {
	st := State{Queue: s.Queue, Others: s.Others, Starts: s.Started, Slots: s.Slots, Looked: s.looked, Out: s.out}
	for j := range s.Jobs {
		if s.Jobs[j].Standing != unknown {
			st.Jobs = append(st.Jobs, savedRecord{sched.JobID(j), s.Jobs[j]})
		}
	}
	return st
}

// Load takes over what was saved, unless it is damaged.
func (s *Scheduler) Load(st *State) error {
	var jobs []Record
	samples, mastered := 0, 0
	for _, r := range st.Jobs {
		if r.Job < 1 || r.Job > 1<<24 || r.Standing == unknown || r.Standing > Lent {
			return fmt.Errorf("it is damaged at job %d", r.Job)
		}
		for int(r.Job) >= len(jobs) {
			jobs = append(jobs, Record{})
		}
		jobs[r.Job] = r.Record
		switch {
		case r.Standing == sampled:
			samples++
		case r.Standing == Promised && r.Master != Without:
			mastered++
		}
	}
	for _, list := range [][]sched.JobID{st.Queue, st.Others} {
		for _, j := range list {
			if j < 1 || int(j) >= len(jobs) || jobs[j].Standing == unknown {
				return fmt.Errorf("it is damaged: job %d stands in a line and has no record", j)
			}
		}
	}
	for _, n := range st.Out {
		if n < 1 || n > 1<<24 {
			return fmt.Errorf("it is damaged at node %d", n)
		}
	}
	s.looked, s.out, s.holding, s.walked = st.Looked, st.Out, nil, 0
	s.Jobs, s.Queue, s.Others, s.Samples, s.Started, s.Slots, s.Mastered = jobs, st.Queue, st.Others, samples, st.Starts, st.Slots, mastered
	s.activate()
	return nil
}
