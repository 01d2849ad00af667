package promise

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What is expected of a job moves while it waits and runs. Looks at all jobs tell which moved: by more than a tenth of
// the time that was left when the job was last told, and by more than a second (sched.Foretell).

// told is what a job was told last.
type told struct {
	sched.Outlook
	At    units.Time `json:"at"`
	Means [2]float64 `json:"means"` // what its tasks took then
	Slots [2]int32   `json:"slots"` // in service then
}

// Least moves that are told.
const (
	leastMove = units.Second
	leftMove  = 10
)

// far tells whether an instant is so far from what was told that it is told again.
func (t *told) far(is, was units.Time) bool {
	least := max(leastMove, t.By.Sub(t.At)/leftMove)
	return is.Sub(was) > least || was.Sub(is) > least
}

// tell tells which statements have moved, and why.
func (s *scheduler) tell(v sched.View, p *sched.Plan) {
	now := v.Now()
	for i := range s.places {
		w := &s.places[i]
		r, was := w.r, &w.r.Told
		if w.job.Standing() != sched.Admitted || was.By == 0 || now < was.At.Add(leastMove) || w.end <= now || w.end == units.Never {
			continue
		}
		st := s.statement(now, w)
		if !was.far(now.Add(units.FromSeconds(st.half)), was.Half) && !was.far(now.Add(units.FromSeconds(st.by(r.Level))), was.By) {
			continue
		}
		is := s.outlook(now, w, was.Word, r.Level)
		later := is.Half.Sub(was.Half)
		means := [2]float64{s.task(r, 0), s.task(r, 1)}
		slots := [2]int32{s.pools[w.pool[0]].slots, s.pools[w.pool[1]].slots}
		why := sched.Because(AheadMoved, int64(later))
		switch {
		case !was.far(is.Half, was.Half):
			why = sched.Because(WidthMoved, int64(is.By.Sub(was.By)))
		case was.Slots != slots && was.Slots != [2]int32{}:
			why = sched.Because(SlotsMoved, int64(later), int64(slots[0]+slots[1]-was.Slots[0]-was.Slots[1]))
		case w.job.Begun() && s.tasksMoved(w, was, means, later):
			why = sched.Because(TasksMoved, int64(later))
		}
		*was = told{Outlook: is, At: now, Means: means, Slots: slots}
		p.Foretell(w.job.ID, is, why)
	}
}

// tasksMoved tells whether most of the move is due to the job's own tasks.
func (s *scheduler) tasksMoved(w *place, was *told, means [2]float64, later units.Duration) bool {
	if was.Means == [2]float64{} {
		return w.open[0]+w.open[1] == 0
	}
	sum := 0.0
	for k := range means {
		waves := 0.0
		if n := w.open[k] + w.busy[k]; n > 0 {
			waves = 1 + float64(w.open[k])/float64(max(1, s.pools[w.pool[k]].slots))
		}
		sum += waves * (means[k] - was.Means[k])
	}
	return (sum > 0) == (later > 0) && max(sum, -sum) > max(later, -later).Seconds()/2
}
