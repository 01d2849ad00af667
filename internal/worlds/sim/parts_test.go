package sim

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func TestQueueSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var want []due
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if len(want) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				slices.SortFunc(want, func(a, b due) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) })
				if got := *q.top(); got != want[0] {
					t.Fatalf("popped %+v, want %+v", got, want[0])
				}
				q.pop()
				want = want[1:]
				continue
			}
			at, c := units.Time(rapid.IntRange(0, 9).Draw(t, "at")), class(rapid.IntRange(0, 3).Draw(t, "class"))
			q.push(at, c, int32(len(want)), 7)
			want = append(want, due{at: at, key: uint64(c)<<56 | q.seq, arg: int32(len(want)), gen: 7})
		}
		if len(want) == 0 && q.top() != nil {
			t.Fatal("an empty queue has a top")
		}
	})
}

func TestNodesetNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 200, 4096, 4097, 9000}).Draw(t, "n")
		s := newNodeset(n)
		in := make([]bool, n)
		for range rapid.IntRange(0, 30).Draw(t, "puts") {
			i, v := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.Bool().Draw(t, "v")
			s.put(i, v)
			in[i] = v
		}
		from := rapid.IntRange(0, n).Draw(t, "from")
		want := slices.Index(in[from:], true)
		if want >= 0 {
			want += from
		}
		if got := s.next(from); got != want {
			t.Fatalf("next(%d) = %d, want %d", from, got, want)
		}
	})
}

// The next beat found from the set is the one that looking at every node gives.
func TestNextBeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		hb := units.Duration(rapid.IntRange(n, 50).Draw(t, "interval"))
		now := units.Time(rapid.IntRange(0, 200).Draw(t, "now"))
		w := &World{now: now, beat: newBeats(hb, n), waiting: []int32{0, 1}, kinds: []kind{{room: newNodeset(n)}, {room: newNodeset(n)}}}
		w.cfg.Heartbeat = hb
		want := units.Never
		for i := range n {
			for k := range 2 {
				if rapid.Bool().Draw(t, "room") {
					w.kinds[k].room.put(i, true)
					b := units.Time(int64(i) * int64(hb) / int64(n))
					for b < now {
						b = b.Add(hb)
					}
					want = min(want, b)
				}
			}
		}
		if got := w.nextBeat(); got != want {
			t.Fatalf("next beat at %d, want %d", got, want)
		}
	})
}

func placed(t *testing.T, cfg Config, blocks int, id string) [][]cluster.NodeID {
	t.Helper()
	spec := shape{id: id, maps: blocks, mapS: 1}.job()
	cfg.Workload = &workload.Workload{Jobs: []*workload.Job{spec}}
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var hosts [][]cluster.NodeID
	maps := w.withInput(spec, jobKey(spec.ID)).Stages[0]
	for i := range maps.Tasks {
		hosts = append(hosts, maps.Hosts.Of(i))
	}
	if len(spec.Stages[0].Hosts.Of(0)) > 0 {
		t.Error("the workload was changed")
	}
	return hosts
}

func copiesByNode(hosts [][]cluster.NodeID, first bool) map[cluster.NodeID]int {
	by := map[cluster.NodeID]int{}
	for _, h := range hosts {
		for i, n := range h {
			if !first || i == 0 {
				by[n]++
			}
		}
	}
	return by
}

// Paper 003, section 4.4.1: 100 blocks of 2 copies on 30 nodes of one rack: 6 or 7 on each.
func TestSpreadOnOneRack(t *testing.T) {
	by := copiesByNode(placed(t, Config{Cluster: uniform(30, 1, 2, 1), Replicas: 2}, 100, "j"), false)
	for n := cluster.NodeID(1); n <= 30; n++ {
		if by[n] != 6 && by[n] != 7 {
			t.Errorf("node %d holds %d copies", n, by[n])
		}
	}
}

