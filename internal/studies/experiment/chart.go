package experiment

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/report"
)

// Figure is a figure of the paper with our values: names side by side on one axis, a metric on the other.
type Figure struct {
	Title, Source string
	X             string // what stands along
	Metric        Metric
	Ticks         []string
	Lines         []Line
	Bars          bool // bars in groups, in place of lines
}

// Line is a series of points that belong together.
type Line struct {
	Name   string
	Colour int // in report.Colours
	At     []Point
}

// Point is the value of a series at a tick.
type Point struct {
	Tick   string
	Series Series
	Metric *Metric // nil = that of the figure
	Key    string  // of what was published; "" = the text has no number
}

// line is one whose points are series, by the metric of the figure.
func line(name string, colour int, of ...some) Line {
	l := Line{Name: name, Colour: colour}
	for _, r := range list(of) {
		l.At = append(l.At, Point{Tick: r.Name, Series: r.Series})
	}
	return l
}

// point is a series by a metric of its own, beside what was published by a key.
func point(r Row, m Metric, key string) Point { return Point{m.Name, r.Series, &m, key} }

const (
	chartWidth, chartHeight                       = 640, 300
	marginLeft, marginRight, marginTop, marginLow = 62, 14, 34, 46

	letter  = 6.6 // how wide one is, on the average
	textRow = 18  // of text
)

