package workload

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/units"
)

// Remembered is how many jobs back a job of a source may name others that it waits for. Whoever
// waits for one that came earlier waits for ever.
const Remembered = 1 << 16

// Source brings the jobs of a run, one by one in order of arrival, so that a trace of millions
// needs no more memory than the jobs that are there at a time. It serves one run.
type Source interface {
	// Due is when the next job arrives, units.Never if none does. A source that waits for a job to
	// end, such as a user who thinks between two, may name a time again, also an earlier one than
	// before, after Ended.
	Due() units.Time
	// Next takes the job that is due. An error ends the run.
	Next() (*Job, error)
	// Ended tells that a job which was taken has left the system.
	Ended(j *Job, at units.Time)
}

// Source returns the jobs of the list in order of arrival, those of one time in the order of the list.
func (w *Workload) Source() Source {
	jobs := slices.Clone(w.Jobs)
	slices.SortStableFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	return &list{jobs}
}

type list struct{ left []*Job }

func (l *list) Due() units.Time {
	if len(l.left) == 0 {
		return units.Never
	}
	return l.left[0].Arrive
}

func (l *list) Next() (*Job, error) {
	j := l.left[0]
	l.left = l.left[1:]
	return j, nil
}

func (l *list) Ended(*Job, units.Time) {}
