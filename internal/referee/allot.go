package referee

import (
	"cmp"
	"math"
	"slices"
)

// allotted is the policy capacity-plan: problem P2 of paper 004 for the cluster that is up. It is
// both the order and the admission.
type allotted struct {
	queues      *describedQueues
	upper, hold bool
	masters     float64
	classes     map[string]*allotment
	came        map[string]int
}

// An allotment is what a class gets.
type allotment struct {
	name       string
	gamma      int64      // thousand millionth parts of the cluster for one job; 0 = the class cannot be planned for
	each       [2]float64 // map and reduce slots of one job
	all        [2]int64   // of the cluster
	penalty    float64
	runs, jobs int
	asks       bool       // what one job takes is that of those that ask
	taken      int64      // by jobs that run
	holds      [2]float64 // slots that they need
	others     int        // jobs that cannot be planned for
	most       int        // that its queue foresees
	admit      int
	slots      [2]int
	held       [stages]int
	seq        int
}

func allottedOf(m *made, a *asked) *allotted {
	return &allotted{queues: m.queues, upper: a.with["bound"] == "upper", hold: a.with["over"] == "hold", masters: float64(a.count("masters", 10)) / 100,
		classes: map[string]*allotment{}, came: map[string]int{}}
}

func classOf(j *job) string { return cmp.Or(j.Class, "default") }

// described is the queue of that name at the top of the description.
func (o *allotted) described(name string) describedQueue {
	for _, q := range o.queues.Queues {
		if q.Name == cmp.Or(name, "default") {
			return q
		}
	}
	return describedQueue{}
}

// replanning are the events on which the plan is made again.
var replanning = []string{"node-up", "node-down", "node-changed", "profile-learned", "job-ended", "job-amended", "job-arrived", "stage-ready"}

func (o *allotted) decide(b *book, events []*line, p *wants) {
	if !slices.ContainsFunc(events, func(e *line) bool { return slices.Contains(replanning, e.name) }) {
		return
	}
	o.look(b) // a class came with its first job, also if that is refused now
	price := o.plan(b)
	for _, j := range b.live {
		if j.waits || j.state != pending && j.state != held {
			continue
		}
		gamma, _, _, known := o.need(b, j)
		c := o.classes[classOf(j)]
		switch {
		case !known && j.stage[master] != nil && o.crowded(b, j, p):
		case !known && j.Deadline == never:
			p.verdict("admit", j, admitted, "", "no-deadline")
		case !known:
			p.verdict("admit", j, admitted, "", "unplanned")
		case gamma > 1e9 && (j.goesOn() || j.begun()):
			p.verdict("admit", j, admitted, "", "begun")
		case gamma > 1e9 && o.hold && j.stage[master] != nil && o.crowded(b, j, p):
		case gamma > 1e9 && o.hold:
			p.verdict("admit", j, admitted, "", "beyond-plan"+numbers(j.Deadline-b.now))
		case gamma > 1e9:
			p.verdict("reject", j, rejected, "", "plan-late"+numbers(j.Deadline-b.now))
		case c.runs < c.admit:
			c.runs++
			p.verdict("admit", j, admitted, "", "planned"+numbers(j.Deadline))
		case j.goesOn() || j.begun():
			c.runs++
			p.verdict("admit", j, admitted, "", "begun")
		case !o.hold:
			p.verdict("reject", j, rejected, "", "over-plan"+numbers(int64(c.admit), c.worth(), price))
		case j.state == pending:
			p.verdict("hold", j, held, "", "over-plan"+numbers(int64(c.admit), c.worth(), price))
		}
	}
}

// crowded holds a job for whose master those of others leave no room.
func (o *allotted) crowded(b *book, j *job, p *wants) bool {
	c := constraint{share: o.masters}
	before := len(p.acts)
	state := j.state
	c.lend(b, j, p)
	if len(p.acts) > before && p.acts[before].verb == "hold" || len(p.acts) == before {
		return true
	}
	p.acts = p.acts[:before] // it has room: the verdict is given for another reason
	p.taken[len(p.taken)-1]()
	p.taken = p.taken[:len(p.taken)-1]
	j.state = state
	return false
}

