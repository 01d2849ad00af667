package referee_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/referee"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
)

var (
	games   = flag.Int("games", 0, "random scenarios that each policy plays")
	seed    = flag.Uint64("seed", 0, "play this game alone")
	only    = flag.String("policies", "", "the policies to play, separated by semicolons")
	journal = flag.String("journal", "", "a journal to judge (TestJournal)")
	keep    = flag.String("keep", "", "write a game that differs to this name with .yaml and .journal")
	plain   = flag.Bool("plain", true, "TestJournal: it is of a simulation without chance")
)

// draw makes a scenario up, with supplies or without.
func draw(r *rand.Rand, name string, supply bool) string {
	var b strings.Builder
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	from := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	nodes := from(2, 9)
	fmt.Fprintf(&b, "name: %s\ncluster:\n  nodes: %d\n  racks: %d\n  map_slots: %d\n  reduce_slots: %d\n  heartbeat: %s\n  replicas: %d\n  block: 64MB\n",
		name, nodes, from(1, min(nodes, 3)), from(1, 4), from(1, 2), pick("3s", "3s", "1s", "0s", "300ms"), from(1, min(nodes, 3)))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "  speed: %s\n  classes: [{name: other, nodes: %d, speed: %s, map_slots: %d, reduce_slots: %d}]\n", pick("1", "0.7"), from(1, 4), pick("0.5", "1.5", "2"), from(1, 3), from(0, 2))
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "  failure_rate: %s\n  max_failures: 20\n", pick("0.02", "0.1"))
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "  outages: [{node: n%d, down: %ds, up: %ds}, {node: n%d, down: %dms, up: %ds}]\n", 1, from(5, 60), from(61, 120), 2, from(5000, 60000), from(61, 120))
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "  speed_steps: [{at: %ds, factor: %s}, {at: %ds, factor: 1}]\n", from(5, 40), pick("0.5", "2", "0.3"), from(41, 90))
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "  masters: {start: %dms%s}\n", from(500, 8000), pick("", "", ", vcores: 1, memory: 1GB", ", memory: 2GB", ", vcores: 2"))
		fmt.Fprintf(&b, "  vcores: %d\n  memory: %dGB\n", from(2, 5), from(2, 6))
	}
	if supply { // which no rule reads
		fmt.Fprintf(&b, "  idle_power: 100W\n  supply: [{at: 0s, price: 0.3}, {at: %dms, green: %dkW, capacity: 0.%d}, {at: %ds, green: 1kW}]\n  forecasts: [{of: price, file: price.csv}, {of: green, at: %ds, file: price.csv}]\n",
			from(1, 40_000), from(1, 9), from(1, 9), from(41, 90), from(1, 60))
	}
	queues := ""
	leaves := []string{"p", "q"}
	switch r.IntN(3) {
	case 0:
		fmt.Fprintf(&b, "queues:\n  - {name: p, weight: %d, min_maps: %d, min_reduces: %d, capacity: 50, maximum: %d, max_running: %d, jobs: %s%s}\n  - {name: default, capacity: 20, maximum: %d}\n",
			from(1, 4), from(0, 5), from(0, 2), from(50, 100), from(1, 3), pick("fair", "fifo"), pick("", ", max_master_share: 15", ", max_master_share: 70"), from(20, 100))
		if r.IntN(3) == 0 {
			leaves = []string{"p", "q1", "q.q2"}
			fmt.Fprintf(&b, "  - {name: q, capacity: 30, max_running: %d, queues: [{name: q1, capacity: 60, maximum: %d, weight: 3, max_running: %d, min_maps: 2}, {name: q2, capacity: 30, user_limit_factor: 3}]}\n",
				from(1, 4), from(60, 100), from(1, 2))
		} else {
			fmt.Fprintf(&b, "  - {name: q, weight: %s, capacity: 30, maximum: 100, user_limit_factor: %s, minimum_user_limit: %s}\n", pick("1", "0.5", "2.5"), pick("1", "2", "-1"), pick("25", "50", "100"))
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "max_running_per_user: %d\n", from(1, 4))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "max_running: %d\n", from(2, 5))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "max_master_share: %d\n", from(5, 60))
		}
		queues = "described"
	case 1:
		queues = "named"
	}
	if r.IntN(4) > 0 {
		b.WriteString("profiles: rehearsed\n")
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "workload:\n  mix: {class: c, rate: %s, reduce_rate: %s, shuffle_rate: %s, ratio: %s, start: %dms, arrivals: {every: %ds}, jobs: [", pick("5MB", "10MB"), pick("5MB", "20MB"),
			pick("10MB", "50MB"), pick("0", "0.3", "1.5"), from(0, 3000), from(5, 40))
		fmt.Fprintf(&b, "{id: s, count: %d, maps: 1..%d, reduces: 1..2, deadline: %ds..%ds}, {id: l, count: %d, maps: 5..%d, reduces: %s, deadline: %ds..%ds}]}\n",
			from(1, 5), from(2, 6), from(10, 50), from(51, 300), from(1, 3), from(6, 20), pick("0", "1..3"), from(40, 100), from(101, 600))
		return b.String()
	}
	fmt.Fprintf(&b, "workload:\n  jobs:\n")
	at := 0
	for i := range from(2, 10) {
		if r.IntN(3) > 0 {
			at += from(0, 20000)
		}
		maps := from(0, 14)
		reduces := from(0, 3)
		if maps == 0 && reduces == 0 {
			maps = 1
		}
		fmt.Fprintf(&b, "    - {id: j%d, class: c%d, arrive: %dms, maps: %d, reduces: %d, map_time: %dms, shuffle_time: %ds, reduce_time: %dms, slow_start: %s",
			i, r.IntN(3), at, maps, reduces, from(1000, 30000), from(0, 5), from(1000, 30000), pick("0", "0.05", "0.5", "1"))
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, ", deadline: +%ds", from(10, 400))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, ", priority: %d", from(-3, 3))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, ", weight: %s", pick("2", "0.5", "1.7"))
		}
		if queues != "" && r.IntN(4) > 0 {
			fmt.Fprintf(&b, ", queue: %s", pick(leaves...))
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, ", user: %s", pick("ann", "bob"))
		}
		if i > 0 && r.IntN(6) == 0 {
			fmt.Fprintf(&b, ", after: [j%d]", r.IntN(i))
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, ", cpu_share: 0.6")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// fitted gives a scenario what a policy needs to do anything: pools with time-outs, reports of
// progress, power that can be saved.
func fitted(yaml, policy string) string {
	if strings.Contains(policy, "preempt") {
		yaml = regexp.MustCompile(`min_maps: ([1-9])`).ReplaceAllString(yaml, "min_maps: $1, min_share_timeout: 6s")
	}
	if strings.HasPrefix(policy, "promise") {
		yaml = strings.Replace(yaml, "{name: p, weight", "{name: p, confidence: 97%, weight", 1)
		yaml = strings.Replace(yaml, "user: ann", "user: ann, confidence: at least 73%", 1)
		yaml = strings.Replace(yaml, "user: bob", "user: bob, confidence: at least 99.5%", 1)
	}
	if strings.Contains(policy, "speculate") {
		yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  progress: 1500ms\n", 1)
	}
	if regexp.MustCompile("sleep|slack").MatchString(policy) && !strings.Contains(yaml, "idle_power") {
		yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  idle_power: 100W\n  wake_time: 7s\n", 1)
	}
	if strings.Contains(policy, "slack") { // hours that differ, and nodes to be had for nothing
		if strings.Contains(yaml, "failure_rate") {
			yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  offers: [{name: spare, most: 3, price: 0, boot: 9s, speed: 0.5}]\n", 1)
		}
		if !strings.Contains(yaml, "forecasts: [") {
			yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  forecasts: []\n", 1)
		}
		yaml = strings.Replace(yaml, "forecasts: [", "forecasts: [{of: price, file: dear.csv, at: 1s}, {of: carbon, file: clean.csv, at: 45s}, ", 1)
	}
	if strings.Contains(policy, "efh") || strings.Contains(policy, "ideal") || strings.Contains(policy, "worth") || strings.Contains(policy, "slack") {
		yaml = strings.Replace(yaml, "classes: [{name: other,", "dynamic_power: 90W\n  classes: [{name: other, dynamic_power: 40W,", 1)
	}
	if strings.Contains(policy, "ondemand") || strings.Contains(policy, "request") || strings.Contains(policy, "need") {
		yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  offers: [{name: small, most: 3, price: 0.4, boot: 9s}, {name: large, most: 2, price: 0.9, billing: 30s, boot: 4s, map_slots: 4, reduce_slots: 2}]\n", 1)
	}
	if strings.Contains(policy, "need") { // so that nodes lack
		yaml = regexp.MustCompile(`nodes: \d\n`).ReplaceAllString(yaml, "nodes: 3\n")
		yaml = regexp.MustCompile(`map_slots: \d\n`).ReplaceAllString(yaml, "map_slots: 1\n")
	}
	if regexp.MustCompile("dawsee|flow|atp|vds|deets|tradeoff").MatchString(policy) {
		at := len(yaml) % 9
		if !strings.Contains(yaml, "\n  jobs:\n") {
			yaml += "  jobs:\n"
		}
		yaml = strings.Replace(yaml, "cluster:\n", "cluster:\n  dynamic_power: 90W\n", 1) + fmt.Sprintf(`    - {id: a1, class: a, workflow: a, workflow_deadline: +%ds, arrive: %ds, maps: 6, map_time: 9s, reduces: 0, moldable: {max: 8, slope: 0.05}}
    - {id: a2, class: a, workflow: a, arrive: %[2]ds, after: a1, maps: 3, map_time: 12s, reduces: 2, reduce_time: 5s, moldable: {slope: 0.2}}
    - {id: a3, class: a, workflow: a, arrive: %[2]ds, after: a1, maps: 5, map_time: 4s, cpu_share: 0.5, reduces: 0, moldable: {max: 9, slope: 0.01}}
    - {id: a4, class: a, workflow: a, arrive: %[2]ds, after: [a2, a3], maps: 4, map_time: 7s, reduces: 0, moldable: {slope: 0.1}}
    - {id: b1, class: a, workflow: b, workflow_deadline: +%ds, arrive: %ds, maps: 9, map_time: 6s, reduces: 0, moldable: {slope: 0.1}}
    - {id: b2, class: a, workflow: b, arrive: %[4]ds, after: b1, maps: 2, map_time: 15s, reduces: 0}
`, 40+at*20, at*3, 30+at*9, 20+at)
	}
	return yaml
}