// svg draws a figure.
func (r *Report) svg(f *Figure) string {
	var b strings.Builder
	legend, lower := f.legend()
	ticks, rows := f.ticks()
	under := textRow * (rows - 1)
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">%s<g transform="translate(0 %d)">`,
		chartWidth, chartHeight+lower+under, html.EscapeString(f.Title), legend, lower)
	type drawn struct {
		x, y, half float64
		published  *float64
		name       string
	}
	wide, high := float64(chartWidth-marginLeft-marginRight), float64(chartHeight-marginTop-marginLow)
	at := map[string]int{}
	for i, t := range f.Ticks {
		at[t] = i
	}
	step := wide / float64(len(f.Ticks))
	var level levels
	if !f.Bars {
		level = r.levels(f)
	}
	lines := make([][]drawn, len(f.Lines))
	low, top := math.Inf(1), 0.0
	for i, l := range f.Lines {
		for _, p := range l.At {
			m := &f.Metric
			if p.Metric != nil {
				m = p.Metric
			}
			sample := r.results.Sample(p.Series, *m)
			y, ci := mean(sample)
			if !f.Bars {
				_, ci = mean(level.without(sample))
			}
			if math.IsNaN(y) {
				continue
			}
			x := marginLeft + step*(float64(at[p.Tick])+0.5)
			if f.Bars {
				x += step * 0.8 * ((float64(i)+0.5)/float64(len(f.Lines)) - 0.5)
			}
			name := fmt.Sprintf("%s, %s: %s, 95 %% interval %s to %s", l.Name, p.Tick, m.format(y), m.format(ci[0]), m.format(ci[1]))
			said := r.published[p.Key].Value
			if said != nil {
				name += ", published " + m.format(*said)
				top = max(top, *said)
			}
			low, top = min(low, ci[0]), max(top, ci[1])
			lines[i] = append(lines[i], drawn{x, y, ci[1] - y, said, name})
		}
	}
	if f.Metric.Unit == "%" {
		top = min(top, 1)
	}
	from := 0.0
	every := stat.Step((top - from) / 5)
	if !f.Bars && low > top/2 { // nothing to see else
		every = stat.Step((top - low) / 4)
		from = every * math.Floor(low/every)
	}
	to := from + every*max(1, math.Ceil((top-from)/every-1e-9))
	y := func(v float64) float64 { return marginTop + high*(1-(v-from)/(to-from)) }
	for v := from; v <= to+1e-9; v += every {
		label := fmt.Sprintf("%g s", math.Round(v*100)/100)
		if f.Metric.Unit == "%" {
			label = fmt.Sprintf("%.0f %%", 100*v)
		}
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fh%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, marginLeft, y(v), wide, marginLeft-6, y(v)+4, label)
	}
	for i, lines := range ticks {
		for k, t := range lines {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, marginLeft+step*(float64(i)+0.5), chartHeight-marginLow+18+textRow*k, html.EscapeString(t))
		}
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%d %dv%.1fh%.1f"/>`, marginLeft, marginTop, high, wide)
	if f.X != "" {
		fmt.Fprintf(&b, `<text class="soft" x="%.1f" y="%d" text-anchor="middle">%s</text>`, marginLeft+wide/2, chartHeight-8+under, html.EscapeString(f.X))
	}
	for i, l := range f.Lines {
		c := report.Colours[l.Colour]
		var path strings.Builder
		for k, p := range lines[i] {
			verb := "L"
			if k == 0 {
				verb = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", verb, p.x, y(p.y))
		}
		if !f.Bars && len(lines[i]) > 1 {
			fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`, path.String(), c)
		}
		for _, p := range lines[i] {
			fmt.Fprintf(&b, `<g><title>%s</title>`, html.EscapeString(p.name))
			if f.Bars {
				w := step * 0.8 / float64(len(f.Lines)) * 0.86
				fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity=".8"/>`, p.x-w/2, y(p.y), w, y(from)-y(p.y), c)
			} else {
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`, p.x, y(p.y), c)
			}
			if p.half > 0 {
				fmt.Fprintf(&b, `<path class="whisker" d="M%.1f %.1fV%.1fm-4 0h8m-4 0V%.1fm-4 0h8"/>`, p.x, y(p.y), y(max(from, p.y-p.half)), y(min(to, p.y+p.half)))
			}
			if p.published != nil {
				fmt.Fprintf(&b, `<circle class="ring" cx="%.1f" cy="%.1f" r="5"/>`, p.x, y(*p.published))
			}
			b.WriteString(`</g>`)
		}
	}
	b.WriteString(`</g></svg>`)
	return b.String()
}

// legend names the lines, in as many rows as they take, and says by how much the rest stands lower then.
func (f *Figure) legend() (svg string, lower int) {
	var b strings.Builder
	x := float64(marginLeft)
	for _, l := range f.Lines {
		wide := 34 + letter*float64(len(l.Name))
		if x+wide-17 > chartWidth && x > marginLeft {
			x, lower = marginLeft, lower+textRow
		}
		fmt.Fprintf(&b, `<rect x="%.0f" y="%d" width="12" height="12" rx="3" fill="%s"/><text x="%.0f" y="%d">%s</text>`,
			x, 8+lower, report.Colours[l.Colour], x+17, 18+lower, html.EscapeString(l.Name))
		x += wide
	}
	return b.String(), lower
}

// levels are what the values of a figure are as the means of each seed: what one workload has more
// of than another, whatever is done with it.
type levels struct {
	of     []float64 // less the mean of all seeds
	spread float64
}

func (r *Report) levels(f *Figure) (l levels) {
	points := 0
	for _, line := range f.Lines {
		for _, p := range line.At {
			sample := r.results.Sample(p.Series, f.Metric)
			if l.of == nil {
				l.of = make([]float64, len(sample))
			}
			for i, x := range sample {
				l.of[i] += x
			}
			points++
		}
	}
	for i := range l.of {
		l.of[i] /= float64(points)
	}
	all, _ := mean(l.of)
	for i := range l.of {
		l.of[i] -= all
	}
	l.spread = math.Sqrt(float64(points) / max(1, float64(points-1)))
	return l
}

// without takes the level of each seed from a sample, so that intervals show what points of a
// figure differ by (Cousineau, "Confidence intervals in within-subject designs", 2005, with the
// correction of Morey, 2008).
func (l *levels) without(sample []float64) []float64 {
	all, _ := mean(sample)
	list := make([]float64, len(sample))
	for i, x := range sample {
		list[i] = all + (x-l.of[i]-all)*l.spread
	}
	return list
}

// ticks are what stands below the axis, each in as many rows as its words take, and how many rows that are.
func (f *Figure) ticks() (lines [][]string, rows int) {
	most := int(float64(chartWidth-marginLeft-marginRight)/float64(len(f.Ticks))/letter) - 2 // apart from each other
	for _, t := range f.Ticks {
		var of []string
		for _, word := range strings.Fields(strings.TrimPrefix(t, "D = ")) {
			if n := len(of); n > 0 && len(of[n-1])+1+len(word) <= most {
				of[n-1] += " " + word
			} else {
				of = append(of, word)
			}
		}
		lines, rows = append(lines, of), max(rows, len(of))
	}
	return lines, rows
}
