package promise

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// triage finds who goes behind: of the jobs that stand before one which is late by more than an even chance, the one
// with most work for its own chance of those without a promise, and so on until nobody is late (Moore and Hodgson, for
// as many slots). Who is late whoever went keeps its place until another one needs what it takes, if its chance is
// worth that (worthAPlace): it may be little less than even, and behind all others there is none. It goes by what a
// look has found, and takes from it what the jobs that go behind would have taken. It reports whether somebody went.
func (s *scheduler) triage(v sched.View) (went bool) {
	now, relief, could := v.Now(), 0.0, 0.0 // seconds that were taken back, and that could be
	s.large.Clear()
	goes := func(w *place) {
		w.r.InTime, w.r.Density, went = false, s.density(w.job, w.r), true
		relief += w.takes
	}
	mean := s.meanTakes()
	for i := range s.places {
		w := &s.places[i]
		if !w.r.InTime || w.job.Due() == units.Never || w.r.Laws[0] == nil {
			continue
		}
		free, chance := w.r.Promised == 0 && !w.r.carries, 1.0
		late := s.late(now, w, relief)
		if late && s.late(now, w, relief+could) { // whoever else went
			w.r.lost = !free && s.lost(now, w, relief+could)
			s.gaveUp = s.gaveUp || w.r.lost
			late, chance = false, s.chance(now, w, relief+could)
			if w.r.lost || free && units.Rounded(float64(chance*mean)) <= units.Rounded(float64(worthAPlace*w.takes)) {
				goes(w)
				continue
			}
			if !free {
				w.saves = s.saves(now, w, relief, mean)
			}
		}
		if free && w.takes > 0 {
			s.large.Push(heavy{ofSeconds(w.takes / chance), int32(i)})
			could += w.takes
		}
		for late && len(s.large.List) > 0 {
			o := &s.places[s.large.Pop().at]
			goes(o)
			could -= o.takes
			late = o != w && s.late(now, w, relief)
		}
	}
	s.spare(now, goes)
	return went
}

// spare has those go behind that take more from promises than their own chance is worth: of promises that stay late
// whoever else goes, a second less before them keeps so many. What comes later and would do the same goes behind, too,
// so nobody needs to go for it now.
func (s *scheduler) spare(now units.Time, goes func(*place)) {
	saves := 0.0
	for i := len(s.places) - 1; i >= 0; i-- {
		w := &s.places[i]
		if saves += w.saves; units.Rounded(saves) <= 0 || !w.r.InTime || w.r.Promised > 0 || w.r.carries || w.job.Due() == units.Never || w.r.Laws[0] == nil {
			continue
		}
		if units.Rounded(float64(w.takes*saves*worthOthers)) > units.Rounded(s.chance(now, w, 0)) {
			goes(w)
		}
	}
}

// worthOthers is how many other jobs a promise is worth that would be in time without it. Played on streams at 95 %
// load, and on 60 promised jobs whose tasks take twice as long as all before them: with 0, 5 and 15, 49, 50 and 55 of
// these are kept where 150 come later; with 100, 57, and fewer of all are in time.
const worthOthers = 15

// spentPart is the part of what jobs have added to the risk of a promise for which the next one answers, where it is
// late: many small ones do not break together what none would break alone. Played on the 60 with 150 to 700 others of 1
// to 8 maps: with none of it 50 to 57 are kept, with a tenth 53 to 57, with a quarter 54 to 58, with all of it 56 to
// 59, and of the smallest others 98, 94, 88 and 75 % are in time. Where not only late ones count, a tenth of all
// promises are not given on streams at 95 % load.
const spentPart = 4

// saves is by how much a second less before a job raises its chance.
func (s *scheduler) saves(now units.Time, w *place, relief, mean float64) float64 {
	t := max(1, min(w.end.Sub(now).Seconds()-w.least(now)-relief, mean))
	return units.Rounded((s.chance(now, w, relief+t) - s.chance(now, w, relief)) / t)
}

