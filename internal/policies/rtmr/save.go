package rtmr

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/units"
)

// A savedSchedule is a Schedule as JSON. Vectors between jobs are not in it: they follow.
type savedSchedule struct {
	Maps    []avail.Step  `json:"maps"`
	Reduces []avail.Step  `json:"reduces"`
	Shrunk  units.Time    `json:"shrunk"`
	Jobs    []savedMember `json:"jobs"`
}

type savedMember struct {
	reserve.Claim
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
