package page

import (
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// collector is the sink behind one run of the page.
type collector struct {
	tracker
	gantt  *gantt // nil: the run has no drawing of slots
	series *series
	queue  []queued // by handle of job
	offers []offer  // by handle of node
	extras map[sched.ItemID]bool
	last   units.Time // when something was drawn
	closed bool
}

var _ drive.Sink = (*collector)(nil)

// queued is what of a job waits and runs.
type queued struct {
	open   [2]int64 // maps, other tasks
	live   int32    // attempts
	extras int32    // of them second ones of their task
}

// offer is what a node offers and holds, in map and reduce slots. As in the report, a node that drains counts with what it runs.
type offer struct{ offers, holds [2]int64 }

func newCollector(bars, points int) *collector {
	c := &collector{series: newSeries(points), extras: map[sched.ItemID]bool{}}
	if bars > 0 {
		c.gantt = newGantt(bars)
	}
	return c
}

// Plan notes which items are second attempts: their tasks do not wait.
func (c *collector) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Speculate && it.Refused == sched.OK {
			c.extras[it.ID] = true
		}
	}
	return nil
}

// farthest is the last time that is told apart, some nine years: sums over slots have room above it.
const farthest = units.Time(1 << 58)

// Batch takes in what happened.
func (c *collector) Batch(_ int64, now units.Time, events []sched.Event) error {
	now = min(now, farthest)
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				c.nodeUp(e.Node, e.Detail.Node)
				v := &e.Detail.Node.Class.Capacity
				c.offered(now, e.Node, [2]int64{v[units.MapSlots], v[units.ReduceSlots]})
			}
		case sched.NodeDown:
			c.offered(now, e.Node, [2]int64{})
		case sched.JobArrived:
			c.arrived(now, e)
		case sched.Started:
			c.started(now, e)
		case sched.Ended:
			c.ended(now, e)
		case sched.OutputLost:
			if c.job(e.Job) != nil {
				c.wait(now, e.Job, e.Stage, +1)
			}
		case sched.JobEnded:
			c.jobEnded(now, e.Job)
		case sched.Refused:
			delete(c.extras, e.Item)
		}
	}
	return nil
}

// moveTo moves time to now, before something changes.
func (c *collector) moveTo(now units.Time) {
	c.series.advance(now)
	c.last = max(c.last, now)
}

func (c *collector) arrived(now units.Time, e *sched.Event) {
	c.moveTo(now)
	c.arrive(e.Job, e.Detail.Job)
	q := at(&c.queue, e.Job)
	*q = queued{}
	for i := range e.Detail.Job.Stages {
		st := &e.Detail.Job.Stages[i]
		c.wait(now, e.Job, st.Kind, int64(len(st.Tasks)))
	}
	c.series.now[jobsWaiting]++
}

// wait changes the number of a job's tasks that wait.
func (c *collector) wait(now units.Time, j sched.JobID, s sched.Stage, n int64) {
	c.moveTo(now)
	k := 0
	if s != sched.Map {
		k = 1
	}
	c.queue[j].open[k] += n
	c.series.now[mapsWaiting+k] += n
}

func (c *collector) started(now units.Time, e *sched.Event) {
	r := c.start(now, e)
	if r == nil {
		return
	}
	if c.gantt != nil {
		c.gantt.grow(c.places)
	}
	c.moveTo(now)
	q := &c.queue[e.Job]
	if len(c.extras) > 0 && c.extras[e.Item] {
		delete(c.extras, e.Item)
		r.extra = true
		q.extras++
	} else {
		c.wait(now, e.Job, e.Stage, -1)
	}
	if q.live++; q.live == 1 {
		c.series.now[jobsWaiting]--
		c.series.now[jobsRunning]++
	}
	c.hold(r, +1)
}

func (c *collector) ended(now units.Time, e *sched.Event) {
	r := c.end(e.Attempt)
	if r == nil {
		return
	}
	c.moveTo(now)
	c.draw(r, now, e.Outcome)
	c.hold(r, -1)
	if c.job(r.handle) == nil {
		return
	}
	q := &c.queue[r.handle]
	if q.live--; q.live == 0 {
		c.series.now[jobsRunning]--
		c.series.now[jobsWaiting]++
	}
	switch {
	case r.extra:
		q.extras--
	case e.Outcome == sched.Committed || e.Outcome == sched.Superseded:
	case q.extras > 0 && c.promote(r):
		q.extras--
	default:
		c.wait(now, r.handle, r.stage, +1)
	}
}

// promote lets the second attempt of a task take the place of the first, if there is one.
func (c *collector) promote(first *running) bool {
	for i := range c.attempts {
		if r := &c.attempts[i]; r.live && r.extra && r.handle == first.handle && r.stage == first.stage && r.task == first.task {
			r.extra = false
			return true
		}
	}
	return false
}

func (c *collector) jobEnded(now units.Time, j sched.JobID) {
	p := c.job(j)
	if p == nil {
		return
	}
	c.moveTo(now)
	q := &c.queue[j]
	c.series.now[mapsWaiting] -= q.open[0]
	c.series.now[reducesWaiting] -= q.open[1]
	if q.live > 0 {
		c.series.now[jobsRunning]--
	} else {
		c.series.now[jobsWaiting]--
	}
	p.spec = nil
}

// draw adds an attempt to the bars.
func (c *collector) draw(r *running, now units.Time, o sched.Outcome) {
	if c.gantt == nil {
		return
	}
	b := bar{begin: r.began, end: now, busy: now.Sub(r.began), n: 1, task: r.task, stage: r.stage, outcome: o}
	if o != sched.Committed && o != sched.NoOutcome {
		b.wasted = b.busy
	}
	b.mix.add(r.job, int64(b.busy))
	if b.busy == 0 {
		b.mix.jobs[0] = r.job
	}
	c.gantt.add(r.first, &b)
	for _, i := range r.more {
		c.gantt.add(i, &b)
	}
}

// hold counts the slots of an attempt as taken, or as given back.
func (c *collector) hold(r *running, sign int64) {
	c.series.now[attemptsRunning] += sign
	n := at(&c.offers, r.node)
	for k, slots := range r.slots {
		c.series.now[mapHeld+2*k] += sign * slots
		before := max(n.offers[k], n.holds[k])
		n.holds[k] += sign * slots
		c.series.now[mapOffered+2*k] += max(n.offers[k], n.holds[k]) - before
	}
}

func (c *collector) offered(now units.Time, h sched.NodeID, slots [2]int64) {
	c.moveTo(now)
	if c.gantt != nil {
		c.gantt.grow(c.places)
	}
	n := at(&c.offers, h)
	for k := range slots {
		before := max(n.offers[k], n.holds[k])
		n.offers[k] = slots[k]
		c.series.now[mapOffered+2*k] += max(n.offers[k], n.holds[k]) - before
	}
}

// close ends the run: attempts that still ran are drawn until now.
func (c *collector) close() {
	if c.closed {
		return
	}
	c.closed = true
	c.series.advance(c.last)
	for i := range c.attempts {
		if r := &c.attempts[i]; r.live {
			c.draw(r, c.last, sched.NoOutcome)
		}
	}
}