// owes finds by how much jobs that came make it likelier that promises behind them are broken which are above their
// risk with them, beyond what these were promised: the cluster is played without all of them, and with one after the
// other. Who takes more so than its own chance is worth goes behind, until the last promise behind it is done.
func (s *scheduler) owes(v sched.View, came []sched.JobID) (went bool) {
	now := v.Now()
	s.list = s.list[:0]
	for i := 0; i < len(s.places) && len(came) > 0; i++ {
		if w := &s.places[i]; slices.Contains(came, w.job.ID) {
			if w.r.Owed, w.r.OwedBy = 0, 0; w.r.InTime && w.job.Due() != units.Never {
				s.list = append(s.list, int32(i))
			}
		}
	}
	if len(s.list) == 0 || !s.tight(now, s.places[s.list[0]].job) {
		return false
	}
	opens := make([][2]int32, len(s.list))
	for k, i := range s.list {
		opens[k], s.places[i].open = s.places[i].open, [2]int32{}
	}
	s.run(v)
	before := s.risks(now)
	for k, i := range s.list {
		w := &s.places[i]
		w.open = opens[k]
		s.run(v)
		with, more := s.risks(now), finish.Risk(0)
		for k, i := range s.above {
			if o := &s.places[i]; byDue(o.job, w.job) > 0 && with[k] > before[k] {
				if more += max(0, with[k]-max(before[k], o.r.Promised)); with[k] > protects {
					more += o.r.Spent / spentPart
				}
				st := s.spared(now, o)
				w.r.OwedBy = max(w.r.OwedBy, instant(now, st.by(o.r.Promised)))
			}
		}
		if w.r.Owed = more; w.r.Promised == 0 && units.Rounded(float64(worthOthers*more.Share())) > units.Rounded(s.chance(now, w, 0)) {
			w.r.Away, went, w.open = true, true, [2]int32{}
			continue
		}
		for k, i := range s.above {
			s.places[i].r.Spent += max(0, with[k]-max(before[k], s.places[i].r.Promised))
		}
		before = with
	}
	for k, i := range s.list {
		s.places[i].open = opens[k]
	}
	s.run(v)
	return went
}

// tight finds the promises behind a job that are at more risk than was said. Who comes later is promised nothing
// either.
func (s *scheduler) tight(now units.Time, behind *sched.Job) bool {
	s.above = s.above[:0]
	for i := range s.places {
		w := &s.places[i]
		if !w.r.InTime || w.r.Promised == 0 || w.end == units.Never || byDue(w.job, behind) <= 0 {
			continue
		}
		st := s.spared(now, w)
		if st.expected -= w.delay; units.Rounded(st.by(w.r.Promised)) > units.Rounded(w.job.Deadline.Sub(now).Seconds()) {
			s.above = append(s.above, int32(i))
		} else {
			w.r.Spent = 0
		}
	}
	return len(s.above) > 0
}

// risks are those of these promises.
func (s *scheduler) risks(now units.Time) []finish.Risk {
	list := make([]finish.Risk, len(s.above))
	for k, i := range s.above {
		list[k] = finish.RiskOf(1 - s.chance(now, &s.places[i], 0))
	}
	return list
}

// spared is a statement but for tasks that have outlived all, or of which nothing is known: who goes behind spares
// nobody these.
func (s *scheduler) spared(now units.Time, w *place) statement {
	st := s.statement(now, w)
	st.late = [2]float64{}
	return st
}

// worthAPlace is the least chance by which a job that is late by itself keeps its place, if it takes as much of the
// slots as others do on average; one that takes less needs less. Played on 17 streams at 95 % load and six scenarios
// of FB-2010 beside 0, 0.1 and fixed chances: without a bound, or with a fixed one, fewer jobs of the streams are in
// time and promised.
const worthAPlace = 0.2

// meanTakes is how much of the slots jobs take on average that can be in time.
func (s *scheduler) meanTakes() float64 {
	sum, n := 0.0, 0
	for i := range s.places {
		if w := &s.places[i]; w.r.InTime && w.job.Due() != units.Never && w.r.Laws[0] != nil {
			sum, n = sum+w.takes, n+1
		}
	}
	return sum / float64(max(1, n))
}

