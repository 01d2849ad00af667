package conform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// machines is a small cluster with two racks.
func machines() *cluster.Cluster {
	c := cluster.Uniform(4, 2, cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(2, 1)})
	c.Nodes[0].Labels, c.Nodes[1].Labels = []string{"fast"}, []string{"new", "fast"}
	return c
}

// unchecked is why worlds refuse what no book has checked.
var unchecked = []sched.Code{sched.UnknownJob, sched.UnknownNode, sched.BadItem, sched.NodeAway, sched.NotAdmitted, sched.NotReady, sched.WrongLabels,
	sched.Stale, sched.NoRoom}

// bounded is why worlds that bind tasks refuse besides.
var bounded = append(slices.Clone(unchecked), sched.Withheld, sched.AtLimit)

// work is five jobs: two that wait for others, one without reduces, deadlines and queues for those who look at them.
func work() []*workload.Job {
	var jobs []*workload.Job
	for i := range 5 {
		j := &workload.Job{ID: fmt.Sprintf("j%d", i+1), Class: "c", Queue: []string{"a", "b"}[i%2], User: "u", Weight: 1,
			Arrive: units.Time(0).Add(units.Duration(i) * 3 * units.Second), Soft: units.Never,
			Deadline: units.Time(0).Add(units.Duration(40-5*i) * units.Minute), SlowStart: 0.5}
		maps := workload.StageSpec{Kind: workload.Map}
		for k := range 4 + 2*i {
			maps.Tasks = append(maps.Tasks, workload.Task{Input: 64 * units.MB, Work: 4 * units.Second})
			maps.Hosts.Set(k, cluster.NodeID((i+k)%4+1), cluster.NodeID((i+k+1)%4+1))
		}
		j.Stages = append(j.Stages, maps)
		if i != 1 {
			j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce,
				Tasks: make([]workload.Task, 2+i%2)})
			for k := range j.Stages[1].Tasks {
				j.Stages[1].Tasks[k] = workload.Task{Work: 3 * units.Second, Shuffle: units.Second}
			}
		}
		jobs = append(jobs, j)
	}
	jobs[1].Labels = []string{"fast"}
	jobs[2].After = []string{"j1"}
	jobs[0].Stages[1].MinTasks, jobs[0].Stages[1].MaxTasks = 1, 6
	for k := range 6 {
		jobs[0].Stages[1].Works = append(jobs[0].Stages[1].Works, 6*units.Second/units.Duration(k+1))
	}
	jobs[4].After = []string{"j2", "j3"}
	workload.NewWorkflow("w", units.Time(0).Add(units.Hour), []*workload.Job{jobs[4], jobs[0], jobs[2]})
	return jobs
}

func simulated(seeds int) Subject {
	return Subject{Name: "sim", Jobs: 5, Binds: true, Exact: true, Races: true, Seeds: seeds, Delay: 4 * units.Second, Refuses: bounded, New: func(t *testing.T, seed uint64) drive.World {
		cfg := sim.Config{Cluster: machines(), Workload: &workload.Workload{Jobs: work()}, Seed: seed, Heartbeat: units.Second, Progress: units.Second,
			Failures: sim.Failures{Rate: 0.05, MTBF: 5 * units.Minute, MTTR: 10 * units.Second}}
		if seed%3 == 0 {
			cfg.Heartbeat = 0
		}
		w, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}}
}

