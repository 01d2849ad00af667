package sim

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// racks lists the positions of the cluster's own nodes by rack, for draws within and without one.
type racks struct {
	order []int32 // positions, by rack
	start []int32 // of each rack in order, numbered from 0 over the racks that have nodes, and the end
	of    []rack  // by position
}

// rack is where the nodes of one begin and end in the order.
type rack struct{ from, to int32 }

func newRacks(c *cluster.Cluster) racks {
	count := make([]int32, c.Racks+2) // by rack: where its nodes begin among all
	own := c.Own()
	for _, n := range own {
		count[n.Rack+1]++
	}
	r := racks{order: make([]int32, len(own)), of: make([]rack, len(own))}
	for id := 1; id <= c.Racks; id++ {
		if count[id+1] > 0 {
			r.start = append(r.start, count[id])
		}
		count[id+1] += count[id]
	}
	r.start = append(r.start, int32(len(own)))
	for i, n := range own {
		r.order[count[n.Rack]] = int32(i)
		count[n.Rack]++
	}
	for k := range r.count() {
		for _, i := range r.order[r.start[k]:r.start[k+1]] {
			r.of[i] = rack{r.start[k], r.start[k+1]}
		}
	}
	return r
}

func (r *racks) count() int { return len(r.start) - 1 }

// withInput returns the job with hosts for every map that has none: Config.Replicas of them, by
// HDFS's default policy. The first copy of a block lies on some node, the second in another rack,
// the third on another node of the second's rack, further ones anywhere; no two on one node.
//
// With Spread the first copies of a job's blocks go round all nodes before any gets another one,
// from a node and with a stride drawn for the job; where there is one rack, all copies do. So every
// node holds as many as any other, up to one (paper 003, section 4.4.1: 200 copies evenly on 30
// nodes, 6 or 7 each). With Scatter each is drawn by itself, and with Cover from the covering set:
// the nodes of the class that draws the least when idle (of several, the first). Then all others can
// sleep. The other draws are keyed by (job, block, copy). Blocks on nodes that are down are not
// copied again.
func (w *World) withInput(spec *workload.Job, key uint64) *workload.Job {
	maps := spec.Stage(sched.Map)
	r := w.cfg.Replicas
	if r == 0 || maps == nil {
		return spec
	}
	told := maps.Hosts
	each := max(r, told.Each)
	hosts := workload.Hosts{Each: each, Nodes: make([]cluster.NodeID, each*len(maps.Tasks))}
	lay, id := w.newLayout(key), jobKey(spec.ID)
	block := 0
	for t := range maps.Tasks {
		if nodes := told.Of(t); len(nodes) > 0 {
			hosts.Set(t, nodes...)
			continue
		}
		lay.place(hosts.Nodes[each*t:each*t+r], w.blockOf(id, block))
		block++
	}
	if block == 0 {
		return spec
	}
	if s, ok := w.source.(freshSource); !ok || !s.Fresh() {
		placed := *spec
		placed.Stages = slices.Clone(spec.Stages)
		maps = placed.Stage(sched.Map)
		spec = &placed
	}
	maps.Hosts = hosts
	return spec
}

// freshSource is a source that knows whether nobody else has the jobs that it brings. Where their input
// lies is then written into them.
type freshSource interface{ Fresh() bool }

// Covering is the covering set of a cluster, by position.
func Covering(c *cluster.Cluster) (set []int32) {
	own := c.Own()
	least := own[0].Class
	for _, n := range own {
		if n.Class.Idle < least.Idle {
			least = n.Class
		}
	}
	for i, n := range own {
		if n.Class == least {
			set = append(set, int32(i))
		}
	}
	return set
}

// layout draws where the blocks of a job's file lie.
type layout struct {
	*racks
	copies uint64 // the stem of its draws
	spread bool
	cover  []int32 // the covering set, by position; nil = all nodes may have a first copy
	// It goes round all nodes: position(m) for m = 0, 1, … meets each once before it meets any again.
	from, stride int
	m, at        int // the position that was asked for last
}

func (w *World) newLayout(key uint64) layout {
	n := len(w.racks.order)
	l := layout{racks: &w.racks, copies: w.stem(forCopy, key), spread: w.cfg.Placement == Spread, cover: w.cover,
		from: below(w.bits(forFirstCopy, key, 0, 0, 0), n), stride: 1 + below(w.bits(forStride, key, 0, 0, 0), n)}
	l.at = l.from
	for gcd(l.stride, n) != 1 {
		l.stride++
	}
	l.stride %= n
	return l
}

func (l *layout) position(m int) int32 {
	n := len(l.order)
	switch m {
	case l.m:
	case l.m + 1:
		if l.at += l.stride; l.at >= n {
			l.at -= n
		}
	default:
		l.at = (l.from + m%n*l.stride) % n
	}
	l.m = m
	return int32(l.at)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// place draws the hosts of a block.
func (l *layout) place(hosts []cluster.NodeID, block int) {
	draw := func(copy, n int) int32 { return int32(below(bitsOf(l.copies, uint64(block), uint64(copy), 0), n)) }
	n, c := len(l.order), 0
	if l.count() > 1 {
		var at int32
		switch {
		case l.spread:
			at = l.position(block)
		case l.cover != nil:
			at = l.cover[draw(0, len(l.cover))]
		default:
			at = draw(0, n)
		}
		hosts[0], c = cluster.NodeID(at+1), 1
		if len(hosts) > 1 { // the second, in another rack
			own := l.of[at]
			x := draw(1, n-int(own.to-own.from))
			if x >= own.from {
				x += own.to - own.from
			}
			at = l.order[x]
			hosts[1], c = cluster.NodeID(at+1), 2
			if own = l.of[at]; len(hosts) > 2 && own.to-own.from > 1 { // the third, beside it
				y := own.from + draw(2, int(own.to-own.from)-1)
				if y >= x {
					y++
				}
				hosts[2], c = cluster.NodeID(l.order[y]+1), 3
			}
		}
	}
	for ; c < len(hosts); c++ {
		if l.spread && l.count() == 1 {
			hosts[c] = cluster.NodeID(l.position(block*len(hosts)+c) + 1)
			continue
		}
		at := draw(c, n)
		if c == 0 && l.cover != nil {
			at = l.cover[draw(0, len(l.cover))]
		}
		for slices.Contains(hosts[:c], cluster.NodeID(at+1)) {
			at = (at + 1) % int32(n)
		}
		hosts[c] = cluster.NodeID(at + 1)
	}
}
