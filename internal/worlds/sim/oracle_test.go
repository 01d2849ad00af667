package sim

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// oracle is a second simulator, as dumb as can be: no event queue, no generations, no handles, no
// sets of nodes, no beats computed from phases. It looks at everything at every instant, times an
// attempt by walking through the whole speed script in exact fractions, and serves every node with
// room whenever anything happens (or at its beat) in order of arrival.
type oracle struct {
	cfg   Config
	work  func(job *workload.Job, s sched.Stage, task, try int) (float64, bool)
	now   units.Time
	nodes []oNode
	jobs  []*oJob
	runs  []*oRun
	trace []string
	tie   bool // an end lay within a float's error of half a nanosecond, where rounding may go either way
}

type oNode struct {
	free    units.Vector
	away    int
	removed bool
	crashes bool
	wasDown bool
}

type oJob struct {
	spec    *workload.Job
	arrived bool
	over    bool
	good    bool
	ready   []bool
	task    [][]oTask // by stage
}

type oTask struct {
	done, gone, running bool
	node, tries, fails  int
}

type oRun struct {
	job               *oJob
	stage, task, node int
	began             units.Time
	ready             units.Time // Never: waits for maps
	end               units.Time
	work              float64
	breaks            bool
}

func (o *oracle) run(until int) []string {
	o.nodes = make([]oNode, len(o.cfg.Cluster.Nodes)+1)
	for i, n := range o.cfg.Cluster.Nodes {
		o.nodes[i+1].free = n.Class.Capacity
	}
	o.now = 0
	for range until {
		o.instant()
		next := o.next()
		if next == units.Never {
			break
		}
		o.now = next
	}
	slices.Sort(o.trace)
	return o.trace
}

func (o *oracle) next() units.Time {
	next := units.Never
	later := func(t units.Time) {
		if t > o.now {
			next = min(next, t)
		}
	}
	open, left := false, false
	for _, j := range o.jobs {
		if !j.arrived {
			later(j.spec.Arrive)
		}
		left = left || !j.over
		for s := range j.task {
			for _, t := range j.task[s] {
				open = open || j.arrived && !j.over && j.ready[s] && !t.done && !t.running
			}
		}
	}
	if !left {
		return units.Never
	}
	for _, c := range o.cfg.script() {
		later(c.at)
	}
	for _, r := range o.runs {
		later(r.end)
	}
	if hb := o.cfg.Heartbeat; hb > 0 && open {
		for n := range o.cfg.Cluster.Nodes {
			t := o.beat(n)
			for t <= o.now {
				t = t.Add(hb)
			}
			later(t)
		}
	}
	return next
}

func (o *oracle) beat(position int) units.Time {
	return units.Time(int64(o.cfg.Heartbeat) * int64(position) / int64(len(o.cfg.Cluster.Nodes)))
}

func (o *oracle) instant() {
	for _, c := range o.cfg.script() {
		if c.at != o.now {
			continue
		}
		switch c.does {
		case toDown:
			o.nodes[c.node].away++
		case toUp:
			o.nodes[c.node].away--
		case toSize:
			for n := 1; n < len(o.nodes); n++ {
				if o.nodes[n].removed = n > c.nodes; !o.nodes[n].removed {
					o.nodes[n].crashes = false
				} else if c.crash {
					o.nodes[n].crashes = true
				}
			}
		}
	}
	for n := range o.nodes {
		down := o.nodes[n].away > 0 || o.nodes[n].crashes
		if down && !o.nodes[n].wasDown {
			o.crash(n)
		}
		o.nodes[n].wasDown = down
	}
	for again := true; again; {
		again = false
		for _, r := range slices.Clone(o.runs) {
			if r.end == o.now && slices.Contains(o.runs, r) {
				o.finish(r)
				again = true
			}
		}
	}
	for _, j := range o.jobs {
		if !j.arrived && j.spec.Arrive == o.now {
			j.arrived = true
		}
	}
	o.settle()
	for n := 1; n < len(o.nodes); n++ {
		nd := &o.nodes[n]
		if nd.away > 0 || nd.removed {
			continue
		}
		if hb := o.cfg.Heartbeat; hb == 0 || (o.now-o.beat(n-1))%units.Time(hb) == 0 && o.now >= o.beat(n-1) {
			o.serve(n)
		}
	}
}

func (o *oracle) jobEnds(j *oJob, at units.Time, outcome sched.Outcome) {
	j.over = true
	o.trace = append(o.trace, fmt.Sprintf("job %s %v %v", j.spec.ID, at, outcome))
}

