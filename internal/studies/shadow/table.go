package shadow

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// kindTexts say the kinds for people.
var kindTexts = [Kinds]string{"as advised", "another stage of the job was advised", "it was advised for another node",
	"another job was advised", "nothing was advised"}

// at is an instant as people know it: a cluster's times count from before anybody watched it.
func (c *Comparison) at(s float64) string {
	d := units.FromSeconds(s)
	if c.Origin.IsZero() {
		return d.String()
	}
	return c.Origin.Add(time.Duration(d)).Local().Format(time.DateTime)
}

// Write prints the comparison for people.
func (c *Comparison) Write(w io.Writer) error {
	total := 0
	for _, n := range c.Agreed {
		total += n
	}
	span := units.Span
	if c.Cut {
		fmt.Fprintf(w, "%s stops before the end of its run; what there is of it counts.\n\n", c.Journal)
	}
	g := report.GridOf(fmt.Sprintf("%s watched for %s, and the cluster's own scheduler started %s", c.Policy, span(c.Watched), units.Count(total, "container")), nil)
	g.Add("starts", ">number", ">share")
	for k, n := range c.Agreed {
		share := "-"
		if total > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(n)/float64(total))
		}
		g.Add(kindTexts[k], strconv.Itoa(n), share)
	}
	if err := g.Write(w); err != nil {
		return err
	}
	if len(c.Other) > 0 {
		fmt.Fprintln(w)
		g = report.GridOf("The first that were not advised", nil)
		g.Add(">at", "node", "started", "advised", "because")
		for i := range c.Other {
			s := &c.Other[i]
			g.Add(c.at(s.At), s.Node, s.Job+" "+s.Stage.String(), s.Advised, s.Why)
		}
		if err := g.Write(w); err != nil {
			return err
		}
	}
	if len(c.Verdicts) > 0 {
		fmt.Fprintln(w)
		g = report.GridOf("What "+c.Policy+" would have said of jobs, and what became of them", nil)
		g.Add("verdict", ">jobs", ">with a deadline", ">in time")
		for _, v := range c.Verdicts {
			g.Add(v.Verdict, strconv.Itoa(v.Jobs), strconv.Itoa(v.Deadlines), strconv.Itoa(v.InTime))
		}
		if err := g.Write(w); err != nil {
			return err
		}
	}
	if c.Simulated == nil {
		_, err := fmt.Fprintln(w, "\nNo job finished in the recording, so there is nothing to simulate.")
		return err
	}
	fmt.Fprintf(w, "\nThe cluster's own scheduler as recorded, and %s in a simulation of the jobs that finished", c.Policy)
	if c.Left > 0 {
		fmt.Fprintf(w, "; %s did not finish", units.Count(c.Left, "job"))
	}
	fmt.Fprint(w, "\n\n")
	g = report.GridOf("", nil)
	g.Add("scheduler", ">jobs", ">in time", ">of", ">promised", ">kept", ">response", ">95 % within", ">local maps")
	for _, r := range []*report.Run{c.Stock, c.Simulated} {
		s, name := &r.Summary, c.Policy+", simulated"
		if r == c.Stock {
			name = "stock"
		}
		opt := func(x *float64, say func(float64) string) string {
			if x == nil {
				return "-"
			}
			return say(*x)
		}
		g.Add(name, strconv.Itoa(s.Jobs), strconv.Itoa(s.InTime), strconv.Itoa(s.Deadlines), strconv.Itoa(s.Promised), strconv.Itoa(s.Kept),
			opt(s.MeanResponse, span), opt(s.P95Response, span), opt(s.MapLocality, func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }))
	}
	return g.Write(w)
}
