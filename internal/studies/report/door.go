package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/units"
)

// Door is what was asked when jobs with a deadline came, whether they would be in time, and how that came true.
type Door struct {
	Asked   int  `json:"asked"`
	InTime  Came `json:"said_in_time"`
	Late    Came `json:"said_late"`
	Unknown int  `json:"unanswered"` // the jobs cannot be played from there
	// asked no more, as so many had been
	Passed  int      `json:"not_asked,omitempty"`
	Refused []string `json:"refused,omitempty"` // jobs that were said to be late and did not come in
}

// Came counts what became of jobs of which the same was said. Jobs that did not end are in neither.
type Came struct {
	InTime int `json:"in_time"`
	Late   int `json:"late"`
}

// Add counts a job of which it was said that it would be late, or not.
func (d *Door) Add(late bool, became Outcome) {
	c := &d.InTime
	if late {
		c = &d.Late
	}
	switch became {
	case Kept, Met:
		c.InTime++
	case Broken, Late, Failed, Killed:
		c.Late++
	}
}

// leastAsked is how many jobs are asked about at least for a table of what came true.
const leastAsked = 5

// mostSaid is how many jobs are named that were said to be late.
const mostSaid = 10

// merge counts the answers of another run besides.
func (d *Door) merge(o *Door) {
	d.Asked, d.Unknown, d.Passed = d.Asked+o.Asked, d.Unknown+o.Unknown, d.Passed+o.Passed
	d.InTime.InTime, d.InTime.Late = d.InTime.InTime+o.InTime.InTime, d.InTime.Late+o.InTime.Late
	d.Late.InTime, d.Late.Late = d.Late.InTime+o.Late.InTime, d.Late.Late+o.Late.Late
	d.Refused = append(d.Refused, o.Refused...)
}

// writeDoor tells of each policy how what was said of jobs when they came has come true, who was said to
// be late, and who did not come in.
func writeDoor(w io.Writer, g []*Run) {
	for _, p := range byPolicy(g) {
		var d Door
		for _, run := range p.runs {
			if run.Door != nil {
				d.merge(run.Door)
			}
		}
		if d.InTime.all()+d.Late.all() >= leastAsked {
			t := &Grid{Title: p.name + ", asked when jobs came"}
			t.Add("", ">was in time", ">was late", ">right", ">95 % interval")
			t.Add(d.InTime.row("said to be in time", d.InTime.InTime)...)
			t.Add(d.Late.row("said to be late", d.Late.Late)...)
			fmt.Fprintln(w)
			_ = t.Write(w)
			if d.Unknown > 0 {
				fmt.Fprintf(w, "Of %d jobs nothing could be said.\n", d.Unknown)
			}
			if d.Passed > 0 {
				fmt.Fprintf(w, "Only the first %d jobs were checked; %d more arrived. --admit warn checks them all.\n", d.Asked, d.Passed)
			}
		}
		if len(p.runs) == 1 { // of several there are counts
			if late := p.runs[0].saidLate(); len(late) > 0 {
				fmt.Fprintf(w, "\n%s, expected to be late when they came: %s\n", p.name, named(late))
			}
		}
		if n := len(d.Refused); n > 0 {
			fmt.Fprintf(w, "\n%s: %d did not come in, as they would be late: %s\n", p.name, n,
				named(each.Of(d.Refused, func(id string) string { return strconv.Quote(Printable(id)) })))
		}
	}
}

// saidLate are the jobs that came in although they were expected to be late, and by how much they were.
func (r *Run) saidLate() (list []string) {
	if r.Door == nil {
		return nil
	}
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Expected != nil && j.Deadline != nil && j.Submitted+j.Expected.Seconds > *j.Deadline {
			list = append(list, fmt.Sprintf("%q by %s", Printable(j.ID), units.Span(j.Submitted+j.Expected.Seconds-*j.Deadline)))
		}
	}
	return list
}

// named lists jobs, up to some.
func named(jobs []string) string {
	text := strings.Join(jobs[:min(len(jobs), mostSaid)], ", ")
	if more := len(jobs) - mostSaid; more > 0 {
		text += fmt.Sprintf(" and %d more; -o json has them all", more)
	}
	return text
}

func (c *Came) all() int { return c.InTime + c.Late }

// row is that of jobs of which the same was said, and of how many it was right.
func (c *Came) row(said string, right int) []string {
	cells := []string{said, strconv.Itoa(c.InTime), strconv.Itoa(c.Late), "", ""}
	if n := c.all(); n > 0 {
		low, high := stat.Exact95(right, n)
		cells[3], cells[4] = tenths(float64(right)/float64(n)), fmt.Sprintf("%.1f to %.1f %%", 100*low, 100*high)
	}
	return cells
}
