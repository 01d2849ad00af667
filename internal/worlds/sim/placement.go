package sim

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// racks lists the positions of nodes by rack, for draws within and without one.
type racks struct {
	order []int32 // positions, by rack
	of    []int32 // rack of each position, numbered from 0 over the racks that have nodes
	start []int32 // of each rack in order, and the end
	place []int32 // of each position in order
}

func newRacks(c *cluster.Cluster) racks {
	count := make([]int32, c.Racks+2) // by rack: where its nodes begin among all
	for _, n := range c.Nodes {
		count[n.Rack+1]++
	}
	number := make([]int32, c.Racks+2)
	r := racks{of: make([]int32, len(c.Nodes)), order: make([]int32, len(c.Nodes)), place: make([]int32, len(c.Nodes))}
	for id := 1; id <= c.Racks; id++ {
		number[id] = int32(len(r.start))
		if count[id+1] > 0 {
			r.start = append(r.start, count[id])
		}
		count[id+1] += count[id]
	}
	r.start = append(r.start, int32(len(c.Nodes)))
	for i, n := range c.Nodes {
		p := count[n.Rack]
		count[n.Rack]++
		r.of[i], r.place[i], r.order[p] = number[n.Rack], p, int32(i)
	}
	return r
}

func (r *racks) count() int { return len(r.start) - 1 }

func (r *racks) size(rack int32) int { return int(r.start[rack+1] - r.start[rack]) }

// outside returns the x-th node that is not in the rack, x below the number of such.
func (r *racks) outside(rack int32, x int) int32 {
	if x >= int(r.start[rack]) {
		x += r.size(rack)
	}
	return r.order[x]
}

// beside returns the x-th other node of the node's rack, x below the number of such.
func (r *racks) beside(node int32, x int) int32 {
	at := int(r.start[r.of[node]]) + x
	if at >= int(r.place[node]) {
		at++
	}
	return r.order[at]
}

// withInput returns the job with hosts for every map that has none: Config.Replicas of them, by
// HDFS's default policy. The first copy of a block lies on some node, the second in another rack,
// the third on another node of the second's rack, further ones anywhere; no two on one node.
//
// With Spread the first copies of a job's blocks go round all nodes before any gets another one,
// from a node and with a stride drawn for the job; where there is one rack, all copies do. So every
// node holds as many as any other, up to one (paper 003, section 4.4.1: 200 copies evenly on 30
// nodes, 6 or 7 each). With Scatter each is drawn by itself. The other draws are keyed by (job,
// block, copy). Blocks on nodes that are down are not copied again.
func (w *World) withInput(spec *workload.Job, key uint64) *workload.Job {
	maps := spec.Stage(sched.Map)
	r := w.cfg.Replicas
	if r == 0 || maps == nil {
		return spec
	}
	told := maps.Hosts
	each := max(r, told.Each)
	hosts := workload.Hosts{Each: each, Nodes: make([]cluster.NodeID, each*len(maps.Tasks))}
	walk, copies, id := w.newWalk(key), w.stem(forCopy, key), jobKey(spec.ID)
	block := 0
	for t := range maps.Tasks {
		if nodes := told.Of(t); len(nodes) > 0 {
			hosts.Set(t, nodes...)
			continue
		}
		w.placeBlock(hosts.Nodes[each*t:each*t+r], copies, w.blockOf(id, block), &walk)
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

// walk goes round all nodes: position(m) for m = 0, 1, … meets each once before it meets any again.
type walk struct {
	from, stride, nodes int
	m, at               int // the position that was asked for last
}

func (w *World) newWalk(key uint64) walk {
	n := len(w.cfg.Cluster.Nodes)
	k := walk{from: below(w.bits(forFirstCopy, key, 0, 0, 0), n), stride: 1 + below(w.bits(forStride, key, 0, 0, 0), n), nodes: n}
	k.at = k.from
	for gcd(k.stride, n) != 1 {
		k.stride++
	}
	k.stride %= n
	return k
}

func (k *walk) position(m int) int32 {
	switch m {
	case k.m:
	case k.m + 1:
		if k.at += k.stride; k.at >= k.nodes {
			k.at -= k.nodes
		}
	default:
		k.at = (k.from + m%k.nodes*k.stride) % k.nodes
	}
	k.m = m
	return int32(k.at)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// placeBlock draws the hosts of a block; copies is the stem of the job's draws.
func (w *World) placeBlock(hosts []cluster.NodeID, copies uint64, block int, k *walk) {
	draw := func(copy, n int) int { return below(bitsOf(copies, uint64(block), uint64(copy), 0), n) }
	n := len(w.cfg.Cluster.Nodes)
	for c := range hosts {
		var at int32
		switch {
		case w.cfg.Placement == Spread && w.racks.count() == 1:
			at = k.position(block*len(hosts) + c)
		case c == 0 && w.cfg.Placement == Spread:
			at = k.position(block)
		case c == 1 && w.racks.count() > 1:
			rack := w.racks.of[hosts[0]-1]
			at = w.racks.outside(rack, draw(c, n-w.racks.size(rack)))
		case c == 2 && w.racks.count() > 1 && w.racks.size(w.racks.of[hosts[1]-1]) > 1:
			second := int32(hosts[1] - 1)
			at = w.racks.beside(second, draw(c, w.racks.size(w.racks.of[second])-1))
		default:
			at = int32(draw(c, n))
			for slices.Contains(hosts[:c], cluster.NodeID(at+1)) {
				at = (at + 1) % int32(n)
			}
		}
		hosts[c] = cluster.NodeID(at + 1)
	}
}