func (o *oracle) stop(r *oRun, outcome sched.Outcome) {
	o.runs = slices.DeleteFunc(o.runs, func(x *oRun) bool { return x == r })
	st := &r.job.spec.Stages[r.stage]
	needs := st.Container(0).Needs
	o.nodes[r.node].free.Add(&needs)
	r.job.task[r.stage][r.task].running = false
	o.trace = append(o.trace, fmt.Sprintf("%s/%v/%d on n%d %v-%v %v", r.job.spec.ID, st.Kind, r.task+1, r.node, r.began, o.now, outcome))
}

func (o *oracle) crash(n int) {
	for _, r := range slices.Clone(o.runs) {
		if r.node == n {
			o.stop(r, sched.Lost)
		}
	}
	for _, j := range o.jobs {
		if j.over || len(j.task) < 2 {
			continue
		}
		for t := range j.task[0] {
			if tk := &j.task[0][t]; tk.done && tk.node == n {
				tk.gone = true
			}
		}
	}
}

// settle lets everything follow from the state: lost outputs that are needed, readiness, the end of jobs, shuffles.
func (o *oracle) settle() {
	for _, j := range o.jobs {
		if !j.arrived || j.over {
			continue
		}
		missing := false
		if len(j.task) == 2 {
			for t := range j.task[1] {
				tk := &j.task[1][t]
				missing = missing || !tk.done && !tk.running
			}
			for _, r := range o.runs {
				missing = missing || r.job == j && r.stage == 1 && r.ready > o.now
			}
			for t := range j.task[0] {
				if tk := &j.task[0][t]; missing && tk.gone {
					tk.done, tk.gone = false, false
				}
			}
		}
		if !j.ready[0] {
			j.ready[0] = true
			for _, p := range j.spec.After {
				j.ready[0] = j.ready[0] && slices.ContainsFunc(o.jobs, func(x *oJob) bool { return x.spec.ID == p && x.over && x.good })
			}
		}
		done := 0
		for _, t := range j.task[0] {
			if t.done {
				done++
			}
		}
		if len(j.task) == 2 {
			if j.ready[0] && float64(done) >= math.Ceil(j.spec.SlowStart*float64(len(j.task[0]))) {
				j.ready[1] = true
			}
			for _, r := range o.runs {
				if r.job != j || r.stage != 1 {
					continue
				}
				switch {
				case done < len(j.task[0]) && r.ready > o.now:
					r.ready, r.end = units.Never, units.Never
				case done == len(j.task[0]) && r.ready == units.Never:
					r.ready = o.now.Add(j.spec.Stages[1].Tasks[r.task].Shuffle)
					r.end = o.when(r)
				}
			}
		}
	}
}

func (o *oracle) finish(r *oRun) {
	j, t := r.job, &r.job.task[r.stage][r.task]
	if r.breaks {
		o.stop(r, sched.Failed)
		if t.fails++; t.fails == 4 {
			o.over(j, false, sched.Failed)
		}
		o.settle()
		return
	}
	o.stop(r, sched.Committed)
	t.done, t.node = true, r.node
	last := len(j.task) - 1
	all := true
	for _, t := range j.task[last] {
		all = all && t.done
	}
	if all {
		o.over(j, true, sched.Committed)
	}
	o.settle()
}

func (o *oracle) over(j *oJob, good bool, as sched.Outcome) {
	for _, r := range slices.Clone(o.runs) {
		if r.job == j {
			o.stop(r, sched.Killed)
		}
	}
	j.good = good
	o.jobEnds(j, o.now, as)
	if good {
		return
	}
	for _, k := range o.jobs {
		if !k.over && slices.Contains(k.spec.After, j.spec.ID) {
			if k.arrived {
				o.over(k, false, sched.Killed)
				continue
			}
			o.jobEnds(k, k.spec.Arrive, sched.Killed)
			o.doomFollowers(k)
		}
	}
}

// doomFollowers ends what waits for a job that will be killed on its arrival.
func (o *oracle) doomFollowers(j *oJob) {
	for _, k := range o.jobs {
		if !k.over && slices.Contains(k.spec.After, j.spec.ID) {
			o.jobEnds(k, max(k.spec.Arrive, j.spec.Arrive), sched.Killed)
			o.doomFollowers(k)
		}
	}
}

func (o *oracle) serve(n int) {
	for _, j := range o.jobs {
		if !j.arrived || j.over {
			continue
		}
		for s := range j.task {
			needs := j.spec.Stages[s].Container(0).Needs
			for j.ready[s] && o.nodes[n].free.Fits(&needs) {
				best, near := -1, 9
				for t, tk := range j.task[s] {
					if l := o.nearest(j.spec.Stages[s].Hosts.Of(t), n); !tk.done && !tk.running && l < near {
						best, near = t, l
					}
				}
				if best < 0 {
					break
				}
				o.start(j, s, best, n)
			}
		}
	}
}

