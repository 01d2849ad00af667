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
	b.WriteByte('\n')
	if t.Rule > 0 {
		fmt.Fprintf(b, "What the trace does not say about its jobs follows from rule %d.\n", t.Rule)
	}
	for _, c := range t.LeftOut {
		fmt.Fprintf(b, "Left out of the trace: %s.\n", Printable(c.String()))
	}
}
