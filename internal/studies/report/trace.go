package report

import (
	"fmt"
	"strings"
)

// writeTrace says by which rule the jobs of a trace were completed, and what of it was not played.
func writeTrace(b *strings.Builder, g []*Run) {
	t := g[0].Trace
	if t == nil {
		return
	}
	fmt.Fprintf(b, "\nWhat the trace does not say of its jobs follows from rule %d.\n", t.Rule)
	for _, l := range t.LeftOut {
		fmt.Fprintf(b, "Left out of it: %s.\n", Printable(l.String()))
	}
}
