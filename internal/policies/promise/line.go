package promise

import (
	"math"
	"sort"

	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A line is what is expected of the jobs of the queue without any further claim. It is walked no
// further than it is asked for, and only once: a verdict asks for it at several places, and questions
// between two decisions, which change nothing, share it.
type line struct {
	kept         bool  // for the next question
	round        int64 // of the book
	first, front forecast
	stops        []stop     // of the jobs before the front
	apart        int        // so many jobs lie between two marks: marksApart, but in tests
	marks        []forecast // before each of the jobs 0, apart, 2*apart...
	slack        []float64  // of a job and all behind it the least, in seconds, once all have been asked for
	mapless      int        // behind the last job that owes no maps, once the same
}

// marksApart is how many jobs lie between two marks of a line. A mark is some thousand steps; to walk from one
// to the next takes about as long as to copy ten.
const marksApart = 512

// A stop is what is expected of a job of the queue.
type stop struct {
	before float64    // the variance of the delay by those before it
	end    units.Time // 0 if nothing is known of it
}

// lineUp begins the line, unless it is kept and the book has not changed.
func (s *scheduler) lineUp(v sched.View) {
	l := &s.sheets.line
	if l.kept && l.round == v.Round() && l.first.now == v.Now() {
		return
	}
	if l.apart == 0 {
		l.apart = marksApart
	}
	l.kept, l.round, l.stops, l.slack = false, v.Round(), l.stops[:0], l.slack[:0]
	s.lookUp(v)
	s.foresee(v, &l.first)
	l.front.copy(&l.first)
}

// stop returns what is expected of the i-th job of the queue.
func (s *scheduler) stop(i int) stop {
	s.reach(i + 1)
	return s.sheets.line.stops[i]
}

// reach walks the line until its front is before the i-th job of the queue, or behind that.
func (s *scheduler) reach(i int) {
	l := &s.sheets.line
	for n := len(l.stops); n < i; n++ {
		if n%l.apart == 0 {
			if n/l.apart == len(l.marks) {
				l.marks = append(l.marks, forecast{})
			}
			l.marks[n/l.apart].copy(&l.front)
		}
		before := l.front.variance
		l.stops = append(l.stops, stop{before, s.takes(&l.front, n)})
	}
}

// goTo makes f, which is the line's before the from-th job of the queue, that before the i-th, which is no
// earlier one.
func (s *scheduler) goTo(f *forecast, from, i int) {
	l := &s.sheets.line
	switch mark := i / l.apart; {
	case len(l.stops) <= i:
		s.reach(i)
		f.copy(&l.front)
		return
	case mark*l.apart > from:
		f.copy(&l.marks[mark])
		from = mark * l.apart
	}
	for ; from < i; from++ {
		s.takes(f, from)
	}
}

// A job has slack as long as there is no risk beyond what is sure (safe). Most claims delay those
// behind them by less: bound.go says why none of these is delayed by more than its vectors are, and their
// variance grows by what the claim adds. Many questions are asked about one line, so for a question
// it is worth to know the slack of all.

// weighSlack finds the slack of all jobs.
func (s *scheduler) weighSlack() {
	l := &s.sheets.line
	if len(l.slack) == len(s.Queue) {
		return
	}
	s.reach(len(s.Queue))
	l.slack, l.mapless = append(l.slack[:0], make([]float64, len(s.Queue))...), 0
	least := math.Inf(1)
	for i := len(s.Queue) - 1; i >= 0; i-- {
		w, at := &s.sheets.rows[i], &l.stops[i]
		switch {
		case w.is == rowGone:
		case at.end == units.Never:
			least = math.Inf(-1)
		default:
			least = min(least, w.deadline.Sub(at.end).Seconds()-w.sure-6*math.Sqrt(at.before))
		}
		if w.is != rowGone && w.owed[0] == 0 {
			l.mapless = max(l.mapless, i+1)
		}
		l.slack[i] = least
	}
}

// harmless returns a place from which on no job has a risk beyond what is sure, with a claim at place p. The
// forecasts there are at without the claim, and with with it. Before that place jobs may have no risk either.
func (s *scheduler) harmless(p int, at, with *forecast, c *reserve.Claim, mapsEnd, end units.Time) int {
	l := &s.sheets.line
	if !l.kept || end == units.Never {
		return len(s.Queue)
	}
	s.weighSlack()
	from := at.now // from which on reduces behind may start: where all owe maps, no sooner than these end
	if p >= l.mapless {
		from = max(from, at.maps.First())
	}
	if c.Slot {
		mapsEnd = end // when the master gives its slot back
	}
	d := max(with.maps.Lag(&at.maps, at.now, mapsEnd), with.reduces.Lag(&at.reduces, from, end))
	// the bound is proved for numbers that are exact: a millisecond is far more than all roundings together
	most := units.Rounded(d.Seconds() + 6*math.Sqrt(max(0, with.variance-at.variance)) + 1e-3)
	return p + sort.Search(len(l.slack)-p, func(i int) bool { return units.Rounded(l.slack[p+i]) > most })
}
