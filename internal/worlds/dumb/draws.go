package dumb

import (
	"math"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What is drawn, by the number that stands in its key.
const (
	workDraw = 1 + iota
	failDraw
	pointDraw
	firstDraw
	strideDraw
	copyDraw
	breakDraw
	repairDraw
	straggleDraw
	rankDraw
	fileDraw
	faultyDraw
	rackBreakDraw
	rackRepairDraw
	blockDraw
)

// mix is SplitMix64's output function.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15

// draw mixes the parts of a key in turn.
func (w *World) draw(purpose, job uint64, a, b, c int) uint64 {
	x := w.cfg.Seed + purpose*golden
	for _, p := range []uint64{0, job, uint64(a)<<32 ^ uint64(b), uint64(c)} {
		x = mix(x ^ p)
	}
	return x
}

func part(bits uint64) float64 { return (float64(bits>>11) + 0.5) * 0x1p-53 }

func span(bits uint64, mean units.Duration) units.Duration {
	return max(1, mean.Scale(-math.Log(part(bits))))
}

// textKey is FNV-1a.
func textKey(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, b := range []byte(s) {
		h ^= uint64(b)
		h *= 0x100000001b3
	}
	return h
}

// stretch is the factor on a task's work, from the inverse of its distribution function.
func stretch(t sim.Times, u float64) float64 {
	switch {
	case t.Law == sim.Exponential:
		return -math.Log(u)
	case t.Law == sim.Empirical:
		sum := 0.0
		for _, v := range t.Values {
			sum += v
		}
		return t.Values[int(u*float64(len(t.Values)))] * (float64(len(t.Values)) / sum)
	case t.CV == 0 || t.Law == sim.Constant:
		return 1
	case t.Law == sim.Uniform:
		return 1 + t.CV*math.Sqrt(3)*(2*u-1)
	case t.Law == sim.Normal:
		return 1 + t.CV*math.Sqrt2*math.Erfinv((2*u-1)*math.Erf(0.95/(t.CV*math.Sqrt2)))
	case t.Law == sim.LogNormal:
		v := math.Log(1 + t.CV*t.CV)
		return math.Exp(math.Sqrt(2*v)*math.Erfinv(2*u-1) - v/2)
	}
	a := 1 + math.Sqrt(1+1/(t.CV*t.CV)) // Pareto
	return (a - 1) / a * math.Pow(u, -1/a)
}

// fate draws the work of an attempt and whether it fails at the end of that.
func (w *World) fate(s *stage, task, try, n int) (work float64, fails bool) {
	u := func(purpose uint64) float64 { return part(w.draw(purpose, s.job.key, int(s.spec.Kind), task, try)) }
	work = float64(s.spec.Tasks[task-1].Work) * stretch(w.cfg.Times, u(workDraw))
	if u(straggleDraw) < w.cfg.Stragglers.Rate {
		work *= w.cfg.Stragglers.Factor
	}
	work *= w.share(s, task)
	rate := w.cfg.Failures.Rate
	if part(w.draw(faultyDraw, 0, n, 0, 0)) < w.cfg.Failures.Faulty {
		rate = w.cfg.Failures.FaultyRate
	}
	if u(failDraw) < rate {
		return work * u(pointDraw), true
	}
	return work, false
}

// share is a reduce's part of its job's data under skew, 1 on average.
func (w *World) share(s *stage, task int) float64 {
	if s.spec.Kind != workload.Reduce || w.cfg.Skew == 0 {
		return 1
	}
	n := len(s.tasks)
	var shares []float64
	sum := 0.0
	for r := range n {
		shares = append(shares, math.Pow(float64(r+1), -w.cfg.Skew))
		sum += shares[r]
	}
	for i := n - 1; i >= 1; i-- {
		k := w.draw(rankDraw, s.job.key, i, 0, 0) % uint64(i+1)
		shares[i], shares[k] = shares[k], shares[i]
	}
	return shares[task-1] * (float64(n) / sum)
}

// fileKey keys the places of a job's blocks.
func (w *World) fileKey(j *workload.Job) uint64 {
	if j.File != "" {
		return textKey(j.File) ^ fileDraw
	}
	if w.cfg.Files.Count == 0 {
		return textKey(j.ID)
	}
	weight, sum := make([]float64, w.cfg.Files.Count), 0.0
	for r := range weight {
		weight[r] = math.Pow(float64(r+1), -w.cfg.Files.Zipf)
		sum += weight[r]
	}
	u := part(w.draw(fileDraw, textKey(j.ID), 0, 0, 0)) * sum
	sum = 0
	for r := range weight {
		if sum += weight[r]; sum >= u {
			return mix(uint64(r))
		}
	}
	panic("no file")
}

// placed returns the job with hosts for every map that has none: HDFS's default placement.
func (w *World) placed(j *workload.Job) *workload.Job {
	if w.cfg.Replicas == 0 || j.Stage(workload.Map) == nil {
		return j
	}
	key, n := w.fileKey(j), 0
	for n+1 < len(w.nodes) && w.nodes[n+1].spec.Class.Most == 0 {
		n++
	}
	from, stride := int(w.draw(firstDraw, key, 0, 0, 0)%uint64(n)), 1+int(w.draw(strideDraw, key, 0, 0, 0)%uint64(n))
	for shared := true; shared; {
		shared = false
		for d := 2; d <= n; d++ {
			shared = shared || n%d == 0 && stride%d == 0
		}
		if shared {
			stride++
		}
	}
	round := func(m int) int { return (from+m%n*stride)%n + 1 }
	racks := len(w.racks)
	out := *j
	out.Stages = slices.Clone(j.Stages)
	maps := out.Stage(workload.Map)
	maps.Hosts.Nodes = slices.Clone(maps.Hosts.Nodes)
	bare := 0 // maps without a host so far
	for t := range maps.Tasks {
		if len(maps.Hosts.Of(t)) > 0 {
			continue
		}
		block := bare
		if n := w.cfg.Files.Blocks; n > 0 {
			block = int(w.draw(blockDraw, textKey(j.ID), bare, 0, 0) % uint64(n))
		}
		var hosts []cluster.NodeID
		for c := range w.cfg.Replicas {
			var some []int // nodes to draw from
			switch {
			case w.cfg.Placement == sim.Spread && racks == 1:
				some = []int{round(block*w.cfg.Replicas + c)}
			case w.cfg.Placement == sim.Spread && c == 0:
				some = []int{round(block)}
			case w.cfg.Placement == sim.Cover && c == 0:
				some = w.leastIdle()
			case c == 1 && racks > 1:
				some = w.inRacks(func(n int) bool { return w.rackOf(n) != w.rackOf(int(hosts[0])) })
			case c == 2 && racks > 1:
				some = w.inRacks(func(n int) bool { return w.rackOf(n) == w.rackOf(int(hosts[1])) && n != int(hosts[1]) })
			}
			var at int
			if len(some) > 0 {
				at = some[int(w.draw(copyDraw, key, block, c, 0)%uint64(len(some)))]
			} else {
				at = int(w.draw(copyDraw, key, block, c, 0)%uint64(n)) + 1
				for slices.Contains(hosts, cluster.NodeID(at)) {
					at = at%n + 1
				}
			}
			hosts = append(hosts, cluster.NodeID(at))
		}
		maps.Hosts.Set(t, hosts...)
		bare++
	}
	return &out
}

func (w *World) rackOf(n int) cluster.RackID { return w.nodes[n].spec.Rack }

// leastIdle lists the nodes of the class that draws the least when idle: of the first such node's.
func (w *World) leastIdle() (some []int) {
	var class *cluster.Class
	for _, nd := range w.nodes[1:] {
		if k := nd.spec.Class; k.Most == 0 && (class == nil || k.Idle < class.Idle) {
			class = k
		}
	}
	for n, nd := range w.nodes {
		if n > 0 && nd.spec.Class == class {
			some = append(some, n)
		}
	}
	return some
}

// inRacks lists the nodes that are wanted, rack by rack.
func (w *World) inRacks(wanted func(n int) bool) (some []int) {
	for _, r := range w.racks {
		for n := 1; n < len(w.nodes); n++ {
			if w.rackOf(n) == r.id && w.nodes[n].spec.Class.Most == 0 && wanted(n) {
				some = append(some, n)
			}
		}
	}
	return some
}
