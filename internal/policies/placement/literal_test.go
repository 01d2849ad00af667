package placement_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// literal is the pseudo-code of tables 4.1 and 4.2 of paper 003, line by line: it scans all jobs
// and keeps nothing but the markers. Besides, a node gets one reduce on each beat. It knows slots
// only.
type literal struct {
	printed bool           // lines 19 to 26 as they are printed; else corrected
	marker  map[int32]*int // nil = null
}

func (l *literal) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		j := v.Job(batch[i].Job)
		if batch[i].Kind == sched.JobArrived || batch[i].Kind == sched.StageReady && batch[i].Stage == sched.Map && j != nil && j.State == sched.Admitted {
			clear(l.marker) // algorithm 2
		}
		if batch[i].Kind == sched.NodeUp {
			delete(l.marker, int32(batch[i].Node)) // lines 1 to 3
		}
	}
	var turns []sched.NodeID
	for i := range batch {
		if batch[i].Kind == sched.Heartbeat {
			turns = append(turns, batch[i].Node)
		}
	}
	for again := true; again; again = again && v.World().Heartbeat == 0 { // at 0 the next beat comes at once
		again = false
		for _, n := range turns {
			was, had := l.marker[int32(n)], len(p.Items)
			l.beat(v, p, n)
			is := l.marker[int32(n)]
			again = again || len(p.Items) > had || is != nil && *is == 0 && (was == nil || *was != 0)
		}
	}
}

func (l *literal) beat(v sched.View, p *sched.Plan, node sched.NodeID) {
	start := func(j sched.JobID, s sched.Stage, far sched.Locality) {
		if !p.Start(j, s, node, 1, far, sched.Because(sched.FirstInOrder)) {
			panic("refused")
		}
	}
	i := int32(node)
	s := v.Node(node).Free[units.MapSlots]
	for s > 0 { // 5
		var queue []sched.JobID // jobs with an unassigned map
		for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
			queue = append(queue, j)
		}
		if len(queue) == 0 {
			break // nobody looks for anything
		}
		previous := l.marker[i]   // 6
		for _, j := range queue { // 7
			// 8
			if locality := v.Nearest(node, j, sched.Map); locality == sched.NodeLocal || locality == sched.Anywhere {
				start(j, sched.Map, sched.NodeLocal) // 9
				s--                                  // 10
				if l.marker[i] == nil {              // 11
					l.marker[i] = new(1) // 12
				} else {
					l.marker[i] = new(*l.marker[i] + 1) // 13
				}
				break // 15
			}
		}
		if previous != l.marker[i] {
			continue
		}
		if l.printed || previous == nil || *previous != 0 { // 19
			l.marker[i] = new(0) // 20
			break                // 21
		}
		start(queue[0], sched.Map, sched.Remote) // 22, 23; nobody looks at s behind 24
		break                                    // 25
	}
	if j := v.First(node, sched.Reduce, 0); j != 0 {
		start(j, sched.Reduce, sched.Anywhere)
	}
}

// patient is algorithm 2 of Zaharia et al. (2010), line by line, for slots, but that "the time
// since the last heartbeat" is an interval at most, as nodes without room do not beat here. Where
// nodes are served at once, a job counts as skipped from its first skip on. Each node gets one
// reduce on each beat.
type patient struct {
	w1, w2  units.Duration
	level   map[string]int
	wait    map[string]units.Duration
	skipped map[string]bool
	last    units.Time
}

func (a *patient) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	beats := false
	for i := range batch {
		if batch[i].Kind != sched.Heartbeat {
			continue
		}
		beats = true
		n := batch[i].Node
		for id, skipped := range a.skipped {
			switch h := v.World().Heartbeat; {
			case skipped && h > 0:
				a.wait[id] += min(v.Now().Sub(a.last), h)
				a.skipped[id] = false
			case skipped:
				a.wait[id] += v.Now().Sub(a.last)
			}
		}
		a.last = v.Now()
		for a.one(v, p, n) {
		}
		if j := v.First(n, sched.Reduce, 0); j != 0 {
			p.Start(j, sched.Reduce, n, 1, sched.Anywhere, sched.Because(sched.FirstInOrder))
		}
	}
	if !beats || v.World().Heartbeat > 0 {
		return
	}
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		id := v.Job(j).Spec.ID
		due := [][]units.Duration{{a.w1, a.w1 + a.w2}, {a.w2}, nil}[a.level[id]]
		if i := slices.IndexFunc(due, func(w units.Duration) bool { return w > a.wait[id] }); i >= 0 && a.skipped[id] {
			p.WakeMe(v.Now().Add(due[i]-a.wait[id]), sched.Because(sched.Wakeup))
		}
	}
}

