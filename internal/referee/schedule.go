package referee

import (
	"cmp"
	"slices"
)

// A claim is what an admitted job asks of the schedule: J = (A, D, M, R) with the worst times of its tasks.
type claim struct {
	job             *job
	deadline        int64
	maps, reduces   int
	mapT, reduceT   int64
	since           int64 // of its start; -1 while it waits
	over            bool  // it has finished
	real            bool  // and its real ends stand in the chain
	left            bool  // it left after its start, at since
	mapEnds, reEnds []int64
	maps0, reduces0 int // of how many tasks the ends are noted

	unstarted bool // its first start was refused, or void

	slot    bool  // its master holds a map slot from its start to the job's end
	ready   int64 // none of its tasks start before
	startup int64 // of its master
	takes   int64 // what that was when it was promised
	master  int   // how that is
	room    *node // where room is kept for it
}

// vectors are T^m and T^r: when each slot falls free, sorted.
type vectors struct{ m, r []int64 }

func (v vectors) copy() vectors { return vectors{slices.Clone(v.m), slices.Clone(v.r)} }

// put makes the smallest entry this one.
func put(v []int64, at int64) {
	i, _ := slices.BinarySearch(v[1:], at)
	copy(v, v[1:i+1])
	v[i] = at
}

// take is algorithms 5.2 and 5.3, or of a job whose real ends count algorithm 5.6: the vectors
// behind a job, when its maps end and when it does.
func (v vectors) take(c *claim, now int64) (mapsEnd, end int64) {
	if c.real {
		for _, at := range c.mapEnds {
			put(v.m, at)
		}
		for _, at := range c.reEnds {
			put(v.r, at)
		}
		return 0, 0
	}
	if c.since >= 0 {
		now = c.since
	}
	if c.left {
		for range min(c.maps, len(v.m)) {
			put(v.m, max(v.m[0], now))
		}
		for range min(c.reduces, len(v.r)) {
			put(v.r, max(v.r[0], now))
		}
		return now, now
	}
	now = max(now, c.ready)
	if c.slot {
		// T^m without the slot that is free first, until the job ends
		if len(v.m) == 0 {
			return never, never
		}
		now = plus(max(now, v.m[0]), c.startup)
		copy(v.m, v.m[1:])
		rest, all := v.m[:len(v.m)-1], v.m
		defer func() {
			i, _ := slices.BinarySearch(rest, end)
			copy(all[i+1:], all[i:])
			all[i] = end
		}()
		v.m = rest
	}
	mapsEnd = now
	for range c.maps {
		if len(v.m) == 0 {
			mapsEnd = never
			break
		}
		mapsEnd = plus(max(v.m[0], now), c.mapT)
		put(v.m, mapsEnd)
	}
	end = mapsEnd
	for range c.reduces {
		if len(v.r) == 0 {
			end = never
			break
		}
		end = plus(max(v.r[0], mapsEnd), c.reduceT)
		put(v.r, end)
	}
	return mapsEnd, end
}

// A schedule is Priority-Q with its vectors: the jobs that have started, in that order, then those that wait.
type schedule struct {
	base   vectors
	queue  []*claim
	shrunk int64 // when slots were last taken away, -1 = never
}

// started returns how many claims do not wait.
func (s *schedule) started() int {
	i := slices.IndexFunc(s.queue, func(c *claim) bool { return c.since < 0 })
	if i < 0 {
		return len(s.queue)
	}
	return i
}

func (s *schedule) before(x, y *claim) bool {
	if x.deadline != y.deadline {
		return x.deadline < y.deadline
	}
	return x.job.seq < y.job.seq
}

// position returns where a claim would stand.
func (s *schedule) position(c *claim) int {
	for i := s.started(); i < len(s.queue); i++ {
		if s.before(c, s.queue[i]) {
			return i
		}
	}
	return len(s.queue)
}

// upTo returns the vectors before place p.
func (s *schedule) upTo(p int, now int64) vectors {
	v := s.base.copy()
	for _, c := range s.queue[:p] {
		v.take(c, now)
	}
	return v
}

