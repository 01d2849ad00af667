package engine_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/cloud/cloudtest"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// tenant rents whatever is offered, and gives back on a whim.
type tenant struct {
	conform.Friendly
	dice *rand.Rand
	odds int // one look in so many gives a node back
}

var why = &sched.Cause{Name: "tenant", Text: "on a whim"}

// Decide rents, gives back, and fills.
func (x *tenant) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		switch nd := v.Node(n); {
		case nd == nil:
		case nd.State == sched.Offered:
			p.Add(sched.Item{Verb: sched.Wake, Node: n, Reason: sched.Because(why)})
		case nd.State == sched.Awake && x.dice.IntN(x.odds) == 0:
			p.Add(sched.Item{Verb: sched.Sleep, Node: n, Reason: sched.Because(why)})
		}
	}
	x.Friendly.Decide(v, batch, p)
}

func (*tenant) About() sched.About { return sched.About{Causes: []*sched.Cause{why}} }

// turns counts where nodes of clouds stood, and what was refused.
type turns struct {
	own     sched.NodeID
	states  [sched.NodeStates]int
	served  int // NodeUp
	maps    int // that began on them
	needed  int // refusals: it holds what is needed
	ofOwn   int // refusals of own nodes
	down    [8]bool
	again   int // offers of nodes that a cloud took back
	warning []string
	lock    sync.Mutex
}

func (x *turns) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == sched.Refused && e.Why == sched.Needed:
			x.needed++
		case e.Kind == sched.Refused && e.Why == sched.CannotDo && e.Node <= x.own:
			x.ofOwn++
		case e.Node <= x.own:
		case e.Kind == sched.NodeChanged:
			x.states[e.State]++
			if x.down[e.Node] && e.State == sched.Offered {
				x.again++
			}
			x.down[e.Node] = false
		case e.Kind == sched.NodeDown:
			x.down[e.Node] = true
		case e.Kind == sched.NodeUp:
			x.served++
		case e.Kind == sched.Started && e.Stage == sched.Map:
			x.maps++
		}
	}
	return nil
}

func (x *turns) Plan(int64, units.Time, *sched.Plan) error { return nil }

func (x *turns) warn(_, text string) {
	x.lock.Lock()
	defer x.lock.Unlock()
	x.warning = append(x.warning, text)
}

// offers are two own nodes and so many of a cloud.
func offers(most int, boot units.Duration) *cluster.Cluster {
	c := workers(2, 1, 1)
	class := &cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(2, 1), WakeTime: boot, Most: most, Price: 1}
	c.Classes = append(c.Classes, class)
	for i := range most {
		c.Nodes = append(c.Nodes, &cluster.Node{Name: string(rune('a' + i)), Rack: 1, Class: class})
	}
	return c
}

// slowly is a wordcount whose maps take a while.
func slowly(t *testing.T, d time.Duration) *mapreduce.Program {
	return brittle(t, func(int, int) error { time.Sleep(d); return nil })
}

// Slots are rented, used and given back as often as anybody likes; no task runs twice for it, and none is ended.
func TestRentedSlots(t *testing.T) {
	in, want := text(t, 3000)
	x, dir := &turns{own: 2}, t.TempDir()
	cfg := engine.Config{Cluster: offers(3, 10*units.Millisecond), Block: 4 * units.KB, Warn: x.warn}
	for _, id := range []string{"a", "b", "c", "d"} {
		s := spec(id)
		s.Arrive = units.Time(len(cfg.Jobs)) * units.Time(200*units.Millisecond)
		cfg.Jobs = append(cfg.Jobs, engine.Job{Spec: s, Program: slowly(t, 20*time.Millisecond), Input: []string{in}, Output: filepath.Join(dir, id), Reduces: 2})
	}
	watch, _ := run(t, cfg, &tenant{dice: rand.New(rand.NewPCG(1, 1)), odds: 7}, x)
	for _, j := range cfg.Jobs {
		same(t, counted(t, j.Output), want)
	}
	if len(watch.Ends) != 1 || len(x.warning) > 0 {
		t.Errorf("attempts ended %v, told %q", watch.Ends, x.warning)
	}
	if x.served < 4 || x.states[sched.Offered] < 4 || x.maps == 0 || x.needed == 0 || x.ofOwn == 0 {
		t.Errorf("%d times a node came, states %v, %d maps began there, %d times it was needed, %d own", x.served, x.states, x.maps, x.needed, x.ofOwn)
	}
}

// However unkind the cloud is, no job is lost, and nothing is left there.
func TestUnkindClouds(t *testing.T) {
	in, want := text(t, 1500)
	lost, again := 0, 0
	for seed := range uint64(6) {
		c := cloudtest.New(seed, 15*time.Millisecond, cloudtest.Moods{Refuses: 0.1, Loses: 0.1, Partial: 0.1, Stillborn: 0.1, Twice: 0.2, Dies: 0.2})
		x, out := &turns{own: 2}, filepath.Join(t.TempDir(), "out")
		cfg := engine.Config{Cluster: offers(3, 10*units.Millisecond), Clouds: map[string]cloud.Provider{"m": c}, Block: 2 * units.KB, Warn: x.warn,
			Jobs: []engine.Job{{Spec: spec("words"), Program: slowly(t, 40*time.Millisecond), Input: []string{in}, Output: out, Reduces: 2}}}
		watch, e := run(t, cfg, &tenant{dice: rand.New(rand.NewPCG(seed, 2)), odds: 20}, x)
		same(t, counted(t, out), want)
		if e.jobs["words"] != "committed" || c.Count() > 0 {
			t.Errorf("seed %d: %v, %d nodes are left", seed, e.jobs, c.Count())
		}
		lost, again = lost+watch.Ends[sched.Lost], again+x.again
	}
	if lost == 0 || again == 0 {
		t.Errorf("%d attempts were lost, %d times a node that was lost was offered again", lost, again)
	}
}

// A hook that never answers is told in a sentence, and holds no job up.
func TestHangingHook(t *testing.T) {
	if os.Getenv("SLACKLINE_LONG") == "" {
		t.Skip("NOT CHECKED: it is waited for at the end; SLACKLINE_LONG=1")
	}
	in, want := text(t, 100)
	x, out := &turns{own: 2}, filepath.Join(t.TempDir(), "out")
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("NOT CHECKED: there is no sh")
	}
	hang := &cloud.Hook{Argv: []string{sh, "-c", "exec sleep 60"}, Timeout: 100 * time.Millisecond}
	cfg := engine.Config{Cluster: offers(1, 0), Clouds: map[string]cloud.Provider{"m": hang}, Warn: x.warn,
		Jobs: []engine.Job{{Spec: spec("words"), Program: slowly(t, 400*time.Millisecond), Input: []string{in}, Output: out, Reduces: 2}}}
	_, e := run(t, cfg, &tenant{dice: rand.New(rand.NewPCG(1, 2)), odds: 20}, x)
	same(t, counted(t, out), want)
	if e.jobs["words"] != "committed" || len(x.warning) == 0 || !strings.Contains(x.warning[0], "no answer within 100ms") {
		t.Errorf("%v, told %q", e.jobs, x.warning)
	}
}
