package experiment

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// misled is a scheme for workflows that is wrong about what each job takes, by up to so many percent either way. Where
// it looks again it finds when jobs have ended, and goes on being wrong about the others.
func misled(e compose.Entry) compose.Entry {
	errors := []compose.Param{{Name: "error", Type: compose.Count, Default: "0", Unit: "percent", Doc: "by which estimates are wrong at most, up or down"}}
	e.Name, e.Params, e.Parts = "misled-"+e.Name, slices.Concat(e.Params, errors), slices.Clone(e.Parts)
	for i := range e.Parts {
		part := &e.Parts[i]
		if right := part.Step; right != nil && part.Kind != compose.KindAdmit {
			part.Params = slices.Concat(part.Params, errors)
			part.Step = func(a compose.Args) (compose.Step, error) {
				step, err := right(a)
				return &mistaken{Step: step, by: float64(a.Count("error")) / 100, specs: map[*workload.Job]*workload.Job{}}, err
			}
		}
	}
	return e
}

// mistaken is a part that sees other jobs than there are.
type mistaken struct {
	compose.Step
	sched.View
	by    float64
	specs map[*workload.Job]*workload.Job // as it sees them
}

// Decide has the part decide by what it sees.
func (m *mistaken) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	m.View = v
	m.Step.Decide(m, batch, p)
}

// Profile has the spread of what tasks take, as wrong as estimates are: a part that counts on it is told.
func (m *mistaken) Profile(string) *profile.Class {
	s := profile.Stage{Stage: workload.Map}
	for x := -1.0; x <= 1; x += 1.0 / 8 {
		s.Spread.Add(1 + m.by*x)
	}
	return &profile.Class{Stages: []profile.Stage{s}}
}

// Job is that of the view with the work of its tasks mistaken.
func (m *mistaken) Job(id sched.JobID) *sched.Job {
	is := m.View.Job(id)
	if is == nil {
		return nil
	}
	spec, known := m.specs[is.Spec]
	if !known {
		s := *is.Spec
		s.Stages = slices.Clone(s.Stages)
		off := 1 + m.by*draw.Of(0, "misled").Job(s.ID).Between(-1, 1)
		for i := range s.Stages {
			st := &s.Stages[i]
			st.Works = slices.Clone(st.Works)
			for k := range st.Works {
				st.Works[k] = units.Nanosecond.Scale(float64(st.Works[k]) * off)
			}
		}
		spec, m.specs[is.Spec] = &s, &s
	}
	seen := *is
	seen.Spec = spec
	return &seen
}
