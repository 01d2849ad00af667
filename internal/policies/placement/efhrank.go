package placement

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// shape is what jobs have in common that can use the same containers equally well: then the containers
// of all nodes are counted once a pass for all of them.
type shape struct {
	of     *workload.Job // one of them
	kinds  []uint8       // that they may use, the job's own first
	use    [][]uint8     // by class of nodes: these, the most efficient first
	ef     [][]float64   // by class of nodes and kind
	groups []group       // of the containers of all nodes, the most efficient first
	free   int64         // of all of them, at the start of the pass
	total  int64
}

// group is containers that are equally fit.
type group struct {
	h, ef       float64
	total, free int64
}

// fitter puts the fitter containers first: by h (eq. 6.1), and where that is the same, such as 0 without any
// data, by ef (eq. 6.3).
func fitter(a, b group) int {
	return cmp.Or(cmp.Compare(units.Rounded(b.h), units.Rounded(a.h)), cmp.Compare(units.Rounded(b.ef), units.Rounded(a.ef)))
}

// offer is free containers of a kind on a node.
type offer struct {
	group
	node sched.NodeID
	kind uint8
	same bool  // as fit as the one before it in a list near input
	next int32 // the next on that node in a list, from 1
}

// survey finds the nodes that serve, and of these the ones with room for maps that wait. Where others serve than
// before, all that was counted of nodes is forgotten. O(nodes).
func (e *EFH) survey(v sched.View) {
	e.asked = e.asked[:0]
	for i := range e.queue {
		st := e.queue[i].job.Spec.Stage(sched.Map)
		for _, c := range st.Kinds() {
			if !slices.Contains(e.asked, c.Needs) {
				e.asked = append(e.asked, c.Needs)
			}
		}
	}
	for int(v.Nodes()) >= len(e.serve) {
		e.serve, e.has, e.first = append(e.serve, nil), append(e.has, false), append(e.first, 0)
	}
	e.open = e.open[:0]
	changed := false
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		nd, spec, has := v.Node(n), (*cluster.Node)(nil), false
		if nd != nil && nd.Serves() {
			spec = nd.Spec
			for k := range e.asked {
				has = has || nd.Free.Fits(&e.asked[k])
			}
		}
		changed = changed || e.serve[n] != spec
		if e.serve[n], e.has[n] = spec, has; has {
			e.open = append(e.open, nd)
		}
	}
	if changed {
		e.epoch++
		e.shapes = e.shapes[:0]
	}
	for i := range e.shapes {
		e.shapes[i].see(e.open)
	}
}

// see counts what is free.
func (s *shape) see(open []*sched.Node) {
	s.free = 0
	for i := range s.groups {
		s.groups[i].free = 0
	}
	for _, nd := range open {
		if nd.Suits(s.of) {
			s.count(nd, 0, func(_ uint8, g group) {
				s.free, g.total = s.free+g.free, 0
				s.groups = add(s.groups, g)
			})
		}
	}
}

// shapeOf returns the shape of a job that may use these kinds.
func (e *EFH) shapeOf(v sched.View, j *workload.Job, kinds []uint8) int {
	st := j.Stage(sched.Map)
	for i := range e.shapes {
		if s := &e.shapes[i]; s.of.Class == j.Class && slices.Equal(s.kinds, kinds) && slices.Equal(s.of.Stage(sched.Map).Containers, st.Containers) &&
			slices.Equal(s.of.Labels, j.Labels) && slices.Equal(s.of.Avoids, j.Avoids) {
			return i
		}
	}
	s := shape{of: j, kinds: slices.Clone(kinds), use: make([][]uint8, v.Classes()+1), ef: make([][]float64, v.Classes()+1)}
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		s.ef[c] = make([]float64, max(1, len(st.Containers)))
		for _, k := range kinds {
			if s.ef[c][k] = 1; e.c.Without != "ef" {
				s.ef[c][k] = efficiency(v.Class(c).Rate(j, sched.Map, int(k)))
			}
		}
		s.use[c] = slices.Clone(kinds)
		slices.SortStableFunc(s.use[c], func(a, b uint8) int { return cmp.Compare(units.Rounded(s.ef[c][b]), units.Rounded(s.ef[c][a])) })
	}
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if nd := v.Node(n); nd != nil && nd.Serves() && nd.Suits(j) {
			s.count(nd, 0, func(_ uint8, g group) {
				s.total, g.free = s.total+g.total, 0
				s.groups = add(s.groups, g)
			})
		}
	}
	s.see(e.open)
	e.shapes = append(e.shapes, s)
	return len(e.shapes) - 1
}

// efficiency is eq. 6.3: one over what a map uses above idle, as its container draws so much for a time that is
// one over its speed. Where nobody says what nodes draw, all are equally good.
func efficiency(r cluster.Rate) float64 {
	if r.Watts == 0 {
		return 1
	}
	return units.Rounded(r.Speed / float64(r.Watts))
}

// count counts the containers of a node that such jobs may use, of the most efficient kind first, as kinds may
// take from the same resources. dop is the part of the job's data on the node.
func (s *shape) count(nd *sched.Node, dop float64, each func(k uint8, g group)) {
	st, has, free := s.of.Stage(sched.Map), nd.Spec.Class.Capacity, nd.Free
	for _, k := range s.use[nd.Class] {
		c := st.Container(int(k))
		ef := s.ef[nd.Class][k]
		g := group{h: units.Rounded(ef * dop), ef: ef, total: has.Times(&c.Needs), free: max(0, free.Times(&c.Needs))}
		for d, by := range c.Needs {
			has[d] -= by * g.total
			free[d] -= by * g.free
		}
		each(k, g)
	}
}