// HDFS: the second copy in another rack than the first, the third on another node of the second's rack.
func TestPlacementByRacks(t *testing.T) {
	for _, p := range []Placement{Spread, Scatter} {
		c := uniform(31, 4, 2, 1)
		hosts := placed(t, Config{Cluster: c, Replicas: 4, Placement: p, Seed: 9}, 310, "j")
		rack := func(n cluster.NodeID) cluster.RackID { return c.Nodes[n-1].Rack }
		for b, h := range hosts {
			if rack(h[0]) == rack(h[1]) || rack(h[1]) != rack(h[2]) {
				t.Errorf("block %d lies in racks %d %d %d", b, rack(h[0]), rack(h[1]), rack(h[2]))
			}
			sorted := slices.Sorted(slices.Values(h))
			if len(slices.Compact(sorted)) != 4 {
				t.Errorf("block %d lies on %v", b, h)
			}
		}
		by := copiesByNode(hosts, true)
		even := true
		for n := cluster.NodeID(1); n <= 31; n++ {
			even = even && by[n] == 10
		}
		if even != (p == Spread) {
			t.Errorf("placement %d: first copies by node %v", p, by)
		}
		for n, k := range copiesByNode(hosts, false) {
			if k < 15 || k > 75 {
				t.Errorf("placement %d: node %d holds %d of 1240 copies", p, n, k)
			}
		}
	}
}

// Where the racks leave no choice the copies still lie on different nodes.
func TestPlacementInTightRacks(t *testing.T) {
	c := uniform(3, 2, 1, 1) // racks of 2 and 1
	for _, h := range placed(t, Config{Cluster: c, Replicas: 3}, 20, "j") {
		if len(slices.Compact(slices.Sorted(slices.Values(h)))) != 3 {
			t.Errorf("block lies on %v", h)
		}
	}
}

func TestPlacementIsKeyedByJob(t *testing.T) {
	cfg := Config{Cluster: uniform(20, 4, 1, 1), Replicas: 3, Seed: 1}
	a, b := fmt.Sprint(placed(t, cfg, 50, "a")), fmt.Sprint(placed(t, cfg, 50, "b"))
	if a == b || a != fmt.Sprint(placed(t, cfg, 50, "a")) {
		t.Error("one job's blocks lie where they did, another's elsewhere")
	}
	cfg.Seed = 2
	if a == fmt.Sprint(placed(t, cfg, 50, "a")) {
		t.Error("another seed, another placement")
	}
}

