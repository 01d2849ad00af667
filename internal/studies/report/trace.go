package report

import (
	"fmt"
	"io"
)

// Played is what is said of the trace of a scenario, at one point of its sweep.
type Played struct {
	Scenario string            `json:"scenario"`
	Params   map[string]string `json:"params,omitempty"`
	*Trace
}

// Traces are those of runs, one of each scenario and each point of its sweep.
func Traces(runs []*Run) (list []Played) {
	seen := map[string]bool{}
	for _, run := range runs {
		if name := run.Name(); run.Trace != nil && !seen[name] {
			seen[name] = true
			list = append(list, Played{run.Scenario, run.Params, run.Trace})
		}
	}
	return list
}

// writeTrace says by which rule the jobs of a trace were completed, and what of it was not played.
func writeTrace(b io.Writer, g []*Run) {
	t := g[0].Trace
	if t == nil {
		return
	}
	fmt.Fprintln(b)
	if t.Rule > 0 {
		fmt.Fprintf(b, "What the trace does not say about its jobs follows from rule %d.\n", t.Rule)
	}
	for _, c := range t.LeftOut {
		fmt.Fprintf(b, "Left out of the trace: %s.\n", Printable(c.String()))
	}
}
