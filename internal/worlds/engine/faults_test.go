package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// faultSeed plays one schedule alone: go test ./internal/worlds/engine -run TestFaults -faults SEED -v
var faultSeed = flag.Uint64("faults", 0, "the one schedule of faults to play, 0 = all")

// schedules is how many are played: 20, and with SLACKLINE_LONG=1 a thousand.
func schedules() uint64 {
	switch {
	case testing.Short():
		return 10
	case os.Getenv("SLACKLINE_LONG") != "":
		return 1000
	}
	return 20
}

// A trial is a set of jobs that is run until it is done, however often its process dies.
type trial struct {
	seed     uint64
	shape    shape
	dir, in  string
	machines int
	lives    int
	told     []string
	count    map[string]int
	restart  bool                // the log of a job is damaged: it has to start again
	logless  map[string]bool     // jobs whose log was damaged between two lives
	hurt     map[string][]string // files in place that were, by job
}

// jobs are of all kinds: with a combiner and without, with reduces and without, and one that reads what another writes.
func (r *trial) jobs(t *testing.T) []engine.Job {
	out := func(id string) string { return filepath.Join(r.dir, id) }
	find := engine.Job{Spec: spec("find"), Program: program(t, "sort"), Input: []string{r.in}, Output: out("find")}
	jobs := []engine.Job{
		{Spec: spec("words"), Program: program(t, "wordcount"), Input: []string{r.in}, Output: out("words"), Reduces: 3},
		{Spec: spec("sorted"), Program: program(t, "sort"), Input: []string{r.in}, Output: out("sorted"), Reduces: 2},
		find,
		{Spec: spec("again", "sorted"), Program: program(t, "wordcount"), Input: []string{out("sorted")}, Output: out("again"), Reduces: 1},
	}
	r.dress(t, jobs)
	return jobs
}

// files are all that a directory holds, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// counts are the counters that depend neither on what went wrong nor on the size of buffers.
func counts(e *ends) map[string]int64 {
	all := map[string]int64{}
	for id, counters := range e.counters {
		for name, n := range counters {
			if !strings.Contains(name, ".COMBINE_") && !strings.HasSuffix(name, "."+mapreduce.SpilledRecords) {
				all[id+" "+name] = n
			}
		}
	}
	return all
}

// live runs the jobs until they are done or the process dies. done tells which.
func (r *trial) live(t *testing.T, fresh bool) (e *ends, done bool) {
	e = &ends{jobs: map[string]string{}}
	t.Helper()
	buffer := 8 * units.KB
	if r.seed%4 == 0 {
		buffer = 3 * units.KB // maps of the sort spill twice or more
	}
	// A schedule strikes three times in a life, and a life before may have left one damaged output of
	// the same map: four failures of a task, of which no job may fail here.
	w, err := engine.New(engine.Config{Cluster: workers(r.machines, 2, 1), Jobs: r.jobs(t), Block: r.shape.block(), Buffer: buffer, Seed: 1, MaxFailures: 5,
		Heartbeat: units.Millisecond, Progress: 2 * units.Millisecond, Clock: stopwatch(), Fresh: fresh, Sync: outdir.Sync(r.seed % 3),
		Resumed: func(s engine.Resumption) {
			r.count["jobs that went on"]++
			r.count["tasks that were done"] += s.Maps + s.Reduces
			r.count["tasks that were done and had to run again"] += s.MapsAgain + s.PartsAgain
		}})
	var changed *outdir.ChangedError
	switch {
	case err != nil && errors.As(err, &changed) && !fresh:
		r.told = append(r.told, err.Error())
		r.count["logs that were damaged"]++
		return r.live(t, true)
	case err != nil && strings.HasSuffix(err.Error(), "it exists already"): // it died behind the end of the last job
		return nil, true
	case err != nil && (strings.Contains(err.Error(), fault.ErrInjected.Error()) || fault.Dead()):
		r.told = append(r.told, err.Error())
		return nil, false
	case err != nil:
		t.Fatalf("seed %d, life %d: %v\n%s", r.seed, r.lives, err, strings.Join(r.told, "\n"))
	}
	var policy sched.Policy = conform.Friendly{}
	if r.seed%3 == 1 && r.lives < 3 {
		policy = &conform.Brutal{Seed: r.seed + uint64(r.lives), Calm: 30, Gentle: true}
	}
	watch := conform.NewWatch(true)
	sinks := []drive.Sink{watch, e, (*reasons)(r)}
	if r.seed%3 == 2 { // not beside the brutal policy, which may close the other worker
		sinks = append(sinks, &turner{w, []int64{int64(4 + r.seed%17), int64(40 + r.seed%23)}, 9})
	}
	limit, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ctx, stop := context.WithCancel(limit)
	defer stop()
	if d := draw.Of(r.seed, "stop").Number(uint64(r.lives)); r.seed != 0 && r.lives < 10 && d.Number(0).Chance(0.25) {
		left := 1 + d.Number(1).Below(60) // batches
		sinks = append(sinks, watcher(func() {
			if left--; left == 0 {
				stop()
			}
		}))
	}
	err = drive.New(audited{w, t}, policy, sinks...).Run(ctx)
	if r.restart && !fresh {
		r.count["logs that were damaged"]++
		return e, false
	}
	for outcome, n := range watch.Ends {
		r.count["attempts "+outcome.String()] += n
	}
	var full *engine.MachineError
	switch {
	case errors.Is(err, fault.ErrDead):
		return e, false
	case limit.Err() == nil && errors.Is(err, context.Canceled):
		r.told = append(r.told, fmt.Sprintf("life %d: stopped", r.lives))
		r.count["runs stopped"]++
		return e, false
	case errors.As(err, &full):
		r.told = append(r.told, fmt.Sprintf("life %d: no room: %v", r.lives, err))
		r.count["runs without room"]++
		return e, false
	}
	if err != nil {
		t.Fatalf("seed %d, life %d: %v\n%s", r.seed, r.lives, err, strings.Join(r.told, "\n"))
	}
	for _, b := range watch.Close(4) {
		t.Errorf("seed %d, life %d: %s", r.seed, r.lives, b)
	}
	if watch.Jobs[sched.Committed] != 4 {
		t.Fatalf("seed %d, life %d: jobs ended %v\n%s", r.seed, r.lives, watch.Jobs, strings.Join(r.told, "\n"))
	}
	return e, true
}

