package capacity

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/units"
)

// pageStyle is what the page of a plan needs beyond that of all pages.
const pageStyle = `
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg text { fill: var(--ink); } svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--rule); } svg .axis { stroke: var(--soft); fill: none; } svg .mark { stroke: var(--bad); stroke-width: 2; }
svg .one { fill: #0072b2; } svg .two { fill: #d55e00; } svg .three { fill: #009e73; } svg .line { stroke: #0072b2; fill: none; stroke-width: 2; }
.pair { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(400px, 100%), 1fr)); } figure { margin: 0; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; } .legend b { font-weight: 400; }
`

// WritePage writes one page that needs no network: machines, classes, what changes are worth, the
// sweep, and what came of a verification, as far as they are there.
func (r *Result) WritePage(w io.Writer) error {
	about := r.Reason
	var sections []string
	if r.Reason != "" {
		sections = append(sections, "<h2>Classes</h2>"+page.Table(r.limitRows()))
	} else {
		about = fmt.Sprintf("%s for %s", r.machines(), r.money(r.Cost))
		var remarks strings.Builder
		for _, line := range r.remarks() {
			remarks.WriteString("<li>" + html.EscapeString(line) + "</li>")
		}
		if r.Fleet != nil {
			sections = append(sections, "<h2>Machines</h2>"+r.hoursChart()+page.Table(r.typeRows()))
		}
		sections = append(sections,
			`<h2>Classes</h2><div class="pair">`+r.bars("jobs", "admitted", "rejected", func(k *Class) (float64, float64) { return k.Admitted, k.Rejected })+
				r.bars("cost an hour", "machines", "rejected jobs", func(k *Class) (float64, float64) { return k.Cost - k.Penalty, k.Penalty })+
				r.bars("machines", "machines", "", func(k *Class) (float64, float64) { return k.Machines, 0 })+r.spans()+`</div>`+page.Table(r.planRows())+r.placedHTML(),
			"<h2>What changes are worth</h2>"+page.Table(r.worthRows())+"<ul>"+remarks.String()+"</ul>")
	}
	if r.Sweep != nil {
		sections = append(sections, "<h2>Cost as deadlines change</h2>"+r.curve()+page.Table(r.sweepRows()))
	}
	if r.Played != nil {
		p := r.Played
		about := html.EscapeString(p.by() + "; " + p.kept())
		sections = append(sections, "<h2>Played in the simulator</h2><p>"+about+".</p>"+page.Table(r.playedRows())+
			"<p>"+html.EscapeString(p.Arrivals)+".</p>")
	}
	return page.Plain(w, r.Name, about, sections, pageStyle,
		"Made by slackline capacity, after paper 004. What changes are worth holds as long as the plan keeps its shape.")
}

// The drawings are so wide, and leave so much room for names and for numbers.
const (
	wide, names, numbers = 420.0, 110.0, 76.0
	rowHigh              = 26.0
)

