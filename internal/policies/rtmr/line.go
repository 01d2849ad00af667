package rtmr

import (
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
	stops        []stop // of the jobs before the front
}

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
	l.kept, l.round, l.stops = false, v.Round(), l.stops[:0]
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
		before := l.front.variance
		l.stops = append(l.stops, stop{before, s.takes(&l.front, n)})
	}
}