func (a *patient) one(v sched.View, p *sched.Plan, n sched.NodeID) bool {
	if v.Node(n).Free[units.MapSlots] <= 0 {
		return false
	}
	for j := v.Waiting(sched.Map, 0); j != 0; j = v.Waiting(sched.Map, j) {
		id, locality := v.Job(j).Spec.ID, v.Nearest(n, j, sched.Map)
		level := -1
		switch {
		case locality == sched.Anywhere:
			p.Start(j, sched.Map, n, 1, locality, sched.Because(sched.FirstInOrder))
			return true // wait and level stay
		case locality == sched.NodeLocal:
			level = 0
		case locality == sched.RackLocal && (a.level[id] >= 1 || a.wait[id] >= a.w1):
			level = 1
		case a.level[id] == 2 || a.level[id] == 1 && a.wait[id] >= a.w2 || a.level[id] == 0 && a.wait[id] >= a.w1+a.w2:
			level = 2
		default:
			a.skipped[id] = true
			continue
		}
		p.Start(j, sched.Map, n, 1, locality, sched.Because(sched.FirstInOrder))
		a.wait[id], a.level[id] = 0, level
		if v.World().Heartbeat > 0 {
			a.skipped[id] = false
		}
		return true
	}
	return false
}

// starts keeps what each plan starts.
type starts struct{ lines []string }

func (s *starts) Batch(int64, units.Time, []sched.Event) error { return nil }

func (s *starts) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Start {
			s.lines = append(s.lines, fmt.Sprintf("%v job %d %v on node %d: %v", at, it.Job, it.Stage, it.Node, p.Bound[it.Tasks.From:it.Tasks.To]))
		}
	}
	return nil
}

var orders = []string{"by-arrival", "edf", "fair-share", "capacity-share"}

// someDay is a random cluster with a stream of jobs.
func someDay(t *rapid.T, beats ...units.Duration) sim.Config {
	pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	c := cluster.Uniform(pick("nodes", 5)+2, pick("racks", 2)+1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(pick("slots", 3)+1, 1)})
	var jobs []*workload.Job
	at := units.Time(0)
	for i := range pick("jobs", 7) + 1 {
		at = at.Add(units.Duration(pick("pause", 8)) * units.Second)
		j := &workload.Job{ID: fmt.Sprint("j", i), Class: "c", Queue: []string{"", "a", "b"}[pick("queue", 3)], User: []string{"u", "v"}[pick("user", 2)], Weight: 1,
			Arrive: at, Soft: units.Never, Deadline: at.Add(units.Duration(pick("deadline", 60)+1) * units.Second)}
		maps := workload.StageSpec{Kind: workload.Map}
		home := pick("home", 8) == 0 // a job that is at home everywhere
		for k := range pick("maps", 9) + 1 {
			var hosts []cluster.NodeID
			m := workload.Task{Work: units.Duration(pick("work", 12)+1) * 700 * units.Millisecond}
			for range 2 {
				if h := cluster.NodeID(pick("host", len(c.Nodes)) + 1); !home && !slices.Contains(hosts, h) {
					hosts = append(hosts, h)
				}
			}
			maps.Tasks = append(maps.Tasks, m)
			maps.Hosts.Set(k, hosts...)
		}
		j.Stages = append(j.Stages, maps)
		if n := pick("reduces", 3); n > 0 {
			j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: slices.Repeat([]workload.Task{{Work: 2 * units.Second}}, n)})
		}
		if i > 0 && pick("after", 5) == 0 {
			j.After = []string{fmt.Sprint("j", i-1)}
		}
		jobs = append(jobs, j)
	}
	down := units.Time(0).Add(units.Duration(pick("down", 20)+1) * units.Second)
	outage := sim.Outage{Node: cluster.NodeID(pick("lost", len(c.Nodes)) + 1), Down: down, Up: down.Add(units.Duration(pick("away", 9)+1) * units.Second)}
	return sim.Config{Outages: []sim.Outage{outage}, Cluster: c, Workload: &workload.Workload{Jobs: jobs}, Seed: rapid.Uint64().Draw(t, "seed"), Heartbeat: rapid.SampledFrom(beats).Draw(t, "beat"),
		Failures: sim.Failures{Rate: float64(pick("failures", 3)) * 0.1}, MaxFailures: 255}
}

