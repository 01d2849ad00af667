// Package dag reads workflows that other systems describe, and writes them as the jobs of a scenario.
//
//	dag.go        what all have in common: jobs that wait for each other, checked, and how they are written
//	wfcommons.go  WfCommons: instances of workflows that were run (WfFormat 1.3 to 1.6)
//	oozie.go      Oozie: workflow.xml, which says what waits for what and not how long it takes
//	alibaba.go    Alibaba's cluster trace of 2018, each job of which is a workflow
//
// A job has one stage of maps that take alike long, or so many reduces behind it where the format says so. What is
// lost is told where it is read.
package dag

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Job is a job of a workflow.
type Job struct {
	ID      string
	Maps    int
	Reduces int
	Time    units.Duration // of a map or reduce; 0 = nobody knows
	After   []string
}

// Workflow is a workflow, with when it came.
type Workflow struct {
	Name   string
	Arrive units.Duration
	Jobs   []Job
}

// MostJobs bounds the jobs of a workflow.
const MostJobs = 100_000

// check refuses what no workflow is: two jobs of a name, a job that waits for none that is there, a cycle.
func (w *Workflow) check() error {
	var specs []*workload.Job
	known := make(map[string]bool, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		switch {
		case j.ID == "":
			return fmt.Errorf("job %d of workflow %q has no name", i+1, w.Name)
		case known[j.ID]:
			return fmt.Errorf("workflow %q has two jobs %q; give each a name of its own", w.Name, j.ID)
		case i == MostJobs:
			return fmt.Errorf("workflow %q has more than %d jobs", w.Name, MostJobs)
		}
		known[j.ID] = true
		specs = append(specs, &workload.Job{ID: j.ID, After: j.After})
	}
	for i := range w.Jobs {
		for _, p := range w.Jobs[i].After {
			if !known[p] {
				return fmt.Errorf("job %q of workflow %q waits for %q, which is not in it", w.Jobs[i].ID, w.Name, p)
			}
		}
	}
	if cycle := workload.Cycle(specs); cycle != nil {
		return fmt.Errorf("job %q of workflow %q waits for itself: %s", cycle[0], w.Name, strings.Join(cycle, " after "))
	}
	if len(w.Jobs) == 0 {
		return fmt.Errorf("workflow %q has no job", w.Name)
	}
	return nil
}

// ends are when each job is done, if it takes so long behind the last of those that it waits for. There is no cycle.
func (w *Workflow) ends(takes func(*Job) units.Duration) []units.Duration {
	place, end := make(map[string]int, len(w.Jobs)), make([]units.Duration, len(w.Jobs))
	for i := range w.Jobs {
		place[w.Jobs[i].ID], end[i] = i, -1
	}
	var of func(i int) units.Duration
	of = func(i int) units.Duration {
		if end[i] < 0 {
			at := units.Duration(0)
			for _, p := range w.Jobs[i].After {
				at = max(at, of(place[p]))
			}
			end[i] = at + min(takes(&w.Jobs[i]), math.MaxInt64-at)
		}
		return end[i]
	}
	for i := range w.Jobs {
		of(i)
	}
	return end
}

// Alone is how long the workflow takes if each job has all the machines that it wants.
func (w *Workflow) Alone() units.Duration {
	return slices.Max(w.ends(func(j *Job) units.Duration {
		const most = math.MaxInt64 / 2
		return units.Duration(min(j.Maps, 1))*min(j.Time, most) + units.Duration(min(j.Reduces, 1))*min(j.Time, most)
	}))
}

// Style is how workflows are written.
type Style struct {
	Name   string
	Time   units.Duration // of tasks of which nobody knows it
	Factor float64        // of the time alone, by which a workflow is due; 0 = it has no deadline
	Slope  float64        // of w(k): maps may be cut into fewer; below 0 = they may not
}

// Write writes workflows as a scenario on ten nodes, for people to change.
func Write(out io.Writer, list []Workflow, s Style) error {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %q\ncluster: {nodes: 10, map_slots: 4, reduce_slots: 2}\npolicies: [edf-p, dawsee, flow]\nworkload:\n  jobs:\n", s.Name)
	for i := range list {
		w := &list[i]
		for k := range w.Jobs {
			w.Jobs[k].Time = cmp.Or(w.Jobs[k].Time, s.Time)
		}
		for k := range w.Jobs {
			j := &w.Jobs[k]
			name := func(id string) string { return w.Name + "/" + id }
			fmt.Fprintf(&b, "    - {id: %q, workflow: %q, arrive: %dms", name(j.ID), w.Name, w.Arrive/units.Millisecond)
			if s.Factor > 0 && k == 0 {
				fmt.Fprintf(&b, ", workflow_deadline: +%dms", max(1, int64(s.Factor*float64(w.Alone()/units.Millisecond))))
			}
			if fmt.Fprintf(&b, ", maps: %d", j.Maps); j.Maps > 0 {
				fmt.Fprintf(&b, ", map_time: %dms", j.Time/units.Millisecond)
			}
			if j.Reduces > 0 {
				fmt.Fprintf(&b, ", reduces: %d, reduce_time: %dms", j.Reduces, j.Time/units.Millisecond)
			}
			// who has one map says by that what it takes: a workflow is planned if that is known of all its jobs
			if s.Slope >= 0 && j.Maps > 0 {
				fmt.Fprintf(&b, ", moldable: {slope: %g}", s.Slope)
			}
			if len(j.After) > 0 {
				fmt.Fprintf(&b, ", after: [%s]", strings.Join(each.Of(j.After, func(p string) string { return strconv.Quote(name(p)) }), ", "))
			}
			b.WriteString("}\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
