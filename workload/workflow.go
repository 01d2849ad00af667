package workload

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/slackline/slackline/units"
)

// Workflow is what the descriptions of jobs say alike that belong together: they are judged as one. They
// arrive together.
type Workflow struct {
	ID       string     `json:"id"`
	Deadline units.Time `json:"deadline"` // by which all its jobs are to be done; units.Never: none
	// each behind those that it waits for, also such as are done; none = nobody has said
	Jobs []string `json:"jobs,omitempty"`
	Done []bool   `json:"done,omitempty"` // which of them were done at a resync; none = no job was
}

// NewWorkflow makes a workflow of jobs, and lets them share it. Orders rank them by its deadline where they have no
// earlier one.
func NewWorkflow(id string, deadline units.Time, jobs []*Job) *Workflow {
	f := &Workflow{ID: id, Deadline: deadline}
	byID, seen := make(map[string]*Job, len(jobs)), make(map[string]bool, len(jobs))
	for _, j := range jobs {
		byID[j.ID] = j
	}
	var visit func(j *Job)
	visit = func(j *Job) {
		seen[j.ID] = true
		for _, p := range j.After {
			if before := byID[p]; before != nil && !seen[p] {
				visit(before)
			}
		}
		f.Jobs = append(f.Jobs, j.ID)
	}
	for _, j := range jobs {
		if !seen[j.ID] {
			visit(j)
		}
	}
	for _, j := range jobs {
		if j.Workflow = f; deadline < j.Deadline {
			j.Virtual = deadline
		}
	}
	return f
}

// UnmarshalJSON reads a workflow, also where only its name stands, as in older journals.
func (f *Workflow) UnmarshalJSON(b []byte) error {
	*f = Workflow{Deadline: units.Never}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &f.ID)
	}
	type plain Workflow
	return json.Unmarshal(b, (*plain)(f))
}

// Workload is everything that arrives in a run.
type Workload struct {
	Jobs []*Job
}

// Validate checks every job, that IDs are unique, that predecessors exist and that nothing waits
// for itself.
func (w *Workload) Validate() error {
	if len(w.Jobs) == 0 {
		return fmt.Errorf("workload: there is no job")
	}
	byID := make(map[string]*Job, len(w.Jobs))
	for _, j := range w.Jobs {
		if err := j.Validate(); err != nil {
			return err
		}
		if byID[j.ID] != nil {
			return fmt.Errorf("job %q: the id is used twice", j.ID)
		}
		byID[j.ID] = j
	}
	for _, j := range w.Jobs {
		for _, p := range j.After {
			if byID[p] == nil {
				return fmt.Errorf("job %q: it waits for job %q, which does not exist", j.ID, p)
			}
		}
	}
	if cycle := Cycle(w.Jobs); cycle != nil {
		return fmt.Errorf("job %q: it waits for itself: %s", cycle[0], strings.Join(cycle, " after "))
	}
	return nil
}

// Cycle returns the IDs along a cycle of predecessors, the first repeated at the end, or nil.
// Depth-first, O(jobs + edges).
func Cycle(jobs []*Job) []string {
	byID := make(map[string]*Job, len(jobs))
	for _, j := range jobs {
		byID[j.ID] = j
	}
	const (
		open = 1 + iota
		done
	)
	state := make(map[string]int, len(jobs))
	var path []string
	var visit func(j *Job) []string
	visit = func(j *Job) []string {
		state[j.ID] = open
		path = append(path, j.ID)
		for _, p := range j.After {
			if byID[p] == nil {
				continue
			}
			switch state[p] {
			case open:
				for i, id := range path {
					if id == p {
						return append(append([]string(nil), path[i:]...), p)
					}
				}
			case 0:
				if c := visit(byID[p]); c != nil {
					return c
				}
			}
		}
		state[j.ID] = done
		path = path[:len(path)-1]
		return nil
	}
	for _, j := range jobs {
		if state[j.ID] == 0 {
			if c := visit(j); c != nil {
				return c
			}
		}
	}
	return nil
}
