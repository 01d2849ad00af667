package referee

import "math"

// constraint is the admission of the Deadline Constraint scheduler (paper 003, section 5.1) with
// its published flaws: slots are looked for at two instants, and maps are taken to be fluid.
type constraint struct {
	cost     func(measured) float64
	late     string // what a job is that takes too long alone by this cost
	accepted []*fluid
	known    map[*job]bool
	share    float64 // of the cluster for masters
}

// fluid is what a job was accepted for: n_m^min map slots until its maps have ended, n_r reduce
// slots from s_r^max to its deadline.
type fluid struct {
	job           *job
	maps, reduces int64
	from          int64
	deadline      int64
	master        int64 // map slots that its master holds until it ends
}

func (c *constraint) decide(b *book, events []*line, p *wants) {
	keep := c.accepted[:0]
	for _, a := range c.accepted {
		if a.job.state != finished {
			keep = append(keep, a)
		}
	}
	c.accepted = keep
	defer func() {
		for _, a := range c.accepted {
			if s := a.job.stage[reduceStage]; s != nil && s.withheld && mapsOver(a.job) {
				p.withhold(a.job, reduceStage, false, "maps-over")
			}
		}
	}()
	for _, e := range events {
		switch e.name {
		case "job-ended", "node-up", "node-changed": // there may be room for masters
			for _, j := range b.live {
				if j.state == held && j.Deadline == never {
					c.lend(b, j, p)
				}
			}
		}
		switch j := b.jobs[e.int("job")]; e.name {
		case "job-arrived", "stage-ready", "job-amended":
			c.first(b, j, p)
		}
	}
}

// first decides on a job, or on one that waits for room once more: it may have begun meanwhile.
func (c *constraint) first(b *book, j *job, p *wants) {
	switch {
	case j == nil || c.known[j] || j.waits || j.state >= admitted:
	case j.Deadline != never:
		c.known[j] = true
		c.test(b, j, p)
	default:
		c.lend(b, j, p)
	}
}

// lend lets a job in that has no deadline, unless masters take their share: then one with a master waits.
func (c *constraint) lend(b *book, j *job, p *wants) {
	if m := j.stage[master]; m != nil && !j.begun() {
		used := vector{}
		for _, o := range b.live {
			if s := o.stage[master]; s != nil && o.state == admitted {
				used.add(&s.needs, 1)
			}
		}
		for d := range used {
			if may := int64(math.Floor(rounded(c.share * float64(b.capacity[d])))); used != (vector{}) && m.needs[d] > 0 && used[d]+m.needs[d] > may {
				if j.state == pending {
					p.verdict("hold", j, held, "", "master-share"+numbers(used[d], may, int64(d)))
				}
				return
			}
		}
	}
	p.verdict("admit", j, admitted, "", "no-deadline")
}

func mapsOver(j *job) bool {
	m := j.stage[mapStage]
	return m == nil || m.open == 0 && m.occupied == 0
}

func (c *constraint) test(b *book, j *job, p *wants) {
	reject := func(why string) {
		if j.goesOn() || j.begun() {
			p.verdict("admit", j, admitted, "", "begun")
			p.rankBy(j, never, "begun") // behind all promises
			return
		}
		p.verdict("reject", j, rejected, "", why)
	}
	for i := range j.Stages {
		s := &j.Stages[i]
		if s.kind == master && j.lives() != nobody {
			continue
		}
		if s.kind != mapStage && s.kind != reduceStage || len(s.Containers) > 0 {
			reject("not-slots" + numbers(int64(s.kind)))
			return
		}
	}
	t := b.timesOf(j, 1, c.cost)
	if !t.known {
		reject("not-profiled")
		return
	}
	a := &fluid{job: j, from: j.Deadline, deadline: j.Deadline}
	if s := j.stage[reduceStage]; s != nil {
		a.reduces, a.from = int64(len(s.Tasks)), j.Deadline-t.oneReduce
	}
	begin := plus(b.now, t.startup) // s_m
	if begin == never {
		reject("unbounded")
		return
	}
	freeMaps, freeReduces, window := b.slots(mapStage), b.slots(reduceStage), a.from-begin
	if j.lives() == inSlot {
		a.master = 1
	}
	if t.allMaps > 0 && window > 0 {
		a.maps = 1 + (t.allMaps-1)/window
	}
	switch {
	case (t.allMaps > 0 || a.master > 0) && freeMaps == 0:
		reject("no-slots" + numbers(mapStage))
		return
	case t.allMaps > 0 && freeMaps == a.master:
		reject("too-few-slots" + numbers(2, freeMaps, mapStage))
		return
	case window < 0 || t.allMaps > 0 && window == 0 || a.maps > freeMaps-a.master:
		maps := t.oneMap // what they take at least, on all slots but the master's
		if n := freeMaps - a.master; n > 0 && t.allMaps > 0 {
			maps = max(maps, 1+(t.allMaps-1)/n)
		}
		maps = plus(t.startup, maps)
		if ends := plus(plus(b.now, maps), t.oneReduce); ends == never {
			reject("unbounded")
		} else {
			reject(c.late + numbers(j.Deadline-b.now, ends-b.now, maps))
		}
		return
	case a.reduces > freeReduces:
		reject("too-few-slots" + numbers(a.reduces, freeReduces, reduceStage))
		return
	}
	for _, o := range c.accepted {
		freeMaps -= o.master
		if !mapsOver(o.job) {
			freeMaps -= o.maps
		}
		if o.from <= a.from && a.from < o.deadline {
			freeReduces -= o.reduces
		}
	}
	switch {
	case a.maps+a.master > freeMaps:
		reject("map-slots-taken" + numbers(a.maps+a.master, freeMaps, b.now))
	case a.reduces > freeReduces:
		reject("reduce-slots-taken" + numbers(a.reduces, freeReduces, a.from))
	default:
		p.verdict("admit", j, admitted, atWorst(a.deadline), "")
		c.accepted = append(c.accepted, a)
		c.bind(a, p)
	}
}

// bind gives a job its map slots, and has its reduces wait for its last map.
func (c *constraint) bind(a *fluid, p *wants) {
	if a.maps > 0 {
		p.setSlots(a.job, mapStage, int(a.maps), "")
	}
	if a.maps > 0 && a.reduces > 0 {
		p.withhold(a.job, reduceStage, true, "maps-first")
	}
}
