package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
)

// Stuck returns the runs that did not come to their end.
func Stuck(runs []*Run) []*Run {
	return slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool { return run.Stuck == "" })
}

// writeStuck tells policy by policy with which seeds the runs of a scenario got stuck, and why the
// first of them did.
func writeStuck(w io.Writer, g []*Run) {
	for _, p := range byPolicy(g) {
		if len(p.stuck) == 0 {
			continue
		}
		seeds := each.Of(p.stuck, func(run *Run) string { return strconv.FormatUint(run.Seed, 10) })
		of, first := "seed "+seeds[0], ""
		if len(seeds) > 1 {
			const most = 10
			of, first = "seeds "+strings.Join(seeds[:min(len(seeds), most)], ", "), "; the first"
			if len(seeds) > most {
				of += fmt.Sprintf(" and %d more", len(seeds)-most)
			}
		}
		fmt.Fprintf(w, "%s is not counted with %s%s: %s\n", p.name, of, first, p.stuck[0].Stuck)
	}
}
