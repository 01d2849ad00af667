package rds

import (
	"cmp"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The rows of equation 2: what maps draw on, what reduces draw on, and what both draw on where there
// are no slots.
const (
	mapSlots = iota
	reduceSlots
	resources
	rows
)

// whole is the cluster, where it is not counted in slots.
const whole = 1_000_000_000

// available is how much there is of each row, and the mean speed of the nodes.
func available(v sched.View) (have [rows]int64, speed float64) {
	total := v.Capacity()
	have[mapSlots], have[reduceSlots], have[resources] = total[units.MapSlots], total[units.ReduceSlots], whole
	nodes := 0
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if node := v.Node(n); node != nil && node.Serves() {
			speed += node.Speed
			nodes++
		}
	}
	if nodes == 0 {
		return [rows]int64{}, 1
	}
	return have, speed / float64(nodes)
}

// cost is what one container of a stage takes of which row. Of one that the cluster has no room for
// it is 0.
func cost(v sched.View, job *sched.Job, s sched.Stage) (row int, each int64) {
	st := job.Spec.Stage(s)
	needs := st.Container(0).Needs
	switch {
	case needs[units.MapSlots] > 0:
		return mapSlots, needs[units.MapSlots]
	case needs[units.ReduceSlots] > 0:
		return reduceSlots, needs[units.ReduceSlots]
	}
	total := v.Capacity()
	for d, x := range needs {
		switch {
		case x <= 0:
		case total[d] < x:
			return resources, 0
		default:
			each = max(each, int64(units.Rounded(float64(whole)*(float64(x)/float64(total[d])))))
		}
	}
	return resources, max(each, 1)
}

// level is how many slots there are, and how fast nodes are.
func (c *controller) level(v sched.View) (slots, speed float64) {
	count := cmp.Or(c.Total[mapSlots]+c.Total[reduceSlots], v.Capacity()[units.VCores])
	return float64(count), c.Pace
}

// remembered is how many intervals forecasters look back, a day of the paper's.
const remembered = 144

// observe shows the forecasters what there was at the ends of all intervals since they were asked last. They are
// equally far apart from the first plan on, whenever it is planned and whether jobs are there.
func (c *controller) observe(v sched.View) {
	now := v.Now()
	slots, speed := c.level(v)
	behind := now.Sub(c.Observe) / c.set.interval
	c.Observe = c.Observe.Add(max(0, behind-remembered) * c.set.interval)
	for ; c.Observe <= now; c.Observe = c.Observe.Add(c.set.interval) {
		if c.Observe == now {
			c.Level = [2]float64{slots, speed}
		}
		c.Slots.Observe(c.Level[0])
		c.Speed.Observe(c.Level[1])
	}
	c.Level = [2]float64{slots, speed}
}

// foresee is the resource predictor: how much of each row there will be at each step of the horizon,
// as part of what there is, and how fast nodes will be (section 4.1). Now is known.
func (c *controller) foresee(v sched.View) (part, speed []float64) {
	slots, now := c.level(v)
	if c.Observe == units.Never { // the first plan
		c.Observe = v.Now()
		c.observe(v)
	}
	part, speed = make([]float64, c.set.hp), make([]float64, c.set.hp)
	// Where it is planned between two observations, so are the values that are expected.
	late := 1 - float64(c.Observe.Sub(v.Now()))/float64(c.set.interval)
	c.predict(c.Slots, slots, late, part)
	c.predict(c.Speed, now, late, speed)
	for i := range part {
		part[i] = min(10, part[i]/max(slots, 1))
		speed[i] = max(0.01, speed[i])
	}
	if believed := c.set.beliefs.Capacity; believed != nil {
		believed(v, c.set.interval, c.Intervals, part, speed)
	}
	return part, speed
}

// predict writes now and what is expected of the intervals behind it, of which the first begins late, a part of an
// interval after the forecaster has seen a value.
func (c *controller) predict(f *forecast.AR, now, late float64, to []float64) {
	if len(c.steps) <= len(to) {
		c.steps = make([]forecast.Step, len(to)+1)
	}
	steps := c.steps[:len(to)+1]
	ok := f.Predict(steps)
	for i := range to {
		to[i] = now
		if i > 0 && ok {
			to[i] = max(0, units.Rounded(float64((1-late)*steps[i-1].Mid)+float64(late*steps[i].Mid)))
		}
	}
}