// add adds containers to a list of groups that is in order.
func add(list []group, g group) []group {
	i, is := slices.BinarySearchFunc(list, g, fitter)
	if !is {
		return slices.Insert(list, i, g)
	}
	list[i].total += g.total
	list[i].free += g.free
	return list
}

// share is how much of a job's input lies on a node.
type share struct {
	node sched.NodeID
	dop  float64
}

// stored is where a job's input lies, found out once, and what containers there are, found out again where nodes
// change.
type stored struct {
	of    *workload.Job
	seq   int64
	on    []share // by node
	epoch int
	shape int
	kinds []uint8 // for which that is its shape
	near  []offer // containers on nodes with its input, the fittest first; none is told as free
}

// dop is eq. 6.2, for each node with data of the job. O(tasks × copies) once for a job.
func (e *EFH) dop(j *sched.Job) *stored {
	d := sched.Row(&e.data, j.ID)
	if d.of == j.Spec && d.seq == j.Seq {
		return d
	}
	*d = stored{of: j.Spec, seq: j.Seq, on: d.on[:0], near: d.near[:0]}
	st := j.Spec.Stage(sched.Map)
	all := 0.0
	for t := range st.Tasks {
		input := float64(st.Tasks[t].Input)
		all += input
		for _, n := range st.Hosts.Of(t) {
			if input > 0 && e.c.Without != "dop" {
				d.on = append(d.on, share{n, input})
			}
		}
	}
	slices.SortStableFunc(d.on, func(a, b share) int { return cmp.Compare(a.node, b.node) })
	last := 0
	for i := 1; i < len(d.on); i++ {
		if d.on[i].node == d.on[last].node {
			d.on[last].dop += d.on[i].dop
		} else {
			last++
			d.on[last] = d.on[i]
		}
	}
	d.on = d.on[:min(len(d.on), last+1)]
	for i := range d.on {
		d.on[i].dop /= all
	}
	return d
}

// fit finds the shape of a job that may use these kinds, and the containers near its input.
func (e *EFH) fit(v sched.View, j *sched.Job, kinds []uint8) *stored {
	d := e.dop(j)
	if d.epoch == e.epoch && slices.Equal(d.kinds, kinds) {
		return d
	}
	d.epoch, d.kinds, d.near = e.epoch, append(d.kinds[:0], kinds...), d.near[:0]
	d.shape = e.shapeOf(v, j.Spec, kinds)
	for _, on := range d.on {
		if nd := v.Node(on.node); nd != nil && nd.Serves() && nd.Suits(j.Spec) {
			e.shapes[d.shape].count(nd, on.dop, func(k uint8, g group) {
				g.free = 0
				d.near = append(d.near, offer{group: g, node: nd.ID, kind: k})
			})
		}
	}
	slices.SortStableFunc(d.near, func(a, b offer) int { return fitter(a.group, b.group) })
	for i := range d.near {
		d.near[i].same = i > 0 && fitter(d.near[i].group, d.near[i-1].group) == 0
	}
	return d
}

// factor is the ranking factor r: which part of the best so many containers is free. Containers that are equally
// fit count those first that are free. It looks at as many containers near the input as the job asks for, and at all
// only where these are too few.
func (e *EFH) factor(v sched.View, d *stored, asks int64) float64 {
	s, of, good := &e.shapes[d.shape], max(1, asks), int64(0)
	take := func(list int, at func(i int) group, same func(i int) bool) {
		for i := 0; i < list && asks > 0; {
			for total, free := int64(0), int64(0); ; {
				g := at(i)
				total, free = total+g.total, free+g.free
				if i++; i == list || !same(i) {
					good += min(free, asks)
					asks -= total
					break
				}
			}
		}
	}
	near := func(i int) group {
		g, n := d.near[i].group, d.near[i].node
		if e.has[n] {
			s.count(v.Node(n), 0, func(k uint8, now group) {
				if k == d.near[i].kind {
					g.free = now.free
				}
			})
		}
		return g
	}
	if take(len(d.near), near, func(i int) bool { return d.near[i].same }); asks > 0 {
		e.far = append(e.far[:0], s.groups...)
		for i := range d.near {
			g := near(i)
			e.far = add(e.far, group{ef: g.ef, total: -g.total, free: -g.free})
		}
		take(len(e.far), func(i int) group { return e.far[i] }, func(i int) bool { return fitter(e.far[i], e.far[i-1]) == 0 })
	}
	return float64(good) / float64(of)
}

// best lists the free containers that the job may use, the fittest first, and how many they are. O(nodes with room).
func (e *EFH) best(d *stored) (list []offer, free int64) {
	e.offers = e.offers[:0]
	data := d.on
	for _, nd := range e.open {
		for len(data) > 0 && data[0].node < nd.ID {
			data = data[1:]
		}
		here := 0.0
		if len(data) > 0 && data[0].node == nd.ID {
			here = data[0].dop
		}
		if nd.Suits(d.of) {
			e.shapes[d.shape].count(nd, here, func(k uint8, g group) {
				if g.free > 0 {
					free += g.free
					e.offers = append(e.offers, offer{group: g, node: nd.ID, kind: k})
				}
			})
		}
	}
	slices.SortStableFunc(e.offers, func(a, b offer) int { return fitter(a.group, b.group) })
	return e.offers, free
}
