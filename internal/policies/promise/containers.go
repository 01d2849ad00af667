package promise

import (
	"math"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Where nodes have no slots but memory and cores, all containers come from one pool, whatever their
// size. It is counted in parts, fine enough that the containers of every job are some of them: so many
// that as many containers of a job as fit on the nodes take all. A task of several parts is played as
// if each of these ran by itself, for as long.

// fineness is how many parts the smallest container has.
const fineness = 12

// kindOf is so many nodes of one capacity.
type kindOf struct {
	has   units.Vector
	nodes int64
}

func (s *scheduler) addKind(has *units.Vector) {
	for i := range s.kinds {
		if s.kinds[i].has == *has {
			s.kinds[i].nodes++
			return
		}
	}
	s.kinds = append(s.kinds, kindOf{*has, 1})
}

// fits is how many such containers there is room for, node by node.
func (s *scheduler) fits(needs *units.Vector) int32 {
	n := int64(0)
	for i := range s.kinds {
		n += s.kinds[i].nodes * s.kinds[i].has.Times(needs)
	}
	return int32(min(n, math.MaxInt32/(4*fineness)))
}

// each is how many parts of a pool a task takes of which so many fit.
func (s *scheduler) each(pool int, fit int32) int32 {
	if pool != containers || fit <= 0 {
		return 1
	}
	return max(1, (s.whole+fit-1)/fit)
}

// measure counts the parts, and returns how many the masters of all jobs take.
func (s *scheduler) measure(v sched.View) (masters int32) {
	most := int32(0)
	for _, j := range s.line {
		r, job := &s.jobs[j], v.Job(j)
		for k := range r.pool {
			if pool, n := s.poolOf(r, job, k); pool == containers && n > most {
				most, s.least = n, job.Spec.Stage(sched.Map+sched.Stage(k)).Container(0).Needs
			}
		}
	}
	s.whole = most * fineness
	if most == 0 {
		return 0
	}
	for _, j := range s.line {
		if m := v.Job(j).Spec.Stage(sched.Master); m != nil {
			needs := m.Container(0).Needs
			masters += s.each(containers, s.fits(&needs))
		}
	}
	return min(masters, s.whole/2) // the others wait
}

// A ceiling is what a queue may have at most, where the world keeps it within that. Its jobs are
// played there, too, among themselves: none is done earlier than that.
type ceiling struct {
	queue string
	part  float64
	pools [pools]pool
	busy  [pools]int32
}

// lower empties the ceilings.
func (s *scheduler) lower(v sched.View) {
	for i := range s.caps {
		c := s.caps[i]
		c.busy = [pools]int32{}
		for k := range c.pools {
			c.pools[k].reset()
		}
	}
	if !v.World().Bounds || s.caps != nil {
		return
	}
	s.caps = []*ceiling{}
	for _, q := range s.Queues.Bounds() {
		c := &ceiling{queue: q.Path, part: q.Part}
		for k := range c.pools {
			c.pools[k].reset()
		}
		s.caps = append(s.caps, c)
	}
}

// under is the ceiling of a job's queue, nil if it may have all.
func (s *scheduler) under(v sched.View, job *sched.Job) *ceiling {
	if len(s.caps) == 0 {
		return nil
	}
	path, _ := s.Queues.Bound(job.Spec.Queue)
	for i := range s.caps {
		if s.caps[i].queue == path {
			return s.caps[i]
		}
	}
	return nil
}

// has gives a ceiling its part of a pool, of which its running tasks hold some.
func (c *ceiling) has(pool int, all int32, now units.Time) {
	part := int32(math.Floor(units.Rounded(c.part * float64(all))))
	c.pools[pool].has(part-c.busy[pool], now)
}

func (c *ceiling) begin() {
	for i := range c.pools {
		c.pools[i].begin()
	}
}

// add adds the span of a job's stage.
func (c *ceiling) add(w *place, k int, in span) {
	p := &c.pools[w.pool[k]]
	w.below[k] = p.add(in)
	if k == 1 && w.below[0] > 0 && w.pool[0] == w.pool[1] {
		p.spans[w.below[0]].then = w.below[k]
	}
}

// coming are nodes that are rented, or wake, and are there then; or that take so long to wake, if somebody asks now.
type coming struct {
	at   units.Time
	wake units.Duration
	has  units.Vector
}

// comes adds a node to those that come like it.
func (s *scheduler) comes(c coming, has *units.Vector) {
	i := slices.IndexFunc(s.coming, func(o coming) bool { return o.at == c.at && o.wake == c.wake })
	if i < 0 {
		i, s.coming = len(s.coming), append(s.coming, c)
	}
	for d, n := range has {
		s.coming[i].has[d] += n
	}
}

// arrive gives a pool what is on its way, from when it is expected on; all is what the pool has with it. It returns the
// rest of all.
func (s *scheduler) arrive(p *pool, needs *units.Vector, each int32, now units.Time, all int32) int32 {
	for i := range s.coming {
		n := min(all, int32(min(s.coming[i].has.Times(needs), math.MaxInt32/2/int64(each)))*each)
		p.has(n, max(now.Add(s.coming[i].wake), s.coming[i].at))
		all -= n
	}
	return all
}
