package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/slackline/slackline/workload"
)

// Workflow is what became of jobs that are judged as one. Times are in seconds from the start of the run.
type Workflow struct {
	ID        string   `json:"id"`   // its name, of later ones of that with a number
	Jobs      int      `json:"jobs"` // that arrived
	Submitted float64  `json:"submitted_s"`
	Deadline  *float64 `json:"deadline_s"` // null: none
	Finished  *float64 `json:"finished_s"` // its last job; null: not all did
	// its jobs that each began when the one before it was done, up to the last; of one that did not finish none
	Critical []string `json:"critical_path,omitempty"`
	// met, late or done; of one that did not finish, that of the first of its jobs that did not
	Outcome Outcome `json:"outcome"`

	of   *workload.Workflow
	came map[string]bool // its jobs that arrived
}

// join notes which workflow a job that arrives is a part of: the last one of that name, unless its job of this ID has
// come already or it was due at another time. When jobs arrive says nothing: one whose input comes late does so then,
// and one that was done before its run was resumed does at another instant than those that were not. Where nobody knows
// the jobs of a workflow they are all of one.
func (r *Run) join(j *Job, of *workload.Workflow, after []string) {
	if of == nil {
		return
	}
	j.Workflow, j.After = of.ID, after
	for _, w := range slices.Backward(r.Workflows) {
		if w.of.ID == of.ID && (len(of.Jobs) == 0 || w.of.Deadline == of.Deadline && !w.came[j.ID]) {
			j.Workflow, w.came[j.ID] = w.ID, true
			return
		}
	}
	if r.Named == nil {
		r.Named = make(map[string]int)
	}
	if r.Named[of.ID]++; r.Named[of.ID] > 1 {
		j.Workflow = fmt.Sprintf("%s (%d)", of.ID, r.Named[of.ID])
	}
	r.Workflows = append(r.Workflows, Workflow{ID: j.Workflow, Submitted: j.Submitted, Deadline: seconds(of.Deadline), Outcome: Done, of: of, came: map[string]bool{j.ID: true}})
}

// judgeWorkflows says what became of the workflows.
func (r *Run) judgeWorkflows() {
	r.Summary.Flows = Flows{}
	place := make(map[string]*Workflow, len(r.Workflows))
	for i := range r.Workflows {
		w := &r.Workflows[i]
		w.Jobs, w.Finished, w.Outcome = 0, nil, Done
		place[w.ID] = w
	}
	for i := range r.Jobs {
		if w := place[r.Jobs[i].Workflow]; w != nil {
			w.add(&r.Jobs[i])
		}
	}
	for i := range r.Workflows {
		w := &r.Workflows[i]
		if len(r.Workflows) <= mostDrawn {
			r.planned(w)
		}
		if len(r.Workflows) <= mostDrawn && w.Outcome == Done && w.Finished != nil {
			r.critical(w)
		}
		r.Summary.judge(w)
	}
}

// add notes what became of a job of it.
func (w *Workflow) add(j *Job) {
	switch w.Jobs++; {
	case !w.Outcome.Finished():
	case !j.Outcome.Finished():
		w.Outcome, w.Finished = j.Outcome, nil
	case j.Finished != nil:
		was, _ := deref(w.Finished)
		w.Finished = new(max(*j.Finished, was))
	}
}

// settle counts a job of an aggregate that is gone, and its workflow with the last one.
func (r *Run) settle(j *Job) {
	if w := r.WorkflowOf(j); w != nil {
		if w.add(j); w.Jobs == len(w.of.Jobs) {
			r.Summary.judge(w)
			r.Workflows = slices.DeleteFunc(r.Workflows, func(o Workflow) bool { return o.ID == j.Workflow })
		}
	}
}

// Flows counts the workflows of a run: also those with a deadline, and those of them that did not meet it, whatever
// became of them.
type Flows struct {
	Workflows         int `json:"workflows,omitempty"`
	WorkflowsFinished int `json:"workflows_finished,omitempty"`
	WorkflowDeadlines int `json:"workflow_deadlines,omitempty"`
	WorkflowsMissed   int `json:"workflows_missed,omitempty"`
}

// judge says whether a workflow was in time, and counts it.
func (s *Flows) judge(w *Workflow) {
	switch {
	case w.Outcome != Done || w.Deadline == nil || w.Finished == nil:
	case *w.Finished <= *w.Deadline:
		w.Outcome = Met
	default:
		w.Outcome = Late
	}
	if s.Workflows++; w.Outcome.Finished() {
		s.WorkflowsFinished++
	}
	if w.Deadline != nil {
		if s.WorkflowDeadlines++; !w.Outcome.InTime() {
			s.WorkflowsMissed++
		}
	}
}

// planned has jobs that were not planned by themselves beside others that were planned for the deadline of all.
func (r *Run) planned(w *Workflow) {
	jobs := r.Of(w.ID)
	if !slices.ContainsFunc(jobs, func(j *Job) bool { return j.Planned != nil }) {
		return
	}
	for _, j := range jobs {
		j.Planned = cmp.Or(j.Planned, w.Deadline)
	}
}

// critical finds the path of jobs that a workflow which finished has waited for.
func (r *Run) critical(w *Workflow) {
	w.Critical = nil
	jobs, last := make(map[string]*Job, w.Jobs), (*Job)(nil)
	for _, j := range r.Of(w.ID) {
		if jobs[j.ID] = j; last == nil || *j.Finished > *last.Finished {
			last = j
		}
	}
	for j := last; j != nil; {
		w.Critical = append(w.Critical, j.ID)
		var before *Job
		for _, id := range j.After {
			if b := jobs[id]; b != nil && (before == nil || *b.Finished > *before.Finished) {
				before = b
			}
		}
		j = before
	}
	slices.Reverse(w.Critical)
}

// Of returns the jobs of a workflow, in order of arrival.
func (r *Run) Of(workflow string) (jobs []*Job) {
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Workflow == workflow {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// WorkflowOf is that of a job, nil if it is in none.
func (r *Run) WorkflowOf(j *Job) *Workflow {
	if i := slices.IndexFunc(r.Workflows, func(w Workflow) bool { return w.ID == j.Workflow }); i >= 0 {
		return &r.Workflows[i]
	}
	return nil
}

// writeWorkflows prints how many workflows met their deadline, all seeds of a policy together, where there are any.
func writeWorkflows(w io.Writer, g []*Run) {
	if !slices.ContainsFunc(g, func(r *Run) bool { return r.Summary.Workflows > 0 }) {
		return
	}
	t := &Grid{}
	t.Add("policy", ">workflows", ">finished", ">with a deadline", ">met", ">missed", ">missing rate")
	for _, p := range byPolicy(g) {
		var all Flows
		for _, run := range p.runs {
			s := &run.Summary.Flows
			all = Flows{all.Workflows + s.Workflows, all.WorkflowsFinished + s.WorkflowsFinished, all.WorkflowDeadlines + s.WorkflowDeadlines, all.WorkflowsMissed + s.WorkflowsMissed}
		}
		rate, due, missed := "–", all.WorkflowDeadlines, all.WorkflowsMissed
		if due > 0 {
			rate = fmt.Sprintf("%.1f %%", 100*float64(missed)/float64(due))
		}
		t.Add(p.name, strconv.Itoa(all.Workflows), strconv.Itoa(all.WorkflowsFinished), strconv.Itoa(due), strconv.Itoa(due-missed), strconv.Itoa(missed), rate)
	}
	fmt.Fprintln(w)
	_ = t.Write(w)
}