// chance is how likely a job is in time at most, with such a relief: 0 for less than one in a million.
func (s *scheduler) chance(now units.Time, w *place, relief float64) float64 {
	if w.end == units.Never || w.job.Due() <= now {
		return 0
	}
	st := s.spared(now, w)
	if w.r.Promised > 0 {
		st.expected -= w.delay
	}
	return 1 - st.risk(w.job.Due().Sub(now).Seconds()+min(relief, max(0, st.expected-w.least(now)))).Share()
}

// heavy is a job in a look, and the seconds that all slots need for it, over its chance.
type heavy struct {
	takes units.Duration
	at    int32
}

// lost tells whether a promise has less than one chance in ten to be kept, whoever went behind for it: its job would
// take from others what helps it no more.
func (s *scheduler) lost(now units.Time, w *place, relief float64) bool {
	if w.end == units.Never || w.r.carries {
		return false
	}
	st := s.spared(now, w)
	st.expected -= w.delay
	asks := st.by(finish.Certain-protects) - min(relief, max(0, st.expected-w.least(now)))
	return units.Rounded(asks) > units.Rounded(w.job.Deadline.Sub(now).Seconds())
}

// lastBefore is the last deadline of promises behind which a lost one goes, or its own: they have less time to spare
// than it takes alone.
func (s *scheduler) lastBefore(now units.Time, job *sched.Job, takes units.Duration) units.Time {
	last := job.Due()
	for i := range s.places {
		w := &s.places[i]
		if !w.r.InTime || w.r.Promised == 0 || w.end == units.Never || w.job.State == sched.Waiting {
			continue
		}
		if st := s.statement(now, w); w.job.Due().Sub(instant(now, st.by(w.r.Promised))) < takes {
			last = max(last, w.job.Due())
		}
	}
	return last
}

// late tells whether a job has less than an even chance to be in time, or, if its deadline is
// promised, too high a risk.
func (s *scheduler) late(now units.Time, w *place, relief float64) bool {
	for k := range w.open {
		if w.r.Strange || w.open[k] > 0 && w.r.Guess[k] && w.r.Own[k].N == 0 {
			return s.over(now, w, k, relief) // nobody is given up by a guess
		}
	}
	if w.end == units.Never {
		return w.job.State != sched.Waiting // for one of which nothing is known yet
	}
	st := s.spared(now, w)
	wait := max(0, st.expected-w.least(now))
	misses := func(asks float64, due units.Time) bool {
		return units.Rounded(asks-min(relief, wait)) > units.Rounded(due.Sub(now).Seconds())
	}
	if w.r.Promised > 0 {
		// half of all are sooner done
		return misses(st.by(protects), w.job.Deadline) || w.job.Due() < w.job.Deadline && misses(st.half(), w.job.Due())
	}
	return misses(st.half(), w.job.Due())
}

// over tells whether a job of which the tasks from a stage on are a guess is late whatever they take: its deadline has
// passed, or is not met by the stage before.
func (s *scheduler) over(now units.Time, w *place, from int, relief float64) bool {
	maps := s.pools[w.pool[0]].spans[w.at[0]].end
	if from == 0 || w.at[0] == 0 || w.r.Strange || maps == units.Never {
		return now > w.job.Due()
	}
	takes := maps.Sub(now).Seconds()
	takes -= min(relief, max(0, takes-w.mean[0].Seconds()))
	return units.Rounded(takes) > units.Rounded(w.job.Due().Sub(now).Seconds())
}

// least is the time that a job takes at least: what runs goes on, whoever else does.
func (w *place) least(now units.Time) (sum float64) {
	for k := range w.open {
		takes := 0.0
		if w.open[k] > 0 {
			takes = w.mean[k].Seconds()
		}
		if w.busy[k] > 0 {
			takes = max(takes, units.Rounded(w.r.last[k].Sub(now).Seconds()-sum))
		}
		sum += takes
	}
	return sum
}
