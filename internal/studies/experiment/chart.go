package experiment

import (
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/studies/chart"
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
	Colour int // in chart.Colours
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

// svg draws a figure.
func (r *Report) svg(f *Figure) string {
	c := chart.Chart{Title: f.Title, X: f.X, Y: f.Metric.Unit, Bars: f.Bars, Share: f.Metric.Unit == "%", Number: func(v float64) string {
		number, _, _ := strings.Cut(f.Metric.format(v), " ")
		return number
	}}
	at := map[string]int{}
	for i, t := range f.Ticks {
		at[t] = i
		c.Ticks = append(c.Ticks, strings.TrimPrefix(t, "D = "))
	}
	var level levels
	if !f.Bars {
		level = r.levels(f)
	}
	for _, l := range f.Lines {
		drawn := chart.Line{Name: l.Name, Colour: l.Colour}
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
			said := fmt.Sprintf("%s, %s: %s, 95 %% interval %s to %s", l.Name, p.Tick, m.format(y), m.format(ci[0]), m.format(ci[1]))
			published := r.published[p.Key].Value
			if published != nil {
				said += ", published " + m.format(*published)
			}
			drawn.At = append(drawn.At, chart.Point{Tick: at[p.Tick], Value: y, Low: ci[0], High: ci[1], Published: published, Said: said})
		}
		c.Lines = append(c.Lines, drawn)
	}
	return c.SVG()
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