func (o *oracle) nearest(hosts []cluster.NodeID, n int) int {
	near := 3
	for _, h := range hosts {
		if int(h) == n {
			return 1
		}
		if o.cfg.Cluster.Nodes[h-1].Rack == o.cfg.Cluster.Nodes[n-1].Rack {
			near = 2
		}
	}
	return near
}

func (o *oracle) start(j *oJob, s, t, n int) {
	tk := &j.task[s][t]
	tk.running = true
	tk.tries++
	needs := j.spec.Stages[s].Container(0).Needs
	o.nodes[n].free.Sub(&needs)
	r := &oRun{job: j, stage: s, task: t, node: n, began: o.now, ready: o.now}
	r.work, r.breaks = o.work(j.spec, j.spec.Stages[s].Kind, t+1, tk.tries)
	if s == 1 {
		r.ready = units.Never
	}
	if r.ready != units.Never {
		r.end = o.when(r)
	} else {
		r.end = units.Never
	}
	o.runs = append(o.runs, r)
	o.settle()
}

// when walks through the speed script from the attempt's ready on, in exact fractions.
func (o *oracle) when(r *oRun) units.Time {
	left := new(big.Rat).SetFloat64(r.work)
	share := new(big.Rat).SetFloat64(r.job.spec.Stages[r.stage].Share())
	rest := new(big.Rat).Sub(big.NewRat(1, 1), share)
	factor, from := 1.0, r.ready
	slow := func() *big.Rat {
		speed := new(big.Rat).SetFloat64(o.cfg.Cluster.Nodes[r.node-1].Class.Speed)
		speed.Mul(speed, new(big.Rat).SetFloat64(factor))
		return new(big.Rat).Add(new(big.Rat).Quo(share, speed), rest)
	}
	for _, c := range o.cfg.script() {
		if c.does != toSpeed || c.node != 0 && int(c.node) != r.node {
			continue
		}
		if c.at > from {
			done := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(c.at-from)), slow())
			if done.Cmp(left) >= 0 {
				break
			}
			left.Sub(left, done)
			from = c.at
		}
		factor = c.factor
	}
	took := new(big.Rat).Mul(left, slow())
	f, _ := took.Float64()
	o.tie = o.tie || math.Abs(f-math.Floor(f)-0.5) < 1e-5
	took.Add(took, big.NewRat(1, 2))
	return from + units.Time(new(big.Int).Quo(took.Num(), took.Denom()).Int64())
}