// rich is the simulator with all that it can do: resources instead of slots, ApplicationMasters,
// labels, speeds and numbers of nodes that change, blocks that it places, times at random.
func rich(seeds int) Subject {
	s := simulated(seeds)
	s.Name = "sim, rich"
	s.New = func(t *testing.T, seed uint64) drive.World {
		c := machines()
		for i, capacity := range []units.Vector{{units.MapSlots: 1, units.ReduceSlots: 1, units.VCores: 4, units.Memory: 4 << 30}, {units.MapSlots: 2, units.ReduceSlots: 2, units.VCores: 2, units.Memory: 8 << 30}} {
			class := &cluster.Class{Name: fmt.Sprint("class", i), Speed: 1 + float64(i), Capacity: capacity}
			c.Classes = append(c.Classes, class)
			c.Nodes[i].Class, c.Nodes[i+2].Class = class, class
		}
		jobs := work()
		for i, j := range jobs {
			for k := range j.Stages {
				st := &j.Stages[k]
				if i%2 == 0 {
					st.Containers = []cluster.Container{{Name: "large", Needs: units.Vector{units.VCores: 2, units.Memory: 2 << 30}}, {Name: "small", Needs: units.Vector{units.VCores: 1, units.Memory: 1 << 30}}}
					st.CPUShare = 0.5
				}
				st.Hosts = workload.Hosts{} // it places them
			}
			if i == 3 {
				j.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: []workload.Task{{Work: units.Second}},
					Containers: []cluster.Container{{Name: "master", Needs: units.Vector{units.VCores: 1, units.Memory: 1 << 28}}}}}, j.Stages...)
			}
		}
		at := func(s int) units.Time { return units.Time(0).Add(units.Duration(s) * units.Second) }
		w, err := sim.New(sim.Config{Cluster: c, Workload: &workload.Workload{Jobs: jobs}, Seed: seed, Heartbeat: units.Duration(seed%2) * units.Second, Progress: units.Second, Replicas: 2,
			Placement: sim.Placement(seed % 2), Times: sim.Times{Law: sim.LogNormal, CV: 0.5}, Failures: sim.Failures{Rate: 0.03},
			Supply:  []sim.SupplyStep{{At: at(1), Of: sched.GreenPower, Amount: 100}, {At: at(2), Of: sched.Price, Amount: 0.3}, {At: at(2), Of: sched.Carbon, Amount: 300}},
			Expect:  []sim.Outlook{{At: at(2), Of: sched.GreenPower, Forecast: &sched.Forecast{Start: at(0), Interval: units.Second, Mid: []float64{1}}}},
			Speeds:  []sim.SpeedStep{{At: at(5), Node: 1, Factor: 0.5}, {At: at(15), Factor: 2}},
			Sizes:   []sim.SizeStep{{At: at(4), Nodes: 3}, {At: at(10), Nodes: 2, Crash: true}, {At: at(14), Nodes: 4}, {At: at(22), Nodes: 2}, {At: at(26), Nodes: 4}},
			Outages: []sim.Outage{{Node: 1, Down: at(8), Up: at(12)}, {Node: 2, Down: at(30), Up: at(31)}}})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	return s
}

// pressed is the simulator with a job without a deadline that takes all map slots, one behind it whose deadline
// is near, and nodes that can be rented.
func pressed(seeds int) Subject {
	s := simulated(seeds)
	s.Name = "sim, pressed"
	s.New = func(t *testing.T, seed uint64) drive.World {
		jobs := work()
		first := jobs[0]
		first.Deadline, first.Class, first.Stages[0].Tasks = units.Never, "long", slices.Repeat([]workload.Task{{Work: 40 * units.Second}}, 16)
		jobs[3].Deadline = jobs[3].Arrive.Add(25 * units.Second)
		nodes, cloud := machines(), &cluster.Class{Name: "cloud", Speed: 1, Capacity: units.Slots(2, 1), WakeTime: 3 * units.Second, Most: 2, Price: 1}
		nodes.Classes = append(nodes.Classes, cloud)
		nodes.Nodes = append(nodes.Nodes, &cluster.Node{Name: "cloud1", Rack: 1, Class: cloud}, &cluster.Node{Name: "cloud2", Rack: 2, Class: cloud})
		w, err := sim.New(sim.Config{Cluster: nodes, Workload: &workload.Workload{Jobs: jobs}, Seed: seed, Heartbeat: units.Second, Progress: units.Second})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	return s
}

// failing is the simulator with tasks that fail so often that jobs do, and those behind them never start.
func failing(seeds int) Subject {
	s := simulated(seeds)
	s.Name, s.Fails = "sim, failing", true
	s.New = func(t *testing.T, seed uint64) drive.World {
		w, err := sim.New(sim.Config{Cluster: machines(), Workload: &workload.Workload{Jobs: work()}, Seed: seed, Heartbeat: units.Second, Progress: units.Second, Failures: sim.Failures{Rate: 0.35}, MaxFailures: 2})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	return s
}

func unkind(seeds int) Subject {
	return Subject{Name: "adverse", Jobs: 5, Exact: true, Unkind: true, Seeds: seeds, Delay: 4 * units.Second, Refuses: unchecked, New: func(_ *testing.T, seed uint64) drive.World {
		return adverse.New(twinned(seed))
	}}
}

// twinned is the unkind world of a seed: of three, one with ApplicationMasters for some jobs in map
// slots, and one with such outside of them; with clocks that show anything in the beginning; of
// five, one that is watched first.
func twinned(seed uint64) adverse.Config {
	jobs, nodes := work(), machines()
	outside := seed%3 == 2
	for i, j := range jobs {
		if seed%3 == 0 || i == 2 || i == 4 {
			continue
		}
		master := workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)}
		if outside {
			master.Containers = []cluster.Container{{Needs: units.Vector{units.VCores: 1, units.Memory: 1 << 30}}}
		}
		j.Stages = append([]workload.StageSpec{master}, j.Stages...)
	}
	if outside {
		nodes.Classes[0].Capacity[units.VCores], nodes.Classes[0].Capacity[units.Memory] = 2, 4<<30
	}
	return adverse.Config{Cluster: nodes, Jobs: jobs, Seed: seed, Calm: 200, Begin: units.Time(0).Add(units.Duration(seed%4) * 40 * units.Hour), Watching: seed%5 == 4, Rents: int(seed % 2)}
}

