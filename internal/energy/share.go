package energy

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Share tells what each container on a node has drawn above idle. A world keeps one for each node, and
// says with the end of an attempt what that has drawn.
//
// Where nothing is stated of a container, it has a part of what the class draws by its load: that, shared
// out by the loads that each container would be by itself. The two are the same but where the largest of
// two parts counts, a curve is not straight, or more is held than there is. So only one number a node has to be kept:
// what a container that is a full load by itself would have had. A world that has no other classes than those where
// loads just add (cluster.Class.Adds) needs none of it.
type Share struct {
	held  units.Vector
	loads float64 // sum of what each that holds something would be by itself
	full  float64 // joules of one that is a full load by itself
	since units.Time
}

// Mark is where a container began, for its end.
type Mark struct {
	from  float64 // of full
	watts units.Watts
	at    units.Time
}

// Begin gives a container of the job's stage its part.
func (s *Share) Begin(at units.Time, c *cluster.Class, j *workload.Job, st workload.Stage, kind uint8, needs *units.Vector) Mark {
	if watts := Stated(c, j, st, kind); watts > 0 {
		return Mark{watts: watts, at: at}
	}
	s.advance(at, c)
	s.held.Add(needs)
	s.loads += c.Load(needs)
	return Mark{from: s.full}
}

// End takes it back, and returns what the container has drawn above idle.
func (s *Share) End(at units.Time, c *cluster.Class, m Mark, needs *units.Vector) units.Joules {
	if m.watts > 0 {
		return m.watts.Over(at.Sub(m.at))
	}
	s.advance(at, c)
	own := c.Load(needs)
	s.held.Sub(needs)
	if s.loads -= own; s.held == (units.Vector{}) {
		s.loads = 0 // whatever sums have lost
	}
	return units.Joules(own * (s.full - m.from))
}

func (s *Share) advance(at units.Time, c *cluster.Class) {
	if s.loads > 0 {
		s.full += float64(float64(c.Above(c.Load(&s.held))) / s.loads * at.Sub(s.since).Seconds())
	}
	s.since = at
}
