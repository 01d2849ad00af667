package rds

import (
	"github.com/slackline/slackline/internal/maths/draw"
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

// foresee is the resource predictor: how much of each row there will be at each step of the horizon,
// as part of what there is, and how fast nodes will be (section 4.1). Now is known.
func (c *controller) foresee(v sched.View) (part, speed []float64) {
	have, now := available(v)
	count := have[mapSlots] + have[reduceSlots]
	if count == 0 {
		count = v.Capacity()[units.VCores]
	}
	slots := float64(count)
	part, speed = make([]float64, c.set.hp), make([]float64, c.set.hp)
	c.Slots.Observe(slots)
	c.Speed.Observe(now)
	c.predict(c.Slots, slots, part)
	c.predict(c.Speed, now, speed)
	for i := range part {
		part[i] = min(10, part[i]/max(slots, 1))
		speed[i] = max(0.01, speed[i])
		if i > 0 {
			by := c.wrong(c.set.capacityError, "", i)
			part[i] *= by
			speed[i] *= by
		}
	}
	return part, speed
}

// predict writes now and what is expected of the intervals behind it.
func (c *controller) predict(f *forecast.AR, now float64, to []float64) {
	if len(c.steps) < len(to) {
		c.steps = make([]forecast.Step, len(to))
	}
	steps := c.steps[:len(to)]
	ok := !c.set.persistence && f.Predict(steps)
	for i := range to {
		to[i] = now
		if i > 0 && ok {
			to[i] = max(0, units.Rounded(steps[i-1].Mid))
		}
	}
}

// wrong is a factor so far from 1, up or down as it is drawn for each interval: the error that was asked for.
func (c *controller) wrong(by float64, of string, n int) float64 {
	if by == 0 {
		return 1
	}
	if draw.Of(uint64(c.Intervals), "wrong").Job(of).Number(uint64(n)).Chance(0.5) {
		return 1 - by
	}
	return 1 + by
}
