package optimize

import "math"

// mostStates is how many states the search looks at. Then it ends.
const mostStates = 1e6

// SolveWhole returns a plan in whole jobs and machines. Its problem is as that of Solve. There is none,
// and ok false, if a class has no whole number of jobs from its Low to its High.
func (p *Capacity) SolveWhole() (plan Plan, ok bool) { return p.solveWhole(mostStates) }

func (p *Capacity) solveWhole(most int) (plan Plan, ok bool) {
	whole := *p
	whole.Limit, whole.Classes = math.Floor(p.Limit), make([]Class, len(p.Classes))
	for i, c := range p.Classes {
		c.Low, c.High = math.Ceil(c.Low), math.Floor(c.High)
		if c.Low > c.High {
			return Plan{}, false
		}
		whole.Classes[i] = c
	}
	rank := whole.rank()
	plan, full := whole.byRank(rank)
	s := newSearch(&whole, rank, plan, full)
	s.most = most
	s.run()

	for n := s.best; n >= 0; n = s.nodes[n].before {
		plan.Admitted[s.nodes[n].class] += s.nodes[n].jobs
	}
	need, above := 0.0, 0.0 // above: jobs that are not there as the class has no whole number of them
	for i := range whole.Classes {
		need += whole.Classes[i].Gamma * plan.Admitted[i]
		above += p.Classes[i].Penalty * (p.Classes[i].High - whole.Classes[i].High)
	}
	whole.settle(&plan, s.machines(need))
	plan.Cost += above
	plan.LowerBound = min(max(plan.LowerBound, s.proved)+above, plan.Cost)
	return plan, true
}

// A state is what some of the plans have in common: how many machines their jobs need and what is
// rejected, if the classes that the search has not come to stay as they are.
type state struct {
	need, rejected float64
	node           int // the last change that led here, -1 for none
}

// A node is a change of one class, and the one before it.
type node struct {
	before, class int
	jobs          float64
}

// A search is what SolveWhole knows so far. Classes left of the split class may lose jobs, those right
// of it may gain some.
type search struct {
	p            *Capacity
	price, limit float64
	slack        float64 // of rounding, in machines

	rank         []ranked
	start        []float64 // jobs of each class at first
	left, right  int       // next places of the rank to look at, on either side
	root         state
	states, old  []state // by rising need and falling penalties; old is scratch
	looked, most int     // states that were looked at, and how many that may be
	nodes        []node
	best         int     // node of the best plan
	cost         float64 // its cost
	proved       float64 // what plans cost at least that were given up
}

func newSearch(p *Capacity, rank []ranked, plan Plan, full int) *search {
	s := &search{p: p, rank: rank, start: plan.Admitted, left: full - 1, right: full, best: -1}
	s.proved = math.Inf(1)
	s.price, s.limit = p.cheap()
	s.slack = 1e-10 * (plan.Reserved + plan.OnDemand)
	s.root.node = -1
	for i := range p.Classes {
		c := &p.Classes[i]
		s.start[i] = math.Floor(s.start[i])
		s.root.need += c.Gamma * s.start[i]
		s.root.rejected += c.Penalty * (c.High - s.start[i])
	}
	if full < len(rank) && s.start[rank[full].class] > p.Classes[rank[full].class].Low {
		s.left = full // the split class may change to both sides
	}
	s.cost = s.costOf(s.root)
	s.fill()
	return s
}

// machines rounds a need up.
func (s *search) machines(need float64) float64 { return max(0, math.Ceil(need-s.slack)) }

// rent is what so many machines cost.
func (s *search) rent(machines float64) float64 {
	return s.price*min(machines, s.limit) + s.p.OnDemand*max(0, machines-s.limit)
}

func (s *search) costOf(at state) float64 { return s.rent(s.machines(at.need)) + at.rejected }

// tolerance is how much cheaper a plan must be to be looked for.
func (s *search) tolerance() float64 { return 0.5 * Tolerance * s.cost }

// fill gives what is left of the last machine to jobs, by rank, for a good plan to begin with.
func (s *search) fill() {
	at := s.root
	room := s.machines(at.need) + s.slack - at.need
	for _, place := range s.rank[s.right:] {
		c := &s.p.Classes[place.class]
		if c.Gamma > room || c.Gamma == 0 {
			continue
		}
		jobs := min(c.High-s.start[place.class], math.Floor(room/c.Gamma))
		if jobs > 0 {
			room -= jobs * c.Gamma
			at.rejected -= jobs * c.Penalty
			at.node = s.change(at.node, place.class, jobs)
		}
	}
	at.need = s.machines(s.root.need) + s.slack - room
	s.look(at)
}

func (s *search) change(before, class int, jobs float64) int {
	s.nodes = append(s.nodes, node{before, class, jobs})
	return len(s.nodes) - 1
}