func TestTimesHaveTheirMeanAndSpread(t *testing.T) {
	w, err := New(Config{Cluster: uniform(1, 1, 1, 1), Workload: load(shape{id: "j", maps: 1, mapS: 1}), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	const n = 200_000
	for _, tc := range []struct {
		times Times
		cv    float64
	}{{Times{Law: Constant, CV: 0.5}, 0}, {Times{Law: Uniform, CV: 0.4}, 0.4}, {Times{Law: Normal, CV: 0.2}, 0.2}, {Times{Law: Exponential, CV: 0}, 1}, {Times{Law: LogNormal, CV: 0.7}, 0.7}, {Times{Law: Normal, CV: 0}, 0},
		{Times{Law: Pareto, CV: 0.3}, 0.3}, {Times{Law: Pareto}, 0}, {Times{Law: Empirical, Values: []float64{10, 30}}.normalized(), 0.5}} {
		var sum, sq float64
		for i := range uint64(n) {
			x := tc.times.factor(unit(w.bits(forWork, 1, 1, i, 1)))
			if x < 0 {
				t.Fatalf("%+v: factor %v", tc.times, x)
			}
			sum, sq = sum+x, sq+x*x
		}
		mean := sum / n
		if cv := math.Sqrt(max(0, sq/n-mean*mean)); math.Abs(mean-1) > 0.01 || math.Abs(cv-tc.cv) > 0.02 {
			t.Errorf("%+v: mean %v, CV %v", tc.times, mean, cv)
		}
	}
}

// What a task takes depends on nothing but its name and the seed: not on the other jobs, not on the order of starts.
func TestTaskTimesAreCommon(t *testing.T) {
	end := func(hb units.Duration, shapes ...shape) units.Duration {
		d := newDriver(t, Config{Cluster: uniform(2, 1, 1, 1), Workload: load(shapes...), Heartbeat: hb, Times: Times{Law: LogNormal, CV: 1}, Seed: 5})
		var took units.Duration
		d.extra = func(d *driver, batch []sched.Event, _ *sched.Plan) {
			for _, e := range batch {
				if e.Kind == sched.Ended {
					took = max(took, e.Spans[sched.PhaseRun])
				}
			}
		}
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		return took
	}
	j := shape{id: "j", maps: 6, mapS: 1000}
	if a, b := end(0, j), end(3*sec, shape{id: "small", maps: 1, mapS: 1}, j); a != b {
		t.Errorf("the longest task of j takes %v alone and %v beside another job", a, b)
	}
}

// Runs in which nodes fail at random, tasks fail, and the policy kills, holds, bounds and withholds at random, and
// asks for more than its bounds allow; every rule that the driver checks must hold to the end.
func TestUnrulyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := scenario(t)
		for i := range cfg.Workload.Jobs { // reduces that wait for lost maps may take all vcores
			if cfg.Workload.Jobs[i].Stages[0].Containers == nil {
				slowest := 1.0 // nodes at a quarter of the speed live four times as long, or a run may stall
				for _, s := range cfg.Speeds {
					slowest = min(slowest, s.Factor)
				}
				cfg.Failures.MTBF, cfg.Failures.MTTR = units.FromSeconds(60/slowest), units.FromSeconds(5)
			}
		}
		d := newDriver(t, cfg)
		kills := 0
		dice := func(n int) bool { return rapid.IntRange(0, n-1).Draw(t, "dice") == 0 }
		d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
			d.w.WakeAt(d.at.Add(7 * sec))
			for _, id := range d.order {
				j := d.jobs[id]
				st := j.spec.Stages[rapid.IntRange(0, len(j.spec.Stages)-1).Draw(t, "stage")].Kind
				switch rapid.IntRange(0, 30).Draw(t, "act") {
				case 0:
					d.item(sched.Item{Verb: sched.Hold, Job: id})
					j.admitted = false // the driver admits it again in its next batch
				case 1:
					d.item(sched.Item{Verb: sched.Withhold, Job: id, Stage: st})
				case 2:
					d.item(sched.Item{Verb: sched.Release, Job: id, Stage: st})
				case 3:
					d.item(sched.Item{Verb: sched.SetSlots, Job: id, Stage: st, Count: int32(rapid.IntRange(-1, 2).Draw(t, "slots"))})
				case 4:
					d.beyond(j, st)
				default:
					if d.batches > 200 { // no more bounds
						d.item(sched.Item{Verb: sched.Release, Job: id, Stage: st})
						d.item(sched.Item{Verb: sched.SetSlots, Job: id, Stage: st, Count: -1})
					}
				}
			}
			if kills < 20 && dice(5) {
				for _, a := range slices.Sorted(maps.Keys(d.attempts)) {
					if dice(3) {
						kills++
						from := int32(len(p.Victims))
						p.Victims = append(p.Victims, a)
						d.item(sched.Item{Verb: sched.Kill, Count: 1, Outcome: sched.Preempted, Attempts: sched.Span{From: from, To: from + 1}})
						break
					}
				}
			}
		}
		if err := d.run(); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(d.trace, "\n"))
		}
		if len(d.ended) != len(cfg.Workload.Jobs) {
			t.Fatalf("%d of %d jobs ended", len(d.ended), len(cfg.Workload.Jobs))
		}
	})
}

// beyond asks for the first open task of a stage that is withheld, or has as many as it may have.
func (d *driver) beyond(j *dJob, s sched.Stage) {
	bound, is := j.bound[s]
	if !j.withheld[s] && !(is && bound >= 0 && j.busy[s] >= bound) || len(j.open[s]) == 0 {
		return
	}
	from := int32(len(d.plan.Bound))
	d.plan.Bound = append(d.plan.Bound, sched.Bound{Task: slices.Min(slices.Collect(maps.Keys(j.open[s]))), Locality: sched.Remote})
	d.item(sched.Item{Verb: sched.Start, Job: j.id, Stage: s, Node: 1, Count: 1, Tasks: sched.Span{From: from, To: from + 1}})
}

