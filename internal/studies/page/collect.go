package page

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// collector is the sink behind one run of the page.
type collector struct {
	follow.Single
	tracker
	books  *account.Accountant       // nil: nobody keeps accounts
	says   func(queue string) string // what a queue is promised
	gantt  *gantt                    // nil: the run has no drawing of slots
	series *series
	meter  energy.Meter
	green  float64             // watts that are supplied
	queue  []queued            // by index of job
	offers []offer             // by handle of node
	groups [groupings][]string // names, as they came
	marks  *marks              // nil: as gantt
	extras map[sched.ItemID]bool
	last   units.Time // when something was drawn
	closed bool
}

// queued is what of a job waits and runs.
type queued struct {
	open   [2]int64 // maps, other tasks
	known  [2]int64 // tasks of the job, likewise
	live   int32    // attempts
	extras int32    // of them second ones of their task
	in     [groupings]uint8
}

// offer is what a node offers and holds, in map and reduce slots. As in the report, a node that
// drains counts with what it runs.
type offer struct{ offers, holds [2]int64 }

func newCollector(bars, points int) *collector {
	c := &collector{series: newSeries(points), extras: map[sched.ItemID]bool{}}
	if bars > 0 {
		c.gantt, c.marks = newGantt(bars), &marks{}
	}
	return c
}

// Plan notes which items are second attempts: their tasks do not wait.
func (c *collector) Plan(_ units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		if d := &decisions[i]; d.Verb == sched.Speculate {
			c.extras[d.ID] = true
		}
	}
	return nil
}

// farthest is the last time that is told apart, some nine years: sums over slots have room above it.
const farthest = units.Time(1 << 58)

// Batch takes in what happened.
func (c *collector) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e, now := &records[i], min(records[i].At, farthest)
		if e.Sizes {
			c.size(now, e.Job)
		}
		c.marks.node(now, e)
		if n := e.Host; n != nil && n.Spec != nil && (e.Kind == sched.NodeUp || e.Kind == sched.NodeChanged || e.Kind == sched.NodeDown) {
			c.moveTo(now)
			c.meter.Node(now, e.Node, n.Spec.Class, n.State)
			c.draws()
		}
		switch e.Kind {
		case sched.SupplyChanged:
			if e.Of < sched.Supplies {
				c.moveTo(now)
				c.series.now[supplied+int(e.Of)] = int64(math.Round(min(1e15, max(0, 1000*e.X))))
				if e.Of == sched.GreenPower {
					c.green = e.X
				}
				c.draws()
			}
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				c.nodeUp(e.Node, e.Detail.Node)
				v := &e.Detail.Node.Class.Capacity
				c.offered(now, e.Node, [2]int64{v[units.MapSlots], v[units.ReduceSlots]})
			}
		case sched.NodeDown:
			c.offered(now, e.Node, [2]int64{})
		case sched.JobArrived:
			if e.Job != nil {
				c.arrived(now, e)
			}
		case sched.Started:
			if e.Attempt != nil && !e.Again {
				c.started(now, e.Attempt)
			}
		case sched.Ended:
			if e.Attempt != nil {
				c.ended(now, e)
			}
		case sched.OutputLost:
			if e.Job != nil {
				c.wait(now, e.Job, e.Stage, +1)
			}
		case sched.JobEnded:
			if e.Job != nil {
				c.jobEnded(now, e.Job)
			}
		case sched.Refused:
			delete(c.extras, e.Item)
		}
	}
	return nil
}

// draws notes what all nodes draw, and how much of it no green power covers.
func (c *collector) draws() {
	all := float64(c.meter.Power())
	c.series.now[power], c.series.now[brown] = int64(math.Round(all)), int64(math.Round(max(0, all-c.green)))
}

// moveTo moves time to now, before something changes.
func (c *collector) moveTo(now units.Time) {
	c.series.advance(now)
	c.last = max(c.last, now)
}

// arrived lets a job's tasks wait: those that are not done and, of a job that is told again, do not run.
func (c *collector) arrived(now units.Time, e *follow.Record) {
	c.moveTo(now)
	q := sched.Row(&c.queue, e.Job.Index)
	if !e.Again {
		*q = queued{}
		for k, name := range [groupings]string{e.Job.Spec.Class, e.Job.Spec.Queue, e.Job.Spec.User} {
			q.in[k] = c.group(k, name)
		}
		c.series.now[jobsWaiting]++
	}
	waits := tasksOf(e.Job)
	q.known = waits
	for i := range e.Job.Spec.Stages {
		st := &e.Job.Spec.Stages[i]
		waits[later(st.Kind)] -= int64(len(st.Done))
	}
	for i := range c.attempts {
		if r := &c.attempts[i]; e.Again && r.Attempt != nil && r.Job == e.Job && !r.extra {
			waits[later(r.Stage)]--
		}
	}
	for k, n := range waits {
		c.series.now[mapsWaiting+k] += n - q.open[k]
		q.open[k] = n
	}
}

// group is the number of a class, queue or user; the last stands for those for which there is no room.
func (c *collector) group(k int, name string) uint8 {
	i := slices.Index(c.groups[k], name)
	if i < 0 && len(c.groups[k]) < mostGroups-1 {
		i, c.groups[k] = len(c.groups[k]), append(c.groups[k], name)
	}
	if i < 0 {
		return mostGroups - 1
	}
	return uint8(i)
}

