package referee

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// efh is chapter 6 of paper 003, container by container. Where tasks can run in several kinds of containers the book
// knows the first alone, so it judges what a job's own kind gets.
type efh struct {
	t   int64 // a job that came so long ago waits long
	cap bool  // nobody asks for more than there is
}

// A box is a container of the job's kind on a node.
type box struct {
	n     *node
	free  bool
	h, ef float64
}

// A want is a job of one of the two queues.
type want struct {
	*job
	asks int
	r    float64
	long bool
}

func (e *efh) decide(b *book, events []*line, p *wants) {
	nodes := beaten(b, events)
	for _, n := range nodes {
		q := &bounded{stage: master}
		for j := q.next(b, n); j != nil; j = q.next(b, n) {
			q.start(b, n, p, j)
		}
	}
	e.grant(b, p, e.queues(b))
	for _, n := range nodes {
		serve(b, n, p, none003{}, 1)
	}
}

// none003 gives nobody a map.
type none003 struct{}

func (none003) next(*book, *node) *job           { return nil }
func (none003) start(*book, *node, *wants, *job) {}

// queues are lines 1 to 20: the long-waiting jobs, then the others, each by r.
func (e *efh) queues(b *book) (list []*want) {
	for _, j := range b.line(mapStage) {
		st := j.stage[mapStage]
		if j.state != admitted || !b.runs(j, st) {
			continue
		}
		w := &want{job: j, asks: st.open, long: b.now >= j.arrived+e.t}
		if st.limit >= 0 {
			w.asks = min(w.asks, st.limit-st.occupied)
		}
		all := e.boxes(b, j)
		if e.cap || w.long {
			w.asks = min(w.asks, len(all))
		}
		best := 0
		for _, x := range all[:min(w.asks, len(all))] {
			if x.free {
				best++
			}
		}
		w.r = near(float64(best) / float64(max(1, w.asks)))
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(x, y *want) int {
		if x.long != y.long {
			return map[bool]int{true: -1, false: 1}[x.long]
		}
		return cmp.Compare(y.r, x.r)
	})
	return list
}

// near is a number without what sums lose.
func near(x float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	return r
}

// boxes lists the containers of the job's kind, the fittest first (eq. 6.1 to 6.3): of those that are alike the free
// ones, and then by node.
func (e *efh) boxes(b *book, j *job) (all []box) {
	st := j.stage[mapStage]
	total, on := 0.0, map[int]float64{}
	for _, t := range st.Tasks {
		total += float64(t.Input)
		for _, h := range t.Hosts {
			on[h] += float64(t.Input)
		}
	}
	for _, n := range b.nodes {
		if n == nil || !n.serves() || !n.carries(j) {
			continue
		}
		ef, dop := n.efficiency(st), 0.0
		if total > 0 {
			dop = on[n.id] / total
		}
		free := room(&n.free, &st.needs)
		for i := range room(&n.Class.Capacity, &st.needs) {
			all = append(all, box{n, i < free, near(ef * dop), near(ef)})
		}
	}
	slices.SortStableFunc(all, func(x, y box) int {
		if c := cmp.Or(cmp.Compare(y.h, x.h), cmp.Compare(y.ef, x.ef)); c != 0 || x.free == y.free {
			return c
		}
		return map[bool]int{true: -1, false: 1}[x.free]
	})
	return all
}

// efficiency is one over what a map uses on the node above idle: its part of the load draws power for a time
// that is one over the speed.
func (n *node) efficiency(s *stage) float64 {
	has, needs := n.Class.Capacity, s.needs
	load := 0.0
	for _, part := range [][2]int64{{needs[0] + needs[1], has[0] + has[1]}, {needs[2], has[2]}} {
		if part[1] > 0 {
			load = max(load, float64(part[0])/float64(part[1]))
		}
	}
	if watts := n.Class.Dynamic * min(1, load); watts > 0 {
		return n.Class.Speed / watts
	}
	return 1
}

// room is how many containers fit.
func room(free, needs *vector) int {
	n := int64(math.MaxInt32)
	for i, x := range needs {
		if x > 0 {
			n = min(n, max(0, free[i])/x)
		}
	}
	return int(n)
}

