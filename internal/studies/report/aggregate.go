package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/maths/stat"
)

// Aggregate is what came of the jobs of a run of which no row is kept, so that it takes as much memory for ten million
// jobs as for ten. Quantiles are right to one part in a hundred. There are no rows of workflows, which are counted,
// of promises and rents either.
type Aggregate struct {
	Classes []*Group `json:"classes"` // in the order in which they came; behind the first hundred all others as one
	Hours   []*Group `json:"hours"`   // of arrival, from the start of the run, those without a job left out

	all, free Group // of all jobs, and of those without a deadline
	due       bool  // a job has one
	places    map[string]*Group
}

// Group counts jobs. Response times are those of the jobs that finished; null: none did.
type Group struct {
	Class     string   `json:"class,omitempty"`
	Hour      *int     `json:"hour,omitempty"`
	Jobs      int      `json:"jobs"`
	Tasks     int64    `json:"tasks"`
	Finished  int      `json:"finished"`
	Deadlines int      `json:"deadlines"`
	InTime    int      `json:"in_time"`
	Mean      *float64 `json:"mean_response_s"`
	Median    *float64 `json:"median_response_s,omitempty"` // of a class
	P95       *float64 `json:"p95_response_s,omitempty"`    // likewise
	Energy    float64  `json:"energy_kwh,omitempty"`        // what their attempts drew above idle

	sum       stat.Sum
	responses stat.Sketch
}

const mostClasses, otherClass = 100, "(others)"

// add counts a job that is gone, or will be, with the kWh that it drew.
func (g *Aggregate) add(j *Job, tasks int, drew float64) {
	class := g.places[j.Class]
	if class == nil {
		name := j.Class
		if len(g.Classes) >= mostClasses {
			name = otherClass
		}
		if class = g.places[name]; class == nil {
			if g.places == nil {
				g.places = make(map[string]*Group)
			}
			class = &Group{Class: name}
			g.Classes, g.places[name] = append(g.Classes, class), class
		}
	}
	class.add(j, tasks, drew, true)
	g.hour(int(j.Submitted/3600)).add(j, tasks, drew, false)
	g.all.add(j, tasks, drew, true)
	if g.due = g.due || j.Deadline != nil; j.Deadline == nil {
		g.free.add(j, tasks, drew, false)
	}
}

// hour is the group of those that arrived in an hour.
func (g *Aggregate) hour(h int) *Group {
	i, there := slices.BinarySearchFunc(g.Hours, h, func(x *Group, h int) int { return *x.Hour - h })
	if !there {
		g.Hours = slices.Insert(g.Hours, i, &Group{Hour: &h})
	}
	return g.Hours[i]
}

func (g *Group) add(j *Job, tasks int, drew float64, sketched bool) {
	g.Jobs++
	g.Energy += drew
	g.Tasks += int64(tasks)
	if j.Outcome.Finished() {
		g.Finished++
	}
	if j.judged() {
		g.Deadlines++
	}
	if j.Outcome.InTime() {
		g.InTime++
	}
	if j.timed() {
		g.sum.Add(*j.Finished - j.Submitted)
		if sketched {
			g.responses.Add(*j.Finished - j.Submitted)
		}
	}
}

// close works the figures out.
func (g *Group) close() {
	if g.sum.N() > 0 {
		g.Mean = new(g.sum.Mean())
	}
	if g.responses.N() > 0 {
		g.Median, g.P95 = new(g.responses.Quantile(0.5)), new(g.responses.Quantile(0.95))
	}
}

// close works all figures out, those of the summary with them.
func (g *Aggregate) close(s *Summary) {
	for _, list := range [][]*Group{g.Classes, g.Hours, {&g.all, &g.free}} {
		for _, group := range list {
			group.close()
		}
	}
	if s.MeanResponse, s.P95Response = g.all.Mean, g.all.P95; g.due {
		s.FreeResponse = g.free.Mean
	}
}

// writeAggregate prints the groups in place of the jobs.
func writeAggregate(w io.Writer, title string, r *Run) {
	for _, part := range []struct {
		of    string
		list  []*Group
		cells int
	}{{"class", r.Aggregate.Classes, 9}, {">hour", r.Aggregate.Hours, 7}} {
		t, head := &Grid{Title: title}, []string{part.of, ">jobs", ">tasks", ">finished", ">in time", ">of", ">mean response", ">median", ">95 %"}[:part.cells]
		if r.Summary.TaskEnergy != nil {
			head = append(head, ">energy")
		}
		t.Add(head...)
		for i, g := range part.list {
			if i == mostJobs {
				t.Add(fmt.Sprintf("… and %d more; -o json has them all", len(part.list)-mostJobs))
				break
			}
			name := g.Class
			if g.Hour != nil {
				name = strconv.Itoa(*g.Hour)
			}
			line := []string{name, strconv.Itoa(g.Jobs), strconv.FormatInt(g.Tasks, 10), strconv.Itoa(g.Finished), strconv.Itoa(g.InTime), strconv.Itoa(g.Deadlines),
				orDash(g.Mean), orDash(g.Median), orDash(g.P95)}
			t.Add(append(line[:part.cells], kwh(g.Energy))[:len(head)]...)
		}
		_ = t.Write(w)
		fmt.Fprintln(w)
		title = ""
	}
}
