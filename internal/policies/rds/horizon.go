package rds

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// least is a bound that stands for none at all: with 0 there would be no way between the bounds.
const least = 1e-3

// outlook is a job as the optimizer sees it.
type outlook struct {
	left   float64 // part of all its work
	m      *member
	job    *sched.Job
	stages []int // of those that have tasks left
	row    [2]int
	each   [2]float64 // of the row, as part of what there is
	work   [2]float64 // of each stage, as part of all work
	todo   [2]float64 // what is left of that
	task   [2]float64 // of a task of the stage
	most   [2]float64 // slots that it can use
	owes   []float64  // y_ref of each step, as part of its work
	per    float64    // y_ref without its end
	weight float64    // ω δ
	opens  int        // the first step at which its reduces can have begun
	// progress of each step by all variables, and without any: hp rows of n
	gain []float64
	base []float64
}

// control predicts and solves (section 3.1, eq. 3), with steps that begin now.
func (c *controller) control(v sched.View) {
	part, speed := c.foresee(v)
	have, _ := available(v)
	var list []*outlook
	for _, m := range c.Members {
		job := v.Job(m.Job)
		m.Let = false
		m.Plan, m.Owed, m.Foreseen, m.Fast = [2]int64{}, 0, 0, c.short(job)
		if m.Fast || !asks(job) && job.Standing() != sched.Admitted || job.Deadline == units.Never {
			continue
		}
		if o := c.look(v, m, job, have, speed); o != nil {
			list = append(list, o)
		}
	}
	c.Prices = [rows]int64{}
	if len(list) == 0 || have == [rows]int64{} {
		return
	}
	c.pose(list, part)
	found := c.solverState.Solve(&c.problem)
	if found.Status != optimize.Optimal {
		return
	}
	for k, o := range list {
		x := found.X[k]
		y := o.base[0]
		for i, g := range o.gain[:len(x)] {
			y += float64(g * x[i])
		}
		for i, s := range o.stages {
			if u := units.Rounded(x[i]); u >= 2*least {
				o.m.Plan[s] = int64(math.Round(units.Rounded(1000 * u)))
			}
		}
		o.m.Owed, o.m.Foreseen = millionths(o.owes[0]), millionths(min(y, o.left)) // nobody does more than is left
	}
	for r, at := range c.place {
		if at >= 0 {
			c.Prices[r] = int64(math.Round(units.Rounded(max(-1e12, min(1e12, -1000*found.Prices[at]/max(1, float64(have[r])))))))
		}
	}
}

func millionths(x float64) int64 { return int64(math.Round(units.Rounded(1e6 * min(max(x, 0), 1e6)))) }

// look prepares a job; nil if it has no task left.
func (c *controller) look(v sched.View, m *member, job *sched.Job, have [rows]int64, speed []float64) *outlook {
	o := &outlook{m: m, job: job}
	k := c.class(v, job)
	work, left := 0.0, 0.0
	var seconds, tasks [2]float64
	for s, stage := range planned {
		t := &job.Stages[stage]
		tasks[s] = float64(max(0, t.Total-t.Done))
		seconds[s] = max(k.Stages[s].Mean, 1e-3)
		work += float64(seconds[s] * float64(t.Total))
		left += float64(seconds[s] * tasks[s])
		if job.Spec.Stage(stage) != nil {
			var each int64
			if o.row[s], each = cost(v, job, stage); each > 0 {
				o.each[s] = float64(each) / max(1, float64(have[o.row[s]]))
				if tasks[s] > 0 {
					o.stages = append(o.stages, s)
				}
			}
		}
	}
	for s, stage := range planned {
		o.task[s] = seconds[s] / work
		o.work[s], o.todo[s] = float64(seconds[s]*float64(job.Stages[stage].Total))/work, float64(seconds[s]*tasks[s])/work
	}
	if len(o.stages) == 0 {
		return nil
	}
	if o.stages[0] == 0 {
		at := max(1, min(tasks[0], 1/o.each[0]))
		o.opens = int(min(100, units.Rounded(tasks[0]*seconds[0]/at/c.set.interval.Seconds())))
	}
	hp, hc, n := c.set.hp, c.set.hc, len(o.stages)*c.set.hc
	o.gain, o.base = make([]float64, hp*n), make([]float64, hp)
	finish := 0.0
	for i, s := range o.stages {
		t := &job.Stages[planned[s]]
		of := &k.Stages[s]
		unit := of.unit(c.set.interval, t.Total)
		weight := o.work[s]
		o.most[s] = tasks[s]
		x := []float64{float64(max(m.Bound[s], t.Occupied)) * speed[0] * unit, m.Was[s], m.Used[s], size(t.Total)}
		slots, lagged, before, rest := of.affine(x)
		slots *= c.wrong(c.set.modelError, m.ID, s)
		// Progress of step i follows that of step i-1, so it is affine in all slots up to i.
		row, was, use := make([]float64, n), m.Was[s], m.Used[s]
		constant := 0.0
		for step := range hp {
			for j := range row {
				row[j] *= lagged
			}
			at := min(step, hc-1)*len(o.stages) + i
			row[at] += slots * unit * speed[step]
			if step > 0 {
				row[min(step-1, hc-1)*len(o.stages)+i] += before * unit * speed[step-1]
				constant = float64(lagged*constant) + rest
			} else {
				constant = float64(lagged*was) + float64(before*use) + rest
			}
			for j, g := range row {
				o.gain[step*n+j] += float64(weight * g)
			}
			o.base[step] += float64(weight * constant)
		}
		finish += tasks[s] / max(1, float64(max(m.Bound[s], t.Occupied))) * seconds[s]
	}
	o.left = left / work
	c.refer(v, o, finish)
	return o
}

