package report

import (
	"fmt"
	"io"
	"slices"
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

// writeDoor tells of each run how what was said of jobs when they came has come true, and who did not come in.
func writeDoor(w io.Writer, g []*Run) {
	for _, run := range g {
		d := run.Door
		if d == nil {
			continue
		}
		told := d.InTime.InTime + d.InTime.Late + d.Late.InTime + d.Late.Late
		if told >= leastAsked {
			t := &Grid{Title: label(run, g) + ", asked when jobs came"}
			t.Add("", ">was in time", ">was late")
			t.Add("said to be in time", strconv.Itoa(d.InTime.InTime), strconv.Itoa(d.InTime.Late))
			t.Add("said to be late", strconv.Itoa(d.Late.InTime), strconv.Itoa(d.Late.Late))
			fmt.Fprintln(w)
			_ = t.Write(w)
			right := d.InTime.InTime + d.Late.Late
			low, high := stat.Exact95(right, told)
			fmt.Fprintf(w, "It was right about %d of %d jobs: %.1f %%, 95 %% interval %.1f to %.1f %%%s.\n",
				right, told, 100*float64(right)/float64(told), 100*low, 100*high, d.others())
		}
		if n := len(d.Refused); n > 0 {
			names := slices.Clone(d.Refused[:min(n, mostRefused)])
			for i := range names {
				names[i] = strconv.Quote(Printable(names[i]))
			}
			more := ""
			if n > mostRefused {
				more = fmt.Sprintf(" and %d more; -o json has them all", n-mostRefused)
			}
			fmt.Fprintf(w, "\n%s: %d did not come in, as they would be late: %s%s\n", label(run, g), n, strings.Join(names, ", "), more)
		}
	}
}

// others are the jobs that the table does not count.
func (d *Door) others() string {
	s := ""
	if d.Unknown > 0 {
		s += fmt.Sprintf("; of %d nothing could be said", d.Unknown)
	}
	if d.Passed > 0 {
		s += fmt.Sprintf("; the first %d were asked about, %d came later (--admit warn asks about all)", d.Asked, d.Passed)
	}
	return s
}