// need is the part of the cluster that a job needs to meet its deadline by its bound, counted from
// its start, or from now before that. Above a thousand millions all of the cluster is not enough.
func (o *allotted) need(b *book, j *job) (gamma int64, each [2]float64, all [2]int64, known bool) {
	var work, longest, once [2]float64
	stagesOf := [2]*stage{j.stage[mapStage], j.stage[reduceStage]}
	b.count()
	for i, s := range stagesOf {
		if s == nil || len(s.Tasks) == 0 {
			continue
		}
		once[i], all[i] = 1, 1<<31
		for d, x := range s.needs {
			if x > 0 {
				all[i] = min(all[i], b.capacity[d]/x)
			}
		}
	}
	if j.Deadline == never {
		return 0, once, all, false
	}
	p := b.profiles[j.Class]
	if p == nil {
		return 0, once, all, false
	}
	fixed := 0.0
	if j.stage[master] != nil {
		k := p.stage(master)
		if fixed = k.Start.Max; k.Start.N == 0 {
			return 0, once, all, false
		}
	}
	for i, s := range stagesOf { // what tasks of the class took, with their fetching
		if s == nil {
			continue
		}
		k := p.stage([2]int{mapStage, reduceStage}[i])
		if k.Task.N == 0 || len(s.Tasks) == 0 {
			return 0, once, all, false
		}
		work[i], longest[i] = float64(len(s.Tasks))*(k.Task.Mean+k.Shuffle.Mean), k.Task.Max+k.Shuffle.Max
	}
	for i := range work {
		if once[i] == 0 {
			work[i] = 0
			continue
		}
		less := longest[i] // the middle between n μ k⁻¹ and (n μ - 2 λ) k⁻¹ + 2 λ
		if o.upper {
			less *= 2
		}
		fixed += less
		if work[i] -= less; work[i] < 0 { // the bound rises with the slots
			if !o.upper { // the middle: what it is with one
				fixed += work[i]
			}
			work[i] = 0
		}
	}
	rest := float64(j.Deadline-min(j.started, b.now))/1e9 - fixed // from its start, or from now
	part := 2.0
	if rest > 1e-9 && (once[0] == 0 || all[0] > 0) && (once[1] == 0 || all[1] > 0) {
		shared := false
		if stagesOf[0] != nil && stagesOf[1] != nil {
			for d := range stagesOf[0].needs {
				shared = shared || stagesOf[0].needs[d] > 0 && stagesOf[1].needs[d] > 0
			}
		}
		share := func(i int, slots float64) float64 { return slots / max(1, float64(all[i])) }
		if shared {
			each = cheapest(work, once, all, rest)
			part = share(0, each[0]) + share(1, each[1])
		} else {
			alike := share(0, work[0])/rest + share(1, work[1])/rest
			each = [2]float64{max(once[0], alike*float64(all[0])), max(once[1], alike*float64(all[1]))}
			part = max(share(0, each[0]), share(1, each[1]))
		}
		if s := j.stage[master]; s != nil {
			most := 0.0
			for d, x := range s.needs {
				if x > 0 {
					most = max(most, float64(x)/float64(b.capacity[d]))
				}
			}
			part += most
		}
	}
	return max(1, int64(math.Floor(10*min(part, 2)*1e8+1e-2))), each, all, true
}