// refer sets what each step owes, and what a miss of it weighs.
func (c *controller) refer(v sched.View, o *outlook, finish float64) {
	job, interval, left := o.job, c.set.interval.Seconds(), o.left
	soft, hard := bounds(job, c.set.hard)
	end := job.Arrived.Add(soft)
	intervals := max(1, soft.Seconds()/interval)
	o.per = 1 / intervals
	if c.set.adaptive {
		o.per = left / max(1, end.Sub(v.Now()).Seconds()/interval)
	}
	o.per = max(o.per, 1e-9)
	// δ: by when it would finish with the slots that it has, or with those of its reference.
	finish = min(finish, float64(left/o.per*interval))
	took := v.Now().Sub(job.Arrived).Seconds() + finish
	o.weight = decay(took, soft.Seconds(), hard.Seconds()) * priority(job)
	if c.set.phases {
		o.owesByPhase(c.set.hp, c.set.adaptive)
		return
	}
	for range c.set.hp {
		owed := min(o.per, max(0, left))
		o.owes = append(o.owes, owed)
		left -= owed
	}
}

// owesByPhase gives maps and reduces a deadline each (section 6.6, job progress estimation): a phase has the part
// of the time that it would take of the job alone on the cluster, which is that of a task at least.
func (o *outlook) owesByPhase(steps int, adaptive bool) {
	work := o.work
	if adaptive {
		work = o.todo
	}
	var takes, rate [2]float64 // rate: what an interval of the phase owes
	for s := range takes {
		if work[s] > 0 && o.each[s] > 0 {
			takes[s] = max(float64(work[s]*o.each[s]), o.task[s])
		}
	}
	for s := range rate {
		if takes[s] > 0 {
			rate[s] = o.per / (work[0] + work[1]) * work[s] * (takes[0] + takes[1]) / takes[s]
		}
	}
	todo := o.todo
	for range steps {
		owed, rest := 0.0, 1.0 // of the interval
		for s := range todo {
			if part := min(todo[s], float64(rate[s]*rest)); part > 0 {
				owed += part
				todo[s] -= part
				rest -= part / rate[s]
			}
		}
		o.owes = append(o.owes, owed)
	}
}

// priority is ω of a job: its weight, doubled by each step of its priority.
func priority(job *sched.Job) float64 {
	return job.Spec.Weight * math.Pow(2, float64(min(max(job.Spec.Priority, -2), 2)))
}

// bounds are t_soft and t_hard of a job, from its arrival. t_hard is at most twice t_soft.
func bounds(job *sched.Job, hundredths int64) (soft, hard units.Duration) {
	deadline := job.Deadline.Sub(job.Arrived)
	if job.Spec.Soft != units.Never && job.Spec.Soft < job.Deadline {
		soft, hard = job.Spec.Soft.Sub(job.Arrived), deadline
	} else {
		soft = deadline
		hard = soft / 100 * units.Duration(hundredths)
	}
	soft = max(soft, 1)
	return soft, min(max(hard, soft), 2*soft)
}

