package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/slackline/slackline/units"
)

// LackSchema names the JSON form of what lacks.
const LackSchema = "slackline/lack/v1"

// Lack is how many nodes are needed against how many there are, as a play of a run says.
type Lack struct {
	Schema   string    `json:"schema"`
	Scenario string    `json:"scenario"`
	Policy   string    `json:"policy"`
	Steps    []Step    `json:"steps"`
	Requests []Request `json:"requests"` // with the jobs that make the difference
	Late     []string  `json:"late"`     // jobs that miss their deadlines even so
	Bill     []Rent    `json:"bill"`
}

// Step is one step of time. Needed are most at a time.
type Step struct {
	From   float64 `json:"from_s"`
	There  int     `json:"there"` // nodes of the cluster itself
	Needed int     `json:"needed"`
	Cost   float64 `json:"cost_an_hour"` // of those that are rented, when they are most
}

// NewLack returns what lacks in a run on so many nodes of the cluster itself, step by step.
func NewLack(r *Run, own int, step units.Duration) *Lack {
	l := &Lack{Schema: LackSchema, Scenario: r.Scenario, Policy: r.Policy, Steps: []Step{}, Requests: r.Requests, Bill: r.Bill, Late: []string{}}
	rented, cost, next := 0, 0.0, 0
	for from := 0.0; from == 0 || from < r.Summary.Makespan; from += step.Seconds() {
		most := Step{From: from, There: own, Needed: own + rented, Cost: cost}
		for ; next < len(r.Requests) && r.Requests[next].At < from+step.Seconds(); next++ {
			q := &r.Requests[next]
			rented, cost = rented+q.Nodes, cost+q.Cost
			if own+rented > most.Needed {
				most.Needed, most.Cost = own+rented, cost
			}
		}
		l.Steps = append(l.Steps, most)
	}
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Deadline != nil && (j.Finished == nil || *j.Finished > *j.Deadline) {
			l.Late = append(l.Late, j.ID)
		}
	}
	return l
}

// WriteTable writes it for people.
func (l *Lack) WriteTable(w io.Writer) error {
	t := &Grid{}
	t.Add("from", ">nodes there", ">needed", ">lacking", ">an hour")
	for _, s := range l.Steps {
		t.Add(units.Span(s.From), strconv.Itoa(s.There), strconv.Itoa(s.Needed), strconv.Itoa(s.Needed-s.There), fmt.Sprintf("%.2f", s.Cost))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for i := range l.Requests {
		if q := &l.Requests[i]; q.Nodes > 0 {
			fmt.Fprintf(w, "\nafter %s %s", units.Span(q.At), Printable(q.String()))
		}
	}
	if len(l.Requests) == 0 {
		fmt.Fprint(w, "\nnothing lacks")
	}
	for _, job := range l.Late {
		fmt.Fprintf(w, "\njob %q is late even so", Printable(job))
	}
	_, err := fmt.Fprintln(w)
	return err
}