// bars draws one bar for each class, in two parts.
func (r *Result) bars(title, one, two string, of func(*Class) (float64, float64)) string {
	most := 0.0
	for i := range r.Classes {
		a, b := of(&r.Classes[i])
		most = max(most, a+b)
	}
	legend := ""
	if two != "" {
		legend = fmt.Sprintf(`<span class="legend"><b><svg viewBox="0 0 12 12" style="width:12px;display:inline"><rect class="one" width="12" height="12"/></svg> %s</b>`+
			`<b><svg viewBox="0 0 12 12" style="width:12px;display:inline"><rect class="two" width="12" height="12"/></svg> %s</b></span>`, one, two)
	}
	return r.drawing(title, legend, func(b *strings.Builder, k *Class, y float64) {
		x, z := of(k)
		scale := (wide - names - numbers) / max(most, 1e-300)
		fmt.Fprintf(b, `<rect class="one" x="%g" y="%g" width="%.1f" height="16"/>`, names, y+4, x*scale)
		fmt.Fprintf(b, `<rect class="two" x="%.1f" y="%g" width="%.1f" height="16"/>`, names+x*scale, y+4, z*scale)
		text := number(x)
		if two != "" {
			text += " + " + number(z)
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%g">%s</text>`, names+(x+z)*scale+5, y+16, text)
	})
}

// spans draws completion from the lower to the upper bound, with the middle and the deadline.
func (r *Result) spans() string {
	most := 0.0
	for _, k := range r.Classes {
		most = max(most, k.Deadline, k.Mean)
		if k.Up != nil {
			most = max(most, *k.Up)
		}
	}
	return r.drawing("completion between its bounds", `<span class="legend"><b>the mark is the deadline, the dot the middle</b></span>`, func(b *strings.Builder, k *Class, y float64) {
		x := func(seconds float64) float64 {
			return names + (wide-names-numbers)*max(0, seconds)/max(most, 1e-300)
		}
		up := k.Mean
		if k.Up != nil {
			up = *k.Up
		}
		fmt.Fprintf(b, `<rect class="one" fill-opacity=".45" x="%.1f" y="%g" width="%.1f" height="10"/><circle class="one" cx="%.1f" cy="%g" r="5"/>`,
			x(k.Low), y+7, max(1, x(up)-x(k.Low)), x(k.Mean), y+12)
		fmt.Fprintf(b, `<path class="mark" d="M%.1f %gv20"/><text x="%.1f" y="%g">%s</text>`, x(k.Deadline), y+2, x(max(up, k.Deadline))+6, y+16, units.Span(k.Deadline))
	})
}

// drawing has a row for each class.
func (r *Result) drawing(title, legend string, row func(b *strings.Builder, k *Class, y float64)) string {
	var b strings.Builder
	high := rowHigh * float64(len(r.Classes))
	fmt.Fprintf(&b, `<figure><figcaption>%s %s</figcaption><svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, title, legend, wide, high, title)
	for i := range r.Classes {
		k := &r.Classes[i]
		y := rowHigh * float64(i)
		name := []rune(k.Name)
		if len(name) > 15 {
			name = append(name[:14], '…')
		}
		fmt.Fprintf(&b, `<text class="soft" x="0" y="%g">%s<title>%s</title></text>`, y+16, html.EscapeString(string(name)), html.EscapeString(k.Name))
		row(&b, k, y)
	}
	b.WriteString("</svg></figure>")
	return b.String()
}

// curve draws the cost over the change of deadlines.
func (r *Result) curve() string {
	const high, left, below = 220.0, 58.0, 34.0
	from, to, most := math.Inf(1), math.Inf(-1), 0.0
	for _, p := range r.Sweep {
		from, to, most = min(from, p.Deadline), max(to, p.Deadline), max(most, p.Cost)
	}
	x := func(change float64) float64 { return left + (wide-left-20)*(change-from)/max(to-from, 1e-300) }
	y := func(cost float64) float64 { return 10 + (high-below-10)*(1-cost/max(most, 1e-300)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<figure style="max-width: 520px"><figcaption>cost an hour</figcaption><svg viewBox="0 0 %g %g" role="img" aria-label="cost over the change of deadlines">`, wide, high)
	for i := range 5 {
		at := most * float64(i) / 4
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text class="soft" x="%g" y="%.1f" text-anchor="end">%s</text>`, left, y(at), wide-20, left-6, y(at)+4, price(at))
	}
	path, word := "", "M"
	for i, p := range r.Sweep {
		if p.Status == string(optimize.Infeasible) {
			word = "M"
		} else {
			path += fmt.Sprintf("%s%.1f %.1f", word, x(p.Deadline), y(p.Cost))
			word = "L"
			fmt.Fprintf(&b, `<circle class="one" cx="%.1f" cy="%.1f" r="3"><title>%+.4g %%: %s</title></circle>`, x(p.Deadline), y(p.Cost), 100*p.Deadline, price(p.Cost))
		}
		if step := max(1, (len(r.Sweep)+4)/5); i%step == 0 || i == len(r.Sweep)-1 && i%step > step/2 {
			fmt.Fprintf(&b, `<text class="soft" x="%.1f" y="%g" text-anchor="middle">%+.3g %%</text>`, x(p.Deadline), high-14, 100*p.Deadline)
		}
	}
	fmt.Fprintf(&b, `<path class="line" d="%s"/></svg></figure>`, path)
	return b.String()
}
