package rtmr

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config is what people can set.
type Config struct {
	Feedback   bool          // rebuild the vectors when a job's finish is not what was estimated (algorithm 5.5)
	BestEffort bool          // a job of an unknown class runs without a promise, instead of a sample of it
	Sample     int           // maps in a sample
	Skew       float64       // the largest share of a reduce over the mean
	Masters    admit.Share   // the part of the cluster that masters of jobs without a promise may take
	Most       finish.Risk   // that a promise leaves; 0 = it is for the worst case
	Behind     bool          // what cannot be promised runs without a promise
	Queues     queues.Config // which may say otherwise what promises leave
}

// scheduler is what the parts share: the schedule, and a record of each job.
type scheduler struct {
	c    Config
	plan *Schedule

	jobs     []record        // by handle
	queue    []sched.JobID   // with a promise, in their order: started ones first
	active   []sched.JobID   // of these, those that have started, in that order
	others   []sched.JobID   // without one, by arrival
	holding  []sched.JobID   // of these, those that hold containers, and perhaps some that did; not saved
	walked   int64           // the round in which these were looked through
	hopes    heap.Heap[hope] // of these, those that could be in time, by when that ends; as their records say
	samples  int             // of these, jobs that are being measured
	mastered int             // jobs with a promise that have a master
	starts   int64           // jobs that have started so far
	slots    slots           // that the schedule has

	looked   bool           // at the nodes (service.go)
	out      []sched.NodeID // out of service
	failures failures       // of nodes, so far
	stock    bool           // a stock scheduler places work
	strays   strays         // not saved either
	next     units.Time     // when all outlooks are looked at again
	runs     []runs         // by handle; nor are these three (runs.go)
	seen     []seen         // by attempt
	news     []units.Time   // what row is about to put in, the youngest first
	sheets   sheets
}

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
	Maps      tally  `json:"maps,omitzero"`
	Reduces   tally  `json:"reduces,omitzero"`
	Sample    sample `json:"sample,omitzero"`
	Grows     bool   `json:"grows,omitempty"` // it runs without a promise as nobody could tell how many tasks it has

	Master life         `json:"master,omitempty"` // of a job with a promise
	Room   sched.NodeID `json:"room,omitempty"`   // the node where room is kept for it

	// of a job without a promise, where promises have a probability
	Means means      `json:"means,omitzero"`
	Hope  units.Time `json:"hope,omitempty"` // until when it could be in time, as looked at last; 0 = it cannot

	// of a promise with a probability
	Odds   *odds         `json:"odds,omitempty"`
	Risk   finish.Risk   `json:"risk,omitempty"` // to be broken, at the last verdict that touched it
	Budget finish.Budget `json:"budget,omitzero"`

	Outlook outlook `json:"outlook,omitzero"`
}

// tally follows the commits of a stage.
type tally struct {
	Done int32        `json:"done"`
	Ends []units.Time `json:"ends,omitempty"` // of committed tasks since the promise
}

