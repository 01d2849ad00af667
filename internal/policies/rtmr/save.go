package rtmr

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// saved is the scheduler as JSON.
type saved struct {
	Jobs   []savedRecord  `json:"jobs,omitempty"`
	Queue  []sched.JobID  `json:"queue,omitempty"`
	Others []sched.JobID  `json:"others,omitempty"`
	Starts int64          `json:"starts"`
	Slots  slots          `json:"slots"`
	Looked bool           `json:"looked,omitempty"`
	Out    []sched.NodeID `json:"out,omitempty"` // saved, as they are looked at only when nodes change
	Plan   *Schedule      `json:"plan"`
}

type savedRecord struct {
	Job sched.JobID `json:"job"`
	record
}

func (s *scheduler) save() ([]byte, error) {
	st := saved{Queue: s.queue, Others: s.others, Starts: s.starts, Slots: s.slots, Looked: s.looked, Out: s.out, Plan: s.plan}
	for j := range s.jobs {
		if s.jobs[j].Standing != unknown {
			st.Jobs = append(st.Jobs, savedRecord{sched.JobID(j), s.jobs[j]})
		}
	}
	return json.Marshal(st)
}

// load takes over what was saved, unless it is damaged.
func (s *scheduler) load(text []byte) error {
	st := saved{Plan: NewSchedule(0, 0)}
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	is := scheduler{conf: s.conf, plan: st.Plan, queue: st.Queue, others: st.Others, starts: st.Starts, slots: st.Slots, looked: st.Looked, out: st.Out}
	for _, r := range st.Jobs {
		if r.Job < 1 || r.Job > 1<<24 || r.Standing == unknown || r.Standing > lent {
			return fmt.Errorf("it is damaged at job %d", r.Job)
		}
		*sched.Row(&is.jobs, r.Job) = r.record
		switch {
		case r.Standing == sampled:
			is.samples++
		case r.Standing == promised && r.Master != without:
			is.mastered++
		}
	}
	for _, list := range [][]sched.JobID{st.Queue, st.Others} {
		for _, j := range list {
			if is.of(j) == nil {
				return fmt.Errorf("it is damaged: job %d stands in a line and has no record", j)
			}
		}
	}
	for _, n := range st.Out {
		if n < 1 || n > 1<<24 {
			return fmt.Errorf("it is damaged at node %d", n)
		}
	}
	is.activate()
	*s = is
	return nil
}

// copy takes over what another scheduler of the same parameters remembers.
func (s *scheduler) copy(o *scheduler) {
	*s = *o
	s.plan, s.jobs, s.queue, s.active, s.others = o.plan.Clone(), slices.Clone(o.jobs), slices.Clone(o.queue), slices.Clone(o.active), slices.Clone(o.others)
	s.holding, s.walked, s.out = nil, 0, slices.Clone(o.out)
	for j := range s.jobs {
		r := &s.jobs[j] // ends are only ever appended to
		r.Maps.Ends, r.Reduces.Ends = slices.Clip(r.Maps.Ends), slices.Clip(r.Reduces.Ends)
	}
}

// A savedSchedule is a Schedule as JSON. Vectors between jobs are not in it: they follow.
type savedSchedule struct {
	Maps    []avail.Step  `json:"maps"`
	Reduces []avail.Step  `json:"reduces"`
	Shrunk  units.Time    `json:"shrunk"`
	Jobs    []savedMember `json:"jobs"`
}

type savedMember struct {
	Claim
	Phase      phase        `json:"phase"`
	Since      units.Time   `json:"since,omitempty"`
	MapEnds    []units.Time `json:"map_ends,omitempty"`
	ReduceEnds []units.Time `json:"reduce_ends,omitempty"`
}

// MarshalJSON writes all that the schedule knows. What is read again by UnmarshalJSON gives
// the same verdicts.
func (s *Schedule) MarshalJSON() ([]byte, error) {
	out := savedSchedule{Maps: s.base.maps.Save([]avail.Step{}), Reduces: s.base.reduces.Save([]avail.Step{}), Shrunk: s.shrunk, Jobs: []savedMember{}}
	for _, m := range s.members {
		j := savedMember{Claim: m.Claim, Phase: m.phase, Since: m.since}
		if m.ends != nil {
			j.MapEnds, j.ReduceEnds = m.ends.maps, m.ends.reduces
		}
		out.Jobs = append(out.Jobs, j)
	}
	return json.Marshal(out)
}

// Clone returns a copy. The vectors between jobs are not in it: they follow.
func (s *Schedule) Clone() *Schedule {
	c := &Schedule{members: slices.Clone(s.members), started: s.started, stride: s.stride, shrunk: s.shrunk}
	c.base.copy(&s.base)
	return c
}

// UnmarshalJSON replaces the schedule by what MarshalJSON wrote.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	var in savedSchedule
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*s = Schedule{stride: stride, shrunk: in.Shrunk}
	s.base.maps.Load(in.Maps)
	s.base.reduces.Load(in.Reduces)
	for i, j := range in.Jobs {
		if j.Phase > gone || j.Phase != waiting && s.started < i {
			return fmt.Errorf("job %d of the saved schedule is in phase %d, which cannot be there", i+1, j.Phase)
		}
		if j.Phase != waiting {
			s.started++
		}
		m := member{Claim: j.Claim, phase: j.Phase, since: j.Since}
		if j.Phase == corrected {
			m.ends = &ends{j.MapEnds, j.ReduceEnds}
		}
		s.members = append(s.members, m)
	}
	return nil
}
