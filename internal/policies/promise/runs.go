package promise

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Each look asks since when every task has been running. Where none of a job's has begun or ended since the last look
// that is not read again. The rows follow from the book: they are neither saved nor copied.

// runs are the attempts of a job: of its maps, and of its reduces.
type runs struct {
	starts [2][]units.Time // since when they run, ascending
	ended  [2]bool         // one has ended since
}

// row returns the starts of a job's maps or reduces, of which so many run, ascending. It is good until the
// next call.
func (s *scheduler) row(v sched.View, j sched.JobID, k, running int) []units.Time {
	r := &s.runs[j]
	row := r.starts[k]
	if len(row) == running && !r.ended[k] {
		return row
	}
	row = row[:0]
	stage := sched.Map + sched.Stage(k)
	for a := v.Youngest(j, stage, 0); a != 0; a = v.Youngest(j, stage, a) {
		row = append(row, v.Attempt(a).Started)
	}
	slices.Reverse(row)
	if !slices.IsSorted(row) { // hardly one goes before another
		slices.Sort(row)
	}
	r.starts[k], r.ended[k] = row, false
	return row
}

// unrun empties the rows of a job.
func (s *scheduler) unrun(j sched.JobID) {
	if int(j) < len(s.runs) {
		r := &s.runs[j]
		*r = runs{starts: [2][]units.Time{r.starts[0][:0], r.starts[1][:0]}, ended: [2]bool{true, true}}
	}
}
