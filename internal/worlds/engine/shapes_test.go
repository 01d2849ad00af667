package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files/codec/codectest"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// A shape is how the jobs of a schedule of faults are done. Most are plain: text as it is, read by
// few maps, in this process.
type shape struct {
	kind string // plain, compressed, copied, workers or commands
	in   string // how input is compressed
	out  string // how output is
}

// shapeOf draws the shape of a schedule. Those that take more time come less often.
func shapeOf(seed uint64) shape {
	d := draw.Of(seed, "shape")
	s := shape{kind: "plain", in: "none"}
	switch k := d.Number(0).Below(100); {
	case k < 12:
		s = shape{"compressed", []string{"gzip", "zstd", "bzip2", "snappy", "s2"}[d.Number(1).Below(5)], []string{"gzip", "zstd"}[d.Number(2).Below(2)]}
	case k < 20:
		s.kind = "copied"
	case k < 30:
		s.kind = "workers"
	case k < 38 && commandsRun():
		s.kind = "commands"
	}
	return s
}

func commandsRun() bool {
	for _, name := range []string{"sh", "cat", "head"} {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

// block is the size of splits. So many maps that their output is copied before it is merged are more than 64.
func (s shape) block() units.Bytes {
	switch s.kind {
	case "compressed":
		return 400
	case "copied":
		return 220
	}
	return 2 * units.KB
}

// input writes the text as jobs of the shape read it.
func (s shape) input(t *testing.T, dir string, text []byte) string {
	t.Helper()
	packed, err := codectest.Pack(s.in, slices.Collect(slices.Chunk(text, 1000)))
	path := filepath.Join(dir, s.in)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if _, there := os.Stat(path); err == nil && there != nil {
		err = os.WriteFile(path, packed, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// dress has the jobs done as the shape says.
func (r *trial) dress(t *testing.T, jobs []engine.Job) {
	t.Helper()
	for i := range jobs {
		j := &jobs[i]
		switch {
		case r.shape.kind == "compressed":
			j.Written = task.Written{Compress: r.shape.out}
		case r.shape.kind == "workers" && j.Spec.ID != "again":
			path, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			j.Executor = worker.New(worker.Job{Path: path, Program: j.Program.Name})
		case r.shape.kind == "commands" && (j.Spec.ID == "words" || j.Spec.ID == "find"):
			j.Executor, j.Program = streaming.New(r.commands(j)), &mapreduce.Program{Name: "commands"}
		}
	}
}

// commands count words, or let lines pass. The reduces leave a file of their own beside their part.
// One of the maps breaks in the middle of its input if it is the first in this life to make the
// directory BREAK.
func (r *trial) commands(j *engine.Job) streaming.Job {
	sh := func(script string) []string { return []string{"sh", "-c", script} }
	breaks := `[ "$mapreduce_task_partition" = "$AT" ] && mkdir "$BREAK" 2>/dev/null && { head -c 700; kill -9 $$; }; exec `
	s := streaming.Job{ID: "1400000000000_0001", Name: j.Spec.ID, Reduces: j.Reduces, Map: sh(breaks + "cat")}
	if j.Reduces > 0 {
		s.Map = sh(breaks + commandtest.Line("words"))
		s.Reduce = sh(`echo "$mapreduce_task_partition" > "${mapreduce_task_output_dir#file:}/beside-$mapreduce_task_partition" || exit 3
exec ` + commandtest.Line("sum"))
	}
	if dir := r.budget(); dir != "" {
		s.Env = map[string]string{"BREAK": filepath.Join(dir, "1"), "AT": strconv.Itoa(draw.Of(r.seed, "command").Number(uint64(r.lives)).Below(9))}
	}
	return s
}

// budget is a directory in which the processes that this one starts note what strikes them, "" for
// none. What strikes a task in one life is bounded, or its job would fail.
func (r *trial) budget() string {
	if r.shape.kind != "workers" && r.shape.kind != "commands" || r.seed == 0 {
		return ""
	}
	return filepath.Join(filepath.Dir(r.dir), "struck", strconv.Itoa(r.lives))
}

// share gives a part of what the schedule may break to the processes that are started.
func (r *trial) share(t *testing.T, s *fault.Schedule) {
	t.Helper()
	dir := r.budget()
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s.Most = 2
	if r.shape.kind == "workers" {
		s.Most = 1
		text, err := json.Marshal(strikes{s.Seed, s.Root, s.Life, s.Fail, s.Flip, s.Die, 2, dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(strikesVariable, string(text))
	}
}

// struck counts what struck the processes that were started.
func (r *trial) struck(t *testing.T) {
	t.Helper()
	dir := r.budget()
	if dir == "" {
		return
	}
	t.Setenv(strikesVariable, "")
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		what := []byte("broke")
		if !n.IsDir() {
			if what, err = os.ReadFile(filepath.Join(dir, n.Name())); err != nil {
				t.Fatal(err)
			}
			if len(what) == 0 { // it was killed before it could tell
				what = []byte("ended")
			}
		}
		r.told = append(r.told, fmt.Sprintf("life %d: of the %s, one %s", r.lives, r.shape.kind, what))
		how, _, _ := bytes.Cut(what, []byte(" "))
		r.count[fmt.Sprintf("%s that %s", r.shape.kind, strings.TrimSuffix(string(how), ":"))]++
	}
}

// strikes is what may strike in workers, all of them together.
type strikes struct {
	Seed            uint64
	Root            string
	Life            int
	Fail, Flip, Die float64
	Most            int
	Dir             string // a file for each stroke
}

// strikesVariable hands them to workers.
const strikesVariable = "ENGINE_TEST_STRIKES"

// work is the main function of the test's workers.
func work() error {
	var s strikes
	if text := os.Getenv(strikesVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return err
		}
		before, err := os.ReadDir(s.Dir)
		if err != nil {
			return err
		}
		fault.Use(&fault.Schedule{Seed: s.Seed, Root: s.Root, Life: 1000*s.Life + len(before), Fail: s.Fail, Flip: s.Flip, Die: s.Die, Most: s.Most,
			Grant: s.grant, Exit: func() {
				if p, err := os.FindProcess(os.Getpid()); err == nil {
					_ = p.Kill()
				}
				select {}
			}})
	}
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return worker.Serve(in, out, worker.Programs{Names: []string{"sort", "wordcount"}, Make: func(name string, params map[string]string) (*mapreduce.Program, error) {
		return apps.New(name, params)
	}}, func() { os.Exit(1) })
}

// grant lets something strike if that is not one too many among all workers.
func (s *strikes) grant(what string) bool {
	for n := 1; n <= s.Most; n++ {
		f, err := os.OpenFile(filepath.Join(s.Dir, strconv.Itoa(n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = f.WriteString(what)
			return f.Close() == nil && err == nil
		}
	}
	return false
}