// look keeps the state if no plan before was as cheap.
func (s *search) look(at state) {
	if cost := s.costOf(at); cost < s.cost {
		s.cost, s.best = cost, at.node
	}
}

// bound is what plans cost at least that come from the state by taking jobs of a worth of lose or more,
// and giving jobs of a worth of gain or less.
func (s *search) bound(at state, lose, gain float64) float64 {
	least := s.machines(at.need)
	room := func(machines float64) float64 { return machines + s.slack - at.need }
	best := s.rent(least) - gain*room(least)
	if gain > s.price && s.limit > least {
		best = min(best, s.rent(s.limit)-gain*room(s.limit))
	}
	for _, fewer := range [2]float64{least - 1, min(least-1, s.limit)} {
		if fewer >= 0 && !math.IsInf(lose, 1) {
			best = min(best, s.rent(fewer)-lose*room(fewer))
		}
	}
	return at.rejected + best
}

// worths are those of the next classes on both sides; beyond the end nothing can be taken or given.
func (s *search) worths() (lose, gain float64) {
	lose = math.Inf(1)
	if s.left >= 0 {
		lose = s.rank[s.left].worth
	}
	if s.right < len(s.rank) {
		gain = s.rank[s.right].worth
	}
	return lose, gain
}

// run looks at all classes, or until no state or too many are left.
func (s *search) run() {
	lose, gain := s.worths()
	s.states = append(s.states, s.root)
	if s.hopeless(s.bound(s.root, lose, gain)) {
		return
	}
	for turn := 0; len(s.states) > 0 && s.more(); turn++ {
		side, step, sign := &s.left, -1, -1.0
		if s.left < 0 || turn%2 == 1 && s.right < len(s.rank) {
			side, step, sign = &s.right, 1, 1
		}
		class := s.rank[*side].class
		*side += step
		jobs := s.start[class] - s.p.Classes[class].Low
		if sign > 0 {
			jobs = s.p.Classes[class].High - s.start[class]
		}
		if !s.alter(class, sign, jobs, lose, gain) {
			*side -= step
			break
		}
	}
	if s.more() {
		lose, gain = s.worths()
		for _, at := range s.states {
			s.proved = min(s.proved, s.bound(at, lose, gain))
		}
	}
}

// more tells whether there are classes to look at.
func (s *search) more() bool { return s.left >= 0 || s.right < len(s.rank) }

// hopeless tells whether plans that cost this much at least are given up.
func (s *search) hopeless(bound float64) bool {
	if bound < s.cost-s.tolerance() {
		return false
	}
	s.proved = min(s.proved, bound)
	return true
}

// alter takes up to so many jobs of a class from each state, or gives them, and tells whether it came
// to the end. The jobs are cut into parts of 1, 2, 4 and so on, each taken whole or not at all.
func (s *search) alter(class int, sign, jobs, lose, gain float64) bool {
	c := &s.p.Classes[class]
	one := state{s.root.need + sign*c.Gamma, s.root.rejected - sign*c.Penalty, -1}
	if jobs <= 0 || c.Gamma == 0 || s.hopeless(s.bound(one, lose, gain)) {
		return true
	}
	for part := 1.0; jobs > 0; part *= 2 {
		if s.looked += 2 * len(s.states); s.looked > s.most {
			return false
		}
		part = min(part, jobs)
		jobs -= part
		s.double(class, sign*part, jobs > 0)
	}
	return true
}

// double puts beside each state the one with so many more jobs of the class, and keeps those that may
// lead to a cheaper plan. If more parts of the class are to come they are worth what it is worth.
func (s *search) double(class int, jobs float64, more bool) {
	c := &s.p.Classes[class]
	lose, gain := s.worths()
	if more && jobs < 0 {
		lose = c.worth()
	} else if more {
		gain = c.worth()
	}
	need, rejected := jobs*c.Gamma, -jobs*c.Penalty
	s.states, s.old = s.old[:0], s.states
	old := s.old
	least := math.Inf(1) // penalties of the last state that was kept or given up
	take := func(at state, changed bool) {
		if at.rejected >= least {
			return
		}
		least = at.rejected
		if changed && s.costOf(at) < s.cost {
			at.node = s.change(at.node, class, jobs)
			changed = false
			s.look(at)
		}
		if s.hopeless(s.bound(at, lose, gain)) {
			return
		}
		if changed {
			at.node = s.change(at.node, class, jobs)
		}
		s.states = append(s.states, at)
	}
	i, j := 0, 0
	for i < len(old) || j < len(old) {
		if j == len(old) || i < len(old) && old[i].need <= old[j].need+need {
			take(old[i], false)
			i++
		} else {
			take(state{old[j].need + need, old[j].rejected + rejected, old[j].node}, true)
			j++
		}
	}
}
