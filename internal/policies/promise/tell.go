package promise

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What is expected of a job moves while it waits and runs. Looks at all jobs tell which moved: by more than a tenth of
// the time that was left when the job was last told, and by more than a second (sched.Foretell). Where that is long, as
// behind a task that has outlived all, so does an instant that has passed.

// told is what a job was told last.
type told struct {
	sched.Outlook
	At    units.Time  `json:"at"`
	Means [2]float64  `json:"means"`           // what its tasks took then
	Slots [2]int32    `json:"slots"`           // in service then
	Reads units.Bytes `json:"reads,omitempty"` // bytes that its tasks were to read
}

// toldOf is what a job is told after a look.
func (s *scheduler) toldOf(w *place, out sched.Outlook, now units.Time) told {
	means, slots := [2]float64{s.task(w.r, 0), s.task(w.r, 1)}, [2]int32{s.pools[w.pool[0]].slots, s.pools[w.pool[1]].slots}
	return told{Outlook: out, At: now, Means: means, Slots: slots, Reads: w.r.Reads}
}

// Least moves that are told.
const (
	leastMove = units.Second
	leftMove  = 10
)

// far tells whether an instant is so far from what was told that it is told again.
func (t *told) far(now, is, was units.Time) bool {
	least := max(leastMove, t.By.Sub(t.At)/leftMove)
	if was <= now {
		least = leastMove
	}
	return is.Sub(was) > least || was.Sub(is) > least
}

// tell tells which statements have moved, and why; and of jobs whose class was unknown when they came and is known now,
// and where nodes were rented since, whether they are promised their deadlines.
func (s *scheduler) tell(v sched.View, p *sched.Plan) {
	now := v.Now()
	for i := range s.places {
		w := &s.places[i]
		r, was := w.r, &w.r.Told
		if in := w.job.Standing(); in != sched.Admitted && (in != sched.Waiting || !r.Let) || w.end <= now {
			continue
		}
		st := s.statement(now, w)
		if (r.Unsaid || s.rents && was.Word == sched.Unpromised) && !r.Strange {
			if out := s.verdict(now, w, &st); out.Word == sched.Promised {
				why := PromisedNow
				if !r.Unsaid {
					why = PromisedWith
				}
				r.Promised, r.Unsaid, *was = r.Level, false, s.toldOf(w, out, now)
				p.Foretell(w.job.ID, out, sched.Because(why, int64(w.job.Deadline)))
				continue
			}
			r.Unsaid = r.Unsaid && s.guessed(v, w.job)
		}
		if was.By == 0 || now < was.At.Add(leastMove) || w.end == units.Never {
			continue
		}
		if !was.far(now, now.Add(ofSeconds(st.half())), was.Half) && !was.far(now, now.Add(ofSeconds(st.by(r.Level))), was.By) {
			continue
		}
		is := st.outlook(now, w, was.Word, r.Level)
		if !was.far(now, is.Half, was.Half) && !was.far(now, is.By, was.By) {
			continue // what is told agrees with the chance of the deadline, and that has not moved it
		}
		later := is.Half.Sub(was.Half)
		tells := s.toldOf(w, is, now)
		why := sched.Because(AheadMoved, int64(later))
		switch {
		case !was.far(now, is.Half, was.Half):
			why = sched.Because(WidthMoved, int64(is.By.Sub(was.By)))
		case max(was.Reads-tells.Reads, tells.Reads-was.Reads) > was.Reads/leftMove:
			why = sched.Because(InputMoved, int64(later))
		case was.Slots != tells.Slots:
			why = sched.Because(SlotsMoved, int64(later), int64(tells.Slots[0]+tells.Slots[1]-was.Slots[0]-was.Slots[1]))
		case w.job.Begun() && (units.Rounded(w.before) == 0 || s.tasksMoved(w, was, tells.Means, later)):
			why = sched.Because(TasksMoved, int64(later))
		}
		*was = tells
		p.Foretell(w.job.ID, is, why)
	}
}

// tasksMoved tells whether most of the move is due to the job's own tasks.
func (s *scheduler) tasksMoved(w *place, was *told, means [2]float64, later units.Duration) bool {
	sum := 0.0
	for k := range means {
		waves := 0.0
		if n := w.open[k] + w.busy[k]; n > 0 {
			waves = 1 + float64(w.open[k])/float64(max(1, s.pools[w.pool[k]].slots))
		}
		sum += waves * (means[k] - was.Means[k])
	}
	moved := ofSeconds(sum)
	return (moved > 0) == (later > 0) && max(moved, -moved) > max(later, -later)/2
}
