package promise

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Each look asks since when every task has been running. So that it need not walk over all attempts of the cluster,
// their starts are kept in a row: an end takes one out, and a look finds those that began since the last one. The rows
// follow from the book: they are neither saved nor copied, and a row that does not count as many as the book is made
// again.

// runs are the attempts of a job: of its maps, and of its reduces.
type runs struct {
	starts [2][]units.Time // since when they run, ascending
}

// A seen attempt is in a row.
type seen struct {
	job   sched.JobID
	stage sched.Stage
	began units.Time
}

// row returns the starts of a job's maps or reduces, of which so many run, ascending. It is good until the
// next call.
func (s *scheduler) row(v sched.View, j sched.JobID, stage sched.Stage, running int) []units.Time {
	row := &s.runs[j].starts[stage-sched.Map]
	missing := running - len(*row)
	whole := missing < 0 || len(*row) == 0 // an emptied row has left its attempts marked
	if whole {
		*row, missing = (*row)[:0], running
	}
	s.news = s.news[:0]
	for a := sched.AttemptID(0); missing > 0; {
		if a = v.Youngest(j, stage, a); a == 0 {
			break
		}
		for int(a) >= len(s.seen) {
			s.seen = append(s.seen, seen{})
		}
		is := seen{j, stage, v.Attempt(a).Started}
		if s.seen[a] == is && !whole {
			continue
		}
		s.seen[a] = is
		missing--
		s.news = append(s.news, is.began)
	}
	for _, began := range slices.Backward(s.news) { // the oldest first: hardly one goes before another
		i := len(*row)
		for ; i > 0 && (*row)[i-1] > began; i-- {
		}
		*row = slices.Insert(*row, i, began)
	}
	return *row
}

// gone takes an attempt that has ended out of its row.
func (s *scheduler) gone(a sched.AttemptID) {
	if a < 1 || int(a) >= len(s.seen) || s.seen[a].job == 0 {
		return
	}
	was := s.seen[a]
	s.seen[a] = seen{}
	row := &s.runs[was.job].starts[was.stage-sched.Map]
	near := 4 // the oldest end first
	for near < len(*row) && (*row)[near-1] < was.began {
		near *= 4
	}
	i, found := slices.BinarySearch((*row)[:min(near, len(*row))], was.began)
	switch {
	case !found: // its job has left
	case i < len(*row)/2: // as the oldest do
		copy((*row)[1:i+1], (*row)[:i])
		*row = (*row)[1:]
	default:
		*row = slices.Delete(*row, i, i+1)
	}
}

// unrun empties the rows of a job.
func (s *scheduler) unrun(j sched.JobID) {
	if int(j) < len(s.runs) {
		r := &s.runs[j]
		r.starts[0], r.starts[1] = r.starts[0][:0], r.starts[1][:0]
	}
}