// decay is δ of equation 4.
func decay(y, soft, hard float64) float64 {
	switch {
	case units.Rounded(y) < units.Rounded(soft):
		return 1
	case units.Rounded(y) <= units.Rounded(hard):
		return 1 - (y-soft)/soft
	}
	return 0
}

// pose writes equation 3 as a quadratic problem. Progress is measured in what the interval owes, and
// slots in all of their kind.
func (c *controller) pose(list []*outlook, part []float64) {
	hp, hc := c.set.hp, c.set.hc
	c.problem.Shared = c.problem.Shared[:0]
	c.place = [rows]int{-1, -1, -1}
	for _, o := range list {
		for _, s := range o.stages {
			if c.place[o.row[s]] >= 0 {
				continue
			}
			c.place[o.row[s]] = len(c.problem.Shared)
			c.limit(part)
		}
	}
	shared := len(c.problem.Shared)
	c.problem.Blocks = slices.Grow(c.problem.Blocks[:0], len(list))
	for _, o := range list {
		stages := len(o.stages)
		n := stages * hc
		b := optimize.Block{Hessian: make([]float64, n*n), Cost: make([]float64, n), Lower: make([]float64, n),
			Upper: make([]float64, n), Shares: make([]float64, shared*n)}
		for step := range hp {
			g := o.gain[step*n : step*n+n]
			w := 2 * o.weight / (o.per * o.per)
			miss := o.base[step] - o.owes[step]
			for x := range n {
				b.Cost[x] += float64(w * miss * g[x])
				for y := range n {
					b.Hessian[x*n+y] += float64(w * g[x] * g[y])
				}
			}
		}
		for i, s := range o.stages {
			first := 0
			if !o.job.Stages[planned[s]].Ready && s == 1 {
				first = min(o.opens, hc-1)
			}
			penalty := 2 * c.set.mapPenalty * o.each[s] * o.each[s]
			if s == 1 {
				penalty = 2 * c.set.reducePenalty * o.each[s] * o.each[s]
			}
			for step := range hc {
				x := step*stages + i
				b.Upper[x] = max(2*least, o.most[s])
				if step < first {
					b.Upper[x] = least
				}
				b.Shares[(c.place[o.row[s]]+step)*n+x] = o.each[s]
				b.Hessian[x*n+x] += penalty
				if step > 0 {
					b.Hessian[(x-stages)*n+x-stages] += penalty
					b.Hessian[x*n+x-stages] -= penalty
					b.Hessian[(x-stages)*n+x] -= penalty
				} else {
					b.Cost[x] -= float64(penalty * float64(max(o.m.Bound[s], 0)))
				}
			}
			if c.set.terminal {
				c.finish(o, &b, i)
			}
		}
		c.problem.Blocks = append(c.problem.Blocks, b)
	}
}

// limit adds the rows of one kind of slots: what there is of it in each step that is controlled.
func (c *controller) limit(part []float64) {
	hc := c.set.hc
	for i := range hc {
		room := part[i]
		if i == 0 {
			room = 1 // what there is now is known
		}
		if i == hc-1 { // its slots stay to the end of the horizon
			room = min(room, slices.Min(part[i:]))
		}
		c.problem.Shared = append(c.problem.Shared, optimize.Limit{Lower: math.Inf(-1), Upper: max(least, room)})
	}
}

// finish adds the terminal cost of equations 11 and 12, which equation 3 lacks: what the rest of an
// endless horizon would cost without bounds, by the slots of the last step (Riccati's equation for one
// stage: f² + a f - a p = 0).
func (c *controller) finish(o *outlook, b *optimize.Block, i int) {
	s := o.stages[i]
	hp, hc, stages := c.set.hp, c.set.hc, len(o.stages)
	n := stages * hc
	x := (hc-1)*stages + i
	g := o.gain[(hp-1)*n+x]
	a := o.weight * g * g / (o.per * o.per)
	p := c.set.mapPenalty * o.each[s] * o.each[s]
	if s == 1 {
		p = c.set.reducePenalty * o.each[s] * o.each[s]
	}
	f := (math.Sqrt(a*a+4*a*p) - a) / 2
	if units.Rounded(g) <= 0 {
		return
	}
	goal := (o.owes[hp-1] - o.base[hp-1]) / g
	b.Hessian[x*n+x] += 2 * f
	b.Cost[x] -= 2 * f * goal
}
