package promise

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A look plays the cluster forward from what the book says now: each running task ends when one of its
// age does on the average, and what falls free goes to the first job in the order that is ready, each
// task for its mean. That gives when each job is expected to be done, and from that its statement.

// place is where a job stands in a look.
type place struct {
	job    *sched.Job
	r      *record
	open   [2]int32 // tasks to start
	busy   [2]int32 // that run
	mean   [2]units.Duration
	at     [2]int32   // its spans
	pool   [2]int     // and theirs
	each   [2]int32   // parts of it that a task takes
	under  *ceiling   // of its queue; nil = none
	below  [2]int32   // its spans there
	scale  float64    // what it takes, in parts of what its laws say
	work   [2]float64 // seconds of its open tasks, one after the other
	takes  float64    // seconds that all slots need for what is left of it
	end    units.Time // expected
	was    ending     // and by the last look
	ready  units.Time // when those that it waits for are expected to be done
	chain  [2]float64 // seconds by which these are done later at farScores
	saves  float64    // of a promise that is late: by how much a second less before it raises its chance
	before float64    // variance of the delay by those before it, in seconds squared
	delay  float64    // seconds by which later jobs are expected to delay it
	late   [2]float64 // seconds by which it ends later, if strays take as long as one in ten of them, or in a hundred
}

// The pools: map slots, reduce slots, and containers that are neither.
const (
	mapSlots = iota
	reduceSlots
	containers
	pools
)

// poolOf is the pool from which a stage takes, and how many of its containers that has: it is found once for each state
// of what is in service, as looks ask for it of every job.
func (s *scheduler) poolOf(r *record, job *sched.Job, k int) (pool int, slots int32) {
	if r.served != s.served {
		r.served = s.served
		for k := range r.pool {
			r.pool[k], r.slots[k] = s.takesFrom(job, sched.Map+sched.Stage(k))
		}
	}
	return int(r.pool[k]), r.slots[k]
}

func (s *scheduler) takesFrom(job *sched.Job, stage sched.Stage) (pool int8, slots int32) {
	spec := job.Spec.Stage(stage)
	if spec == nil {
		return int8(stage - sched.Map), 0
	}
	needs := spec.Container(0).Needs
	switch n := int32(min(s.serving.Times(&needs), math.MaxInt32/2)); {
	case needs[units.MapSlots] > 0:
		return mapSlots, n
	case needs[units.ReduceSlots] > 0:
		return reduceSlots, n
	default:
		return containers, s.fits(&needs)
	}
}

// serve counts what is in service, and how fast it is. O(nodes), when nodes change.
func (s *scheduler) serve(v sched.View) {
	s.serving, s.kinds, s.coming = units.Vector{}, nil, nil
	s.served++
	speed, nodes := 0.0, 0.0
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		node := v.Node(n)
		rents := node != nil && node.State == sched.Waking && node.Spec.Class.Rented()
		if node == nil || !node.Serves() && !rents && !(s.Wakes && (node.State == sched.Asleep || node.State == sched.Waking)) {
			continue
		}
		for d, c := range node.Spec.Class.Capacity {
			s.serving[d] += c
		}
		s.addKind(&node.Spec.Class.Capacity)
		switch {
		case node.State == sched.Waking:
			s.comes(coming{at: node.Until}, &node.Spec.Class.Capacity)
		case node.State == sched.Asleep:
			s.comes(coming{wake: node.Spec.Class.WakeTime}, &node.Spec.Class.Capacity)
		}
		if full := node.Spec.Class.Speed; full > 0 && node.Speed > 0 {
			speed += node.Speed / full
			nodes++
		}
	}
	s.pace = 1
	if units.Rounded(nodes) > 0 {
		s.pace = max(units.Rounded(speed/nodes), 0.01)
	}
}

// put puts a job into the look.
func (s *scheduler) put(v sched.View, job *sched.Job, r *record) {
	w := place{job: job, r: r, under: s.under(v, job)}
	for i := range w.open {
		t := &job.Stages[sched.Map+sched.Stage(i)]
		w.busy[i] = t.Occupied
		w.open[i] = t.ToStart()
	}
	s.places = append(s.places, w)
}

// run plays what was put in, in that order. Where tasks run that have outlived all, all of them take long in two plays
// more: who is how much later in these says what hangs on them, whatever the slots and whoever is behind.
func (s *scheduler) run(v sched.View) {
	if len(s.strays) > 0 {
		s.stretch(v)
	}
	s.playRows(v)
	if len(s.strays) > 0 {
		for i := range s.places {
			w, last := &s.places[i], 0.0
			for k := range w.late {
				w.late[k] = max(last, units.Rounded(w.late[k]-w.end.Sub(v.Now()).Seconds()))
				last = w.late[k]
			}
		}
	}
}

