package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ends runs it and returns when attempts ended, by task, in the order of the run.
func ends(t *testing.T, cfg Config) map[string]units.Time {
	t.Helper()
	d := newDriver(t, cfg)
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	at := map[string]units.Time{}
	for _, line := range d.trace {
		task, rest, _ := strings.Cut(line, " on ")
		if _, span, ok := strings.Cut(rest, " "); ok {
			var from, to string
			fmt.Sscanf(strings.Replace(span, "-", " ", 1), "%s %s", &from, &to)
			end, err := units.ParseDuration(to)
			if err != nil {
				t.Fatal(line, err)
			}
			at[task] = units.Time(end)
		}
	}
	return at
}

// Two reduces share a fabric that carries one of them: the first has it alone for 4 s, then both go
// on at half the rate. The first has 6 s of its 10 to go and takes 12; by then the second has 4 of
// its 10 left... which it fetches alone.
func TestNetworkIsShared(t *testing.T) {
	cfg := Config{Cluster: uniform(2, 1, 1, 1), Network: Network{Fabric: 100, Link: 100}, Workload: load(
		shape{id: "a", maps: 1, mapS: 1, reduces: 1, shufS: 10, reduS: 1, slow: 1},
		shape{id: "b", maps: 1, mapS: 1, reduces: 1, shufS: 10, reduS: 1, slow: 1, arrive: 4})}
	got := ends(t, cfg)
	want := map[string]units.Time{"a/map/1": at(1), "b/map/1": at(5), "a/reduce/1": at(18), "b/reduce/1": at(22)}
	// a fetches from 1 to 5 alone: 4 done; then 6 more at 1/2 until 17. b has 6 of 10 by then, and 4 alone until 21.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	cfg.Network = Network{Fabric: 200, Link: 100} // enough for both
	want["a/reduce/1"], want["b/reduce/1"] = at(12), at(16)
	if diff := cmp.Diff(want, ends(t, cfg)); diff != "" {
		t.Error(diff)
	}
}

// Flows on one network, against a dumb count in small steps of time.
func TestNetworkAgainstSteps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "jobs")
		fabric := rapid.IntRange(1, 8).Draw(rt, "fabric")
		var shapes []shape
		for i := range n {
			shapes = append(shapes, shape{id: fmt.Sprint("j", i), maps: 1, mapS: 1, reduces: 1, slow: 1,
				arrive: float64(rapid.IntRange(0, 20).Draw(rt, "arrive")), shufS: float64(rapid.IntRange(1, 20).Draw(rt, "shuffle"))})
		}
		got := ends(t, Config{Cluster: uniform(n, 1, 1, 1), Network: Network{Fabric: units.Bytes(fabric), Link: 1}, Workload: load(shapes...)})
		left := make([]float64, n)
		end := make([]float64, n)
		const step = 0.002
		for now, over := 0.0, 0; over < n && now < 400; now += step {
			flows := 0
			for i, s := range shapes {
				if now+step/2 > s.arrive+1 && left[i] == 0 && end[i] == 0 {
					left[i] = s.shufS
				}
				if left[i] > 0 {
					flows++
				}
			}
			for i := range left {
				if left[i] > 0 {
					if left[i] -= step * min(1, float64(fabric)/float64(flows)); left[i] <= step/100 {
						left[i], end[i] = 0, now+step
						over++
					}
				}
			}
		}
		for i := range shapes {
			if e := got[fmt.Sprintf("j%d/reduce/1", i)].Seconds(); math.Abs(e-end[i]) > 0.05 {
				rt.Fatalf("j%d ended at %v, in steps at %v", i, e, end[i])
			}
		}
	})
}

