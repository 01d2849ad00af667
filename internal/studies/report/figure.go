package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/stat"
)

// onDark is what a figure needs on a dark ground; it brings its own ground.
const onDark = `<style>@media (prefers-color-scheme: dark) { text { fill: #e8e6e1 } .ground { fill: #14171a } .grid { stroke: #353b43 } }</style>`

// WriteFigure writes the figure as a file of its own.
func (r *Report) WriteFigure(w io.Writer) error {
	first, rest, _ := strings.Cut(r.Figure(), "\n")
	_, err := io.WriteString(w, first+"\n"+onDark+"\n"+rest)
	return err
}

// Figure draws what each policy comes to at each point of a sweep, as SVG: the mean over the seeds, and its 95 %
// interval as a band. It is the part of the jobs in time, or where none has a deadline the mean response. What takes
// most values stands along the figure; of all else that is swept each has its own stretch.
func (r *Report) Figure() string {
	groups := r.scenarios()
	what, of, unit := r.headline(func(*Run) bool { return true })
	along, stretches := stretched(groups)
	groups = slices.Concat(stretches...)
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
	if what == inTime {
		top = 1 // there is no more than all
	}
	const wide, high, left, below = 640.0, 320.0, 80.0, 60.0
	x := func(i int) float64 { return left + (wide-left-20)*(float64(i)+0.5)/float64(len(groups)) }
	y := func(v float64) float64 { return high - below - (high-below-30)*min(top, max(0, v))/max(top, 1e-9) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12" fill="#1c1e21" role="img" aria-label="%s">`+"\n",
		wide, high+18*float64(len(policies)), html.EscapeString(what+" by policy, over "+along+"; the table has the numbers"))
	b.WriteString(`<rect class="ground" width="100%" height="100%" fill="#fff"/>` + "\n")
	text := func(x, y float64, anchor, said string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(said))
	}
	text(left, 16, "start", what)
	text(wide-20, high-below+52, "end", along)
	for k := range 5 {
		v := top * float64(k) / 4
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g" stroke="#ccc" fill="none"/>`+"\n", left, y(v), wide-20)
		text(left-6, y(v)+4, "end", unit(v))
	}
	begin := 0
	for _, stretch := range stretches {
		for i, g := range stretch {
			// there is no room for all
			if at := cmp.Or(g[0].Params[along], g[0].Scenario); (begin+i)%(1+len(groups)/9) == 0 {
				text(x(begin+i), high-below+18, "middle", at)
			}
		}
		if len(stretches) > 1 && len(stretches) <= 6 {
			text((x(begin)+x(begin+len(stretch)-1))/2, high-below+35, "middle", others(stretch[0][0], along))
		}
		begin += len(stretch)
	}
	for k, policy := range policies {
		colour, i := Colours[k%len(Colours)], 0
		for _, stretch := range stretches {
			var up, down, line []string
			for range stretch {
				if s := &sums[policy][i]; s.N() > 0 {
					up = append(up, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean()+s.Interval95())))
					down = append(down, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean()-s.Interval95())))
					line = append(line, fmt.Sprintf("%.1f %.1f", x(i), y(s.Mean())))
					fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s: %s ± %s</title></circle>`+"\n", x(i), y(s.Mean()), colour,
						html.EscapeString(policy), unit(s.Mean()), unit(s.Interval95()))
				}
				i++
			}
			slices.Reverse(down)
			if up != nil {
				fmt.Fprintf(&b, `<path d="M%sZ" fill="%s" stroke="%s" fill-opacity=".15" stroke-opacity=".4"/>`+"\n", strings.Join(slices.Concat(up, down), "L"), colour, colour)
				fmt.Fprintf(&b, `<path d="M%s" stroke="%s" stroke-width="2" stroke-dasharray="%d %d" fill="none"/>`+"\n", strings.Join(line, "L"), colour, 12-2*min(k, 5), min(k, 1)*3)
			}
		}
		fmt.Fprintf(&b, `<path d="M%g %.1fh16" stroke="%s" stroke-width="3"/>`+"\n", left, high-4+18*float64(k)-4, colour)
		text(left+22, high+18*float64(k)-4, "start", policy)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// Swept tells whether a figure has more than one point.
func (r *Report) Swept() bool { return len(r.scenarios()) > 1 && len(r.Comparisons) > 0 }

// stretched puts points that differ by one key alone beside each other: by that of most values, or where nothing is
// swept by the name of the scenario, which is "".
func stretched(points [][]*Run) (along string, stretches [][][]*Run) {
	most := 1
	for _, key := range sweptBy(slices.Concat(points...), func(run *Run) map[string]string { return run.Params }) {
		values := map[string]bool{}
		for _, g := range points {
			values[g[0].Params[key]] = true
		}
		if len(values) > most {
			along, most = key, len(values)
		}
	}
	for _, g := range points {
		i := slices.IndexFunc(stretches, func(s [][]*Run) bool { return others(s[0][0], along) == others(g[0], along) })
		if i < 0 {
			i, stretches = len(stretches), append(stretches, nil)
		}
		stretches[i] = append(stretches[i], g)
	}
	return along, stretches
}

// others are the values of a run but for one.
func others(run *Run, but string) string {
	params := maps.Clone(run.Params)
	delete(params, but)
	return strings.TrimSpace(Named("", params))
}
