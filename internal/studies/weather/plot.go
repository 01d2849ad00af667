package weather

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/report"
)

// shown is how much of the history the plot has.
const shown = 48 * time.Hour

const (
	plotWidth, plotHeight = 1000, 420
	left, right, top, low = 80, 75, 70, 60
)

// Plot draws history, forecast and band, and what came, as SVG.
func (o *Outlook) Plot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">
<rect width="%d" height="%d" fill="white"/>
<text x="%d" y="24" text-anchor="middle" font-size="16">%s</text>
`, plotWidth, plotHeight, plotWidth, plotHeight, plotWidth, plotHeight, plotWidth/2,
		html.EscapeString(fmt.Sprintf("%s: power by %s", o.Source, o.By)))
	step := time.Duration(o.Interval * float64(time.Second))
	history := o.History[max(0, len(o.History)-max(int(shown/step), 1)):]
	from, to := history[0].At, o.At.Add(time.Duration(len(o.Forecast))*step)
	most := 0.0
	for _, v := range history {
		if v.Power != nil {
			most = max(most, *v.Power)
		}
	}
	var expected, came []Value
	for _, e := range o.Forecast {
		most = max(most, e.Power)
		if e.High != nil {
			most = max(most, *e.High)
		}
		expected, came = append(expected, Value{e.At, &e.Power}), append(came, Value{e.At, e.Came})
		if e.Came != nil {
			most = max(most, *e.Came)
		}
	}
	unit := stat.Step(most / 5)
	ceiling := unit * max(math.Ceil(most/unit), 1)
	x := func(t time.Time) float64 {
		return left + (plotWidth-left-right)*float64(t.Sub(from))/float64(to.Sub(from))
	}
	y := func(p float64) float64 { return top + (plotHeight-top-low)*(1-p/ceiling) }

	for p := 0.0; p <= ceiling*1.001; p += unit {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text><text x="%d" y="%.1f">%.0f %%</text>`+"\n",
			left, y(p), plotWidth-right, left-6, y(p)+4, watts(p), plotWidth-right+6, y(p)+4,
			100*o.capacity(p))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">power</text><text x="%d" y="%d">capacity</text>`+"\n", left-6, top-14, plotWidth-right+6, top-14)
	for t, every := from.Truncate(time.Hour), ticks(to.Sub(from)); !t.After(to); t = t.Add(time.Hour) {
		if t.Before(from) || t.Hour()%every != 0 {
			continue
		}
		fmt.Fprintf(&b, `<path d="M%.1f %dv5" stroke="black"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(t), plotHeight-low, x(t), plotHeight-low+19, t.Format("15:04"))
		if t.Hour() < every {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x(t),
				plotHeight-low+35, t.Format("2 Jan 2006"))
		}
	}
	// An interval is a level line: power is its mean.
	for _, e := range o.Forecast {
		if e.Low != nil {
			fmt.Fprintf(&b, `<path d="M%.1f %.1fH%.1fV%.1fH%.1fZ" fill="%s" fill-opacity="0.2"/>`+"\n", x(e.At), y(*e.High), x(e.At.Add(step)), y(*e.Low), x(e.At), blue)
		}
	}
	line := func(colour, dash string, values []Value) {
		var d strings.Builder
		verb := "M"
		for _, v := range values {
			if v.Power == nil {
				verb = "M"
				continue
			}
			fmt.Fprintf(&d, "%s%.1f %.1fH%.1f", verb, x(v.At), y(*v.Power), x(v.At.Add(step)))
			verb = "L"
		}
		if d.Len() > 0 {
			fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", d.String(), colour, dash)
		}
	}
	line("black", "", history)
	line("black", ` stroke-dasharray="3 3"`, came)
	line(blue, "", expected)
	fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="%s" stroke-dasharray="5 4"/>`+"\n", x(o.At), top,
		plotHeight-low, orange)
	fmt.Fprintf(&b, `<path d="M%d %dH%dM%d %dV%d" fill="none" stroke="black"/>`+"\n", left, plotHeight-low,
		plotWidth-right, left, top, plotHeight-low)
	at := left
	for _, l := range []struct{ colour, dash, text string }{{"black", "", "measured"}, {blue, "",
		"forecast, and the band of 90 %"},
		{"black", ` stroke-dasharray="3 3"`, "what came"}, {orange, ` stroke-dasharray="5 4"`,
			"when it was made"}} {
		fmt.Fprintf(&b, `<path d="M%d 46h24" stroke="%s" stroke-width="1.5"%s/><text x="%d" y="50">%s</text>`+"\n", at, l.colour, l.dash, at+30, l.text)
		at += 60 + 7*len(l.text)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

var blue, orange = report.Colours[0], report.Colours[1]

// ticks is how many hours lie between two ticks.
func ticks(span time.Duration) int {
	for _, every := range []int{1, 2, 3, 6, 12} {
		if span.Hours()/float64(every) <= 14 {
			return every
		}
	}
	return 24
}