// playRows plays once more for each row of jobs that wait for others of which nothing was known.
func (s *scheduler) playRows(v sched.View) {
	for range mostRows {
		if !s.playAll(v) {
			return
		}
	}
}

// mostRows is how many jobs in a row may come at once, each behind another.
const mostRows = 16

// playAll tells whether it is known now when a job ends for which another waits, and was not before.
func (s *scheduler) playAll(v sched.View) (again bool) {
	now := v.Now()
	for i := range s.pools {
		s.pools[i].begin()
	}
	for i := range s.caps {
		s.caps[i].begin()
	}
	s.waits = false
	for i := range s.places {
		s.places[i].r.awaited = false
	}
	for i := range s.places {
		w := &s.places[i]
		ready, was, is := s.ready(v, w), 0.0, 0.0
		w.takes = 0
		for k := range w.open {
			mean := w.r.Laws[k].Mean
			seconds := float64(mean * s.factor(w.r, k))
			was, is, seconds = was+mean, is+seconds, units.Rounded(seconds)
			w.mean[k] = max(ofSeconds(seconds), 1)
			w.work[k] = float64(seconds * float64(w.open[k]))
			pool, slots := s.poolOf(w.r, w.job, k)
			w.pool[k], w.at[k], w.below[k], w.each[k] = pool, 0, 0, s.each(pool, slots)
			if slots > 0 {
				w.takes += w.work[k] / float64(slots)
			}
			if w.open[k] == 0 && w.busy[k] == 0 {
				continue
			}
			in := span{ready: ready, mean: w.mean[k], left: w.open[k] * w.each[k], end: max(now, w.r.last[k])}
			if k == 1 && w.at[0] > 0 {
				in.ready = units.Never
			}
			w.at[k] = s.pools[pool].add(in)
			if k == 1 && w.at[0] > 0 && w.pool[0] == pool {
				s.pools[pool].spans[w.at[0]].then = w.at[k]
			}
			if w.under != nil {
				w.under.add(w, k, in)
			}
		}
		w.scale = is / max(was, 1e-9)
	}
	for i := range s.pools {
		if i == reduceSlots {
			s.follow()
		}
		s.pools[i].play(now)
		for k := range s.caps {
			s.caps[k].pools[i].play(now)
		}
	}
	return s.settle(v)
}

// follow has reduces wait for maps that took other slots.
func (s *scheduler) follow() {
	for i := range s.places {
		w := &s.places[i]
		if w.at[0] > 0 && w.at[1] > 0 && w.pool[0] != w.pool[1] {
			over := s.pools[w.pool[0]].spans[w.at[0]].end
			if w.under != nil {
				over = max(over, w.under.pools[w.pool[0]].spans[w.below[0]].end)
				w.under.pools[w.pool[1]].spans[w.below[1]].ready = over
			}
			s.pools[w.pool[1]].spans[w.at[1]].ready = over
		}
	}
}

// ready is when the first task of a job may start: when those before it have ended, and its master is up.
func (s *scheduler) ready(v sched.View, w *place) units.Time {
	at, far := v.Now(), [2]units.Time{} // far: when all of them are done in most cases
	w.chain = [2]float64{}
	if w.job.State == sched.Waiting {
		found := false
		for _, id := range w.job.Spec.After {
			if r := s.of(v.Job(v.Find(id))); r != nil {
				found, r.awaited, at = true, true, max(at, r.End.At)
				for i := range far {
					far[i] = max(far[i], r.End.Far[i])
				}
			}
		}
		if s.waits = true; !found { // that comes later, or will never be done
			at = units.Never
		}
	}
	w.ready = at
	for i := range far {
		if at != units.Never && far[i] > at {
			w.chain[i] = far[i].Sub(at).Seconds()
		}
	}
	if m := &w.job.Stages[sched.Master]; m.Total > m.Done && w.job.Stages[sched.Map].Done == 0 && !w.job.Stages[sched.Map].Ready && !w.job.Stages[sched.Reduce].Ready {
		at = at.Add(w.r.Master)
	}
	return at
}