// scenario draws a small run. Speeds and shares are such that floats lose next to nothing.
func scenario(t *rapid.T) Config {
	pick := func(name string, of ...float64) float64 { return rapid.SampledFrom(of).Draw(t, name) }
	n := rapid.IntRange(1, 5).Draw(t, "nodes")
	c := uniform(n, min(n, rapid.IntRange(1, 3).Draw(t, "racks")), 1, 1)
	vcores := rapid.Bool().Draw(t, "vcores")
	c.Classes = nil
	for i := range n {
		k := cluster.Class{Name: fmt.Sprint("k", i), Speed: pick("speed", 0.5, 1, 2)}
		k.Capacity = units.Slots(rapid.IntRange(1, 2).Draw(t, "map slots"), rapid.IntRange(0, 2).Draw(t, "reduce slots"))
		if i == 0 {
			k.Capacity[units.ReduceSlots] = 1
		}
		k.Capacity[units.VCores] = int64(rapid.IntRange(4, 6).Draw(t, "cores"))
		c.Classes = append(c.Classes, &k)
		c.Nodes[i].Class = &k
	}
	cfg := Config{Cluster: c, Seed: rapid.Uint64().Draw(t, "seed"), Replicas: rapid.IntRange(0, min(n, 3)).Draw(t, "replicas")}
	cfg.Heartbeat = units.FromSeconds(pick("heartbeat", 0, 0, 6, 12))
	cfg.Placement = Placement(rapid.IntRange(0, 1).Draw(t, "placement"))
	if rapid.Bool().Draw(t, "random times") {
		cfg.Times = Times{Law: Law(rapid.IntRange(1, 4).Draw(t, "law")), CV: 0.4}
	}
	cfg.Failures.Rate = pick("failures", 0, 0, 0.2, 0.5)
	seconds := func(name string, lo, hi int) float64 { return float64(rapid.IntRange(lo, hi).Draw(t, name)) }
	var shapes []shape
	for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		s := shape{id: fmt.Sprint("j", i), arrive: seconds("arrive", 0, 40), maps: rapid.IntRange(1, 5).Draw(t, "maps"),
			reduces: rapid.IntRange(0, 3).Draw(t, "reduces"), mapS: seconds("map", 1, 20), shufS: seconds("shuffle", 0, 8),
			reduS: seconds("reduce", 1, 15), slow: pick("slow start", 0, 0.05, 0.5, 1), share: pick("share", 1, 0.5, 0.25)}
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
			s.after = []string{fmt.Sprint("j", rapid.IntRange(0, i-1).Draw(t, "after"))}
		}
		if vcores && s.slow < 1 {
			s.slow = 1 // else reduces may take all room while they wait for maps
		}
		if vcores {
			s.mapCont = []cluster.Container{{Name: "m", Needs: units.Vector{units.VCores: int64(rapid.IntRange(1, 2).Draw(t, "map cores"))}}}
			s.reduceCont = []cluster.Container{{Name: "r", Needs: units.Vector{units.VCores: int64(rapid.IntRange(1, 3).Draw(t, "reduce cores"))}}}
		}
		shapes = append(shapes, s)
	}
	cfg.Workload = load(shapes...)
	for range rapid.IntRange(0, 4).Draw(t, "speed steps") {
		cfg.Speeds = append(cfg.Speeds, SpeedStep{At: at(seconds("speed at", 0, 80)), Node: cluster.NodeID(rapid.IntRange(0, n).Draw(t, "speed node")),
			Factor: pick("factor", 0.25, 0.5, 1, 2, 4)})
	}
	if !vcores {
		for range rapid.IntRange(0, 4).Draw(t, "outages") {
			down := seconds("down", 0, 80)
			cfg.Outages = append(cfg.Outages, Outage{Node: cluster.NodeID(rapid.IntRange(1, n).Draw(t, "down node")), Down: at(down), Up: at(down + seconds("for", 1, 30))})
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "size steps") {
		cfg.Sizes = append(cfg.Sizes, SizeStep{At: at(seconds("size at", 0, 90)), Nodes: rapid.IntRange(0, n).Draw(t, "size"), Crash: !vcores && rapid.Bool().Draw(t, "crash")})
	}
	cfg.Sizes = append(cfg.Sizes, SizeStep{At: at(100), Nodes: n})
	return cfg
}

func check(t *rapid.T) {
	cfg := scenario(t)
	d := newDriver(t, cfg)
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if len(d.refused) > 0 {
		t.Fatalf("refused: %+v", d.refused)
	}
	o := &oracle{cfg: cfg, work: func(j *workload.Job, s sched.Stage, task, try int) (float64, bool) {
		st := j.Stage(s)
		return d.w.drawWork(&job{key: jobKey(j.ID)}, &stage{Stage: truth.NewStage(st), kind: s}, st.Tasks[task-1].Work, int32(task), int32(try), 1)
	}}
	for _, spec := range cfg.Workload.Jobs {
		placed := d.w.withInput(spec, jobKey(spec.ID))
		j := &oJob{spec: placed, ready: make([]bool, len(spec.Stages))}
		for s := range spec.Stages {
			j.task = append(j.task, make([]oTask, len(spec.Stages[s].Tasks)))
		}
		o.jobs = append(o.jobs, j)
	}
	slices.SortStableFunc(o.jobs, func(a, b *oJob) int { return int(a.spec.Arrive - b.spec.Arrive) })
	want := o.run(20000)
	if o.tie {
		t.Skip("ends at half a nanosecond")
	}
	got := slices.Clone(d.trace)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-oracle +world):\n%s\ntrace:\n%s", diff, strings.Join(d.trace, "\n"))
	}
	// The same once more, event by event.
	again := newDriver(t, cfg)
	if err := again.run(); err != nil || again.hash != d.hash || again.events != d.events {
		t.Fatalf("the same seed gave other events: %d and %d, error %v", d.events, again.events, err)
	}
	works(t, d)
}

// works holds what is committed against what was ordered: every task of a job that finished ran to
// its end, on some node, for exactly its time.
func works(t *rapid.T, d *driver) {
	for id, outcome := range d.ended {
		if outcome != sched.Committed {
			continue
		}
		for _, j := range d.w.cfg.Workload.Jobs {
			if j.ID != id {
				continue
			}
			for _, s := range j.Stages {
				for k := range s.Tasks {
					prefix := fmt.Sprintf("%s/%v/%d on ", id, s.Kind, k+1)
					if !slices.ContainsFunc(d.trace, func(l string) bool { return strings.HasPrefix(l, prefix) && strings.HasSuffix(l, "committed") }) {
						t.Fatalf("%s finished without %s", id, prefix)
					}
				}
			}
		}
	}
}

func TestAgainstOracle(t *testing.T) { rapid.Check(t, check) }