// newScheduler returns the scheduler before its first decision.
func newScheduler(c Config) *scheduler {
	return &scheduler{c: c, plan: NewSchedule(0, 0), hopes: hopesOf(nil)}
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

// note opens the record of a job.
func (s *scheduler) note(job *sched.Job, as standing) *record {
	for int(job.ID) >= len(s.jobs) {
		s.jobs = append(s.jobs, record{})
	}
	s.unrun(job.ID)
	r := &s.jobs[job.ID]
	*r = record{ID: job.Spec.ID, Standing: as, Claim: Claim{Job: job.ID, Seq: job.Seq, Arrived: job.Arrived, Deadline: job.Deadline},
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
	list := &s.others
	if r.Standing == promised {
		list = &s.queue
		if r.Master != without {
			s.mastered--
		}
	}
	for _, l := range []*[]sched.JobID{list, &s.holding, &s.active} {
		if i := slices.Index(*l, j); i >= 0 {
			if l == &s.queue {
				s.deleteRow(i)
			}
			*l = slices.Delete(*l, i, i+1)
		}
	}
	if r.Standing == sampled {
		s.samples--
	}
	*r = record{}
	s.unrun(j)
}

// enqueue puts a job with a promise at its place.
func (s *scheduler) enqueue(j sched.JobID) {
	k := s.key(j)
	i, _ := slices.BinarySearchFunc(s.queue, k, func(a sched.JobID, k sched.Key) int {
		if s.key(a).Less(k) {
			return -1
		}
		return 1
	})
	s.queue = slices.Insert(s.queue, i, j)
	s.insertRow(i)
}

// resize tells the schedule how many slots are in service.
func (s *scheduler) resize(v sched.View) {
	now := slots{int(s.serving(v, sched.Map)), int(s.serving(v, sched.Reduce))}
	if now != s.slots {
		s.slots = now
		s.plan.Resize(v.Now(), now.Maps, now.Reduces)
	}
}

// resync starts again with what the book now says. What was promised stays promised, in the same
// order; of what has run so far the schedule counts the worst case once more. What ran without a
// promise runs on without one, as does what had begun and nobody here knows; only samples begin
// again. What was only advice is forgotten.
func (s *scheduler) resync(v sched.View, p *sched.Plan) {
	was, jobs := s.queue, s.jobs
	s.jobs, s.queue, s.others, s.samples, s.mastered, s.slots = nil, nil, nil, 0, 0, slots{}
	s.holding, s.walked, s.hopes, s.active, s.runs, s.seen, s.sheets.rows = nil, 0, hopesOf(nil), nil, nil, nil, nil
	s.plan = NewSchedule(0, 0)
	s.resize(v)
	for _, j := range was {
		old := jobs[j]
		job := v.Job(v.Find(old.ID))
		if old.Advice || job == nil || job.Standing() >= sched.Rejected || s.of(job.ID) != nil {
			continue
		}
		r := s.note(job, promised)
		seq := r.Claim.Seq
		r.Claim, r.Rank, r.Maps.Ends, r.Reduces.Ends = old.Claim, old.Rank, old.Maps.Ends, old.Reduces.Ends
		r.Claim.Job, r.Claim.Seq = job.ID, seq
		r.Unstarted = old.Unstarted || old.Rank > 0 && old.Claim.Maps > 0 && !old.begun(job)
		s.queue = append(s.queue, job.ID)
		if s.master(v, job, r, old.Claim.Startup); r.Master != without {
			s.mastered++
		}
		if r.Odds, r.Risk, r.Budget = old.Odds, old.Risk, old.Budget; r.Odds != nil {
			r.Outlook, r.Outlook.Before = old.Outlook, 0
			p.Admit(job.ID, r.Outlook.Outlook, sched.Because(estimate.Likely, int64(r.Claim.Deadline)))
			s.restrain(job, p)
			continue
		}
		s.plan.Admit(v.Now(), r.Claim)
		if r.Rank > 0 {
			s.plan.Start(v.Now(), job.ID)
		}
		p.Admit(job.ID, worst(s.finish(v.Now(), job.ID)), sched.Because(estimate.Promised, int64(r.Claim.Deadline)))
		s.restrain(job, p)
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
			s.lend(v, job, sched.Because(sched.Begun), p)
			if r := s.of(j); r != nil && as == lent {
				r.Advice = false // it was told so before
			}
		}
	}
	slices.SortStableFunc(s.queue, func(a, b sched.JobID) int {
		switch ka, kb := s.key(a), s.key(b); {
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
func (s *scheduler) activate() {
	s.active = slices.DeleteFunc(slices.Clone(s.queue), func(j sched.JobID) bool { return s.of(j).Rank == 0 })
	slices.SortFunc(s.active, func(a, b sched.JobID) int { return cmp.Compare(s.of(a).Rank, s.of(b).Rank) })
}

// copy takes over what another scheduler of the same parameters remembers.
func (s *scheduler) copy(o *scheduler) {
	c := *o
	c.jobs, c.queue, c.others = slices.Clone(o.jobs), slices.Clone(o.queue), slices.Clone(o.others)
	for j := range c.jobs {
		r := &c.jobs[j] // ends are only ever appended to
		r.Maps.Ends, r.Reduces.Ends = slices.Clip(r.Maps.Ends), slices.Clip(r.Reduces.Ends)
	}
	c.active = slices.Clone(o.active)
	c.holding, c.walked, c.hopes = nil, 0, hopesOf(slices.Clone(o.hopes.List))
	c.runs, c.seen, c.sheets = nil, nil, sheets{}
	c.out, c.plan = slices.Clone(o.out), o.plan.Clone()
	*s = c
}

// state is the saved form.
type state struct {
	Jobs     []savedRecord   `json:"jobs,omitempty"`
	Queue    []sched.JobID   `json:"queue,omitempty"`
	Others   []sched.JobID   `json:"others,omitempty"`
	Starts   int64           `json:"starts"`
	Next     units.Time      `json:"next,omitempty"`
	Slots    slots           `json:"slots"`
	Looked   bool            `json:"looked,omitempty"`
	Out      []sched.NodeID  `json:"out,omitempty"` // saved, as they are looked at only when nodes change
	Failures failures        `json:"failures,omitzero"`
	Stock    bool            `json:"stock,omitempty"`
	Plan     json.RawMessage `json:"plan"`
}

type savedRecord struct {
	Job sched.JobID `json:"job"`
	record
}

func (s *scheduler) save() ([]byte, error) {
	plan, err := s.plan.MarshalJSON()
	if err != nil {
		return nil, err
	}
	st := state{Queue: s.queue, Others: s.others, Starts: s.starts, Slots: s.slots, Next: s.next, Looked: s.looked, Out: s.out, Failures: s.failures, Stock: s.stock, Plan: plan}
	for j := range s.jobs {
		if s.jobs[j].Standing != unknown {
			st.Jobs = append(st.Jobs, savedRecord{sched.JobID(j), s.jobs[j]})
		}
	}
	return json.Marshal(st)
}

func (s *scheduler) load(text []byte) error {
	var st state
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	var jobs []record
	samples, mastered := 0, 0
	for _, r := range st.Jobs {
		if r.Job < 1 || r.Job > 1<<24 || r.Standing == unknown || r.Standing > lent {
			return fmt.Errorf("it is damaged at job %d", r.Job)
		}
		for int(r.Job) >= len(jobs) {
			jobs = append(jobs, record{})
		}
		if o := r.Odds; o != nil && (o.Map == nil || o.Reduce == nil || o.Deviation == nil) {
			return fmt.Errorf("it is damaged at the odds of job %d", r.Job)
		}
		jobs[r.Job] = r.record
		switch {
		case r.Standing == sampled:
			samples++
		case r.Standing == promised && r.Master != without:
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
	plan := NewSchedule(0, 0)
	if err := plan.UnmarshalJSON(st.Plan); err != nil {
		return err
	}
	s.looked, s.out, s.failures, s.stock, s.next = st.Looked, st.Out, st.Failures, st.Stock, st.Next
	s.jobs, s.queue, s.others, s.samples, s.starts, s.slots, s.plan = jobs, st.Queue, st.Others, samples, st.Starts, st.Slots, plan
	s.mastered = mastered
	s.activate()
	s.holding, s.walked, s.hopes, s.runs, s.seen, s.sheets = nil, 0, hopesOf(nil), nil, nil, sheets{}
	for _, j := range s.others {
		if at := jobs[j].Hope; at > 0 {
			s.hopes.Push(hope{at, j})
		}
	}
	return nil
}
