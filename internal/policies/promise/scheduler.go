package promise

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config is what people can set.
type Config struct {
	reserve.Config
	Most   finish.Risk   // that a promise leaves
	Behind bool          // what cannot be promised runs without a promise
	Queues queues.Config // which may say otherwise what promises leave
}

// scheduler is what the parts share.
type scheduler struct {
	*reserve.Scheduler
	most   finish.Risk
	behind bool
	queues queues.Config

	terms    []terms         // by handle
	was      []terms         // before a resync
	hopes    heap.Heap[hope] // of jobs without a promise that could be in time, by when that ends; as their terms say
	failures failures        // of nodes, so far
	stock    bool            // a stock scheduler places work
	next     units.Time      // when all outlooks are looked at again
	runs     []runs          // by handle; nor are these saved (runs.go)
	seen     []seen          // by attempt
	news     []units.Time    // what row is about to put in, the youngest first
	sheets   sheets
}

// terms are on what a job runs.
type terms struct {
	// of a job without a promise
	Means means      `json:"means,omitzero"`
	Hope  units.Time `json:"hope,omitempty"` // until when it could be in time, as looked at last; 0 = it cannot

	// of one with a promise
	Odds    *odds         `json:"odds,omitempty"`
	Risk    finish.Risk   `json:"risk,omitempty"` // to be broken, at the last verdict that touched it
	Budget  finish.Budget `json:"budget,omitzero"`
	Outlook outlook       `json:"outlook,omitzero"`
}

// newScheduler returns the scheduler before its first decision.
func newScheduler(c Config) *scheduler {
	s := &scheduler{most: c.Most, behind: c.Behind, queues: c.Queues, hopes: hopesOf(nil)}
	s.Scheduler = &reserve.Scheduler{Conf: c.Config, Own: s}
	return s
}

// Opened begins with no terms.
func (s *scheduler) Opened(job *sched.Job) {
	for int(job.ID) >= len(s.terms) {
		s.terms = append(s.terms, terms{})
	}
	s.Closed(job.ID)
}

// Closed forgets a job's terms.
func (s *scheduler) Closed(j sched.JobID) {
	s.terms[j] = terms{}
	s.unrun(j)
}

// Lent begins with what a job without a promise can hope for of which nothing is known.
func (s *scheduler) Lent(job *sched.Job) { s.hopesFor(job, means{}) }

// Each verdict counts what the book has then: slots, masters, and who has a promise.
func (s *scheduler) Granted(units.Time, *reserve.Record) {}
func (s *scheduler) Dropped(units.Time, sched.JobID)     {}
func (s *scheduler) Up(units.Time, sched.JobID)          {}
func (s *scheduler) Again(units.Time, sched.JobID)       {}
func (s *scheduler) Resized(units.Time)                  {}

// Void forgets what follows from what was told.
func (s *scheduler) Void() {
	s.was, s.terms = s.terms, nil
	s.hopes, s.runs, s.seen, s.sheets.rows = hopesOf(nil), nil, nil, nil
}

// Renew tells the job what it was told last: nothing is reckoned.
func (s *scheduler) Renew(_ sched.View, job *sched.Job, r, _ *reserve.Record, was sched.JobID, p *sched.Plan) {
	is := &s.terms[job.ID]
	*is = s.was[was]
	is.Outlook.Before = 0
	p.Admit(job.ID, is.Outlook.Outlook, sched.Because(estimate.Likely, int64(r.Claim.Deadline)))
}

// Regain promises a job that has begun its deadline if that can be kept.
func (s *scheduler) Regain(v sched.View, job *sched.Job, r *reserve.Record, p *sched.Plan) bool {
	t := s.try(v, job, r)
	if t == nil || !t.weigh().OK {
		return false
	}
	s.Forget(job.ID)
	s.Judge(v, job, r, p)
	return true
}

// order is by deadline, also of jobs that have started: each verdict counts what really runs, and budgets bound what
// it may cost to be overtaken. Those without a promise, many of which have a deadline, stand as hope.go says.
type order struct {
	sched.Flat
	*scheduler
}

// JobKey is the place of the job. It is the same for all stages.
func (o order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	if r := o.Of(j.ID); r != nil && r.Standing == reserve.Lent {
		return o.lentKey(j, r)
	}
	return o.Place(j.ID)
}

// Key is the place of a job with a promise.
func (s *scheduler) Key(r *reserve.Record) sched.Key {
	return sched.Key{1, int64(r.Claim.Deadline), r.Claim.Seq}
}