// run plays a day and returns what was started.
func run(t *rapid.T, cfg sim.Config, p sched.Policy) []string {
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &starts{}
	if err := drive.New(w, p, s).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s.lines
}

// same compares what a part of the catalogue starts with what another placement starts, under the same order.
func same(t *rapid.T, cfg sim.Config, name, part string, other compose.Step) {
	p, err := catalog.New(name+"+"+part, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := catalog.New(name, queues.Config{}) // an order of its own, as it may have memory
	if err != nil {
		t.Fatal(err)
	}
	q, err := compose.New(compose.Recipe{Name: "literal", Order: o.About().Order, Steps: map[compose.Kind]compose.Step{compose.KindAdmit: admit.All{}, compose.KindPlace: other}})
	if err != nil {
		t.Fatal(err)
	}
	got, want := run(t, cfg, p), run(t, cfg, q)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s under %s: start %d is\n%v, want\n%v", part, name, i, append(got, "none")[min(i, len(got))], append(want, "none")[min(i, len(want))])
		}
	}
}

func TestMatchmakingIsThePseudoCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := someDay(t, 0, units.Second, 3*units.Second)
		same(t, cfg, rapid.SampledFrom(orders).Draw(t, "order"), "matchmaking", &literal{marker: map[int32]*int{}})
	})
}

func TestDelayIsThePseudoCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := someDay(t, 0, units.Second, 3*units.Second)
		spans := rapid.SampledFrom([]units.Duration{0, 300 * units.Millisecond, 2 * units.Second, 9 * units.Second})
		w1, w2 := spans.Draw(t, "D"), spans.Draw(t, "rack")
		same(t, cfg, rapid.SampledFrom(orders).Draw(t, "order"), fmt.Sprintf("delay(D=%v,rack=%v)", w1, w2),
			&patient{w1: w1, w2: w2, level: map[string]int{}, wait: map[string]units.Duration{}, skipped: map[string]bool{}})
	})
}

// As printed, table 4.1 marks a node again and again and never comes to line 22: a job whose data
// lie where no map can run starves.
func TestPrintedFormStarves(t *testing.T) {
	for _, printed := range []bool{true, false} {
		c := nodes(3, 1, units.Slots(2, 0))
		c.Nodes[1].Class = &cluster.Class{Name: "no maps", Speed: 1, Capacity: units.Slots(0, 1)}
		c.Classes = append(c.Classes, c.Nodes[1].Class)
		w, err := sim.New(sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: []*workload.Job{job("a", 0, on1, on2, on2)}}, Heartbeat: 3 * units.Second})
		if err != nil {
			t.Fatal(err)
		}
		p, err := catalog.New("fifo", queues.Config{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := compose.New(compose.Recipe{Name: "literal", Order: p.About().Order, Steps: map[compose.Kind]compose.Step{compose.KindAdmit: admit.All{},
			compose.KindPlace: &literal{printed: printed, marker: map[int32]*int{}}}})
		if err != nil {
			t.Fatal(err)
		}
		s := &starts{}
		err = drive.New(w, q, s).Run(context.Background())
		if printed && (!errors.Is(err, sim.ErrStuck) || len(s.lines) != 1) {
			t.Errorf("as printed: %v, started %v", err, s.lines)
		}
		if !printed && (err != nil || len(s.lines) != 3) {
			t.Errorf("as corrected: %v, started %v", err, s.lines)
		}
	}
}
