package lab

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// asleep is a small cluster whose nodes fail, one after the other and in pairs, while others sleep, and jobs with
// deadlines that come one by one.
func asleep(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	from := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	var b strings.Builder
	fmt.Fprintf(&b, "cluster:\n  nodes: %d\n  racks: 2\n  map_slots: 2\n  reduce_slots: 1\n  heartbeat: 1s\n  block: 64MB\n  replicas: %d\n  placement: %s\n  idle_power: 100W\n  dynamic_power: 100W\n  wake_time: %ds\n"+
		"  max_failures: 50\n  failure_rate: 0.02\n  classes: [{name: frugal, nodes: %d, idle_power: 50W}]\n  outages:\n", from(3, 6), from(1, 3), []string{"cover", "spread"}[from(0, 1)], from(2, 20), from(2, 3))
	for at := from(10, 90); at < 1200; at += from(20, 200) {
		fmt.Fprintf(&b, "    - {node: n%d, down: %ds, up: %ds}\n", from(1, 5), at, at+from(5, 15))
		at += 15
	}
	b.WriteString("workload:\n  jobs:\n")
	for j, at := 0, 0; j < 12; j++ {
		at += from(0, 120)
		fmt.Fprintf(&b, "    - {id: j%d, class: c%d, arrive: %ds, maps: %d, map_time: 9s, reduces: %d, reduce_time: 5s, deadline: +%ds}\n", j, j%2, at, from(1, 24), from(0, 2), from(100, 1500))
	}
	b.WriteString("profiles: rehearsed\npolicies: [fifo]\n")
	return b.String()
}

// copies watches a run, and notes the first node that falls asleep with the last copy of a block for a map that waits.
type copies struct {
	jobs  map[sched.JobID]*open
	ran   map[sched.AttemptID]*int
	away  map[sched.NodeID]bool // asleep or down
	wrong string
}

// open is the maps of a job: 0 waits, 1 runs, 2 is done.
type open struct {
	hosts workload.Hosts
	maps  []int
}

func (c *copies) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			if st := e.Detail.Job.Stage(sched.Map); st != nil {
				c.jobs[e.Job] = &open{st.Hosts, make([]int, len(st.Tasks))}
			}
		case sched.JobEnded:
			delete(c.jobs, e.Job)
		case sched.Started:
			if j := c.jobs[e.Job]; j != nil && e.Stage == sched.Map {
				c.ran[e.Attempt] = &j.maps[e.Task-1]
				j.maps[e.Task-1] = 1
			}
		case sched.Ended:
			if of := c.ran[e.Attempt]; of != nil {
				if *of = 0; e.Outcome == sched.Committed {
					*of = 2
				}
			}
			delete(c.ran, e.Attempt) // its handle may be that of a reduce next
		case sched.OutputLost:
			if j := c.jobs[e.Job]; j != nil && e.Stage == sched.Map {
				j.maps[e.Task-1] = 0
			}
		case sched.NodeUp:
			c.away[e.Node] = false
		case sched.NodeDown:
			c.away[e.Node] = true
		case sched.NodeChanged:
			if c.away[e.Node] = e.State == sched.Asleep || e.State == sched.Waking; e.State == sched.Asleep {
				c.slept(e.Node, at)
			}
		}
	}
	return nil
}

func (c *copies) slept(n sched.NodeID, at units.Time) {
	for id, j := range c.jobs {
		for i, state := range j.maps {
			on := j.hosts.Of(i)
			if state == 0 && slices.Contains(on, n) && !slices.ContainsFunc(on, func(h sched.NodeID) bool { return !c.away[h] }) && c.wrong == "" {
				c.wrong = fmt.Sprintf("at %v node %d sleeps with the last copy for map %d of job %d", at, n, i, id)
			}
		}
	}
}

func (c *copies) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Whatever fails while nodes sleep, no job is stuck for want of a copy that sleeps, and none that ends well without
// sleep does not with it. Over all seeds no more promises are broken than without.
func TestFaultsWhileNodesSleep(t *testing.T) {
	seeds := 40
	if os.Getenv("SLACKLINE_LONG") != "" {
		seeds = 3400 // ten thousand runs
	}
	for _, pair := range [][2]string{{"promise", "promise+slack"}, {"edf", "edf+slack"}, {"edf", "edf+sleep(idle=5s,keep=0)"}} {
		broken, slept := [2]int{}, 0.0
		for seed := range uint64(seeds) {
			var energy [2]float64
			var done [2]int
			for k, policy := range pair {
				s, err := scenario.Read("asleep.yaml", []byte(asleep(seed)))
				if err != nil {
					t.Fatalf("%v\n%s", err, asleep(seed))
				}
				w := &copies{jobs: map[sched.JobID]*open{}, ran: map[sched.AttemptID]*int{}, away: map[sched.NodeID]bool{}}
				y, err := catalog.New(policy, NoQueues)
				if err != nil {
					t.Fatal(err)
				}
				report := report.NewBuilder("sim", "", policy, seed)
				drivePolicy(t, s.Sim(seed), y, follow.New(report), w)
				run := report.Run()
				if w.wrong != "" {
					t.Errorf("%s, seed %d: %s\n%s", policy, seed, w.wrong, asleep(seed))
				}
				done[k], energy[k] = run.Summary.Jobs-run.Summary.Unfinished-run.Summary.Failed, *run.Summary.Energy
				broken[k] += run.Summary.Broken
			}
			if done[1] < done[0] {
				t.Errorf("%s, seed %d: %d jobs end well, and %d without it\n%s", pair[1], seed, done[1], done[0], asleep(seed))
			}
			if energy[1] < energy[0] {
				slept++
			}
		}
		t.Logf("%s: %d promises broken, %d without it; less energy in %v of %d runs", pair[1], broken[1], broken[0], slept, seeds)
		if broken[1] > broken[0] || slept == 0 {
			t.Errorf("%s: %d promises are broken, and %d without it; it saves energy in %v runs", pair[1], broken[1], broken[0], slept)
		}
	}
}
