package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// StuckRuns returns the runs that did not come to their end.
func (r *Report) StuckRuns() (list []*Run) {
	for _, run := range r.Runs {
		if run.Stuck != "" {
			list = append(list, run)
		}
	}
	return list
}

// writeStuck tells policy by policy with which seeds the runs of a scenario got stuck, and why the first of them did.
func writeStuck(w io.Writer, g []*Run) {
	var told []string
	for _, run := range g {
		if run.Stuck == "" || slices.Contains(told, label(run, g)) {
			continue
		}
		told = append(told, label(run, g))
		var seeds []string
		for _, other := range g {
			if other.Stuck != "" && label(other, g) == label(run, g) {
				seeds = append(seeds, strconv.FormatUint(other.Seed, 10))
			}
		}
		of, first := "seed "+seeds[0], ""
		if len(seeds) > 1 {
			const most = 10
			of, first = "seeds "+strings.Join(seeds[:min(len(seeds), most)], ", "), "; the first"
			if len(seeds) > most {
				of += fmt.Sprintf(" and %d more", len(seeds)-most)
			}
		}
		fmt.Fprintf(w, "%s is not counted with %s%s: %s\n", label(run, g), of, first, run.Stuck)
	}
}
