package report

import (
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
)

// WriteFigure draws what each policy comes to at each point of a sweep, as SVG: the mean over the seeds, and its 95 %
// interval as a band. It is the part of the jobs in time, or where none has a deadline the mean response.
func (r *Report) WriteFigure(w io.Writer) error {
	groups := r.scenarios()
	what, of, unit := r.headline(func(*Run) bool { return true })
	var policies []string
	top, sums := 0.0, map[string][]stat.Sum{}
	for i, g := range groups {
		for _, p := range byPolicy(g) {
			if sums[p.name] == nil {
				policies, sums[p.name] = append(policies, p.name), make([]stat.Sum, len(groups))
			}
			s := &sums[p.name][i]
			for _, run := range p.runs {
				if x, has := of(&run.Summary); has {
					s.Add(x)
				}
			}
			if s.N() > 0 {
				top = max(top, s.Mean()+s.Interval95())
			}
		}
	}
	fields := strings.Join(sweptBy(r.Runs, func(run *Run) map[string]string { return run.Params }), ", ")
	const wide, high, left, below = 640.0, 320.0, 80.0, 60.0
	x := func(i int) float64 { return left + (wide-left-20)*(float64(i)+0.5)/float64(len(groups)) }
	y := func(v float64) float64 { return high - below - (high-below-30)*max(0, v)/max(top, 1e-9) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12" role="img" aria-label="%s">`+"\n",
		wide, high+18*float64(len(policies)), html.EscapeString(what+" by policy"))
	fmt.Fprintf(&b, `<text x="%g" y="16">%s</text>`+"\n", left, html.EscapeString(what))
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text>`+"\n", wide-20, high-below+36, html.EscapeString(fields))
	for k := range 5 {
		v := top * float64(k) / 4
		fmt.Fprintf(&b, `<path d="M%g %.1fH%g" stroke="#bbb" fill="none"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y(v), wide-20, left-6, y(v)+4, unit(v))
	}
	for i, g := range groups {
		var name []string
		for _, p := range slices.Sorted(maps.Keys(g[0].Params)) {
			name = append(name, g[0].Params[p])
		}
		if name == nil {
			name = []string{g[0].Scenario}
		}
		if i%(1+len(groups)/9) != 0 {
			continue // there is no room for all
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n", x(i), high-below+18, html.EscapeString(strings.Join(name, " ")))
	}
	for k, policy := range policies {
		colour := Colours[k%len(Colours)]
		var up, down, line []string
		for i := range groups {
			if s := &sums[policy][i]; s.N() > 0 {
				up = append(up, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean()+s.Interval95())))
				down = append(down, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean()-s.Interval95())))
				line = append(line, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean())))
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x(i), y(s.Mean()), colour)
			}
		}
		slices.Reverse(down)
		if up != nil {
			fmt.Fprintf(&b, `<path d="M%sZ" fill="%s" stroke="%s" fill-opacity=".15" stroke-opacity=".4"/>`+"\n", strings.Join(slices.Concat(up, down), "L"), colour, colour)
			fmt.Fprintf(&b, `<path d="M%s" stroke="%s" stroke-width="2" stroke-dasharray="%d %d" fill="none"/>`+"\n", strings.Join(line, "L"), colour, 12-2*min(k, 5), min(k, 1)*3)
		}
		fmt.Fprintf(&b, `<path d="M%g %.1fh16" stroke="%s" stroke-width="3"/><text x="%g" y="%.1f">%s</text>`+"\n",
			left, high-16+18*float64(k), colour, left+22, high-12+18*float64(k), html.EscapeString(policy))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
