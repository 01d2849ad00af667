package rtmr

import (
	"cmp"
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// A placed task has a slot of its own name.
type placed struct {
	slot       int
	start, end units.Time
}

// lay gives n tasks to slots with names, each to the one that is free first, and says when each slot is free then.
func lay(free []units.Time, n int, from units.Time, each units.Duration) (tasks []placed) {
	for range n {
		k := 0
		for i := range free {
			if free[i] < free[k] {
				k = i
			}
		}
		start := max(free[k], from)
		tasks = append(tasks, placed{k, start, start.Add(each)})
		free[k] = start.Add(each)
	}
	return tasks
}

// layJob gives a job's tasks to slots with names. Its master holds the slot that is free first from its
// start to the job's end, or none; no other task starts before it is up.
func layJob(freeMaps, freeReduces []units.Time, c Claim) (onMaps, onReduces []placed, mapsEnd, end units.Time) {
	from, own := c.Ready, 0
	if c.Slot {
		for i := range freeMaps {
			if freeMaps[i] < freeMaps[own] {
				own = i
			}
		}
		onMaps = append(onMaps, placed{own, freeMaps[own], 0})
		from = freeMaps[own].Add(c.Startup)
		freeMaps[own] = units.Never
	}
	mapsEnd = from
	maps := lay(freeMaps, c.Maps, from, c.Map)
	for _, p := range maps {
		mapsEnd = p.end // the last of them ends last
	}
	end = mapsEnd
	onReduces = lay(freeReduces, c.Reduces, mapsEnd, c.Reduce)
	for _, p := range onReduces {
		end = max(end, p.end)
	}
	if c.Slot {
		freeMaps[own], onMaps[0].end = end, end
	}
	return append(onMaps, maps...), onReduces, mapsEnd, end
}

// fits fails if two tasks share a slot at some time.
func fits(t *rapid.T, tasks []placed) {
	slices.SortStableFunc(tasks, func(a, b placed) int { return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.start, b.start)) })
	for i := 1; i < len(tasks); i++ {
		if a, b := tasks[i-1], tasks[i]; a.slot == b.slot && b.start < a.end {
			t.Fatalf("two tasks on slot %d: one until %v, one from %v", a.slot, a.end, b.start)
		}
	}
}

// tiny draws jobs that all come at 0 for a cluster of few slots.
func tiny(t *rapid.T) (maps, reduces int, claims []Claim) {
	maps, reduces = rapid.IntRange(1, 4).Draw(t, "map slots"), rapid.IntRange(1, 3).Draw(t, "reduce slots")
	for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
		claims = append(claims, tinyClaim(t, i+1, 0))
	}
	return maps, reduces, claims
}

func tinyClaim(t *rapid.T, i int, now units.Time) Claim {
	c := Claim{Job: sched.JobID(i), Seq: int64(i), Arrived: now, Deadline: now + units.Time(rapid.OneOf(rapid.IntRange(1, 50), rapid.IntRange(50, 400)).Draw(t, "deadline")),
		Maps: rapid.IntRange(1, 6).Draw(t, "maps"), Map: units.Duration(rapid.IntRange(1, 12).Draw(t, "map")),
		Reduces: rapid.IntRange(0, 4).Draw(t, "reduces"), Reduce: units.Duration(rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(12, 100)).Draw(t, "reduce"))}
	switch rapid.SampledFrom([]masterKind{noMaster, noMaster, outside, inMapSlot}).Draw(t, "master") {
	case outside:
		c.Startup = units.Duration(rapid.IntRange(1, 15).Draw(t, "startup"))
		c.Ready = now.Add(c.Startup)
	case inMapSlot:
		c.Startup, c.Slot = units.Duration(rapid.IntRange(1, 15).Draw(t, "startup")), true
	}
	return c
}

// TestListSchedule lays out all tasks of the admitted jobs on slots with names, in the order of the
// chain: that is a schedule that could be run, and each job ends in it at the instant of its
// estimate.
func TestListSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps, reduces, claims := tiny(t)
		s := NewSchedule(maps, reduces)
		var in []Claim
		for _, c := range claims {
			if s.Test(0, c).OK {
				s.Admit(0, c)
				in = append(in, c)
			}
		}
		slices.SortFunc(in, func(a, b Claim) int {
			return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Seq, b.Seq))
		})
		freeMaps, freeReduces := make([]units.Time, maps), make([]units.Time, reduces)
		var onMaps, onReduces []placed
		for _, c := range in {
			m, r, mapsEnd, end := layJob(freeMaps, freeReduces, c)
			if e, f, _ := s.Estimate(0, c.Job); e != mapsEnd || f != end || f > c.Deadline {
				t.Fatalf("job %d: estimated to end its maps at %v and to finish at %v; it is laid out until %v and %v, its deadline is %v", c.Job, e, f, mapsEnd, end, c.Deadline)
			}
			onMaps, onReduces = append(onMaps, m...), append(onReduces, r...)
		}
		fits(t, onMaps)
		fits(t, onReduces)
	})
}

// A player runs admitted jobs, instant by instant: maps in the order of the jobs, reduces as algorithm
// 5.4 says (with >= in line 10), and maps too, as far as masters are not up.
type player struct {
	now                  units.Time
	freeMaps, freeReduce int
	queue                []*played // in the order: started ones first
	running              []runningTask
}

type played struct {
	Claim
	started             bool
	up, coming          bool // its master is up, or has begun
	maps, reduces, left int  // not started yet; maps that have not ended
	mapEnds, reduceEnds []units.Time
}