// reasons notes why attempts and jobs failed.
type reasons trial

func (r *reasons) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Outcome == sched.Failed || e.Kind == sched.Ended && e.Outcome == sched.Killed {
			r.told = append(r.told, fmt.Sprintf("life %d: %v %v: %s", r.lives, e.Kind, e.Outcome, e.Text))
			r.restart = r.restart || strings.HasSuffix(e.Text, "but cannot be resumed: its log is damaged")
		}
	}
	return nil
}

func (r *reasons) Plan(int64, units.Time, *sched.Plan) error { return nil }

// rot damages what a dead process has left: a bit of a file, its end, or all of it.
func (r *trial) rot(t *testing.T) (log bool) {
	d := draw.Of(r.seed, "rot").Number(uint64(r.lives))
	if d.Number(0).Chance(0.5) {
		return false
	}
	var paths []string
	_ = filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, "_SUCCESS") && !strings.HasSuffix(path, "lock") && r.unfinished(path) {
			paths = append(paths, path)
		}
		return nil
	})
	if len(paths) == 0 {
		return false
	}
	path := paths[d.Number(1).Below(len(paths))]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	how := "lost"
	switch k := d.Number(2).Below(4); {
	case k < 2 && len(b) > 0:
		how = "flipped a bit of"
		bit := d.Number(3).Below(8 * len(b))
		b[bit/8] ^= 1 << (bit % 8)
		err = os.WriteFile(path, b, 0o666)
	case k == 2 && len(b) > 0:
		how = "cut"
		err = os.WriteFile(path, b[:d.Number(3).Below(len(b))], 0o666)
	default:
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.told = append(r.told, fmt.Sprintf("life %d: %s %s", r.lives, how, path))
	r.count["files damaged between two lives"]++
	log = strings.HasSuffix(path, "log")
	below, _ := filepath.Rel(r.dir, path)
	job, rest, _ := strings.Cut(filepath.ToSlash(below), "/")
	if log {
		r.logless[job] = true
	} else if !strings.HasPrefix(rest, "_temporary/") {
		r.hurt[job] = append(r.hurt[job], path)
	}
	// Which files in place are the job's only its log says. Where that was lost, one in place that
	// has changed as well stays and the job fails (TestLogThatIsLost): whoever runs it moves it
	// away.
	if r.logless[job] {
		for _, path := range r.hurt[job] {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		r.hurt[job] = nil
	}
	return log
}

// unfinished tells whether a path belongs to a job that has not finished: what has is the user's,
// and nobody looks at it again.
func (r *trial) unfinished(path string) bool {
	below, _ := filepath.Rel(r.dir, path)
	job, _, _ := strings.Cut(filepath.ToSlash(below), "/")
	_, err := os.Stat(filepath.Join(r.dir, job, "_SUCCESS"))
	return err != nil
}

// calm is what jobs of a shape leave when nothing breaks.
type calm struct {
	in     string
	files  map[string]string
	counts map[string]int64
}

// undisturbed runs jobs of a shape without a fault.
func undisturbed(t *testing.T, home string, s shape, text []byte) *calm {
	t.Helper()
	r := &trial{shape: s, dir: filepath.Join(home, "undisturbed", s.kind+s.in+s.out), in: s.input(t, filepath.Join(home, "in"), text), machines: 2, count: map[string]int{}}
	e, _ := r.live(t, false)
	c := &calm{r.in, files(t, r.dir), counts(e)}
	if len(c.files) < 11 {
		t.Fatalf("the undisturbed run %v left %d files: this tests nothing", s, len(c.files))
	}
	return c
}

// Whatever breaks, and however often the process dies, is stopped, or finds the disk full, what
// jobs write in the end is what they write undisturbed, byte for byte, and nothing else is left.
func TestFaults(t *testing.T) {
	path, _ := text(t, 900)
	in, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !commandsRun() {
		t.Log("NOT CHECKED: commands, as sh, awk, cat and head are not all there")
	}
	home := t.TempDir()
	calms, total := map[shape]*calm{}, map[string]int{}
	for seed := uint64(1); seed <= schedules(); seed++ {
		if *faultSeed != 0 {
			seed = *faultSeed
		}
		s := shapeOf(seed)
		if calms[s] == nil {
			calms[s] = undisturbed(t, home, s, in)
		}
		dir := filepath.Join(home, fmt.Sprint(seed))
		r := &trial{seed: seed, shape: s, dir: filepath.Join(dir, "o"), in: calms[s].in, machines: 2, count: total, logless: map[string]bool{}, hurt: map[string][]string{}}
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r.play(t, calms[s].files, calms[s].counts)
		total["schedules"]++
		total["schedules, "+s.kind]++
		total["milliseconds, "+s.kind] += int(time.Since(began).Milliseconds())
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if *faultSeed != 0 {
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%7d %s", total[name], name)
	}
	if *faultSeed != 0 {
		return
	}
	expect := []string{"deaths", "operations that failed", "bits flipped", "tasks that were done"}
	if schedules() >= 50 {
		expect = append(expect, "runs stopped", "runs without room", "schedules, compressed", "schedules, copied", "workers that died", "workers that failed")
		if schedules() >= 1000 {
			expect = append(expect, "bits of parts flipped")
		}
		if commandsRun() {
			expect = append(expect, "commands that broke")
		}
	}
	for _, name := range expect {
		if total[name] == 0 {
			t.Errorf("there were no %s: this tests nothing", name)
		}
	}
}

func (r *trial) play(t *testing.T, want map[string]string, wantCounts map[string]int64) {
	defer fault.Use(nil)
	d := draw.Of(r.seed, "schedule")
	damaged := false
	var e *ends
	for done := false; !done; r.lives++ {
		s := &fault.Schedule{Seed: r.seed, Root: filepath.Dir(r.dir), Life: r.lives, Most: 3, Fail: d.Number(1).Between(0, 0.02), Flip: d.Number(2).Between(0, 0.05),
			Die: d.Number(3).Between(0, 0.01), Full: d.Number(4).Between(0, 0.004)}
		if r.lives >= 10 {
			s.Die, s.Full = 0, 0
		}
		r.share(t, s)
		fault.Use(s)
		e, done = r.live(t, r.restart)
		if s.Died() && done {
			e = nil // behind the end of the last job
		}
		fault.Use(nil)
		for _, what := range s.Struck() {
			r.told = append(r.told, fmt.Sprintf("life %d: %s", r.lives, what))
			switch {
			case strings.HasPrefix(what, "died"):
				r.count["deaths"]++
			case strings.HasPrefix(what, "failed"):
				r.count["operations that failed"]++
			case strings.HasPrefix(what, "no room"):
				r.count["operations without room"]++
			case strings.Contains(what, "part-"):
				r.count["bits of parts flipped"]++
			default:
				r.count["bits flipped"]++
			}
		}
		r.struck(t)
		r.count["operations"] += s.Operations()
		if !done {
			damaged = r.rot(t) || damaged
		}
		if r.lives > 40 {
			t.Fatalf("seed %d: it does not come to an end\n%s", r.seed, strings.Join(r.told, "\n"))
		}
	}
	got := files(t, r.dir)
	for name := range got {
		if _, job, _ := strings.Cut(name, string(filepath.Separator)); strings.HasPrefix(job, "_temporary") && e == nil {
			delete(got, name) // the process died when all was done but that
		}
	}
	if !maps.Equal(got, want) {
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				t.Errorf("seed %d: %s has %d bytes, undisturbed %d", r.seed, name, len(got[name]), len(want[name]))
			}
			delete(got, name)
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if _, there := want[name]; !there {
				t.Errorf("seed %d: %s is left", r.seed, name)
			}
		}
	}
	if e != nil && !damaged {
		if c := counts(e); !maps.Equal(c, wantCounts) {
			t.Errorf("seed %d: counters\n%v, undisturbed\n%v", r.seed, c, wantCounts)
		}
	}
	if *faultSeed != 0 {
		t.Log(strings.Join(r.told, "\n"))
	}
	if t.Failed() {
		t.Fatalf("seed %d:\n%s", r.seed, strings.Join(r.told, "\n"))
	}
}