// record plays the scenario of a seed by a policy and returns its journal.
func record(t *testing.T, policy string, seed uint64) (yaml string, text []byte) {
	t.Helper()
	yaml = draw(rand.New(rand.NewPCG(seed, 1)), fmt.Sprintf("game-%d", seed), seed%4 == 3)
	yaml = fitted(yaml, policy)
	return yaml, play(t, policy, yaml, seed)
}

// play plays a scenario by a policy, in a world that the seed chooses, and returns its journal.
func play(t *testing.T, policy, yaml string, seed uint64) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"dear.csv": "at,mid\n20s,3\n45s,1\n70s,0.5\n95s,4\n120s,-1\n145s,2\n", "clean.csv": "at,mid\n0,100\n40s,300\n80s,50\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "price.csv"), []byte("at,low,mid,high\n0,1,2,3\n10s,2,2,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read(filepath.Join(dir, "game.yaml"), []byte(yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	c := lab.Cells(s, []string{policy}, []uint64{seed})[0]
	if seed%5 == 4 {
		plain := c.World
		c.World = func(ctx context.Context) (drive.World, error) {
			w, err := plain(ctx)
			return newFickle(w, seed), err
		}
	}
	if seed%5 == 2 {
		plain := c.World
		c.World = func(ctx context.Context) (drive.World, error) {
			w, err := plain(ctx)
			return newRefusing(w, seed), err
		}
	}
	c.Journal = filepath.Join(dir, "journal")
	if _, err = lab.Run(context.Background(), c); err != nil && !lab.Ends(err) {
		t.Fatalf("seed %d, %s: %v\n%s", seed, policy, err, yaml)
	}
	text, err := os.ReadFile(c.Journal)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// played are the policies of the games.
var played = []string{"fifo", "edf-p", "edf-n", "fair", "capacity", "capacity(elastic=false)", "capacity+matchmaking", "fair(pool=user)", "fair(users=true,jobs=fifo)", "fifo+greedy(nonlocal=0,reduces=0)", "edf-n+limit(running=2,per_user=1)", "edf-p+greedy(nonlocal=2,local=rack)", "fifo+matchmaking", "fifo+delay", "fair+delay(D=3s,rack=6s)", "edf+delay(D=30s)", "edf-p+matchmaking", "fair+matchmaking", "edf(feasible=true)", "edf(feasible=true)+delay(D=3s)",
	"ideal", "edf+ideal", "worth", "edf+worth(X=80)", "efh", "edf+efh(T=20s)", "efh(T=5s,cap=false)", "fifo+efh(T=40s)+slowstart",
	"fifo+slowstart", "fair+slowstart", "edf(feasible=true)+slowstart", "capacity+delay+slowstart",
	"rtmr", "rtmr(feedback=false)", "rtmr(unknown=best-effort)", "rtmr(sample=1,skew=200)", "promise", "promise(level=90%)", "promise(level=90%,refused=reject)", "dc", "dc(cost=worst)", "fifo+constraint",
	"rds", "rds(interval=20s,solver=0s)", "rds(interval=10s,solver=1s)", "rds(fast=false,interval=15s)+matchmaking", "rds(interval=10s,solver=0s,fast=false)", "rds(interval=10s,solver=1s,hp=6,hc=6)",
	"edf(feasible=true)+slowstart+need", "fifo+need(base=1,idle=20s)", "edf+need(budget=1)", "edf+need(late=1,idle=9s)",
	"dawsee", "dawsee(waiting=timer)", "dawsee(waiting=predict)", "flow", "flow(beta=10)", "edf+vds+deets", "edf+atp", "fifo+tradeoff+matchmaking",
	"ondemand", "demand", "fifo+request", "edf+request+slowstart",
	"fifo(masters=30)", "fair(masters=20)", "capacity(masters=40)", "capacity+delay",
	"fair(preemption=true,fair_timeout=5s,interval=3s)", "fair(pool=user)+preempt(fair_timeout=4s,interval=1s)", "fifo+speculate(lag=2s,gap=10,interval=1s)",
	"capacity+speculate(lag=3s)", "fifo+sleep(idle=4s)", "promise+slack", "edf+slack", "fair+delay+slack", "ideal+slack", "edf(feasible=true)+slowstart+worth+slack", "capacity+sleep(idle=6s,keep=2)", "edf-p+speculate(lag=5s,interval=2s)+sleep(idle=5s)"}

// once are games in which something was wrong once, of the policy or of its rule, or would be seen to be wrong.
var once = map[string][]uint64{
	"capacity": {307, 465, 989}, // masters waited for map slots, where the queue may have all
	// masters of cancelled jobs were to start; a task that nobody asked for counted as a sample; reduces of a job
	// that was cancelled waited for its maps
	"rtmr":                      {102, 464, 739, 804, 868, 2438, 3489},
	"rtmr(sample=1,skew=200)":   {334, 649},
	"rtmr(unknown=best-effort)": {799},
	"dc(cost=worst)":            {804},
	// a job whose master waited for room had begun by a start of before a resync
	"dc": {128, 1148},
	// more progress was expected than was left of a job
	"rds(fast=false,interval=15s)+matchmaking": {41},
	// a deadline that had passed was told to be met; a time lay at the border of two rounded ones; a plan of an earlier
	// instant was enacted later
	"promise": {129, 105, 156, 289},
	// what was rented made promises
	"promise+slack": {149},
	// deadlines of jobs that waited for their masters moved
	"dawsee":        {41},
	"edf+vds+deets": {44},
	// none of the first games tells a node that boots from one that is up, nor a budget, nor what is proven
	"edf(feasible=true)+slowstart+need": {122, 141, 184},
	"fifo+need(base=1,idle=20s)":        {26, 212},
	"edf+need(budget=1)":                {15, 17, 298},
	// bounds that waited for the solver came into force behind those of a take-over
	"rds(interval=10s,solver=1s)": {363},
}

// fuller tells whether this is the long tier; the README's test command is to end soon.
func fuller() bool {
	return os.Getenv("SLACKLINE_LONG") != ""
}

// TestGames decides random scenarios a second time.
func TestGames(t *testing.T) {
	n := *games
	switch {
	case n > 0:
	case fuller():
		n = 300
	default:
		n = 6
	}
	list := played
	if *only != "" {
		list = strings.Split(*only, ";")
	}
	for _, policy := range list {
		t.Run(policy, func(t *testing.T) {
			var sum referee.Report
			seeds := []uint64{*seed}
			if *seed == 0 {
				seeds = nil
				for i := range n {
					seeds = append(seeds, uint64(i+1))
				}
				seeds = append(seeds, once[policy]...)
			}
			differ := 0
			for _, s := range seeds {
				yaml, text := record(t, policy, s)
				rep, err := referee.Judge(text, referee.Options{Plain: true})
				if err != nil {
					t.Errorf("seed %d: %v", s, err)
					continue
				}
				sum.Add(rep)
				if rep.Count > 0 {
					differ++
					if differ <= 3 {
						t.Errorf("seed %d: %d differences, the first: %s", s, rep.Count, rep.Differences[0])
					}
					if *keep != "" {
						if err := errors.Join(os.WriteFile(*keep+".journal", text, 0o644), os.WriteFile(*keep+".yaml", []byte(yaml), 0o644)); err != nil {
							t.Error(err)
						}
					}
				}
			}
			t.Logf("%s: %d games, %d differ: %d rounds, %d verdicts, %d starts, %d ends, %d beats, %d others, %d differences", policy, len(seeds), differ, sum.Rounds, sum.Verdicts, sum.Starts, sum.Ends, sum.Beats, sum.Others, sum.Count)
		})
	}
}

// TestMastersInEachOthersWay plays what the games draw too seldom: nodes are lost, and masters hold all map slots.
func TestMastersInEachOthersWay(t *testing.T) {
	kills := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		fmt.Fprintf(&b, "name: masters\ncluster:\n  nodes: %d\n  map_slots: %d\n  reduce_slots: 1\n  heartbeat: %ds\n  masters: {start: 2s}\n  outages: [{node: n1, down: %ds, up: 90s}]\nprofiles: rehearsed\nworkload:\n  jobs:\n",
			2, 1+r.IntN(3), r.IntN(2), 5+r.IntN(20))
		at := 0
		for i := range 3 + r.IntN(6) {
			at += r.IntN(5)
			fmt.Fprintf(&b, "    - {id: j%d, class: c, arrive: %ds, maps: %d, reduces: %d, map_time: 8s, reduce_time: 4s, slow_start: 1, deadline: +%ds}\n", i, at, 1+r.IntN(2), r.IntN(2), 20+r.IntN(60))
		}
		text := play(t, "rtmr", b.String(), seed)
		kills += strings.Count(string(text), "reason=deadlock:")
		rep, err := referee.Judge(text, referee.Options{Plain: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, d := range rep.Differences {
			t.Errorf("seed %d: %s\n%s", seed, d, b.String())
		}
	}
	if kills < 10 {
		t.Errorf("only %d masters were killed for others", kills)
	}
	t.Logf("%d masters were killed for others", kills)
}

// TestCovers holds the referee to the catalogue: each policy and part has its rule.
func TestCovers(t *testing.T) {
	for _, e := range catalog.All() {
		if err := referee.Knows(e.Name); err != nil {
			t.Errorf("%v: write its rule from its source and description", err)
		}
	}
}

// TestJournal judges a journal of one's own.
func TestJournal(t *testing.T) {
	if *journal == "" {
		t.Skip("-journal names none")
	}
	text, err := os.ReadFile(*journal)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := referee.Judge(text, referee.Options{Plain: *plain})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d rounds, %d verdicts, %d starts, %d ends, %d beats, %d others, %d differences", rep.Policy, rep.Rounds, rep.Verdicts, rep.Starts, rep.Ends, rep.Beats, rep.Others, rep.Count)
	for _, d := range rep.Differences {
		t.Error(d)
	}
}
