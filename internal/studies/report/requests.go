package report

import (
	"fmt"
	"io"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Request is what a policy asked of clouds at one instant: so many nodes of a class more, or less; or that it asks
// nothing for a job.
type Request struct {
	At    float64 `json:"at_s"`
	Class string  `json:"class"`
	Nodes int     `json:"nodes"`        // below 0: given back
	Cost  float64 `json:"cost_an_hour"` // of these nodes
	Boot  float64 `json:"boot_s"`       // of one
	Why   string  `json:"why"`
	Job   string  `json:"job,omitempty"` // for which nothing is asked
}

// String says it in words.
func (r *Request) String() string {
	if r.Job != "" {
		return fmt.Sprintf("job %q: %s", r.Job, r.Why)
	}
	what := units.Count(max(r.Nodes, -r.Nodes), "node") + " of class " + r.Class + ": " + r.Why
	if r.Nodes < 0 {
		return "given back: " + what
	}
	return "rented: " + what
}

// Requests notes them. It is fed as a sink is.
type Requests struct {
	List  []Request
	named []*cluster.Class // by handle of a node; nil = it is not rented
	fresh int              // from which on they are of this plan
}

// Batch learns which nodes clouds offer.
func (r *Requests) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		if e := &records[i]; e.Host != nil && e.Host.Spec != nil && e.Host.Spec.Class.Rented() {
			*sched.Row(&r.named, e.Node) = e.Host.Spec.Class
		}
	}
	return nil
}

// Plan takes in what was asked.
func (r *Requests) Plan(at units.Time, decisions []follow.Decision) error {
	r.fresh = len(r.List)
	for i := range decisions {
		switch d := &decisions[i]; {
		case d.Job != nil && d.Reason.Cause != nil && d.Reason.Cause.Told && d.Refused == sched.OK:
			r.List = append(r.List, Request{At: at.Seconds(), Job: d.Job.Spec.ID, Why: d.Why()})
		case int(d.Node) < len(r.named):
			r.Add(at, d.Item, r.named[d.Node], d.Why)
		}
	}
	return nil
}

// Add takes in one item of a plan; the class of its node may be nil. Items of one instant that ask for the same are one
// request.
func (r *Requests) Add(at units.Time, it *sched.Item, class *cluster.Class, why func() string) {
	by := map[sched.Verb]int{sched.Wake: 1, sched.Sleep: -1}[it.Verb]
	if it.Refused != sched.OK || it.Held || by == 0 || !class.Rented() {
		return
	}
	last := len(r.List) - 1
	if last < r.fresh || r.List[last].At != at.Seconds() || r.List[last].Class != class.Name || r.List[last].Nodes*by < 0 {
		r.List = append(r.List, Request{At: at.Seconds(), Class: class.Name, Boot: class.WakeTime.Seconds(), Why: why()})
		last++
	}
	q := &r.List[last]
	q.Nodes += by
	q.Cost = float64(q.Nodes) * class.PriceAt(at)
}

// mostRequests is how many of them a table lists; the JSON report has them all.
const mostRequests = 20

// writeRequests prints what was asked of clouds and why.
func writeRequests(w io.Writer, g []*Run) {
	for _, run := range g {
		if len(run.Requests) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s, what was asked of clouds\n", Printable(run.Policy))
		for i := range run.Requests[:min(mostRequests, len(run.Requests))] {
			q := &run.Requests[i]
			fmt.Fprintf(w, "  %s  %s\n", units.Span(q.At), Printable(q.String()))
		}
		if more := len(run.Requests) - mostRequests; more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
}
