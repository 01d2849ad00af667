package promise

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A statement is when a job will be done, as it will run: seconds from now.
//
//	finish = expected finish + deviation of its own + what those before it, and later ones, are off + strays + what it waits for
//
// The deviation has the law of the last of the job's tasks (package finish), and is found once. What others are off by
// is a normal time whose variance adds up along the order. What hangs on tasks that have outlived all that is known of
// their like (strays) has the law of these, finish.Outlived, through three of its quantiles. So have the jobs that it
// waits for: it is done behind them, at each score.
type statement struct {
	expected float64
	scale    float64    // of the deviation
	off      float64    // deviation of what others are off by
	wait     float64    // until what it waits for is expected to be done
	chain    [2]float64 // by which that is later at farScores
	late     [2]float64 // by which it ends later where strays take as long as one in ten, or in a hundred
	own      *finish.Dist
	errs     *errs
	like     int     // where the job stands
	few      float64 // of its law
	strange  bool    // nothing is known of its class
}

// protects is the risk above which a promise is protected, and atRisk its normal score.
const protects = finish.Certain / 10

var atRisk = finish.Score(1 - finish.Risk(protects).Share())

// mostScore is the score beyond which a law says nothing: a float tells no probability behind it from 1.
const mostScore = 8.2

// statement is that of a job in a look.
func (s *scheduler) statement(now units.Time, w *place) statement {
	st := statement{expected: w.end.Sub(now).Seconds() + w.delay, scale: w.scale, off: math.Sqrt(w.before), own: w.r.Deviation, errs: &s.errors, late: w.late, strange: w.r.Strange}
	if w.r.Laws[0] != nil {
		st.few = w.r.Laws[0].Few
	}
	switch {
	case !w.r.InTime:
		st.like = gone
	case w.job.State == sched.Waiting:
		st.like = inChain
	}
	if w.job.Begun() && w.end > w.job.Started {
		// What varies is to the whole as what is ahead of the job to all its run.
		st.scale *= math.Sqrt(units.Rounded(max(0, w.end.Sub(now).Seconds()) / w.end.Sub(w.job.Started).Seconds()))
	}
	// Who waits for nobody is delayed by nobody, and who waits a little is not delayed by much more on the average.
	st.off = min(st.off, max(0, st.expected-w.least(now)))
	if st.wait = w.ready.Sub(now).Seconds(); w.ready != units.Never {
		st.chain = w.chain
	}
	return st
}

// ending is when a job is done for which others wait: what they wait for is no mean of its own, as its last task is
// seldom a mean one. What strays add is in the plays that have them.
func (s *scheduler) ending(now units.Time, w *place) ending {
	st := s.statement(now, w)
	st.late = [2]float64{}
	half := st.half()
	is := ending{At: instant(now, half)}
	for i, z := range farScores {
		is.Far[i] = instant(now, half+st.at(z)-st.at(0))
	}
	return is
}

// by is when the job is done but for that risk. Deviations from the median add up as if both were normal.
func (st *statement) by(risk finish.Risk) float64 {
	z := 0.0
	switch risk {
	case finish.Certain / 2:
	case protects:
		z = atRisk
	default:
		z = finish.Score(1 - risk.Share())
	}
	return st.at(st.errs.Of[st.like].out(z))
}

// half is when half of all such jobs are done.
func (st *statement) half() float64 { return st.by(finish.Certain / 2) }

// promises is when it is done as a promise may say that leaves that risk.
func (st *statement) promises(risk finish.Risk) float64 {
	return st.at(st.errs.sure(st.like, finish.Score(1-risk.Share())))
}

// wider is by how much more the next of n jobs deviates than these n do, √(1 + 1/n) and so some 1 + 1/(2 (n + 1)): the
// law is fitted to them, and few say little of its upper end.
func (st *statement) wider() float64 { return 1 + st.few/2 }

// at is when the job is done at a score of the law.
func (st *statement) at(z float64) float64 {
	wide := z
	if z > 0 {
		wide = units.Rounded(z * st.wider())
	}
	median := st.own.AtScore(0)
	own, others := (st.own.AtScore(min(wide, mostScore))-median)*st.scale, wide*st.off
	late, waits := st.outlived(z), st.behind(z)
	off := math.Sqrt(float64(own*own) + float64(others*others) + float64(late*late) + float64(waits*waits))
	if z < 0 {
		off = -off
	}
	return max(0, units.Rounded(st.expected+median*st.scale+off))
}

// behind is by how much later than expected the jobs that it waits for are done at a score: no sooner than now.
func (st *statement) behind(z float64) float64 {
	near, far := farScores[0], farScores[1]
	if z < 0 {
		return float64(max(0, min(st.wait, st.chain[0])) * z / near)
	}
	return float64(st.chain[0]*min(z, near)/near) + float64(max(0, st.chain[1]-st.chain[0])*max(0, z-near)/(far-near))
}