// Starts notes that a task of the job goes out.
func (s *scheduler) Starts(v sched.View, j sched.JobID, _ *sched.Plan, add func() bool) bool {
	r := s.Of(j)
	if r.Rank > 0 || s.Advised(v, r) {
		return add()
	}
	if !add() {
		return false
	}
	s.Started++
	r.Rank = s.Started
	s.Active = append(s.Active, j)
	return true
}

// admission judges the jobs that come, and tells what is expected of promises.
type admission struct{ *scheduler }

// MarshalJSON saves what all parts remember.
func (a admission) MarshalJSON() ([]byte, error) { return a.save() }

// UnmarshalJSON loads it.
func (a admission) UnmarshalJSON(text []byte) error { return a.load(text) }

// CopyFrom takes over what all parts of another policy remember.
func (a admission) CopyFrom(other any) { a.copy(other.(admission).scheduler) }

// Decide takes in what has happened to jobs and slots, and judges the jobs that came.
func (a admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	s := a.scheduler
	s.sheets.line.kept = false
	kinds := s.reread(batch)
	if s.Look(v, kinds) {
		s.failures.note(v, batch)
	}
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.Resync(v, p)
	}
	s.Resize(v)
	s.StartedByOthers(v, kinds, p, func(sched.JobID) {})
	s.Rise(v)
	if kinds&reserve.Counting != 0 {
		s.count(v, batch, p)
	}
	if kinds.Has(sched.JobEnded) { // first: what has ended counts for no verdict below
		for i := range batch {
			if e := &batch[i]; e.Kind == sched.JobEnded {
				s.Forget(e.Job)
			}
		}
	}
	if kinds&reserve.Judging != 0 {
		s.JudgeAll(v, batch, p)
	}
	s.Measured(v, kinds, p)
	s.despair(v, p)
	s.tell(v, p)
}

// Ask says what would become of a job that came now.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	return a.Answer(v, job, func(r *reserve.Record) sched.Answer { return a.answerLikely(v, job, r) })
}

// count takes the attempts that have ended out of their rows, and lets the reduces go of jobs whose last map was among
// them.
func (s *scheduler) count(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		j := batch[i].Job
		switch batch[i].Kind {
		case sched.Ended:
			j, _ = v.Ended(batch[i].Attempt)
			s.ends(batch[i].Attempt)
		case sched.Control, sched.Resync: // others may have ended tasks
			for _, j := range s.Active {
				if job := v.Job(j); job != nil {
					s.Restrain(job, p)
				}
			}
		}
		if job := v.Job(j); job != nil && s.PromisedTo(j) {
			s.Restrain(job, p)
		}
	}
}

// copy takes over what another scheduler of the same parameters remembers.
func (s *scheduler) copy(o *scheduler) {
	s.Scheduler.Copy(o.Scheduler)
	s.terms, s.hopes = slices.Clone(o.terms), hopesOf(slices.Clone(o.hopes.List))
	s.failures, s.stock, s.next = o.failures, o.stock, o.next
	s.runs, s.seen, s.sheets = nil, nil, sheets{}
}

// saved is the saved form.
type saved struct {
	reserve.State
	Terms    []savedTerms `json:"terms,omitempty"`
	Next     units.Time   `json:"next,omitempty"`
	Failures failures     `json:"failures,omitzero"`
	Stock    bool         `json:"stock,omitempty"`
}

type savedTerms struct {
	Job sched.JobID `json:"job"`
	terms
}

func (s *scheduler) save() ([]byte, error) {
	st := saved{State: s.Scheduler.Save(), Next: s.next, Failures: s.failures, Stock: s.stock}
	for j := range s.terms {
		if s.Of(sched.JobID(j)) != nil {
			st.Terms = append(st.Terms, savedTerms{sched.JobID(j), s.terms[j]})
		}
	}
	return json.Marshal(st)
}

func (s *scheduler) load(text []byte) error {
	var st saved
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	if err := s.Scheduler.Load(&st.State); err != nil {
		return err
	}
	s.terms, s.hopes = make([]terms, len(s.Jobs)), hopesOf(nil)
	for _, t := range st.Terms {
		o := t.Odds
		if s.Of(t.Job) == nil || o != nil && (o.Map == nil || o.Reduce == nil || o.Deviation == nil) {
			return fmt.Errorf("it is damaged at the odds of job %d", t.Job)
		}
		s.terms[t.Job] = t.terms
	}
	for _, j := range s.Others {
		if at := s.terms[j].Hope; at > 0 {
			s.hopes.Push(hope{at, j})
		}
	}
	s.failures, s.stock, s.next = st.Failures, st.Stock, st.Next
	s.runs, s.seen, s.sheets = nil, nil, sheets{}
	return nil
}