// A map away from its input fetches that first.
func TestReadRates(t *testing.T) {
	job := shape{id: "j", maps: 3, mapS: 10}.job()
	for i, hosts := range [][]cluster.NodeID{{1}, {4}, {2}} { // nodes 1 and 4 stand in rack 1
		job.Stages[0].Tasks[i].Input = 100
		job.Stages[0].Hosts.Set(i, hosts...)
	}
	cfg := Config{Cluster: uniform(4, 3, 3, 0), Workload: &workload.Workload{Jobs: []*workload.Job{job}}, Read: ReadRates{Rack: 50, Remote: 20},
		Outages: []Outage{{Node: 2, Up: units.Never}, {Node: 3, Up: units.Never}, {Node: 4, Up: units.Never}}}
	want := map[string]units.Time{"j/map/1": at(10), "j/map/2": at(12), "j/map/3": at(15)}
	if diff := cmp.Diff(want, ends(t, cfg)); diff != "" {
		t.Error(diff)
	}
	cfg.Read = ReadRates{}
	want["j/map/2"], want["j/map/3"] = at(10), at(10)
	if diff := cmp.Diff(want, ends(t, cfg)); diff != "" {
		t.Error(diff)
	}
}

// A container takes a while to begin its task, also that of a reduce: one that has waited for the maps has begun.
func TestLaunch(t *testing.T) {
	w := load(shape{id: "j", maps: 2, mapS: 10, reduces: 2, shufS: 4, reduS: 5})
	got := ends(t, Config{Cluster: uniform(1, 1, 1, 1), Launch: 3 * units.Second, Workload: w})
	want := map[string]units.Time{"j/map/1": at(13), "j/map/2": at(26), "j/reduce/1": at(35), "j/reduce/2": at(47)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = ends(t, Config{Cluster: uniform(1, 1, 1, 1), Launch: 30 * units.Second, Workload: w}) // they end at 80
	want = map[string]units.Time{"j/map/1": at(40), "j/map/2": at(80), "j/reduce/1": at(89), "j/reduce/2": at(119 + 9)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The shares of reduces follow the law, whatever the exponent, and add up to what they were.
func TestSkew(t *testing.T) {
	for _, s := range []float64{0, 0.5, 1, 2} {
		got := ends(t, Config{Cluster: uniform(1, 1, 1, 4), Skew: s, Workload: load(shape{id: "j", maps: 1, mapS: 1, reduces: 4, shufS: 4, reduS: 8, slow: 1})})
		sum, weights := 0.0, 0.0
		var spans []float64
		for r := range 4 {
			x := got[fmt.Sprintf("j/reduce/%d", r+1)].Seconds() - 1
			spans = append(spans, x)
			sum += x
			weights += math.Pow(float64(r+1), -s)
		}
		if math.Abs(sum-48) > 1e-6 {
			t.Errorf("exponent %v: all reduces take %v", s, sum)
		}
		for r := range 4 {
			want, near := 48*math.Pow(float64(r+1), -s)/weights, false
			for _, x := range spans {
				near = near || math.Abs(x-want) < 1e-6
			}
			if !near {
				t.Errorf("exponent %v: no reduce takes %v: %v", s, want, spans)
			}
		}
	}
}

// Jobs that read one file find its blocks at the same nodes; popular files are read more often.
func TestFiles(t *testing.T) {
	w, err := New(Config{Cluster: uniform(20, 4, 1, 1), Workload: load(shape{id: "j", maps: 1, mapS: 1}), Replicas: 3, Files: Files{Count: 100, Zipf: 0.8}})
	if err != nil {
		t.Fatal(err)
	}
	hosts := func(spec *workload.Job) string {
		placed := w.withInput(spec, w.fileKey(spec, jobKey(spec.ID)))
		return fmt.Sprint(placed.Stages[0].Hosts.Of(0), placed.Stages[0].Hosts.Of(2))
	}
	a, b := shape{id: "a", maps: 3, mapS: 1}.job(), shape{id: "b", maps: 5, mapS: 1}.job()
	a.File, b.File = "in/x", "in/x"
	if hosts(a) != hosts(b) {
		t.Errorf("two jobs of one file find it at %s and %s", hosts(a), hosts(b))
	}
	if b.File = "in/y"; hosts(a) == hosts(b) {
		t.Error("two files lie at the same nodes")
	}
	count := map[uint64]int{}
	const n = 200_000
	for i := range n {
		count[w.fileKey(&workload.Job{}, mix(uint64(i)))]++
	}
	sum := 0.0
	for r := range 100 {
		sum += math.Pow(float64(r+1), -0.8)
	}
	for _, r := range []int{0, 1, 9, 99} {
		want := n * math.Pow(float64(r+1), -0.8) / sum
		if got := float64(count[mix(uint64(r))]); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("the file of rank %d is read %v times, want about %v", r+1, got, want)
		}
	}
}

// The maps of all jobs read from one store: each block as likely, at the same nodes for whoever
// reads it, as many on every node.
func TestStore(t *testing.T) {
	w, err := New(Config{Cluster: uniform(30, 1, 2, 1), Workload: load(shape{id: "j", maps: 1, mapS: 1}), Replicas: 2, Files: Files{Count: 1, Blocks: 100}})
	if err != nil {
		t.Fatal(err)
	}
	const jobs, maps = 500, 200
	reads := map[int]int{}
	at := map[int]string{}
	held := map[cluster.NodeID]int{}
	for i := range jobs {
		spec := shape{id: fmt.Sprintf("j%d", i), maps: maps, mapS: 1}.job()
		placed := w.withInput(spec, w.fileKey(spec, jobKey(spec.ID)))
		for k := range placed.Stages[0].Tasks {
			lies := placed.Stages[0].Hosts.Of(k)
			b := w.blockOf(jobKey(spec.ID), k)
			reads[b]++
			if hosts := fmt.Sprint(lies); at[b] == "" {
				at[b] = hosts
				for _, h := range lies {
					held[h]++
				}
				if len(lies) != 2 || lies[0] == lies[1] {
					t.Fatalf("block %d lies at %v", b, lies)
				}
			} else if at[b] != hosts {
				t.Fatalf("block %d lies at %s and at %s", b, at[b], hosts)
			}
		}
	}
	if len(reads) != 100 || len(held) != 30 {
		t.Errorf("%d blocks on %d nodes", len(reads), len(held))
	}
	for b, n := range reads {
		if want := float64(jobs * maps / 100); math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
			t.Errorf("block %d is read %d times, want about %g", b, n, want)
		}
	}
	for n, k := range held {
		if k != 6 && k != 7 {
			t.Errorf("node %d holds %d blocks of 200 copies on 30 nodes", n, k)
		}
	}
}

// What reduces read is what maps have written.
func TestRatio(t *testing.T) {
	spec := shape{id: "j", maps: 4, mapS: 1, reduces: 2, reduS: 1}.job()
	for i := range spec.Stages {
		for k := range spec.Stages[i].Tasks {
			spec.Stages[i].Tasks[k].Input = 100
		}
	}
	if got := ratioOf(spec); got != 0.5 {
		t.Errorf("%v, want 0.5", got)
	}
	if got := ratioOf(shape{id: "j", maps: 4, mapS: 1}.job()); got != 0 {
		t.Errorf("%v of a job that reads nothing", got)
	}
}

// Stragglers strike attempts at their rate, and by their factor.
func TestStragglers(t *testing.T) {
	got := ends(t, Config{Cluster: uniform(50, 1, 100, 0), Stragglers: Straggling{Rate: 0.1, Factor: 5}, Workload: load(shape{id: "j", maps: 5000, mapS: 10})})
	slow := 0
	for task, end := range got {
		switch end {
		case at(50):
			slow++
		case at(10):
		default:
			t.Fatalf("%s ended at %v", task, end)
		}
	}
	if math.Abs(float64(slow)-500) > 5*math.Sqrt(450) {
		t.Errorf("%d of 5000 attempts straggle", slow)
	}
}
