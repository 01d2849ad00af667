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

// outlook is a job as the optimizer sees it. Its variables are the slots of each stage in each step that is
// controlled, from the first at which it can use any.
type outlook struct {
	left   float64 // part of all its work
	m      *member
	job    *sched.Job
	stages []int      // those that have tasks left
	both   [2]int     // its room
	from   [2]int     // the first step at which the stage can use slots
	begins [2]int     // where its variables begin
	n      int        // variables
	row    [2]int     // of equation 2
	each   [2]float64 // of the row, as part of what there is
	work   [2]float64 // of each stage, as part of all work
	most   [2]float64 // slots that it can use
	owes   []float64  // y_ref of each step, as part of its work
	per    float64    // y_ref without its end
	weight float64    // ω δ
	// progress of each step by all variables, and without any: hp rows of n
	gain []float64
	base []float64
}

// at is the variable that says how many slots a stage has in a step, -1 where it has none yet. Those of the last
// step that is controlled stay to the end.
func (o *outlook) at(s, step, hc int) int {
	if step = min(step, hc-1); step < o.from[s] {
		return -1
	}
	return o.begins[s] + step - o.from[s]
}

// control predicts and solves (section 3.1, eq. 3), with steps that begin now.
func (c *controller) control(v sched.View) {
	part, speed := c.foresee(v)
	have := c.Total
	list := c.outlooks[:0]
	c.room, c.used = c.room[:0], 0
	for _, m := range c.Members {
		job := v.Job(m.Job)
		m.Let = false
		m.Plan, m.Owed, m.Foreseen, m.Fast = [2]int64{}, 0, 0, false
		if !asks(job) && job.Standing() != sched.Admitted || job.Deadline == units.Never {
			continue
		}
		if o := c.look(v, m, job, have, speed); o != nil {
			list = append(list, o)
		}
	}
	c.outlooks = list
	c.Prices = [rows]int64{}
	if len(list) == 0 || have == [rows]int64{} {
		return
	}
	c.pose(list, part)
	found := c.solverState.Solve(&c.problem)
	if found.Status == optimize.Stopped {
		return
	}
	for k, o := range list {
		x := found.X[k]
		y := o.base[0]
		for i, g := range o.gain[:len(x)] {
			y += float64(g * x[i])
		}
		for _, s := range o.stages {
			if at := o.at(s, 0, c.set.hc); at >= 0 && units.Rounded(x[at]) >= 2*least {
				o.m.Plan[s] = int64(math.Round(units.Rounded(1000 * x[at])))
			}
		}
		o.m.Owed, o.m.Foreseen = millionths(o.owes[0]), millionths(min(y, o.left)) // nobody does more than is left
	}
	for r, at := range c.place {
		if at >= 0 {
			c.Prices[r] = int64(math.Round(units.Rounded(max(-1e12, min(1e12, -1e6*found.Prices[at]/max(1, float64(have[r])))))))
		}
	}
}

func millionths(x float64) int64 { return int64(math.Round(units.Rounded(1e6 * min(max(x, 0), 1e6)))) }

// look prepares a job; nil if it has no task left.
func (c *controller) look(v sched.View, m *member, job *sched.Job, have [rows]int64, speed []float64) *outlook {
	if len(c.room) == cap(c.room) {
		c.room = make([]outlook, 0, 64+2*cap(c.room)) // what was handed out stays where it is
	}
	c.room = append(c.room, outlook{m: m, job: job, owes: c.zeroes(c.set.hp)[:0]})
	o := &c.room[len(c.room)-1]
	o.stages = o.both[:0]
	k := c.class(v, job)
	work, left, finish := 0.0, 0.0, 0.0
	var seconds [2]float64
	for s, stage := range planned {
		t := &job.Stages[stage]
		tasks := float64(t.Left())
		o.most[s] = tasks
		seconds[s] = max(k.Stages[s].Mean, 1e-3)
		work += float64(seconds[s] * float64(t.Total))
		left += float64(seconds[s] * tasks)
		if job.Spec.Stage(stage) == nil {
			continue
		}
		var each int64
		if o.row[s], each = cost(v, job, stage); each > 0 {
			o.each[s] = float64(each) / max(1, float64(have[o.row[s]]))
			if tasks > 0 {
				o.stages = append(o.stages, s)
				finish += tasks / float64(max(m.Bound[s], t.Occupied, 1)) * seconds[s]
			}
		}
	}
	if len(o.stages) == 0 {
		return nil
	}
	for s, stage := range planned {
		o.work[s] = float64(seconds[s]*float64(job.Stages[stage].Total)) / work
	}
	o.left = left / work
	c.refer(v, o, finish)
	hp, hc := c.set.hp, c.set.hc
	if !job.Stages[sched.Reduce].Ready {
		o.from[1] = min(c.mapsEnd(o, seconds[0]), hc-1)
	}
	for _, s := range o.stages {
		o.begins[s] = o.n
		o.n += hc - o.from[s]
	}
	n := o.n
	o.gain, o.base = c.zeroes(hp*n), c.zeroes(hp)
	for _, s := range o.stages {
		t := &job.Stages[planned[s]]
		of := &k.Stages[s]
		unit := of.unit(c.set.interval, t.Total)
		var room [2 + 2*mostLags]float64
		e := of.affine(&c.set, c.set.regress(room[:0], float64(max(m.Bound[s], t.Occupied))*speed[0]*unit, &m.Past[s], t.Total))
		if believed := c.set.beliefs.Progress; believed != nil {
			e.inputs[0] *= believed(c.Intervals, m.ID, s)
		}
		// Progress of a step follows from slots of it and of those before, and from progress of these: it is affine
		// in all slots up to it.
		rows, constants := c.zeroes(hp*n), c.zeroes(hp)
		for step := range hp {
			row := rows[step*n : (step+1)*n]
			constants[step] = e.rest
			for lag, by := range e.inputs[:1+c.set.inputLags] {
				if at := step - lag; at < 0 {
					constants[step] += float64(by * m.Past[s][1][-1-at])
				} else if x := o.at(s, at, hc); x >= 0 {
					row[x] += float64(by * unit * speed[at])
				}
			}
			for lag, by := range e.outputs[:c.set.outputLags] {
				at := step - 1 - lag
				if at < 0 {
					constants[step] += float64(by * m.Past[s][0][-1-at])
					continue
				}
				constants[step] += float64(by * constants[at])
				for x, g := range rows[at*n : (at+1)*n] {
					row[x] += float64(by * g)
				}
			}
			for x, g := range row {
				o.gain[step*n+x] += float64(o.work[s] * g)
			}
			o.base[step] += float64(o.work[s] * constants[step])
		}
	}
	return o
}

