package main

import (
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

// writeModels prints the cost models of a class, how they did, and what has jumped.
func writeModels(w io.Writer, c *profile.Class) error {
	models := &report.Grid{
		Title: "cost models: (fixed + per MB + per 1000 records) × a factor for each job × a factor for each task",
	}
	models.Add("part", "of", ">jobs", ">tasks", ">fixed", ">per MB", ">per 1000 records", ">90 % below", ">99 %", ">99.9 %",
		">jobs ±", ">tasks ±")
	for _, m := range c.Models {
		if hidden(c, m) {
			continue
		}
		amount := func(x float64) string {
			switch {
			case x == 0:
				return "–"
			case m.Part == profile.Emitted:
				return report.Size(x)
			case m.Part == profile.Energy:
				return fmt.Sprintf("%.3g J", x)
			}
			return units.Span(x)
		}
		times := func(p float64) string { return fmt.Sprintf("× %.3g", m.Total.Quantile(p)) }
		differ := func(f *profile.Factor) string { return fmt.Sprintf("%.0f %%", 50*(f.Quantile(0.84)-f.Quantile(0.16))) }
		models.Add(m.Part.String(), placeOfModel(m.Key), fmt.Sprintf("%.0f", m.Jobs), fmt.Sprintf("%.0f", m.Tasks),
			amount(m.Fixed), amount(m.PerByte*float64(units.MB)), amount(m.PerRecord*1000), times(0.9), times(0.99), times(0.999), differ(&m.Shared), differ(&m.Own))
	}
	scores := &report.Grid{
		Title: "scores: the share of later tasks within the predicted ranges, and the loss at these quantiles relative to the median",
	}
	scores.Add("part", "of", ">tasks", ">in 5 to 95 %", ">below 50 %", ">below 90 %", ">below 99 %",
		">loss at 50 %", ">90 %", ">99 %")
	for i := range c.Scores {
		s := &c.Scores[i]
		if s.Tasks == 0 {
			continue
		}
		part := func(n float64) string { return fmt.Sprintf("%.3g %%", 100*n/s.Tasks) }
		loss := func(i int) string { return fmt.Sprintf("%.2g", s.Loss[i]/s.Tasks) }
		scores.Add(s.Part.String(), placeOfModel(s.Key), fmt.Sprintf("%.0f", s.Tasks), part(s.Within),
			part(s.Below[0]), part(s.Below[1]), part(s.Below[2]), loss(0), loss(1), loss(2))
	}
	for _, t := range []struct {
		g    *report.Grid
		some bool
	}{{models, len(c.Models) > 0}, {scores, len(c.Scores) > 0}} {
		if !t.some {
			continue
		}
		fmt.Fprintln(w)
		if err := t.g.Write(w); err != nil {
			return failure{err}
		}
	}
	for _, m := range c.Models {
		if j := m.Jump; j != nil && !hidden(c, m) {
			what := "took"
			if m.Part == profile.Emitted {
				what = "emitted"
			} else if m.Part == profile.Energy {
				what = "drew"
			}
			fmt.Fprintf(w, "\nThe last %d jobs %s %.2g times what those before did (%s of %s), for the same sizes; "+
				"older ones hardly count any more.\n", j.Jobs, what, j.Ratio, m.Part, placeOfModel(m.Key))
		}
	}
	return nil
}

// hidden tells whether a model repeats that of the only class of nodes.
func hidden(c *profile.Class, m *profile.Model) bool {
	if m.Node != "" {
		return false
	}
	others := 0
	for _, o := range c.Models {
		if o.Stage == m.Stage && o.Part == m.Part && o.Node != "" {
			others++
		}
	}
	return others == 1
}

func placeOfModel(k profile.Key) string {
	switch {
	case k.Part == profile.Emitted:
		return "job"
	case k.Node == "":
		return k.Stage.String()
	case k.Container != "":
		return k.Stage.String() + " on " + k.Node + " in " + k.Container
	}
	return k.Stage.String() + " on " + k.Node
}
