package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func TestThisMachine(t *testing.T) {
	for cores, want := range map[int][2]int{1: {1, 1}, 2: {2, 1}, 3: {2, 2}, 8: {2, 4}, 64: {2, 32}} {
		if m := ThisMachine(cores); m.Nodes != want[0] || m.MapSlots != want[1] || m.Nodes*m.MapSlots < cores || m.Cluster().Validate() != nil {
			t.Errorf("%d cores: %v", cores, m)
		}
	}
}

// inputs writes files of these sizes in lines of ten bytes and returns their folder.
func inputs(t *testing.T, sizes ...int) string {
	t.Helper()
	dir := t.TempDir()
	for i, n := range sizes {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d", i)), []byte(strings.Repeat("some word\n", n/10)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A simulation of job files has the tasks that the engine would make and the times that were
// learned.
func TestLocalSim(t *testing.T) {
	in := inputs(t, 1000, 250)
	j, err := scenario.ReadJob("w.yaml", fmt.Appendf(nil, "name: w\napp: wordcount\ninput: %q\noutput: %q\nreduces: 2\ndeadline: 5s\n", in, filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLocal([]*scenario.Job{j}, Machine{Nodes: 2, MapSlots: 1, ReduceSlots: 1, Block: 400}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.sim("fifo", 1, nil, false); err == nil || !strings.Contains(err.Error(), `w.yaml:2:6: nothing is known of jobs of class "wordcount" yet`) {
		t.Errorf("without a profile: %v", err)
	}
	c := profile.New("wordcount")
	c.Attempt(workload.Map, LocalClass, 400, 4*units.Second, 0)                     // 10 ms a byte
	c.Attempt(workload.Map, LocalClass, 100, 1*units.Second, 0)                     // the same
	c.Attempt(workload.Reduce, LocalClass, 50, units.Second, 300*units.Millisecond) // 20 ms a byte
	c.Ratio.Add(0.1)
	cfg, err := l.sim("fifo", 1, []*profile.Class{c}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	got := cfg.Workload.Jobs[0]
	var maps []units.Bytes
	for _, task := range got.Stages[0].Tasks {
		maps = append(maps, task.Input)
		if want := units.FromSeconds(0.01 * float64(task.Input)); task.Work != want {
			t.Errorf("a map of %v takes %v, want %v", task.Input, task.Work, want)
		}
	}
	// Whole blocks of the first file, its rest with the second file.
	if diff := cmp.Diff([]units.Bytes{400, 400, 200, 250}, maps); diff != "" {
		t.Errorf("maps: %s", diff)
	}
	// A reduce reads half of a tenth of 1250 bytes.
	if r := got.Stages[1].Tasks[0]; r.Work != units.FromSeconds(0.02*62.5) || r.Shuffle != 300*units.Millisecond {
		t.Errorf("reduce: %+v", r)
	}
}

// What jobs are to read that others write is guessed as all of these write it, each once, and in time for
// any number of them that read from each other.
func TestGuessedInput(t *testing.T) {
	in, out := inputs(t, 1000, 250), t.TempDir()
	var jobs []*scenario.Job
	job := func(name string, from ...string) {
		j, err := scenario.ReadJob(name+".yaml", fmt.Appendf(nil, "name: %s\napp: grep\nparams: {pattern: a}\ninput: ['%s']\noutput: %q\nreduces: 0\n", name, strings.Join(from, "','"), filepath.Join(out, name)))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	last := []string{in}
	for i := range 25 { // twice as much in each layer of two
		x, y := fmt.Sprint("x", i), fmt.Sprint("y", i)
		job(x, last...)
		job(y, last...)
		last = []string{filepath.Join(out, x), filepath.Join(out, y)}
	}
	job("all", filepath.Join(out, "[xy]0"))
	job("parts", filepath.Join(out, "x0", "part-m-00000"), filepath.Join(out, "x0", "part-m-00001"))
	l, err := NewLocal(jobs, Machine{Nodes: 2, MapSlots: 1, ReduceSlots: 1}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := l.sim("promise", 1, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]units.Bytes{"x0": 1250, "x1": 2500, "y9": 1250 << 9, "all": 2500, "parts": 1250} {
		for _, j := range cfg.Workload.Jobs {
			sum := units.Bytes(0)
			for _, task := range j.Stages[0].Tasks {
				sum += task.Input
			}
			if j.ID == id && sum != want {
				t.Errorf("job %s is to read %v, want %v", id, sum, want)
			}
		}
	}
}

// A mapper that panics fails its job and no other, and leaves no output.
func TestPanickingMapper(t *testing.T) {
	in, out := inputs(t, 1000), t.TempDir()
	good, err := apps.New("wordcount", nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := &mapreduce.Program{Name: "bad", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return panicking{}, nil }}
	job := func(id string, p *mapreduce.Program) engine.Job {
		return engine.Job{Spec: workload.Job{ID: id, Class: id, Weight: 1, Soft: units.Never, Deadline: units.Never}, Program: p, Input: []string{in},
			Output: filepath.Join(out, id), Reduces: 1}
	}
	m := ThisMachine(2)
	cfg := engine.Config{Cluster: m.Cluster(), Jobs: []engine.Job{job("bad", bad), job("good", good)}, Seed: 1, Origin: sync.OnceValue(time.Now)}
	run, err := lab.Run(t.Context(), lab.Cell{Scenario: "panic", Policy: "fifo", Seed: 1, World: func(context.Context) (drive.World, error) { return newEngine(cfg) }})
	if err != nil {
		t.Fatal(err)
	}
	if s := run.Summary; s.Finished() != 1 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
	if j := run.Jobs[0]; j.Outcome != "failed" || !strings.Contains(j.Reason, "boom") || strings.Contains(j.Reason, "goroutine") {
		t.Errorf("%+v", j)
	}
	if _, err := os.Stat(filepath.Join(out, "bad")); !os.IsNotExist(err) {
		t.Errorf("the failed job left its output: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(out, "good", "part-r-00000"))
	if err != nil || string(text) != "some\t100\nword\t100\n" {
		t.Errorf("%q, %v", text, err)
	}
}

type panicking struct{}

func (panicking) Map(_, _ []byte, _ mapreduce.Emitter) error { panic("boom") }

func TestTake(t *testing.T) {
	in := inputs(t, 100, 200, 300, 400, 500, 600, 700)
	all, err := FindText(in)
	size := input.Total(all)
	if err != nil || len(all) != 7 || size != 2800 {
		t.Fatalf("%d files, %v, %v", len(all), size, err)
	}
	for _, want := range []units.Bytes{1, 500, 1400, 2799, 2800, 9999} {
		got := Take(all, want)
		if s := input.Total(got); len(got) == 0 || len(got) > 1 && s > want || want >= 2800 && s != 2800 {
			t.Errorf("of %v at most %v: %v in %d files", size, want, s, len(got))
		}
	}
}