// mapsEnd is the step within which the maps of a job could be done with all slots of their kind.
func (c *controller) mapsEnd(o *outlook, mean float64) int {
	if o.each[0] == 0 || o.most[0] == 0 {
		return 0
	}
	at := max(1, min(o.most[0], 1/o.each[0]))
	return int(min(100, units.Rounded(o.most[0]*mean/at/c.set.interval.Seconds())))
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
			c.limit(o.row[s], part)
		}
	}
	shared := len(c.problem.Shared)
	c.problem.Blocks = slices.Grow(c.problem.Blocks[:0], len(list))
	for _, o := range list {
		n := o.n
		b := optimize.Block{Hessian: c.zeroes(n * n), Cost: c.zeroes(n), Upper: c.zeroes(n), Shares: c.zeroes(shared * n)}
		for step := range hp {
			o.count(&b, step)
		}
		for _, s := range o.stages {
			penalty := 2 * c.penalty(o.job.Spec.Class, s) * o.each[s] * o.each[s]
			for step := o.from[s]; step < hc; step++ {
				x := o.at(s, step, hc)
				b.Upper[x] = max(2*least, o.most[s])
				b.Shares[(c.place[o.row[s]]+step)*n+x] = o.each[s]
				b.Hessian[x*n+x] += penalty
				switch {
				case step > o.from[s]:
					b.Hessian[(x-1)*n+x-1] += penalty
					b.Hessian[x*n+x-1] -= penalty
					b.Hessian[(x-1)*n+x] -= penalty
				case step == 0:
					b.Cost[x] -= float64(penalty * float64(max(o.m.Bound[s], 0)))
				}
			}
		}
		c.problem.Blocks = append(c.problem.Blocks, b)
	}
}

// count adds to a job's cost what it misses of what it owes in a step. Its progress is affine in its slots.
func (o *outlook) count(b *optimize.Block, step int) {
	miss, g := o.base[step]-o.owes[step], o.gain[step*o.n:(step+1)*o.n]
	w := 2 * o.weight / (o.per * o.per)
	for x := range g {
		b.Cost[x] += float64(w * miss * g[x])
		for y := range g {
			b.Hessian[x*o.n+y] += float64(w * g[x] * g[y])
		}
	}
}

// penalty is P of maps, or Q of reduces. The paper has a pair for each of three applications; that of wordcount,
// which is given, is also that of all others.
func (c *controller) penalty(class string, s int) float64 {
	p := [2]float64{c.set.mapPenalty, c.set.reducePenalty}[s]
	switch class {
	case "grep":
		p *= [2]float64{96. / 107, 168. / 173}[s]
	case "terasort":
		p *= [2]float64{132. / 107, 194. / 173}[s]
	}
	return p
}

// zeroes returns so many, which are good until slots are planned again.
func (c *controller) zeroes(n int) []float64 {
	if c.used+n > len(c.floats) {
		// What was handed out stays where it is.
		c.floats, c.used = make([]float64, max(n, 2*len(c.floats), 1<<10)), 0
	}
	list := c.floats[c.used : c.used+n : c.used+n]
	c.used += n
	clear(list)
	return list
}

// limit adds the rows of one kind of slots: what there is of it in each step that is controlled.
func (c *controller) limit(row int, part []float64) {
	hc := c.set.hc
	for i := range hc {
		room := part[i] // of the first step all, as what there is now is known
		if i == hc-1 {  // its slots stay to the end of the horizon
			room = min(room, slices.Min(part[i:]))
		}
		c.problem.Shared = append(c.problem.Shared, max(least, room))
	}
}