// hold gives the pools their slots: those that running tasks hold are free at their ends, the others now.
func (s *scheduler) hold(v sched.View) {
	now := v.Now()
	s.strays = s.strays[:0]
	for i := range s.pools {
		s.pools[i].reset()
	}
	busy := [pools]int32{containers: s.measure(v)}
	s.lower(v)
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		r := s.of(job)
		if r == nil {
			continue
		}
		for k := range r.last {
			n := job.Stages[sched.Map+sched.Stage(k)].Occupied
			r.last[k] = 0
			if n <= 0 {
				r.Running[k], r.Lasts[k], r.Aged[k] = 0, 0, 0
				continue
			}
			at, slots := s.poolOf(r, job, k)
			each := s.each(at, slots)
			busy[at] += n * each
			var low *pool
			if c := s.under(v, job); c != nil {
				c.busy[at] += n * each
				low = &c.pools[at]
			}
			s.ends(v, job, r, k, n, each, &s.pools[at], low)
		}
	}
	for i, needs := range s.needs {
		all, each := s.whole, int32(fineness)
		if i == containers {
			needs = s.least
		} else {
			all, each = int32(min(s.serving.Times(&needs), math.MaxInt32/2)), 1
		}
		s.pools[i].has(s.arrive(&s.pools[i], &needs, each, now, all)-busy[i], now)
		for k := range s.caps {
			s.caps[k].has(i, all, now)
		}
	}
}

// ends adds when the running tasks of a job's stage, each of which takes so many parts of the pool,
// are expected to end; low is the pool of its queue, nil for none. What a reduce takes begins when the maps are over.
func (s *scheduler) ends(v sched.View, job *sched.Job, r *record, k int, n, each int32, p, low *pool) {
	has := func(n int32, at units.Time) {
		p.has(n*each, at)
		if low != nil {
			low.has(n*each, at)
		}
	}
	now, l := v.Now(), r.Laws[k]
	row, over, begins := s.row(v, job.ID, k, int(n)), units.Time(0), now
	if k == 1 {
		if over = r.Over; job.Stages[sched.Map].Left() > 0 {
			row, begins = nil, max(now, r.last[0])
		}
	}
	oldest, long := 0.0, [2]float64{}
	if r.Aged[k] = 0; r.Own[k].N == 0 && len(row) > 0 {
		since := max(row[0], over)
		oldest = now.Sub(since).Seconds()
		old, _ := slices.BinarySearch(row, since.Add(now.Sub(since)/4+1))
		r.Aged[k], long = l.aged(oldest*s.pace, old, r.Guess[k])
		r.Aged[k] /= s.pace
	}
	seconds := s.task(r, k)
	quarter := max(1, ofSeconds(seconds/4))
	outlives := r.Aged[k] > 0 && units.Rounded(r.Aged[k]) >= units.Rounded(max(seconds, oldest))
	_, slots := s.poolOf(r, job, k)
	// None has ended, and nothing is known of their class, or little, and they hold so much that others are late with
	// them.
	joint := r.Own[k].N == 0 && len(row) > 0 && (r.Strange || (r.Guess[k] || outlives) && n > slots/spare)
	sum := 0.0
	for i := len(row) - 1; i >= 0; { // the youngest first: those of one age end together
		age := now.Sub(max(row[i], over))
		q := int(max(0, min(int64(age/quarter), int64(len(l.Residual)-1))))
		from := i
		for i--; i >= 0 && (q == len(l.Residual)-1 || now.Sub(max(row[i], over)) < units.Duration(q+1)*quarter); i-- {
		}
		ends := func(group int, left float64, far *[2]float64) {
			at := now.Add(units.FromSeconds(units.Rounded(left)))
			has(int32(group), at)
			r.last[k] = max(r.last[k], at)
			if far != nil {
				s.strays = append(s.strays, outlasts(p, low, *far, at, r, k))
			}
			sum += float64(group) * (age.Seconds() + left)
		}
		group, beyond, part := from-i, 1.0, float64(age-units.Duration(q)*quarter)/float64(quarter)
		var strays *[2]float64
		if joint {
			strays = &[2]float64{long[0]/s.pace - age.Seconds(), long[1]/s.pace - age.Seconds()}
		}
		if outlives { // all take what the oldest says
			ends(group, seconds-age.Seconds(), strays)
			continue
		}
		if most := units.Duration(len(l.Residual)-1) * quarter; age > most { // in proportion to it
			beyond = units.Rounded(float64(age) / float64(most))
		}
		if !joint && l.Unknown > 0 && q >= l.Unknown {
			strays = &[2]float64{finish.Outlived(age.Seconds(), far[0]), finish.Outlived(age.Seconds(), far[1])}
		}
		for a := range l.Residual[q] { // of so many, so many end by then
			if n := (2*group*(a+1)+tenths)/(2*tenths) - (2*group*a+tenths)/(2*tenths); n > 0 {
				ends(n, seconds*l.left(q, part, a)*beyond, strays)
			}
		}
	}
	if more := n - int32(len(row)); more > 0 { // promised, and not begun
		at := begins.Add(ofSeconds(seconds))
		has(more, at)
		r.last[k] = max(r.last[k], at)
		if r.Strange && r.Own[k].N == 0 {
			_, long := l.aged(0, 1, true)
			from := begins.Sub(now).Seconds()
			s.strays = append(s.strays, outlasts(p, low, [2]float64{from + long[0]/s.pace, from + long[1]/s.pace}, at, r, k))
		}
	}
	r.Running[k] = len(row)
	r.Lasts[k] = units.Rounded(sum * s.pace) // as at full speed
}

