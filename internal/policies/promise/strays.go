package promise

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A stray is a chunk of running tasks that have outlived all that is known of their like.
type stray struct {
	pool, low *pool      // low is that of its queue, nil for none
	at, below int        // the chunk in these
	far       [2]float64 // seconds until it ends in the plays in which strays take long
	end       units.Time // as half of them have ended

	r    *record // of its job
	k    int
	last units.Time // when the last task of the stage ends then
}

// outlasts is the chunk that was added last, to a pool and to that of its queue.
func outlasts(p, low *pool, far [2]float64, end units.Time, r *record, k int) stray {
	x := stray{pool: p, low: low, at: len(p.held) - 1, far: far, end: end, r: r, k: k}
	if low != nil {
		x.below = len(low.held) - 1
	}
	return x
}

// far is how likely strays are over in the plays that say what may come of them beside the one in which half of them
// are.
var far = [2]float64{0.9, 0.99}

// stretch plays with strays that take so long, and notes when jobs end then.
func (s *scheduler) stretch(v sched.View) {
	now := v.Now()
	for i := range s.strays {
		x := &s.strays[i]
		x.last = x.r.last[x.k]
	}
	for i := range s.places {
		s.places[i].was = s.places[i].r.End
	}
	for i := range far {
		for k := range s.strays {
			x := &s.strays[k]
			x.ends(now.Add(ofSeconds(x.far[i])))
		}
		if s.playRows(v); s.waits { // for those behind others that end later
			s.playRows(v)
		}
		for k := range s.places {
			w := &s.places[k]
			w.late[i] = w.end.Sub(now).Seconds()
		}
	}
	for i := range s.strays {
		x := &s.strays[i]
		x.ends(x.end)
		x.r.last[x.k] = x.last
	}
	for i := range s.places {
		s.places[i].r.End = s.places[i].was
	}
}

// ends has it end then.
func (x *stray) ends(at units.Time) {
	x.pool.held[x.at].at = at
	if x.low != nil {
		x.low.held[x.below].at = at
	}
	x.r.last[x.k] = max(x.r.last[x.k], at)
}

// outlived is how much later a job ends at a score for strays: linear in the odds, as their law itself is.
func (st *statement) outlived(z float64) float64 {
	odds := func(p float64) float64 { return p / (1 - p) }
	is, near, most := odds(finish.Chance(min(z, finish.Far))), odds(far[0]), odds(far[1])
	if units.Rounded(is) <= units.Rounded(near) {
		return st.late[0] * (is - 1) / (near - 1)
	}
	return st.late[0] + (st.late[1]-st.late[0])*(is-near)/(most-near)
}