// cheapest finds the slots by trying: time falls with maps' slots, and what is left of it says how many reduces need.
func cheapest(work, once [2]float64, all [2]int64, rest float64) [2]float64 {
	reduces := func(maps float64) float64 {
		left := rest
		if work[0] > 0 {
			left -= work[0] / maps
		}
		switch {
		case left <= 0 && work[1] > 0, left < 0:
			return math.Inf(1)
		case work[1] == 0:
			return once[1]
		}
		return max(once[1], work[1]/left)
	}
	cost := func(maps float64) float64 {
		return maps/max(1, float64(all[0])) + reduces(maps)/max(1, float64(all[1]))
	}
	lo := max(once[0], work[0]/rest)
	hi := max(once[0], lo*1e6)
	for range 400 { // the cost is convex
		a, b := lo+(hi-lo)*0.382, lo+(hi-lo)*0.618
		if cost(a) <= cost(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return [2]float64{hi, reduces(hi)}
}

func (c *allotment) worth() int64 {
	return int64(math.Round(min(1e12*c.penalty/float64(c.gamma), 1e15)))
}

// plan gives classes their jobs and slots, and returns the price.
func (o *allotted) plan(b *book) (price int64) {
	for _, c := range o.classes {
		c.runs, c.jobs, c.others = 0, 0, 0
		c.asks, c.taken, c.holds = false, 0, [2]float64{}
		c.most = o.described(c.name).MaxRunning
	}
	for _, j := range b.live {
		if j.waits || j.state == rejected {
			continue
		}
		gamma, each, all, known := o.need(b, j)
		late := known && gamma > 1e9
		c := o.classes[classOf(j)]
		if c == nil {
			c = &allotment{name: classOf(j)}
			o.classes[c.name] = c
		}
		if !known || late {
			if !late || o.hold || j.state == admitted {
				c.others++
				c.all = [2]int64{max(c.all[0], all[0]), max(c.all[1], all[1])}
			}
			continue
		}
		runs := j.state == admitted
		if c.jobs == 0 {
			c.penalty = 0
		}
		if c.jobs == 0 || !runs && !c.asks {
			c.gamma, c.each, c.all, c.asks = 0, [2]float64{}, [2]int64{}, !runs
		}
		q := o.described(j.Queue)
		c.jobs++
		c.most = max(c.most, q.MaxRunning)
		if q.Weight == 0 {
			q.Weight = 1
		}
		c.penalty = max(c.penalty, j.Weight*q.Weight)
		if runs {
			c.runs++
			c.taken += gamma
			for i := range each {
				c.holds[i] += each[i]
			}
		}
		if runs == c.asks { // it does not say what the next one needs
			continue
		}
		c.gamma = max(c.gamma, gamma)
		for i := range each {
			c.each[i], c.all[i] = max(c.each[i], each[i]), max(c.all[i], all[i])
		}
	}
	var list []*allotment
	used, others := int64(0), 0.0
	for name, c := range o.classes {
		switch {
		case c.jobs+c.others == 0 && (c.most == 0 || c.gamma == 0):
			delete(o.classes, name)
			continue
		case c.jobs == 0 && c.most == 0:
			c.gamma = 0
		}
		c.admit = c.runs
		if c.gamma == 0 {
			others++
			continue
		}
		list = append(list, c)
		used += c.taken
	}
	slices.SortFunc(list, func(x, y *allotment) int {
		return cmp.Or(cmp.Compare(y.worth(), x.worth()), cmp.Compare(x.name, y.name))
	})
	for _, c := range list {
		for ; c.admit < max(c.jobs, c.most) && used+c.gamma <= 1e9; c.admit++ {
			used += c.gamma
		}
		if c.admit < max(c.jobs, c.most) && price == 0 {
			price = c.worth()
		}
	}
	stretch := 1.0
	if used > 1e9 || others == 0 && used > 0 {
		stretch = 1e9 / float64(used)
	}
	for _, c := range o.classes {
		for i := range c.slots {
			n := (c.holds[i] + c.each[i]*float64(c.admit-c.runs)) * stretch
			if c.gamma == 0 {
				n = max(0, 1e9-float64(used)) / 1e9 / others * float64(c.all[i])
			}
			c.slots[i] = max(1, int(math.Ceil(n-1e-6)))
		}
	}
	return price
}

func (o *allotted) shares() bool       { return true }
func (o *allotted) line(x, y *job) int { return 0 }

func (o *allotted) look(b *book) {
	was := o.came
	o.came = map[string]int{}
	for _, c := range o.classes {
		c.held = [stages]int{}
	}
	for _, j := range b.live {
		seq := sinceWhen(was, o.came, classOf(j), j.seq)
		if c := o.classes[classOf(j)]; c != nil {
			c.seq = seq
			for i := range j.Stages {
				c.held[j.Stages[i].kind] += j.Stages[i].occupied
			}
		}
	}
}

func (o *allotted) compare(x *job, s int, y *job, t int) int {
	if a, b := classOf(x), classOf(y); a != b {
		return came(s, o.came[a], t, o.came[b])
	}
	last := func(j *job) int {
		if j.Deadline == never {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(last(x), last(y)), cmp.Compare(x.stage[s].occupied, y.stage[t].occupied))
}

func (o *allotted) open(b *book, j *job, s int) bool {
	c := o.classes[classOf(j)]
	if c == nil || s != mapStage && s != reduceStage {
		return true
	}
	return c.held[s] < c.slots[s-mapStage]
}