// settle finds when the jobs are expected to be done, and what that varies by.
func (s *scheduler) settle(v sched.View) (again bool) {
	now, before := v.Now(), 0.0
	for i := range s.places {
		w := &s.places[i]
		w.end, w.before, w.delay = now, before, 0
		within := 0.0
		for k := range w.at {
			if w.at[k] == 0 {
				continue
			}
			x := s.pools[w.pool[k]].spans[w.at[k]]
			if w.under != nil {
				low := &w.under.pools[w.pool[k]].spans[w.below[k]]
				x.last, x.end = max(x.last, low.last), max(x.end, low.end)
			}
			if k == 1 && w.at[0] > 0 && w.busy[1] > 0 && w.end != units.Never { // these work behind the maps
				x.end = max(x.end, w.end.Add(w.mean[1]))
			}
			if w.open[k] > 0 {
				from := max(w.end, w.ready) // when its maps are over
				within += max(0, x.last.Sub(from).Seconds())
			}
			w.end = max(w.end, x.end)
			if n := w.open[k] + w.busy[k]; n > 0 && s.pools[w.pool[k]].slots > 0 {
				all := float64(s.pools[w.pool[k]].slots) / float64(w.each[k])
				mean, l := w.mean[k].Seconds(), w.r.Laws[k]
				work := mean * float64(n)
				before += (float64(work*work*w.r.shared(k)) + float64(float64(n)*mean*mean*l.Variance)) / (all * all)
			}
		}
		if units.Rounded(within) > 0 && w.end != units.Never {
			variance := 0.0
			if w.r.ranks() {
				w.delay, variance = s.arrivals.delays(w.r.stands(w.job).Sub(now).Seconds(), within)
			} else {
				w.delay, variance = s.arrivals.overtake(within)
			}
			w.before += variance
		}
		is := ending{At: w.end}
		switch {
		case w.end == units.Never:
		case w.r.awaited:
			is = s.ending(now, w)
		default:
			is.At = is.At.Add(units.FromSeconds(units.Rounded(w.delay)))
		}
		// Where the end of what others wait for has moved, theirs has too.
		again = again || s.waits && (w.r.End.At == units.Never && is.At != units.Never || w.r.awaited && is.moved(&w.r.End))
		w.r.End = is
	}
	return again
}

// ranks tells whether a job stands among those that can be in time: it can, or it was promised to be.
func (r *record) ranks() bool { return r.InTime || r.Broken > 0 }

// stands is the instant by which it does.
func (r *record) stands(job *sched.Job) units.Time {
	if r == nil || r.InTime {
		return job.Due()
	}
	return r.Broken
}

// byDue is the order of jobs that can be in time.
func byDue(a, b *sched.Job) int {
	return cmp.Or(cmp.Compare(a.Due(), b.Due()), cmp.Compare(a.Seq, b.Seq))
}

// fill puts in the jobs that can be in time, by deadline, and, if all are asked for, the others behind
// them, in their order.
func (s *scheduler) fill(v sched.View, all bool) {
	s.places = s.places[:0]
	behind, moved := s.behind[:0], false
	for _, j := range s.line {
		job := v.Job(j)
		r := &s.jobs[j]
		switch {
		case r.ranks():
			moved = moved || !r.InTime
			s.put(v, job, r)
		case all:
			r.Density = s.density(job, r)
			behind = append(behind, job)
		}
	}
	if moved { // a lost promise stands elsewhere than by its deadline
		slices.SortFunc(s.places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.r.stands(a.job), b.r.stands(b.job)), cmp.Compare(a.job.Seq, b.job.Seq))
		})
	}
	of := order{scheduler: s}
	slices.SortFunc(behind, func(a, b *sched.Job) int {
		x, y := of.JobKey(v, a, sched.Map), of.JobKey(v, b, sched.Map)
		return slices.Compare(x[:], y[:])
	})
	for _, job := range behind {
		s.put(v, job, &s.jobs[job.ID])
	}
	s.behind = behind[:0]
}

// ofSeconds is a span of so many seconds.
func ofSeconds(s float64) units.Duration { return units.FromSeconds(units.Rounded(s)) }