type runningTask struct {
	job    *played
	end    units.Time
	reduce bool
	master bool // it is up then
}

func (p *player) insert(j *played) {
	i := 0
	for i < len(p.queue) && (p.queue[i].started || cmp.Or(cmp.Compare(p.queue[i].Deadline, j.Deadline), cmp.Compare(p.queue[i].Seq, j.Seq)) < 0) {
		i++
	}
	p.queue = slices.Insert(p.queue, i, j)
}

// dispatch starts what may start now; took draws how long a task really takes.
func (p *player) dispatch(start func(*played), took func(worst units.Duration) units.Duration) {
	begin := func(j *played) { // and those before it count as started too
		for _, k := range p.queue[:slices.Index(p.queue, j)+1] {
			if !k.started {
				k.started = true
				start(k)
			}
		}
	}
	kept := 0 // map slots, for jobs whose masters are not up
	for _, j := range p.queue {
		if !j.coming && (!j.Slot || p.freeMaps > kept) {
			if j.coming = true; j.Slot {
				begin(j)
				p.freeMaps--
			}
			p.running = append(p.running, runningTask{job: j, end: p.now.Add(took(j.Startup)), master: true})
		}
		if !j.coming {
			kept++
		}
		if !j.up {
			kept += j.maps
			continue
		}
		for p.freeMaps > kept && j.maps > 0 {
			begin(j)
			p.freeMaps--
			j.maps--
			p.running = append(p.running, runningTask{job: j, end: p.now.Add(took(j.Map))})
		}
	}
	for again := true; again && p.freeReduce > 0; { // line 6
		again = false
		reserved := 0
		for _, j := range p.queue {
			if reserved >= p.freeReduce { // line 10
				break
			}
			if j.left == 0 && j.reduces > 0 { // lines 13 to 16
				p.freeReduce--
				j.reduces--
				p.running = append(p.running, runningTask{job: j, end: p.now.Add(took(j.Reduce)), reduce: true})
				again = true
				break
			}
			if j.left > 0 { // lines 17 and 18
				reserved += j.Reduces
			}
		}
	}
}

// next goes on to the next end of a task, or to an instant before it, and returns the jobs that are done then.
func (p *player) next(by units.Time) (done []*played) {
	for _, r := range p.running {
		by = min(by, r.end)
	}
	p.now = by
	keep := p.running[:0]
	for _, r := range p.running {
		switch {
		case r.end > by:
			keep = append(keep, r)
			continue
		case r.master:
			r.job.up = true
			continue
		case r.reduce:
			p.freeReduce++
			r.job.reduceEnds = append(r.job.reduceEnds, by)
		default:
			p.freeMaps++
			r.job.left--
			r.job.mapEnds = append(r.job.mapEnds, by)
		}
		if j := r.job; j.left == 0 && len(j.reduceEnds) == j.Reduces {
			if done = append(done, j); j.Slot {
				p.freeMaps++
				j.mapEnds = append(j.mapEnds, by)
			}
			p.queue = slices.DeleteFunc(p.queue, func(k *played) bool { return k == j })
		}
	}
	p.running = keep
	return done
}

// TestPromises runs streams of jobs with a dispatcher that loses no time, each task at most as long
// as its worst case: no admitted job misses its deadline (paper 003, section 5.2.2). Where all come
// at 0 and take their worst time, none ends after its estimate.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maps, reduces, claims := tiny(t)
		worst := rapid.Bool().Draw(t, "worst")
		stream := rapid.Bool().Draw(t, "stream")
		feedback := rapid.Bool().Draw(t, "feedback")
		if stream {
			at := units.Time(0)
			for i := range claims {
				at += units.Time(rapid.IntRange(0, 15).Draw(t, "after"))
				claims[i].Arrived, claims[i].Deadline = at, claims[i].Deadline+at
				if claims[i].Ready > 0 {
					claims[i].Ready += at
				}
			}
		}
		s := NewSchedule(maps, reduces)
		p := player{freeMaps: maps, freeReduce: reduces}
		took := func(d units.Duration) units.Duration {
			if worst {
				return d
			}
			return units.Duration(rapid.IntRange(1, int(d)).Draw(t, "took"))
		}
		estimates := map[sched.JobID]units.Time{}
		for len(claims)+len(p.queue) > 0 {
			for len(claims) > 0 && claims[0].Arrived == p.now {
				if c := claims[0]; s.Test(p.now, c).OK {
					s.Admit(p.now, c)
					p.insert(&played{Claim: c, maps: c.Maps, left: c.Maps, reduces: c.Reduces, up: c.Startup == 0, coming: c.Startup == 0})
				}
				claims = claims[1:]
			}
			for _, j := range p.queue {
				if !stream {
					if _, ok := estimates[j.Job]; !ok {
						_, estimates[j.Job], _ = s.Estimate(p.now, j.Job)
					}
				}
			}
			p.dispatch(func(j *played) { s.Start(p.now, j.Job) }, took)
			by := units.Never
			if len(claims) > 0 {
				by = claims[0].Arrived
			}
			for _, j := range p.next(by) {
				if p.now > j.Deadline {
					t.Fatalf("job %d was promised %v and ended at %v", j.Job, j.Deadline, p.now)
				}
				if e, ok := estimates[j.Job]; ok && p.now > e {
					t.Fatalf("job %d was estimated to end at %v and ended at %v", j.Job, e, p.now)
				}
				s.Finish(p.now, j.Job, j.mapEnds, j.reduceEnds, units.Duration(rapid.IntRange(0, 10).Draw(t, "threshold")), feedback)
			}
		}
	})
}