// runs is how many seeds of n are tried: a sixth of them by the README's test command, a fifth in a hurry, ten times as
// many in the long tier.
func runs(n int) int {
	switch {
	case testing.Short():
		return max(1, n/5)
	case os.Getenv("SLACKLINE_LONG") != "":
		return 10 * n
	}
	return max(1, n/6)
}

// Every policy of the catalogue, and every part in some policy, passes on the kind world and on the unkind one.
func TestPolicies(t *testing.T) {
	for _, s := range []Subject{simulated(max(2, runs(6))), unkind(max(6, runs(20))), real(t, 1)} {
		acts := newActs()
		for _, text := range everyone() {
			t.Run(s.Name+" "+text, func(t *testing.T) {
				s.sinks = []drive.Sink{acts.of(fromCatalogue(t, text)())}
				holds(t, s, text)
			})
		}
		if s.Exact { // what is done in real time depends on the machine
			taught := []string{"out of time", "request"}
			if !s.Unkind {
				// TestTaughtPolicies lets them act.
				taught = append(taught, "constraint", "rtmr reclaimer", "need", "slack", "atp", "vds", "tradeoff")
			}
			acts.check(t, s.Name, s.New(t, 0).Can(), taught...)
		}
	}
}

// everyone lists every policy of the catalogue, and every part in some policy.
func everyone() []string {
	texts := []string{"edf(feasible)", "fair(preemption=true,fair_timeout=100ms,min_timeout=100ms,interval=1s)", "edf+speculate(lag=0s,gap=0,interval=1s)", "fifo+sleep(idle=2s)", "edf+serial+greedy(nonlocal=0,reduces=0)",
		"capacity(elastic=false)", "rtmr(feedback=false,unknown=best-effort)", "edf(feasible)+slowstart", "fair(users=true)+limit(running=2,per_user=2,per_queue=1)",
		"rds(interval=2s,solver=500ms)", "edf+need(idle=2s)"} // the jobs of these worlds take seconds
	for _, e := range catalog.All() {
		if e.Kind == compose.KindPreempt {
			e.Name = "fair+" + e.Name
		}
		texts = append(texts, e.Name)
	}
	return texts
}

// pools describes the queues that the jobs name.
func pools() queues.Config {
	return queues.Config{Queues: []queues.Queue{{Name: "a", Weight: 2, MinMaps: 2, Capacity: 60, Maximum: 90, UserLimitFactor: -1},
		{Name: "b", MinReduces: 1, Capacity: 40, UserLimitFactor: 2}}}
}

func TestSim(t *testing.T)     { Suite(t, simulated(runs(30))) }
func TestRich(t *testing.T)    { Suite(t, rich(runs(30))) }
func TestFailing(t *testing.T) { Suite(t, failing(runs(20))) }
func TestAdverse(t *testing.T) { Suite(t, unkind(runs(60))) }

// A resync does not tell of a job that ended meanwhile, nor how it did.
func TestJobsEndUntold(t *testing.T) {
	s := unkind(1)
	for seed := range uint64(100) {
		if s.run(t, seed, func() sched.Policy { return Friendly{} }, nil).Untold > 0 {
			return
		}
	}
	t.Error("in 100 runs no job ended untold: the suite tests nothing of it")
}

// Users cancel jobs: nothing of them starts any more, they end, and so do those that wait for them.
func TestCancels(t *testing.T) {
	s := unkind(runs(30))
	s.Name = "adverse, cancelled"
	s.New = func(_ *testing.T, seed uint64) drive.World {
		cfg := twinned(seed)
		cfg.Cancels = true
		return adverse.New(cfg)
	}
	Suite(t, s)
}

// shaky is the engine with a worker that goes and comes back, and another whose slots change. A job
// comes late through its door, which is shut then; that of a user who changes his mind is
// cancelled.
type shaky struct {
	*engine.World
	t      *testing.T
	turns  int
	late   []engine.Job
	cancel string // "" = nobody changes his mind
	asked  []*engine.Request
}

func (w *shaky) Next(ctx context.Context) (drive.Batch, error) {
	switch w.turns++; w.turns {
	case 2:
		w.ask(engine.Request{Submit: w.late})
		w.ask(engine.Request{Shut: true})
	case 10:
		w.ask(engine.Request{Node: 1, Slots: units.Slots(1, 0)})
	case 5:
		if w.cancel != "" {
			w.asked = append(w.asked, &engine.Request{Cancel: w.cancel, Answer: func(error) {}}) // it may have ended
		}
	case 20:
		w.Down(3)
	case 25:
		w.ask(engine.Request{Node: 1, Slots: units.Slots(3, 2)})
	case 40:
		w.Up(3)
	}
	return w.World.Next(ctx)
}