// grant is lines 21 to 38, and table 6.4 for each job.
func (e *efh) grant(b *book, p *wants, list []*want) {
	left := false
	for _, w := range list {
		if !w.long && left {
			return
		}
		var free []box
		for _, x := range e.boxes(b, w.job) {
			if x.free {
				free = append(free, x)
			}
		}
		if !w.long && len(free) < w.asks {
			return
		}
		left = left || w.long && w.asks > len(free)
		free = free[:min(w.asks, len(free))]
		for _, x := range dispatch(p, w.job, free) {
			p.start(w.job, mapStage, x.n, "")
		}
	}
}

// dispatch is table 6.4 line by line, but that it leaves what has no local container.
func dispatch(p *wants, j *job, boxes []box) (left []box) {
	var queue []int
	locals := map[int]int{}
	for i := range j.stage[mapStage].Tasks {
		if t := &j.stage[mapStage].Tasks[i]; t.state == taskOpen {
			for _, x := range boxes {
				if slices.Contains(t.Hosts, x.n.id) {
					locals[i+1]++
				}
			}
			if locals[i+1] > 0 {
				queue = append(queue, i+1)
			}
		}
	}
	slices.SortStableFunc(queue, func(x, y int) int { return locals[x] - locals[y] })
	left = slices.Clone(boxes)
	for _, t := range queue {
		for i, x := range left {
			if slices.Contains(j.stage[mapStage].Tasks[t-1].Hosts, x.n.id) {
				p.startTask(j, mapStage, t, nodeLocal, x.n, "")
				left = slices.Delete(left, i, i+1)
				break
			}
		}
	}
	return left
}

// ideal runs maps only where they use the least energy above idle.
type ideal struct{}

func (*ideal) decide(b *book, events []*line, p *wants) {
	for _, n := range beaten(b, events) {
		serve(b, n, p, leastEnergy{}, 1)
	}
}

type leastEnergy struct{}

// next is the first job for which no node of another class is better, or as good and before it.
func (leastEnergy) next(b *book, n *node) *job {
	for _, j := range b.line(mapStage) {
		if !b.serves(n, j, mapStage) {
			continue
		}
		st := j.stage[mapStage]
		best, most := "", 0.0
		for _, c := range b.nodes {
			if c == nil {
				continue
			}
			if ef := near(c.efficiency(st)); room(&c.Class.Capacity, &st.needs) > 0 && ef > most {
				best, most = c.Class.Name, ef
			}
		}
		if best == n.Class.Name {
			return j
		}
	}
	return nil
}

func (leastEnergy) start(b *book, n *node, p *wants, j *job) { p.start(j, mapStage, n, "least-energy") }

// worth has a map take a worse container only where it ends there sooner than behind all that wait for better ones.
type worth struct{ x float64 }

func (w *worth) decide(b *book, events []*line, p *wants) {
	for _, n := range beaten(b, events) {
		serve(b, n, p, w, 1)
	}
}

func (w *worth) next(b *book, n *node) *job {
	for _, j := range b.line(mapStage) {
		if b.serves(n, j, mapStage) && (w.ends(b, n, j) || w.best(b, n, j)) {
			return j
		}
	}
	return nil
}

// best tells whether no node that serves is better.
func (w *worth) best(b *book, n *node, j *job) bool {
	rate, _ := w.better(b, n, j)
	return rate == 0
}

// better is what all containers of better nodes do in a unit of time, and the fastest of them.
func (w *worth) better(b *book, n *node, j *job) (rate, fastest float64) {
	st := j.stage[mapStage]
	for _, o := range b.nodes {
		if o != nil && o.serves() && near(o.efficiency(st)) > near(n.efficiency(st)) {
			if boxes := room(&o.Class.Capacity, &st.needs); boxes > 0 {
				rate += float64(boxes) * o.Class.Speed
				fastest = max(fastest, o.Class.Speed)
			}
		}
	}
	return rate, fastest
}

// ends tells whether a map ends on the node before one that waits for a better one.
func (w *worth) ends(b *book, n *node, j *job) bool {
	rate, fastest := w.better(b, n, j)
	waiting := 0
	for _, o := range b.line(mapStage) {
		if b.runs(o, o.stage[mapStage]) {
			waiting += o.stage[mapStage].open
		}
	}
	return rate > 0 && near((1+w.x)/n.Class.Speed) < near(float64(waiting)/rate+1/fastest)
}

func (w *worth) start(b *book, n *node, p *wants, j *job) { p.start(j, mapStage, n, "") }
