package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Of so many workflows critical paths are told, and each is drawn, if its jobs are not more than a table has.
const mostDrawn = 4

// plan notes what the policy planned for a job of a workflow that has not begun.
func (j *Job) plan(d *follow.Decision) {
	switch {
	case j.Workflow == "" || j.Started != nil:
	case d.Verb == sched.SetTasks:
		tasks := d.Stage.String() + "s "
		others := slices.DeleteFunc(strings.Split(j.Cut, "; "), func(s string) bool { return s == "" || strings.HasPrefix(s, tasks) })
		j.Cut = strings.Join(append(others, tasks+d.Why()), "; ")
	case d.At == 0: // it has none of its own any more
		j.Planned, j.PlannedFor = nil, ""
	default:
		j.Planned, j.PlannedFor = seconds(d.At), d.Why()
	}
}

// writePlans draws the workflows of runs, where there are few.
func writePlans(b io.Writer, g []*Run) {
	drawn := 0
	for _, r := range g {
		if drawn += len(r.Workflows); drawn > mostDrawn {
			return
		}
		for _, t := range r.Plans() {
			fmt.Fprintln(b)
			_ = t.Write(b)
		}
	}
}

// Plans draw the workflows of a run, none if they are many.
func (r *Run) Plans() (list []*Grid) {
	for i := range r.Workflows {
		if w := &r.Workflows[i]; w.Jobs <= mostJobs && len(r.Workflows) <= mostDrawn {
			list = append(list, r.Drawn(w))
		}
	}
	return list
}

// Drawn draws when the jobs of a workflow ran, beside when they were planned to.
func (r *Run) Drawn(w *Workflow) *Grid {
	jobs, end := r.Of(w.ID), w.Submitted
	due := make(map[string]float64, len(jobs)) // planned ends of jobs
	for _, j := range jobs {
		for _, at := range []*float64{j.Finished, j.Planned} {
			if at != nil {
				end = max(end, *at)
			}
		}
		if j.Planned != nil {
			due[j.ID] = *j.Planned
		}
	}
	started := func(j *Job) float64 {
		if j.Started == nil {
			return math.Inf(1)
		}
		return *j.Started
	}
	slices.SortStableFunc(jobs, func(x, y *Job) int { return cmp.Compare(started(x), started(y)) })
	of := bar{from: w.Submitted, until: end}
	t := &Grid{Title: w.Title(r.Policy), Least: []string{">maps"}}
	if w.Deadline != nil && slices.ContainsFunc(jobs, func(j *Job) bool { return j.Planned != nil && *j.Planned > *w.Deadline }) {
		for _, j := range jobs { // what the first plan that could not be in time says
			if needs, _, late := strings.Cut(j.PlannedFor, "; "); late {
				t.Title += "; " + Printable(needs)
				break
			}
		}
	}
	t.Add("job", ">maps", ">began", ">planned", ">ended", ">planned", of.scale())
	for _, j := range jobs {
		name, begin := j.ID, j.Submitted
		if slices.Contains(w.Critical, j.ID) {
			name += " *"
		}
		for _, before := range j.After {
			begin = max(begin, due[before])
		}
		planned := &begin
		if j.Planned == nil {
			planned = nil
		}
		t.Add(name, strconv.Itoa(j.Maps), at(j.Started, w), at(planned, w), at(j.Finished, w), at(j.Planned, w), of.draw(planned, j.Planned, j.Started, j.Finished))
	}
	return t
}

// Title says what became of a workflow, and which path it waited for.
func (w *Workflow) Title(policy string) string {
	text := fmt.Sprintf("workflow %s by %s: %s", w.ID, policy, w.Outcome)
	if w.Finished != nil {
		text = fmt.Sprintf("workflow %s by %s: done after %s", w.ID, policy, units.Span(*w.Finished-w.Submitted))
		if w.Deadline != nil {
			left, how := *w.Deadline-*w.Finished, "before"
			if left < 0 {
				left, how = -left, "after"
			}
			text += fmt.Sprintf(", %s %s its deadline", units.Span(left), how)
		}
	}
	if len(w.Critical) > 1 {
		text += "; critical path (*): " + strings.Join(w.Critical, ", ")
	}
	return Printable(text)
}

// at is a time since the workflow came.
func at(seconds *float64, w *Workflow) string {
	if seconds == nil {
		return "–"
	}
	return units.Span(*seconds - w.Submitted)
}

// bar is what bars of a drawing share: the time that they stand for.
type bar struct{ from, until float64 }

const barWidth = 20

func (b bar) scale() string {
	end := units.Span(b.until - b.from)
	return "0" + strings.Repeat("─", max(1, barWidth-1-len(end))) + end
}

// draw draws when a job was to run, light, and over that when it ran.
func (b bar) draw(begin, due, began, ended *float64) string {
	cells := slices.Repeat([]rune{' '}, barWidth)
	fill := func(from, to *float64, with rune) {
		if from == nil || to == nil || !(b.until > b.from) {
			return
		}
		place := func(at float64) int { return int((at - b.from) / (b.until - b.from) * barWidth) }
		first := min(max(0, place(*from)), barWidth-1)
		for i := first; i < max(first+1, min(place(*to), barWidth)); i++ {
			cells[i] = with
		}
	}
	fill(begin, due, '░')
	fill(began, ended, '█')
	return strings.TrimRight(string(cells), " ")
}
