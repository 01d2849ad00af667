package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Timeline is the sink behind the drawing of who ran when: a row for each job, for the first jobs of a run.
//
//	words  ▂▇███▇▒▒▒        ┃       finished 12s, deadline 20s, met
//	find   ····▂██▇▒   ┃            …
//
// A block's height is the part of all map slots that the job's maps held, a shaded one stands for
// reduces, a dot for waiting; the bar is the deadline. Time is kept in a fixed number of cells that
// double in width as the run grows.
type Timeline struct {
	follow.Single
	rows  []row
	nodes []int64 // map slots, by handle
	slots int64   // of all nodes, at most so far
	cell  units.Duration
	end   units.Time
}

const (
	maxRows = 60
	cells   = 1024
)

type row struct {
	id              string
	arrive          units.Time
	ended, deadline units.Time // units.Never: not yet, none
	finished        bool
	maps, rest      [cells]float64 // nanoseconds of attempts
}

// NewTimeline returns an empty timeline.
func NewTimeline() *Timeline { return &Timeline{cell: units.Millisecond} }

// End returns the time of the last event.
func (t *Timeline) End() units.Time { return t.end }

// Batch takes in what happened.
func (t *Timeline) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e, at := &records[i], records[i].At
		switch e.Kind {
		case sched.NodeUp:
			*sched.Row(&t.nodes, e.Node) = e.Detail.Node.Class.Capacity[units.MapSlots]
			var sum int64
			for _, n := range t.nodes {
				sum += n
			}
			t.slots = max(t.slots, sum)
		case sched.NodeDown:
			*sched.Row(&t.nodes, e.Node) = 0
		case sched.JobArrived:
			if j := e.Job; j != nil && j.Number == len(t.rows) && len(t.rows) < maxRows {
				t.rows = append(t.rows, row{id: j.Spec.ID, arrive: j.Arrived, ended: units.Never, deadline: j.Spec.Deadline})
			}
		case sched.Ended:
			if a := e.Attempt; a != nil && a.Job.Number < len(t.rows) {
				t.fill(a, at)
			}
		case sched.JobEnded:
			if j := e.Job; j != nil && j.Number < len(t.rows) {
				r := &t.rows[j.Number]
				r.ended, r.finished = j.Ended, e.Outcome == sched.Committed
				t.end = max(t.end, at)
			}
		}
	}
	return nil
}

// fill spreads an attempt over the cells.
func (t *Timeline) fill(a *follow.Attempt, until units.Time) {
	for int64(until) >= int64(t.cell)*cells {
		t.widen()
	}
	r := &t.rows[a.Job.Number]
	to := &r.rest
	if a.Stage == sched.Map {
		to = &r.maps
	}
	for c := int64(a.Began) / int64(t.cell); c <= int64(until)/int64(t.cell); c++ {
		from, end := units.Time(c*int64(t.cell)), units.Time((c+1)*int64(t.cell))
		to[c] += float64(min(end, until) - max(from, a.Began))
	}
}

// widen doubles the width of the cells.
func (t *Timeline) widen() {
	t.cell *= 2
	for i := range t.rows {
		for _, list := range []*[cells]float64{&t.rows[i].maps, &t.rows[i].rest} {
			for c := range cells / 2 {
				list[c] = list[2*c] + list[2*c+1]
			}
			clear(list[cells/2:])
		}
	}
}

// Draw draws the rows in so many columns, from the start of the run until a time, so that several
// runs can share one scale.
func (t *Timeline) Draw(w io.Writer, width int, until units.Time) {
	label := 0
	for i := range t.rows {
		label = max(label, utf8.RuneCountInString(t.rows[i].id))
	}
	label = min(label, max(8, width/4))
	columns := max(10, width-label-2)
	until = max(until, 1)
	for i := range t.rows {
		r := &t.rows[i]
		fmt.Fprintf(w, "%s  %s\n", pad(r.id, label), strings.TrimRight(t.bar(r, columns, until), " "))
	}
	scale := rounded(units.Duration(until)).String()
	fmt.Fprintf(w, "%s  0%s%s\n", strings.Repeat(" ", label), strings.Repeat("─", max(1, columns-1-len(scale))), scale)
}

// rounded cuts a span to two digits or so: what one can read off an axis.
func rounded(d units.Duration) units.Duration {
	step := units.Duration(1)
	for step*100 <= d && step < 100*units.Millisecond {
		step *= 10
	}
	return d / step * step
}

// Legend explains what Draw draws.
const Legend = "▁▂▃▄▅▆▇█ map slots held · ▒ reduces · ┃ deadline · dots: waiting"

func (t *Timeline) bar(r *row, columns int, until units.Time) string {
	var b strings.Builder
	levels := []rune("▁▂▃▄▅▆▇█")
	at := func(c int) units.Time { return units.Time(float64(until) * float64(c) / float64(columns)) }
	for c := range columns {
		from, to := at(c), at(c+1)
		maps, rest := t.held(&r.maps, from, to), t.held(&r.rest, from, to)
		switch {
		case r.deadline != units.Never && from < r.deadline && r.deadline <= to:
			b.WriteRune('┃')
		case maps > 0:
			part := maps / (float64(max(1, t.slots)) * float64(to-from))
			b.WriteRune(levels[min(len(levels)-1, int(part*float64(len(levels))))])
		case rest > 0:
			b.WriteRune('▒')
		case to > r.arrive && from < r.ended:
			b.WriteRune('·')
		default:
			b.WriteRune(' ')
		}
	}
	return b.String()
}

// held returns the nanoseconds that attempts ran between two times; within a cell they count as spread evenly.
func (t *Timeline) held(list *[cells]float64, from, to units.Time) float64 {
	sum := 0.0
	for c := int64(from) / int64(t.cell); c < cells && c*int64(t.cell) < int64(to); c++ {
		start, end := c*int64(t.cell), (c+1)*int64(t.cell)
		sum += list[c] * float64(min(end, int64(to))-max(start, int64(from))) / float64(t.cell)
	}
	return sum
}

func pad(s string, n int) string {
	r := []rune(s)
	if len(r) > n {
		r = append(r[:n-1], '…')
	}
	return string(r) + strings.Repeat(" ", n-len(r))
}
