package scenario

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func streamed(t *testing.T, jobs, streams string) func(seed uint64) workload.Source {
	t.Helper()
	s, err := Read("s.yaml", []byte("cluster: {nodes: 5}\nworkload:\n"+jobs+"  streams:\n"+streams))
	if err != nil {
		t.Fatal(err)
	}
	return func(seed uint64) workload.Source { c := s.Sim(seed); return c.Source() }
}

// drain takes all jobs of a source that waits for none.
func drain(t *testing.T, s workload.Source) (jobs []*workload.Job) {
	t.Helper()
	for s.Due() != units.Never {
		due := s.Due()
		j, err := s.Next()
		if err != nil || j.Arrive != due {
			t.Fatal(err, j.Arrive, due)
		}
		if err := j.Validate(); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func TestOpenStreams(t *testing.T) {
	source := streamed(t, "  jobs:\n    - {id: one, arrive: 25s, maps: 1, map_time: 0s}\n", `    - {id: a, maps: 2, map_time: 0s, arrive: 5s, deadline: +1m, arrivals: {process: constant, every: 10s}, count: 3}
    - {id: b, maps: 1, map_time: 0s, arrive: 15s, arrivals: {process: constant, every: 1h}, for: 2h}
`)
	var got []string
	for _, j := range drain(t, source(1)) {
		d := "never"
		if j.Deadline != units.Never {
			d = j.Deadline.Sub(j.Arrive).String()
		}
		got = append(got, j.ID+"@"+j.Arrive.String()+"+"+d)
	}
	if want := "a-1@5s+1m a-2@15s+1m b-1@15s+never one@25s+never a-3@25s+1m b-2@1h15s+never"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}

// Random streams have their rate, are the same for a seed, and differ between seeds and streams.
func TestRandomStreams(t *testing.T) {
	source := streamed(t, "", `    - {id: a, maps: 1, map_time: 0s, arrivals: {every: 10s}, count: 20000}
    - {id: b, maps: 1, map_time: 0s, arrivals: {process: bursty, every: 10s, bursts: 0.2, ratio: 20, burst: 1m}, count: 20000}
`)
	last, first := map[byte]units.Time{}, map[byte]units.Time{}
	for _, j := range drain(t, source(1)) {
		if last[j.ID[0]] == 0 {
			first[j.ID[0]] = j.Arrive
		}
		last[j.ID[0]] = j.Arrive
	}
	for id, tolerance := range map[byte]float64{'a': 0.04, 'b': 0.2} {
		if mean := last[id].Seconds() / 20000; math.Abs(mean-10) > 10*tolerance {
			t.Errorf("stream %c: one in %v s", id, mean)
		}
	}
	if first['a'] == first['b'] || source(1).Due() != first['a'] || source(1).Due() == source(2).Due() {
		t.Error("draws are not keyed by stream and seed")
	}
}

// Users have one job each at a time, and think before the next.
func TestClosedPopulation(t *testing.T) {
	s := streamed(t, "", "    - {id: u, maps: 1, map_time: 0s, users: 3, think: 10s..20s, count: 7}\n")(1)
	now, in := units.Time(0), []*workload.Job{}
	taken := 0
	for {
		if s.Due() == units.Never || len(in) == 3 {
			if len(in) == 0 {
				break
			}
			now = max(now, in[0].Arrive).Add(100 * units.Second) // long enough for all users
			s.Ended(in[0], now)
			in = in[1:]
			continue
		}
		j, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if thought := j.Arrive.Sub(now); now > 0 && len(in) == 2 && (thought < 10*units.Second || thought > 20*units.Second) {
			t.Errorf("a user thought %v", thought)
		}
		in = append(in, j)
		taken++
	}
	if taken != 7 {
		t.Errorf("%d jobs", taken)
	}
}

func TestStreamErrors(t *testing.T) {
	for stream, want := range map[string]string{
		"{id: a, maps: 1, map_time: 0s, count: 3}":                                                                     "s.yaml:4:7: stream \"a\" needs either arrivals or users",
		"{id: a, maps: 1, map_time: 0s, users: 3, arrivals: {every: 1s}, count: 3}":                                    "s.yaml:4:7: stream \"a\" needs either arrivals or users",
		"{id: a, maps: 1, map_time: 0s, users: 3}":                                                                     "s.yaml:4:7: stream \"a\" has no end",
		"{id: a, maps: 1, map_time: 0s, arrivals: {every: 0s}, count: 3}":                                              "arrivals need every",
		"{id: a, maps: 1, map_time: 0s, arrivals: {every: 1s, process: burst}, count: 3}":                              `did you mean "bursty"?`,
		"{id: a, maps: 1, map_time: 0s, arrivals: {every: 1s}, count: 3, deadline: 10m}":                               "the deadline of a stream counts from each arrival; write it with a plus sign",
		"{id: a, maps: 1, map_time: 0s, arrivals: {every: 1s}, count: 3, think: 1s}":                                   "only users think",
		"{id: a, maps: 1, map_time: 0s, arrivals: {every: 1s}, count: 3, after: b}":                                    "jobs of a stream cannot have predecessors",
		"{id: a, maps: 1, map_time: 0s, users: 1, count: 1}\n    - {id: a, maps: 1, map_time: 0s, users: 1, count: 1}": `s.yaml:5:12: another job or stream is named "a"`,
		"{id: a, maps: 1, map_time: 0s, users: 1, think: 20s..10s, count: 1}":                                          "write the shorter span first",
	} {
		_, err := Read("s.yaml", []byte("cluster: {nodes: 5}\nworkload:\n  streams:\n    - "+stream+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", stream, err, want)
		}
	}
}

// Users who do not think and whose jobs take no time would submit for ever within any span; where
// nodes beat, they wait for the beats.
func TestUsersWithoutEnd(t *testing.T) {
	for text, ends := range map[string]bool{
		"heartbeat: 0s | maps: 1, map_time: 0s, users: 1, for: 1h":                                                    false,
		"heartbeat: 0s | maps: 1, map_time: 1us, users: 1, for: 1h":                                                   false,
		"heartbeat: 0s | maps: 1, map_time: 0s, reduces: 0, reduce_time: 1s, users: 1, for: 1h":                       false,
		"heartbeat: 0s | maps: 1, map_time: 1s, users: 1, for: 1h":                                                    true,
		"heartbeat: 0s, speed: 1e6 | maps: 1, map_time: 1s, users: 1, for: 1h":                                        false,
		"heartbeat: 0s | maps: 1, map_time: 0s, think: 1s, users: 1, for: 1h":                                         true,
		"heartbeat: 0s | maps: 1, map_time: 0s, users: 1, for: 1h, count: 1000":                                       true,
		"heartbeat: 0s, masters: {start: 1s} | maps: 1, map_time: 0s, users: 1, for: 1h":                              true,
		"heartbeat: 1s | maps: 1, map_time: 0s, users: 1, for: 1h":                                                    true,
		"heartbeat: 0s | maps: 1, map_time: 0s, reduces: 1, shuffle_time: 10ms, reduce_time: 10ms, users: 1, for: 1h": true,
	} {
		cluster, stream, _ := strings.Cut(text, " | ")
		_, err := Read("s.yaml", []byte("cluster: {nodes: 5, "+cluster+"}\nworkload:\n  streams:\n    - {id: a, "+stream+"}\n"))
		if ends != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), `s.yaml:4:7: stream "a" would come to more than 10000000 jobs`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every job has one ApplicationMaster, wherever it comes from and however often it is played.
func TestMasters(t *testing.T) {
	s, err := Read("s.yaml", []byte(`cluster: {nodes: 5, masters: {start: 3s}}
workload:
  jobs: [{id: a, maps: 1, map_time: 0s}]
  streams: [{id: b, maps: 1, map_time: 0s, users: 1, count: 1}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c := s.Sim(1)
		for _, j := range drain(t, c.Source()) {
			if len(j.Stages) != 2 || j.Stages[0].Kind != workload.Master || j.Stages[0].Tasks[0].Work != 3*units.Second {
				t.Errorf("%+v", j)
			}
		}
	}
	_, err = Read("s.yaml", []byte("cluster: {nodes: 5, masters: {memory: 1GB}}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"))
	if err == nil || !strings.Contains(err.Error(), "no node offers") {
		t.Error(err)
	}
}

// Arrivals can be those of a trace; what is wrong with it is told when it is met.
func TestArrivalsOfATrace(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.tsv"), []byte("x\t3\t3\t1\t1\t1\ny\t8\t5\t1\t1\t1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := "cluster: {nodes: 5}\nworkload:\n  streams: [{id: a, maps: 1, map_time: 0s, arrive: 10s, arrivals: {process: trace, format: swim, file: t.tsv}, count: 2}]\n"
	s, err := Read(filepath.Join(dir, "s.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := s.Sim(1)
	if jobs := drain(t, c.Source()); len(jobs) != 2 || jobs[0].Arrive != 13e9 || jobs[1].Arrive != 18e9 {
		t.Errorf("%v", jobs)
	}
	long, err := Read(filepath.Join(dir, "s.yaml"), []byte(strings.Replace(text, "count: 2", "count: 5", 1)))
	if err != nil {
		t.Fatal(err)
	}
	early := long.Sim(1)
	ends := early.Source()
	for range 2 {
		if _, err := ends.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ends.Next(); ends.Due() != 0 || err == nil || !strings.Contains(err.Error(), `t.tsv: it has 2 arrivals, stream "a" should have 5`) {
		t.Error(ends.Due(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "t.tsv"), []byte("x\t3\t3\t1\t1\t1\ny\tz\t5\t1\t1\t1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	source := c.Source()
	if _, err := source.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Next(); err == nil || !strings.Contains(err.Error(), "t.tsv:2: submit time") {
		t.Error(err)
	}
	if _, err := Read("s.yaml", []byte(strings.Replace(text, "t.tsv", "none.tsv", 1))); err == nil || !strings.Contains(err.Error(), "none.tsv: there is no such file") {
		t.Error(err)
	}
}