// test is algorithm 5.1: when the job would finish at place p, and the first job behind it that
// would be late (nil: none) with its finish.
func (s *schedule) test(c *claim, p int, now int64) (finish int64, late *claim, lateFinish int64) {
	v := s.upTo(p, now)
	_, finish = v.take(c, now)
	for _, o := range s.queue[p:] {
		if _, end := v.take(o, now); end > o.deadline {
			return finish, o, end
		}
	}
	return finish, nil, 0
}

// offer returns the earliest deadline that would be accepted, 0 if none would be.
func (s *schedule) offer(c *claim, now int64) int64 {
	for p := s.started(); p <= len(s.queue); p++ {
		finish, late, _ := s.test(c, p, now)
		if late != nil || finish == never {
			continue
		}
		at := *c
		at.deadline = finish
		if p > s.started() {
			if last := s.queue[p-1]; !s.before(last, &at) { // it has to stand behind that one
				if at.deadline = last.deadline; !s.before(last, &at) {
					at.deadline++
				}
			}
		}
		if p == len(s.queue) || s.before(&at, s.queue[p]) {
			return at.deadline
		}
	}
	return 0
}

func (s *schedule) find(j *job) int {
	return slices.IndexFunc(s.queue, func(c *claim) bool { return c.job == j })
}

// insert puts a claim at its place.
func (s *schedule) insert(c *claim) { s.queue = slices.Insert(s.queue, s.position(c), c) }

// start says that a job's first task goes out: from now on nobody overtakes it, nor those before it.
func (s *schedule) start(j *job, now int64) {
	i := s.find(j)
	if i < 0 || s.queue[i].since >= 0 {
		return
	}
	for _, c := range s.queue[:i+1] {
		if c.since < 0 {
			c.since = now
		}
	}
}

// finish is algorithm 5.5.
func (s *schedule) finish(j *job, now, threshold int64, feedback bool) {
	i := s.find(j)
	if i < 0 {
		return
	}
	c := s.queue[i]
	v := s.upTo(i, now)
	_, end := v.take(c, now)
	c.over = true
	if feedback && (max(end-now, now-end) >= threshold || now > c.deadline) {
		c.real = true
		if c.slot {
			c.mapEnds = append(c.mapEnds, now)
		}
		slices.Sort(c.mapEnds)
		slices.Sort(c.reEnds)
		if c.since <= s.shrunk { // its tasks may have ended on slots that are gone
			c.leave(now)
		}
	}
	s.fold(now)
}

// fold makes jobs that have finished, and all before which have, part of the base.
func (s *schedule) fold(now int64) {
	for len(s.queue) > 0 && s.queue[0].over {
		s.base.take(s.queue[0], now)
		s.queue = s.queue[1:]
	}
}

// remove takes out a job that will not finish. If it had started, as many of the smallest entries
// as it has tasks become at least now.
func (s *schedule) remove(j *job, now int64) {
	i := s.find(j)
	if i < 0 {
		return
	}
	c := s.queue[i]
	if c.since < 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		return
	}
	c.over = true
	c.leave(now)
	s.fold(now)
}

// leave makes a job one that holds nothing from now on.
func (c *claim) leave(now int64) {
	c.real, c.left, c.since = false, true, now
	if c.slot {
		c.slot, c.maps = false, c.maps+1
	}
	c.ready, c.startup = 0, 0
}

// resize sets how many slots there are: new ones are free from now on; where there are fewer, those
// that are free last go.
func (s *schedule) resize(maps, reduces int, now int64) {
	fit := func(v []int64, n int) []int64 {
		for len(v) < n {
			v = append(v, now)
		}
		slices.SortFunc(v, cmp.Compare)
		return v[:n]
	}
	if maps < len(s.base.m) || reduces < len(s.base.r) {
		s.shrunk = now
		for _, c := range s.queue {
			if c.real {
				c.leave(now)
			}
		}
	}
	s.base.m, s.base.r = fit(s.base.m, maps), fit(s.base.r, reduces)
}
