package promise

import (
	"slices"

	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A row is what forecasts need to know of a job of the queue. A verdict walks along thousands of jobs, and
// does so several times: rows lie side by side in the order of the queue, where records, odds, and the book's
// jobs are all over the memory. They follow from these, and are neither saved nor copied.
type row struct {
	job   sched.JobID // 0 = it is not filled in
	is    rowKind
	begun bool     // it has started, as it was seen to
	owed  [2]int32 // maps and reduces that are still to start
	runs  [2]int32 // and those that run
	busy  [2]busy  // until when these do, if there are any

	of     [2]int32   // so many maps and reduces vary by that
	varies [2]float64 // the delay of those behind

	// as long as the job stands there, these do not change
	deadline units.Time
	expects  expects
	sure     float64
}

type rowKind uint8

const (
	rowWaits    rowKind = iota // it takes what it is owed
	rowMastered                // it has a master, by which its claim changes
	rowGone                    // the book does not know it, or nobody knows what it takes
)

// lookUp fills in the rows. It does nothing else, so that the processor can read many jobs at once.
// Tallies of a job that has not started change by what is told of it alone: one that was read is read
// again when it has started, or something has befallen it, or a stock scheduler may have started it.
func (s *scheduler) lookUp(v sched.View) {
	rows := s.sheets.rows
	for int(v.Jobs()) >= len(s.sheets.read) {
		s.sheets.read = append(s.sheets.read, false)
	}
	if s.stock {
		clear(s.sheets.read)
	}
	for _, j := range s.Active {
		s.sheets.read[j] = false
	}
	if s.sheets.slots != s.Slots {
		s.sheets.slots, rows = s.Slots, nil
	}
	for len(rows) < len(s.Queue) {
		rows = append(rows, row{})
	}
	s.sheets.rows = rows
	for i, j := range s.Queue {
		w := &rows[i]
		if w.job == j && s.sheets.read[j] {
			continue
		}
		s.sheets.read[j] = true
		job := v.Job(j)
		if w.job != j {
			r, is := s.Of(j), &s.terms[j]
			*w = row{job: j, is: rowWaits, deadline: r.Claim.Deadline}
			switch {
			case is.Odds == nil:
				*w = row{is: rowGone}
				continue
			case r.Master != reserve.Without:
				w.is = rowMastered
			}
			w.expects, w.sure = is.Odds.expects, is.Odds.Sure
		}
		if job == nil {
			*w = row{is: rowGone}
			continue
		}
		maps, reduces := &job.Stages[sched.Map], &job.Stages[sched.Reduce]
		w.owed = [2]int32{max(0, maps.Total-maps.Done-maps.Occupied), max(0, reduces.Total-reduces.Done-reduces.Occupied)}
		w.runs = [2]int32{maps.Running, reduces.Running}
	}
}

// reread has the rows of jobs read again that something has befallen. It returns the kinds of the events.
func (s *scheduler) reread(batch []sched.Event) (kinds sched.Events) {
	for i := range batch {
		e := &batch[i]
		kinds |= 1 << e.Kind
		switch {
		case e.Kind == sched.Resync:
			s.stock = false
		case e.Kind == sched.Control:
			s.stock = e.Control != sched.TakeOver
			clear(s.sheets.read)
			s.runs, s.seen = nil, nil
		case int(e.Job) < len(s.sheets.read):
			s.sheets.read[e.Job] = false
		}
	}
	return kinds
}

// Moved keeps the rows beside the queue.
func (s *scheduler) Moved(i int, in bool) {
	switch {
	case in && i < len(s.sheets.rows):
		s.sheets.rows = slices.Insert(s.sheets.rows, i, row{})
	case !in && i < len(s.sheets.rows):
		s.sheets.rows = slices.Delete(s.sheets.rows, i, i+1)
	}
}

// takes gives the i-th job of the queue its slots, and returns when it is expected to end, 0 if nothing is
// known of it.
func (s *scheduler) takes(f *forecast, i int) (end units.Time) {
	w := &s.sheets.rows[i]
	if w.is == rowGone {
		return 0
	}
	var runs [2]busy
	if w.runs != [2]int32{} {
		runs = w.busy
	}
	maps, reduces := int(w.owed[0]), int(w.owed[1])
	if w.is == rowWaits {
		if of := [2]int32{w.owed[0] + int32(runs[0].n), w.owed[1] + int32(runs[1].n)}; w.of != of {
			w.of, w.varies = of, f.varies(maps, reduces, &w.expects, runs)
		}
		_, end = f.run(f.now, maps, reduces, &w.expects, w.varies, runs)
		return end
	}
	r := s.Of(w.job)
	c := r.Claim
	if c.Maps, c.Reduces = maps, reduces; r.Master == reserve.Running {
		c.Ready, c.Startup = 0, 0
	}
	_, end = f.take(&c, &w.expects, runs)
	return end
}