func (w *shaky) ask(r engine.Request) {
	r.Answer = func(err error) {
		if err != nil {
			w.t.Errorf("the engine refuses %+v: %v", r, err)
		}
	}
	w.asked = append(w.asked, &r)
}

// requests is the shaky engine's source.
type requests struct{ *shaky }

func (r requests) Next() *engine.Request {
	if len(r.asked) == 0 {
		return nil
	}
	first := r.asked[0]
	r.shaky.asked = r.asked[1:]
	return first
}

func (r requests) Came() <-chan struct{} { return nil }

// real is the engine over real files: every run writes its own files, and its output is compared with counts
// made without MapReduce.
func real(t *testing.T, seeds int) Subject { return engines(t, seeds, "") }

// engines is the engine with a job that is cancelled, "" = none is.
func engines(t *testing.T, seeds int, cancel string) Subject {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	var text strings.Builder
	want := map[string]int{}
	for i := range 600 {
		word := fmt.Sprintf("w%d", i*i%97)
		want[word]++
		fmt.Fprintln(&text, word)
	}
	if err := os.WriteFile(in, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := apps.New("wordcount", nil)
	if err != nil {
		t.Fatal(err)
	}
	outs := map[string]string{}
	s := Subject{Name: "engine", Jobs: 4, Binds: true, Races: true, Seeds: seeds, Delay: 10 * units.Millisecond, Refuses: bounded}
	s.New = func(t *testing.T, seed uint64) drive.World {
		run, err := os.MkdirTemp(dir, "run")
		if err != nil {
			t.Fatal(err)
		}
		var jobs []engine.Job
		for i := range s.Jobs {
			id := fmt.Sprintf("j%d", i+1)
			outs[id] = filepath.Join(run, id)
			j := engine.Job{Spec: workload.Job{ID: id, Class: "words", Queue: []string{"a", "b"}[i%2], Weight: 1, Soft: units.Never,
				Deadline: units.Time(0).Add(units.Duration(9-i) * units.Minute), SlowStart: 0.3}, Program: program, Input: []string{in}, Output: outs[id], Reduces: 2}
			if i%2 == 0 {
				j.MinMaps, j.MaxMaps = 1, 20
			}
			if i == 3 { // it counts what another has sorted
				j.Spec.After, j.Input = []string{"j2"}, []string{outs["j2"]}
			}
			if i == 1 {
				j.Spec.Labels = []string{"fast"}
				if j.Program, err = apps.New("sort", nil); err != nil {
					t.Fatal(err)
				}
			}
			jobs = append(jobs, j)
		}
		began := time.Now()
		shaky := &shaky{t: t, late: jobs[2:3:3], cancel: cancel}
		shaky.World, err = engine.New(engine.Config{Cluster: machines(), Jobs: append(jobs[:2:2], jobs[3]), Source: requests{shaky}, Block: 512, Replicas: 2, Seed: seed, MaxFailures: 50, Progress: 5 * units.Millisecond,
			Clock: func() units.Time { return units.Time(time.Since(began)) }})
		if err != nil {
			t.Fatal(err)
		}
		return shaky
	}
	s.Output = func(t *testing.T) {
		for _, id := range []string{"j1", "j3", "j4"} {
			got := map[string]int{}
			for part := range 2 {
				b, err := os.ReadFile(filepath.Join(outs[id], fmt.Sprintf("part-r-%05d", part)))
				if err != nil {
					t.Fatal(err)
				}
				for l := range strings.Lines(string(b)) {
					var word string
					var n int
					if _, err := fmt.Sscanf(l, "%s\t%d\n", &word, &n); err != nil {
						t.Fatalf("%s: %q: %v", id, l, err)
					}
					got[word] = n
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", id, d)
			}
		}
	}
	return s
}

func TestEngine(t *testing.T) { Suite(t, real(t, 5)) }

// With a job that is cancelled in the middle, what waits for it ends too, and the others finish.
func TestEngineCancels(t *testing.T) {
	for _, id := range []string{"j2", "j3"} {
		s := engines(t, 2, id)
		s.Name, s.Refuses = "engine, "+id+" cancelled", nil // TestEngine sees to them
		Suite(t, s)
		if w := s.run(t, 9, func() sched.Policy { return Friendly{} }, nil); w.Cancels == 0 || w.Jobs[sched.Killed] == 0 {
			t.Errorf("%s: %d cancels, jobs ended %v: this run tests nothing", s.Name, w.Cancels, w.Jobs)
		}
	}
}
