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
	node *sched.Node
	kind uint8
}

// shapeOf returns the shape of a job that may use these kinds.
func (e *EFH) shapeOf(v sched.View, j *workload.Job, kinds []uint8) *shape {
	st := j.Stage(sched.Map)
	for i := range e.shapes {
		if s := &e.shapes[i]; s.of.Class == j.Class && slices.Equal(s.kinds, kinds) && slices.Equal(s.of.Stage(sched.Map).Containers, st.Containers) &&
			slices.Equal(s.of.Labels, j.Labels) && slices.Equal(s.of.Avoids, j.Avoids) {
			return s
		}
	}
	s := shape{of: j, kinds: slices.Clone(kinds), use: make([][]uint8, v.Classes()+1), ef: make([][]float64, v.Classes()+1)}
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		s.ef[c] = make([]float64, max(1, len(st.Containers)))
		for _, k := range kinds {
			s.ef[c][k] = efficiency(v.Class(c).Rate(j, sched.Map, int(k)))
		}
		s.use[c] = slices.Clone(kinds)
		slices.SortStableFunc(s.use[c], func(a, b uint8) int { return cmp.Compare(units.Rounded(s.ef[c][b]), units.Rounded(s.ef[c][a])) })
	}
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if nd := v.Node(n); nd != nil && nd.Serves() && nd.Suits(j) {
			s.count(nd, 0, func(k uint8, g group) {
				s.total, s.free = s.total+g.total, s.free+g.free
				s.groups = add(s.groups, g)
			})
		}
	}
	e.shapes = append(e.shapes, s)
	return &e.shapes[len(e.shapes)-1]
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
		g := group{h: units.Rounded(ef * dop), ef: ef, total: has.Times(&c.Needs), free: free.Times(&c.Needs)}
		for d, by := range c.Needs {
			has[d] -= by * g.total
			free[d] -= by * g.free
		}
		if each(k, g); g.free < 0 { // it is over-committed
			return
		}
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

// stored is where a job's input lies, found out once.
type stored struct {
	of  *workload.Job
	seq int64
	on  []share // by node
}

// dop is eq. 6.2, for each node with data of the job. O(tasks × copies) once for a job.
func (e *EFH) dop(j *sched.Job) []share {
	for int(j.ID) >= len(e.data) {
		e.data = append(e.data, stored{})
	}
	d := &e.data[j.ID]
	if d.of == j.Spec && d.seq == j.Seq {
		return d.on
	}
	*d = stored{of: j.Spec, seq: j.Seq, on: d.on[:0]}
	st := j.Spec.Stage(sched.Map)
	all := 0.0
	for t := range st.Tasks {
		input := float64(st.Tasks[t].Input)
		all += input
		for _, n := range st.Hosts.Of(t) {
			if input > 0 {
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
	return d.on
}

// factor is the ranking factor r: which part of the best so many containers is free. Containers that are equally
// fit count those first that are free.
func (e *EFH) factor(v sched.View, j *sched.Job, s *shape, asks, of int64) float64 {
	e.near = e.near[:0]
	e.far = append(e.far[:0], s.groups...)
	for _, d := range e.dop(j) {
		nd := v.Node(d.node)
		if nd == nil || !nd.Serves() || !nd.Suits(j.Spec) {
			continue
		}
		s.count(nd, d.dop, func(k uint8, g group) {
			e.near = append(e.near, g)
			e.far = add(e.far, group{ef: g.ef, total: -g.total, free: -g.free})
		})
	}
	slices.SortStableFunc(e.near, fitter)
	good := int64(0)
	take := func(list []group) {
		for i := 0; i < len(list) && asks > 0; {
			total, free := int64(0), int64(0)
			for at := i; i < len(list) && fitter(list[at], list[i]) == 0; i++ {
				total, free = total+list[i].total, free+max(0, list[i].free)
			}
			good += min(free, asks)
			asks -= total
		}
	}
	take(e.near)
	take(e.far)
	return float64(good) / float64(max(1, of))
}

// best lists the free containers that the job may use, the fittest first, and how many they are.
func (e *EFH) best(v sched.View, j *sched.Job, s *shape) (list []offer, free int64) {
	e.offers = e.offers[:0]
	data := e.dop(j)
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		here := 0.0
		if len(data) > 0 && data[0].node == n {
			here, data = data[0].dop, data[1:]
		}
		if nd := v.Node(n); nd != nil && nd.Serves() && nd.Suits(j.Spec) {
			s.count(nd, here, func(k uint8, g group) {
				if g.free > 0 {
					free += g.free
					e.offers = append(e.offers, offer{g, nd, k})
				}
			})
		}
	}
	slices.SortStableFunc(e.offers, func(a, b offer) int { return fitter(a.group, b.group) })
	return e.offers, free
}
