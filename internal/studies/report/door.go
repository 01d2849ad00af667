package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
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

// mostRefused is how many jobs are named that did not come in.
const mostRefused = 10

// merge counts the answers of another run besides.
func (d *Door) merge(o *Door) {
	d.Asked, d.Unknown, d.Passed = d.Asked+o.Asked, d.Unknown+o.Unknown, d.Passed+o.Passed
	d.InTime.InTime, d.InTime.Late = d.InTime.InTime+o.InTime.InTime, d.InTime.Late+o.InTime.Late
	d.Late.InTime, d.Late.Late = d.Late.InTime+o.Late.InTime, d.Late.Late+o.Late.Late
	d.Refused = append(d.Refused, o.Refused...)
}

// writeDoor tells of each policy how what was said of jobs when they came has come true, and who
// did not come in.
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
		if n := len(d.Refused); n > 0 {
			names := make([]string, min(n, mostRefused))
			for i := range names {
				names[i] = strconv.Quote(Printable(d.Refused[i]))
			}
			more := ""
			if n > mostRefused {
				more = fmt.Sprintf(" and %d more; -o json has them all", n-mostRefused)
			}
			fmt.Fprintf(w, "\n%s: %d did not come in, as they would be late: %s%s\n", p.name, n, strings.Join(names, ", "), more)
		}
	}
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
