package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// after knows the jobs that came before one, of which it may name such as it waits for. In a trace nobody waits for a
// job that comes later: so nobody waits for himself, and a part of a trace can be played.
type after struct {
	// A name that does not stand before is a mistake. Else it is one of another trace, or of a record that was left
	// out when the trace was made.
	strict bool
	ids    map[string]struct{}
	ring   []string       // the last ones
	oldest int            // its place in the ring
	place  map[string]int // in a trace that was sorted: of all jobs
	n      int            // jobs before
}

// resolve leaves, of those that a job waits for, such as may still run. The others are counted.
func (b *after) resolve(r *reader, j *Job) *Error {
	a := r.account()
	ids := j.After
	j.After = nil
	for i, id := range ids {
		if _, near := b.ids[id]; near {
			j.After = append(j.After, id)
			continue
		}
		stands, known := a.ids[sumOf(id)]
		later := id == j.ID || b.place[id] > b.n
		why := afterUnknown
		switch {
		case b.strict && (!known || later):
			return b.missing(r, j, fmt.Sprintf("after[%d]", i), id)
		case known && !stands:
			why = afterLeftOut
		case known && !later:
			why = afterLong
		}
		a.fillIn(why, 1, r.errorf("", "job %q waits for job %q", j.ID, id))
	}
	b.pass(j.ID)
	return nil
}

// pass notes that a job comes before all others from now on.
func (b *after) pass(id string) {
	b.n++
	if b.ids == nil {
		b.ids = map[string]struct{}{}
	}
	if len(b.ring) < Remembered {
		b.ring = append(b.ring, id)
	} else {
		delete(b.ids, b.ring[b.oldest])
		b.ring[b.oldest] = id
		b.oldest = (b.oldest + 1) % Remembered
	}
	b.ids[id] = struct{}{}
}

// missing says what is wrong with a job that waits for one that does not stand before it. As reading ends here, the
// rest of the trace is searched for that one.
func (b *after) missing(r *reader, j *Job, field, id string) *Error {
	err := r.errorf(field, "job %q waits for itself", id)
	self := j.ID
	if id == self {
		return err
	}
	names, waits, line := slices.Clone(b.ring), map[string][]string{}, int64(0)
	for len(names) < 2*Remembered {
		next, end := r.next()
		if end != nil {
			break
		}
		if names = append(names, next.ID); next.ID == id {
			line = r.at
		}
		if len(next.After) > 0 {
			waits[next.ID] = next.After
		}
	}
	switch chain := way(waits, id, self, map[string]bool{}); {
	case chain != nil:
		err.Text = fmt.Sprintf("job %q waits for itself: %s", self, strings.Join(append([]string{self}, chain...), " after "))
	case line > 0:
		err.Text = fmt.Sprintf("job %q waits for job %q, which comes later (line %d); a job of a trace can only wait for jobs before it, "+
			"so put it behind that one and let it be submitted no earlier", self, id, line)
	default:
		err.Text = fmt.Sprintf("job %q waits for job %q, which does not exist%s", self, id, spelling.Hint(id, names))
	}
	return err
}

// way is a chain of jobs of which each waits for the next, from one to another; nil if there is none.
func way(waits map[string][]string, from, to string, seen map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	seen[from] = true
	for _, next := range waits[from] {
		if seen[next] {
			continue
		}
		if rest := way(waits, next, to, seen); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}
