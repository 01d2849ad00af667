package scenario

import (
	"slices"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// member is a job, and what its file says of the workflow that it is a part of.
type member struct {
	d   *config.Document
	at  string // path of the job
	job *workload.Job
	of  string     // the workflow; "": none
	due units.Time // deadline of the workflow as stated there; units.Never: it is not
}

// join makes the workflows that jobs name. Any job of one may state its deadline.
func join(members []member) {
	var names []string
	of := map[string][]*member{}
	for i := range members {
		m := &members[i]
		if m.of == "" && m.due != units.Never {
			m.d.Failf(config.Join(m.at, "workflow_deadline"), "job %q states the deadline of a workflow and is in none; add workflow: NAME, or write deadline", m.job.ID)
		}
		if m.of != "" && of[m.of] == nil {
			names = append(names, m.of)
		}
		of[m.of] = append(of[m.of], m)
	}
	for _, name := range names {
		first, due := of[name][0], units.Never
		var jobs []*workload.Job
		for _, m := range of[name] {
			switch {
			case m.job.Arrive != first.job.Arrive:
				m.d.Failf(config.Join(m.at, "arrive"), "job %q of the workflow %q arrives at %v, and job %q of it at %v; all jobs of a workflow arrive together",
					m.job.ID, name, m.job.Arrive, first.job.ID, first.job.Arrive)
			case m.due != units.Never && due != units.Never && m.due != due:
				m.d.Failf(config.Join(m.at, "workflow_deadline"), "the deadline of the workflow %q is %v here and %v at another of its jobs; state it once", name, m.due, due)
			case m.due <= m.job.Arrive:
				m.d.Failf(config.Join(m.at, "workflow_deadline"), "the deadline %v of the workflow %q is not after its arrival, %v; both count from the start of the run; +%v would count from the arrival", m.due, name, m.job.Arrive, m.due)
			}
			due = min(due, m.due)
			for _, before := range m.job.After {
				if k := slices.IndexFunc(members, func(o member) bool { return o.job.ID == before }); k >= 0 && members[k].of != name {
					m.d.Failf(config.Join(m.at, "workflow"), "job %q of the workflow %q waits for job %q, which is not in it; add workflow: %s there",
						m.job.ID, name, before, name)
				}
			}
			jobs = append(jobs, m.job)
		}
		workload.NewWorkflow(name, due, jobs)
	}
}

// noWorkflow refuses a workflow where the jobs of a kind come again and again.
func noWorkflow(d *config.Document, at string, j *SimJob) {
	if j.Workflow != "" || j.WorkflowDue.Set {
		d.Failf(at, "stream %q cannot be in a workflow: its jobs come one by one; list the jobs of a workflow as jobs", j.ID)
	}
}

// mold writes into a stage how it may be cut. A job starts as cut as it says.
func (m *Moldable) mold(d *config.Document, at string, spec *workload.StageSpec) {
	n := len(spec.Tasks)
	if !m.holds(d, at, n) {
		return
	}
	spec.MinTasks, spec.MaxTasks = m.Min, m.Max
	work := float64(spec.Tasks[0].Work) * float64(n) / (1 + m.Slope*float64(n-1)) // of one map
	for k := m.Min; k <= m.Max; k++ {
		spec.Works = append(spec.Works, units.Nanosecond.Scale(work*(1+m.Slope*float64(k-1))/float64(k)))
	}
}