// risk is that of a deadline in so many seconds.
func (st *statement) risk(deadline float64) finish.Risk {
	return finish.RiskOf(1 - st.errs.Came[kept(st.strange)].of(st.line(st.score(deadline))))
}

// line is the chance of a score by the line alone.
func (st *statement) line(score float64) float64 { return finish.Chance(st.errs.Of[st.like].of(score)) }

// score is where such a deadline lies among the instants that are told.
func (st *statement) score(deadline float64) float64 {
	if units.Rounded(st.late[1]) > 0 || units.Rounded(st.chain[0]) > 0 { // nobody has the inverse
		low, high := -float64(mostOff), float64(mostOff)
		for range 40 {
			if z := (low + high) / 2; units.Rounded(st.at(z)) <= units.Rounded(deadline) {
				low = z
			} else {
				high = z
			}
		}
		return st.errs.Of[st.like].in(low)
	}
	x := deadline - st.expected
	if units.Rounded(st.scale) < 1e-6 && units.Rounded(st.off) < 1e-6 {
		if units.Rounded(x) >= 0 {
			return mostOff
		}
		return -mostOff
	}
	scale := max(st.scale, 1e-6)
	z := -finish.Score(st.own.Above(x/scale, st.off/scale))
	if units.Rounded(z) > 0 {
		z /= st.wider()
	}
	return st.errs.Of[st.like].in(z)
}

// deviates is by how much a job's finish deviates from what a look expects, had it all slots it can use.
func (s *scheduler) deviates(v sched.View, job *sched.Job, r *record, l *lawsOf) *finish.Dist {
	now := v.Now()
	j, run := finish.Job{Failures: s.failures.of(now, now)}, 0.0
	last := l.Map.Wait // nobody waits behind its last task
	for k, t := range []*finish.Tasks{&j.Maps, &j.Reduces} {
		law := &l.Map
		if k == 1 {
			law = &l.Reduce
		}
		n := int(job.Stages[sched.Map+sched.Stage(k)].Total)
		_, slots := s.poolOf(r, job, k)
		if n == 0 {
			continue
		}
		has := max(1, min(n, int(slots)))
		*t = finish.Tasks{N: n, Typical: law.Typical + law.Wait, Own: &law.Own, Shared: &law.Shared, Slots: []finish.Slots{{At: 0, N: has}}}
		waves := float64((n + has - 1) / has)
		run += waves * l.laws[k].Mean
		last = law.Wait
	}
	finishes := finish.Sure(0) // where nothing is known of its tasks, not even how many
	if j.Maps.N+j.Reduces.N > 0 {
		finishes = j.Finish()
	}
	d := finishes.Shift(v.World().Served().Seconds() - last - run)
	for i := range d {
		d[i] = units.Rounded(d[i])
	}
	return &d
}

// outlook is what a job is told by its statement.
func (st *statement) outlook(now units.Time, w *place, word sched.Word, level finish.Risk) sched.Outlook {
	o := sched.Outlook{Word: word, Confidence: int32(finish.Certain - level)}
	if w.end == units.Never {
		return sched.Outlook{Word: word}
	}
	at := func(x float64) units.Time { return instant(now, x) }
	o.By, o.Half, o.Ninety = at(st.by(level)), at(st.half()), at(st.by(finish.Certain/10))
	if due := w.job.Deadline; due != units.Never {
		o.Chance = 1 // in a million, if it has passed
		if due > now {
			o.Chance = int32(finish.Certain - min(st.risk(due.Sub(now).Seconds()), finish.Certain-1))
			agree(&o, now, due)
		}
	}
	return o
}

// agree has the instants agree with the chance of the deadline: it goes by what became of others, they by the law.
func agree(o *sched.Outlook, now, due units.Time) {
	behind := due - due%units.Time(units.Millisecond) + units.Time(units.Millisecond)
	for _, x := range []struct {
		at *units.Time
		by int32
	}{{&o.Half, int32(finish.Certain / 2)}, {&o.Ninety, int32(finish.Certain - finish.Certain/10)}, {&o.By, o.Confidence}} {
		if o.Chance >= x.by {
			*x.at = min(*x.at, due)
		} else {
			*x.at = max(*x.at, behind)
		}
	}
}

// instant is so many seconds from now: none has passed.
func instant(now units.Time, seconds float64) units.Time {
	return now.Add(ofSeconds(math.Ceil(units.Rounded(max(seconds, 1e-3)*1e3)) / 1e3))
}
