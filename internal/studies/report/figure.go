package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/studies/chart"
)

// Figure is what each policy comes to at each point of a sweep: the mean over the seeds, and its 95 % interval. It is
// the part of the jobs in time, or where none has a deadline the mean response. What takes most values stands along
// it; of all else that is swept each has its own stretch.
func (r *Report) Figure() *chart.Chart {
	what, of, unit := r.headline(func(*Run) bool { return true })
	along, stretches := stretched(r.scenarios())
	c := &chart.Chart{Title: what + " by policy, over " + along + "; the table has the numbers", X: along, Y: what, Share: what == inTime, Number: unit}
	at := map[string]int{}
	for _, stretch := range stretches {
		for _, g := range stretch {
			c.Ticks, c.Under = append(c.Ticks, cmp.Or(g[0].Params[along], g[0].Scenario)), append(c.Under, others(g[0], along))
			for _, p := range byPolicy(g) {
				k, has := at[p.name]
				if !has {
					k = len(c.Lines)
					at[p.name], c.Lines = k, append(c.Lines, chart.Line{Name: p.name, Colour: k % len(chart.Colours)})
				}
				sum := p.sum(of)
				if mean, half := sum.Mean(), sum.Interval95(); sum.N() > 0 {
					c.Lines[k].At = append(c.Lines[k].At, chart.Point{Tick: len(c.Ticks) - 1, Value: mean, Low: mean - half, High: mean + half,
						Said: p.name + ": " + unit(mean) + " ± " + unit(half)})
				}
			}
		}
	}
	return c
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
