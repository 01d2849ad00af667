package rtmr

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config is what people can set.
type Config struct {
	reserve.Config
	Feedback bool // rebuild the vectors when a job's finish is not what was estimated (algorithm 5.5)
}

// scheduler is what the parts share: the schedule, and what each job with a promise has committed.
type scheduler struct {
	*reserve.Scheduler
	feedback bool
	plan     *Schedule
	done     []committed // by handle
	was      []committed // before a resync
}

// committed follows the commits of a job.
type committed struct {
	Maps    tally `json:"maps,omitzero"`
	Reduces tally `json:"reduces,omitzero"`
}

// newScheduler returns the scheduler before its first decision.
func newScheduler(c Config) *scheduler {
	s := &scheduler{feedback: c.Feedback, plan: NewSchedule(0, 0)}
	s.Scheduler = &reserve.Scheduler{Conf: c.Config, Own: s}
	return s
}

// Opened begins with what is done already.
func (s *scheduler) Opened(job *sched.Job) {
	for int(job.ID) >= len(s.done) {
		s.done = append(s.done, committed{})
	}
	s.done[job.ID] = committed{tally{Done: job.Stages[sched.Map].Done}, tally{Done: job.Stages[sched.Reduce].Done}}
}

// Closed forgets it.
func (s *scheduler) Closed(j sched.JobID) { s.done[j] = committed{} }

// Granted puts the job into the schedule (algorithm 5.1, lines 22 and 23).
func (s *scheduler) Granted(now units.Time, r *reserve.Record) {
	s.plan.Admit(now, r.Claim)
	if r.Claim.Begun {
		s.plan.Start(now, r.Claim.Job)
	}
}

// Dropped takes it out.
func (s *scheduler) Dropped(now units.Time, j sched.JobID) { s.plan.Remove(now, j) }

// Lent has nothing to do: admission does not count jobs without a promise.
func (s *scheduler) Lent(*sched.Job) {}

// Up tells the schedule of a master.
func (s *scheduler) Up(now units.Time, j sched.JobID) { s.plan.Up(now, j) }

// Again tells it that one starts again.
func (s *scheduler) Again(now units.Time, j sched.JobID) { s.plan.Again(now, j) }

// Moved has nothing to do: the schedule has an order of its own.
func (s *scheduler) Moved(int, bool) {}

// Resized tells the schedule how many slots are in service.
func (s *scheduler) Resized(now units.Time) { s.plan.Resize(now, s.Slots.Maps, s.Slots.Reduces) }

// Void begins the schedule again. Of what has run so far it counts the worst case once more.
func (s *scheduler) Void() { s.was, s.done, s.plan = s.done, nil, NewSchedule(0, 0) }

// Renew has the job start now if it had, unless its start is void, and keeps the real ends of its tasks.
func (s *scheduler) Renew(v sched.View, job *sched.Job, r, old *reserve.Record, was sched.JobID, p *sched.Plan) {
	now, ended, done := v.Now(), &s.was[was], &s.done[job.ID]
	done.Maps.Ends, done.Reduces.Ends = ended.Maps.Ends, ended.Reduces.Ends
	r.Unstarted = old.Unstarted || old.Rank > 0 && old.Claim.Maps > 0 && !old.Begun(job)
	s.plan.Admit(now, r.Claim)
	if r.Rank > 0 {
		s.plan.Start(now, job.ID)
	}
	p.Admit(job.ID, worst(s.finish(now, job.ID)), sched.Because(estimate.Promised, int64(r.Claim.Deadline)))
}

// copy takes over what another scheduler of the same parameters remembers.
func (s *scheduler) copy(o *scheduler) {
	s.Scheduler.Copy(o.Scheduler)
	s.plan, s.done = o.plan.Clone(), slices.Clone(o.done)
	for j := range s.done {
		d := &s.done[j] // ends are only ever appended to
		d.Maps.Ends, d.Reduces.Ends = slices.Clip(d.Maps.Ends), slices.Clip(d.Reduces.Ends)
	}
}

// saved is the saved form.
type saved struct {
	reserve.State
	Done []savedCommits `json:"committed,omitempty"`
	Plan *Schedule      `json:"plan"`
}

type savedCommits struct {
	Job sched.JobID `json:"job"`
	committed
}

func (s *scheduler) save() ([]byte, error) {
	st := saved{State: s.Scheduler.Save(), Plan: s.plan}
	for j := range s.done {
		if s.PromisedTo(sched.JobID(j)) {
			st.Done = append(st.Done, savedCommits{sched.JobID(j), s.done[j]})
		}
	}
	return json.Marshal(st)
}

func (s *scheduler) load(text []byte) error {
	st := saved{Plan: NewSchedule(0, 0)}
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	if err := s.Scheduler.Load(&st.State); err != nil {
		return err
	}
	s.plan, s.done = st.Plan, make([]committed, len(s.Jobs))
	for _, d := range st.Done {
		if !s.PromisedTo(d.Job) {
			return fmt.Errorf("it is damaged: job %d has committed tasks and no promise", d.Job)
		}
		s.done[d.Job] = d.committed
	}
	return nil
}