// Starting and ending tasks allocates nothing once the arrays have grown.
func TestNoAllocationPerTask(t *testing.T) {
	if audits {
		t.Skip("a build that checks itself allocates")
	}
	run := func(n int) float64 {
		return testing.AllocsPerRun(3, func() {
			w, err := New(Config{Cluster: uniform(50, 2, 2, 1), Workload: load(shape{id: "j", maps: n, reduces: 10, mapS: 3, reduS: 2, slow: 0.5}), Heartbeat: sec})
			if err != nil {
				t.Fatal(err)
			}
			f := &fifo{w: w}
			f.run(t)
			if len(w.attempts) > 2*150+1 || len(w.jobs) > 2 {
				t.Errorf("%d handles of attempts on 150 slots, %d of jobs for one job", len(w.attempts)-1, len(w.jobs)-1)
			}
		})
	}
	few, many := run(1000), run(20_000)
	if many-few > 60 { // the workload's own arrays grow by doubling, pages of item ids
		t.Errorf("%v allocations for 1,000 maps, %v for 20,000", few, many)
	}
}

func TestValidate(t *testing.T) {
	ok := func() Config {
		return Config{Cluster: uniform(2, 1, 1, 1), Workload: load(shape{id: "j", maps: 1, mapS: 1})}
	}
	for want, change := range map[string]func(*Config){
		"a cluster and a workload are needed":                                  func(c *Config) { c.Workload = nil },
		"heartbeat -1s is negative":                                            func(c *Config) { c.Heartbeat = -sec },
		"3 replicas do not fit on 2 nodes":                                     func(c *Config) { c.Replicas = 3 },
		"its input lies on node 9, the cluster has 2":                          func(c *Config) { c.Workload.Jobs[0].Stages[0].Hosts.Set(0, 9) },
		`job "j": deadline 0s is not after the arrival`:                        func(c *Config) { c.Workload.Jobs[0].Deadline = 0 },
		"stage map grows, and the simulator has to know all its tasks":         func(c *Config) { c.Workload.Jobs[0].Stages[0].Grows = true },
		"the time limit, the patience and the interval of reports must not be": func(c *Config) { c.Until = -1 },
	} {
		c := ok()
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if _, err := New(ok()); err != nil {
		t.Error(err)
	}
}

// A job that is not admitted runs as many tasks as a sample asks for and no more.
func TestSample(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(1, 1, 4, 0), Workload: load(shape{id: "j", maps: 4, mapS: 10}), Until: at(30)})
	d.admit = func(*dJob) bool { return false }
	sampled := false
	d.extra = func(d *driver, _ []sched.Event, p *sched.Plan) {
		if sampled {
			return
		}
		sampled = true
		d.item(sched.Item{Verb: sched.Sample, Job: 1, Stage: sched.Map, Count: 2})
		p.Bound = append(p.Bound, sched.Bound{Task: 1}, sched.Bound{Task: 2}, sched.Bound{Task: 3})
		j := d.jobs[1]
		j.admitted = true // as far as the driver's book goes
		for task := range sched.TaskID(2) {
			delete(j.open[sched.Map], task+1)
			j.live++
			d.nodes[1].free[units.MapSlots]--
		}
		d.item(sched.Item{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 3, Tasks: sched.Span{From: 0, To: 3}})
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if d.started != 2 || len(d.refused) != 1 || d.refused[0].Task != 3 || d.refused[0].Why != sched.NotAdmitted {
		t.Errorf("%d started, refused %+v", d.started, d.refused)
	}
}

// The breakdown that was drawn for an earlier life of a node does not strike in a later one.
func TestBreakdownOfAnEarlierLife(t *testing.T) {
	w, err := New(Config{Cluster: uniform(1, 1, 1, 0), Workload: load(shape{id: "j", maps: 1, mapS: 1}), Failures: Failures{MTBF: units.Hour, MTTR: sec}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.breakDown(1, w.nodes[1].lives-1)
	w.reconcile()
	if w.nodes[1].state != nodeOpen {
		t.Error("it did")
	}
	w.breakDown(1, w.nodes[1].lives)
	w.reconcile()
	if w.nodes[1].state != nodeDown {
		t.Error("the breakdown of this life did not")
	}
}

// Handles of jobs are used again, so that a long run holds the jobs in the system and no more.
func TestJobHandlesAreRecycled(t *testing.T) {
	var shapes []shape
	for i := range 200 {
		shapes = append(shapes, shape{id: fmt.Sprint("j", i), arrive: float64(10 * i), maps: 2, mapS: 12})
	}
	d := newDriver(t, Config{Cluster: uniform(2, 1, 2, 0), Workload: load(shapes...)})
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if len(d.w.jobs) > 5 {
		t.Errorf("%d handles for two jobs at a time", len(d.w.jobs)-1)
	}
}
