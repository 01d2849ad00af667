package need

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A line is the jobs with a deadline that wait or run, and of which something is known, by deadline. A look reads again
// only those that may have changed since the last one, and passes over rows of them in which nobody can be late. It
// follows from the book: it is neither saved nor copied.
type line struct {
	marks []mark  // by handle, as the last look has read them
	seen  []entry // by handle
	asOf  int     // what is known of jobs, after so many looks of who knows
	all   []sched.JobID
	rows  []row // of all, so many jobs each

	load // of one look, reused
	ids  []sched.JobID
}

// An entry is a job as the last look has seen it.
type entry struct {
	due  units.Time
	seq  int64
	by   units.Time // so much sooner than due as it has to be expected
	in   bool       // it stands in the line
	left job
}

// mark is what tells that a job has changed: a task that ends is one less that runs or waits. The zero value is that of
// no job.
type mark struct {
	due        units.Time // Never: it does not stand in the line
	seq        int64
	open, busy [kinds]int32
}

// A row is what jobs that follow each other have left together.
type row struct {
	known bool
	by    units.Time // of the first that is due
	part
}

const inRow = 64

// marked is the mark of a job.
func marked(j *sched.Job) mark {
	if j == nil || j.Standing() > sched.Admitted || j.Standing() == sched.HeldBack || j.Cancelled || j.Due() == units.Never {
		return mark{due: units.Never}
	}
	m := mark{due: j.Due(), seq: j.Seq}
	for k := range m.open {
		t := &j.Stages[sched.Map+sched.Stage(k)]
		m.open[k], m.busy[k] = t.ToStart(), t.Occupied
	}
	return m
}

// look brings the line up to date; left is what is left of a job, if that is known. O(jobs), with little for each that
// has not changed.
func (l *line) look(v sched.View, left func(sched.View, *sched.Job) (estimate.Left, bool)) {
	for int(v.Jobs()) >= len(l.seen) {
		l.seen, l.marks = append(l.seen, entry{}), append(l.marks, mark{due: units.Never})
	}
	for k := range l.runs {
		l.runs[k] = l.runs[k][:0]
	}
	for i := range l.marks {
		j, e := v.Job(sched.JobID(i)), &l.seen[i]
		m := marked(j)
		if m == l.marks[i] && m.busy == [kinds]int32{} {
			continue
		}
		of, known := estimate.Left{}, false
		if m.due != units.Never {
			of, known = left(v, j)
		}
		if e.in && (!known || m.due != e.due || m.seq != e.seq) {
			l.moves(sched.JobID(i), false)
		}
		l.marks[i], e.due, e.seq, e.by = m, m.due, m.seq, m.due.Add(-units.Duration(of.Sure)*units.Millisecond)
		e.left = job{open: of.Open, mean: of.Mean, sure: of.Sure, promised: of.Promised, running: e.left.running}
		if known {
			l.moves(sched.JobID(i), true)
		}
		for k := range e.left.running {
			if e.left.running[k] = e.left.running[k][:0]; known && m.busy[k] > 0 {
				e.left.running[k] = running(v, j, k, of.Mean[k], e.left.running[k])
				l.runs[k] = append(l.runs[k], e.left.running[k]...)
			}
		}
	}
}

// moves has a job stand in the line, or not any more. What is known of its row, and of those behind it if others move
// up or down, is void.
func (l *line) moves(id sched.JobID, in bool) {
	at, _ := slices.BinarySearchFunc(l.all, id, func(a, b sched.JobID) int {
		x, y := &l.seen[a], &l.seen[b]
		return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(x.seq, y.seq))
	})
	stale := l.rows[min(at/inRow, len(l.rows)):]
	switch e := &l.seen[id]; {
	case in && e.in:
		stale = stale[:min(1, len(stale))]
	case in:
		l.all = slices.Insert(l.all, at, id)
	default:
		l.all = slices.Delete(l.all, at, at+1)
	}
	l.seen[id].in = in
	clear(stale)
}

// running adds what each task of a job's stage that runs still takes.
func running(v sched.View, j *sched.Job, k int, mean int64, left []int64) []int64 {
	s := sched.Map + sched.Stage(k)
	for a := v.Youngest(j.ID, s, 0); a != 0; a = v.Youngest(j.ID, s, a) {
		ran := int64(v.Now().Sub(v.Attempt(a).Started) / units.Millisecond)
		left = append(left, max(mean-ran, mean/overdue))
	}
	for len(left) < int(j.Stages[s].Occupied) { // they are about to start
		left = append(left, mean)
	}
	return left
}

// overdue is the part of the mean that a task still takes which has run for as long.
const overdue = 16

// doubted is how many jobs are not known to be in time by the bound of wait.after: all up to the last one that may be
// late. Rows count as one job at first. O(rows), and O(jobs) of rows in which somebody may be late.
func (l *line) doubted(r room, now units.Time) (few int) {
	w := l.waits()
	l.rows = slices.Grow(l.rows, len(l.all)/inRow+1)[:(len(l.all)+inRow-1)/inRow]
	for i := range l.rows {
		x, ids := &l.rows[i], l.all[i*inRow:min((i+1)*inRow, len(l.all))]
		if !x.known {
			*x = row{known: true, by: units.Never}
			for _, id := range ids {
				x.add(l.seen[id].left.part())
				x.by = min(x.by, l.seen[id].by)
			}
		}
		was := w
		if w.after(r, &x.part) > millis(x.by, now) {
			w = was
			for at, id := range ids {
				if p := l.seen[id].left.part(); w.after(r, &p) > millis(l.seen[id].by, now) {
					few = i*inRow + at + 1
				}
			}
		}
	}
	return few
}

func millis(t, now units.Time) int64 { return int64(t.Sub(now) / units.Millisecond) }

// late counts the jobs that are late in a room, up to one more than most, and lists those up to the last one that may
// be. Who could not be sure enough had it all of best is to have an even chance, and a promise that has not even that
// counts as any other job; where best is nil, nobody.
func (l *line) late(r room, now units.Time, most int, best room) int {
	l.jobs, l.ids = l.jobs[:0], l.all[:l.doubted(r, now)]
	for _, id := range l.ids {
		j := l.seen[id].left
		j.due = millis(l.seen[id].by, now)
		if best != nil {
			alone := max(best.alone(&j), j.lasts(0), j.lasts(1))
			j.promised = j.promised && alone <= j.due+j.sure
			if alone > j.due && !j.promised {
				j.due += j.sure
			}
		}
		l.jobs = append(l.jobs, j)
	}
	n, last := r.late(&l.load, most)
	l.jobs, l.ids = l.jobs[:last], l.ids[:last]
	return n
}