// tasksOf are the maps and the other tasks that are known of.
func tasksOf(j *follow.Job) (n [2]int64) {
	for i := range j.Spec.Stages {
		kind := j.Spec.Stages[i].Kind
		n[later(kind)] += int64(j.Tasks(kind))
	}
	return n
}

// size lets tasks wait that were not known of before.
func (c *collector) size(now units.Time, j *follow.Job) {
	c.moveTo(now)
	q, n := &c.queue[j.Index], tasksOf(j)
	for k := range n {
		c.series.now[mapsWaiting+k] += n[k] - q.known[k]
		q.open[k] += n[k] - q.known[k]
	}
	q.known = n
}

// later is 0 for maps, 1 for the tasks of all other stages.
func later(s sched.Stage) int {
	if s == sched.Map {
		return 0
	}
	return 1
}

// wait changes the number of a job's tasks that wait.
func (c *collector) wait(now units.Time, j *follow.Job, s sched.Stage, n int64) {
	c.moveTo(now)
	k := later(s)
	c.queue[j.Index].open[k] += n
	c.series.now[mapsWaiting+k] += n
}

func (c *collector) started(now units.Time, a *follow.Attempt) {
	r := c.start(now, a)
	if c.gantt != nil {
		c.gantt.grow(c.lanes)
	}
	c.moveTo(now)
	q := &c.queue[a.Job.Index]
	if len(c.extras) > 0 && c.extras[a.Item] {
		delete(c.extras, a.Item)
		r.extra = true
		q.extras++
	} else {
		c.wait(now, a.Job, a.Stage, -1)
	}
	if q.live++; q.live == 1 {
		c.series.now[jobsWaiting]--
		c.series.now[jobsRunning]++
	}
	c.hold(a, +1)
}

func (c *collector) ended(now units.Time, e *follow.Record) {
	a, outcome := e.Attempt, e.Outcome
	r := c.end(now, a)
	c.moveTo(now)
	c.draw(&r, now, outcome)
	c.marks.ended(now, a.Node, outcome)
	c.hold(a, -1)
	if e.Over {
		return
	}
	q := &c.queue[a.Job.Index]
	if q.live--; q.live == 0 {
		c.series.now[jobsRunning]--
		c.series.now[jobsWaiting]++
	}
	switch {
	case r.extra:
		q.extras--
	case outcome == sched.Committed || outcome == sched.Superseded:
	case q.extras > 0 && c.promote(a):
		q.extras--
	default:
		c.wait(now, a.Job, a.Stage, +1)
	}
}

// promote lets the second attempt of a task take the place of the first, if there is one.
func (c *collector) promote(first *follow.Attempt) bool {
	for i := range c.attempts {
		if r := &c.attempts[i]; r.Attempt != nil && r.extra && r.Job == first.Job && r.Stage == first.Stage && r.Task == first.Task {
			r.extra = false
			return true
		}
	}
	return false
}

func (c *collector) jobEnded(now units.Time, j *follow.Job) {
	c.moveTo(now)
	q := &c.queue[j.Index]
	c.series.now[mapsWaiting] -= q.open[0]
	c.series.now[reducesWaiting] -= q.open[1]
	if q.live > 0 {
		c.series.now[jobsRunning]--
	} else {
		c.series.now[jobsWaiting]--
	}
}

// draw adds an attempt to the bars.
func (c *collector) draw(r *running, now units.Time, o sched.Outcome) {
	if c.gantt == nil {
		return
	}
	b := bar{begin: r.since, end: now, busy: now.Sub(r.since), n: 1, task: r.Task, stage: r.Stage, outcome: o}
	if o != sched.Committed && o != sched.NoOutcome {
		b.wasted = b.busy
	}
	job := int32(r.Job.Number)
	b.mix.add(job, int64(b.busy))
	if b.busy == 0 {
		b.mix.jobs[0] = job
	}
	c.gantt.add(r.first, &b)
	for _, i := range r.more {
		c.gantt.add(i, &b)
	}
}

// hold counts the slots of an attempt as taken, or as given back.
func (c *collector) hold(a *follow.Attempt, sign int64) {
	if c.meter.Known {
		c.meter.Hold(c.last, a.Node, a.Needs, a.Job.Spec, a.Stage, a.Container, int(sign))
		c.draws()
	}
	c.series.now[attemptsRunning] += sign
	for k, i := range c.queue[a.Job.Index].in {
		c.series.now[held+k*mostGroups+int(i)] += sign
	}
	n := sched.Row(&c.offers, a.Node)
	for k, slots := range [2]int64{a.Needs[units.MapSlots], a.Needs[units.ReduceSlots]} {
		c.series.now[mapHeld+2*k] += sign * slots
		before := max(n.offers[k], n.holds[k])
		n.holds[k] += sign * slots
		c.series.now[mapOffered+2*k] += max(n.offers[k], n.holds[k]) - before
	}
}

func (c *collector) offered(now units.Time, h sched.NodeID, slots [2]int64) {
	c.moveTo(now)
	if c.gantt != nil {
		c.gantt.grow(c.lanes)
	}
	n := sched.Row(&c.offers, h)
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
	c.marks.close(c.last)
	for i := range c.attempts {
		if r := &c.attempts[i]; r.Attempt != nil {
			c.draw(r, c.last, sched.NoOutcome)
		}
	}
}
