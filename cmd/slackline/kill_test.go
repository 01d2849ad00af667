//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/maths/draw"
)

// kills is how many processes are killed: a few, or with SLACKLINE_LONG=1 two hundred.
func kills() int {
	switch {
	case testing.Short():
		return 3
	case os.Getenv("SLACKLINE_LONG") != "":
		return 200
	}
	return 12
}

// tree reads all files below a directory.
func tree(t *testing.T, dir string) map[string]string {
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
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

// stops are the ways in which processes are stopped.
var stops = []struct {
	name    string
	signals []os.Signal
}{
	{"by kill -9", []os.Signal{os.Kill}},
	{"by Ctrl-C", []os.Signal{os.Interrupt}},
	{"by Ctrl-C twice", []os.Signal{os.Interrupt, os.Interrupt}},
	{"by SIGTERM", []os.Signal{syscall.SIGTERM}},
	{"by a lost terminal", []os.Signal{syscall.SIGHUP, syscall.SIGHUP}},
}

// Real processes are killed, or paused by signals, at random moments, and resumed by run or
// resume, which may be killed as well. In the end the output is that of an undisturbed run, byte
// for byte, and nothing else is left.
func TestKill(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 40_000 {
		d := draw.Of(uint64(i), "line")
		for k := range 8 {
			fmt.Fprintf(&text, "w%d ", d.Number(uint64(k)).Below(5000))
		}
		text.WriteByte('\n')
	}
	s := newShell(t, map[string]string{"text.txt": text.String(), "jobs.yaml": `
name: words
app: wordcount
input: text.txt
output: out/words
reduces: 3
---
name: sorted
app: sort
input: text.txt
output: out/sorted
reduces: 2
---
name: again
app: wordcount
after: [sorted]
input: out/sorted
output: out/again
---
name: copy
app: loadgen
input: text.txt
output: out/copy
reduces: 0
`})
	// One policy, or two, the jobs of each in folders of its own.
	type way struct {
		run  []string
		took time.Duration
		want map[string]string
		last string // what stands there when the last job has finished
	}
	ways := []way{{run: []string{"run", "jobs.yaml", "--block", "64KB", "-o", "json"}, last: "again/_SUCCESS"}}
	ways = append(ways, way{run: append(slices.Clone(ways[0].run), "--policy", "fifo,fair"), last: "again/fair/_SUCCESS"})
	for i := range ways {
		if err := os.RemoveAll(s.path("out")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if r := s.run(ways[i].run...); r.code != 0 {
			t.Fatalf("%d: %s", r.code, r.stderr)
		}
		ways[i].took, ways[i].want = time.Since(began), tree(t, s.path("out"))
		if len(ways[i].want) < 12*(i+1) {
			t.Fatalf("the undisturbed run left %d files", len(ways[i].want))
		}
	}
	counts := map[string]int{}
	for round := 0; counts["processes stopped"] < kills(); round++ {
		if err := os.RemoveAll(s.path("out")); err != nil {
			t.Fatal(err)
		}
		counts["outputs compared"]++
		way := ways[0]
		if round%3 == 2 {
			way = ways[1]
			counts["outputs compared of two policies"]++
		}
		for life := 0; ; life++ {
			d := draw.Of(uint64(round), "kill").Number(uint64(life))
			args := way.run
			if life > 0 && d.Number(1).Chance(0.5) {
				args = []string{"resume", []string{"out/words", "out/again", "jobs.yaml", "words"}[d.Number(2).Below(4)]}
			}
			cmd := s.command(args...)
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if life < 4 && d.Number(3).Chance(0.8) {
				time.Sleep(time.Duration(d.Number(4).Between(0, 1.1) * float64(way.took)))
				stop := stops[d.Number(5).Below(len(stops))]
				for _, sig := range stop.signals {
					_ = cmd.Process.Signal(sig) // it may have ended
				}
				counts[stop.name]++
			}
			_ = cmd.Wait()
			counts["jobs that went on"] += strings.Count(said.String(), "resumes:")
			counts["policies that did not run again"] += strings.Count(said.String(), "policy fifo had finished before")
			counts["reports of policies that were lost"] += strings.Count(said.String(), "but its report is missing here")
			code := cmd.ProcessState.ExitCode()
			if code == exitInterrupt {
				lines := strings.Split(strings.TrimSpace(said.String()), "\n")
				if last := lines[len(lines)-1]; !slices.ContainsFunc([]string{" continues it", "the same command continues from there", "so the same command runs it again", "; the same command starts again"}, func(end string) bool { return strings.HasSuffix(last, end) }) {
					t.Fatalf("round %d, life %d: the last line says nothing of how to go on: %s", round, life, last)
				}
				counts["processes that paused"]++
			}
			switch {
			case code < 0 || code == exitInterrupt:
				left := tree(t, s.path("out"))
				state := "at work"
				if _, done := left[way.last]; done {
					state = "behind the last job"
				} else if _, done := left["words/_SUCCESS"]; done {
					state = "with some jobs finished"
				} else if len(left) == 0 {
					state = "before anything was written"
				}
				counts["processes stopped"]++
				counts["stopped "+state]++
				continue
			case code == 2 && strings.Contains(said.String(), "it exists already"):
				counts["found finished"]++
			case code == 2 && args[0] == "resume" && (strings.Contains(said.String(), "has left anything there") || strings.Contains(said.String(), "there is no such output directory")):
				counts["found nothing to resume"]++
				continue
			case code == 2 && args[0] == "resume" && strings.Contains(said.String(), "several runs were interrupted"):
				// The last process of a round before was stopped between its last output and what the store says of it,
				// and that output is gone.
				counts["found several to resume"]++
				continue
			case code == 2 && args[0] == "resume" && strings.Contains(said.String(), "there is nothing left of an interrupted run") && len(tree(t, s.path("out"))) == 0:
				counts["found nothing to resume"]++ // those before it were stopped before the store knew of them
				continue
			case code != 0:
				t.Fatalf("round %d, life %d: %v: exit code %d: %s", round, life, args, code, said.String())
			}
			break
		}
		got := tree(t, s.path("out"))
		for name := range got {
			if strings.HasSuffix(name, "_temporary/log") || strings.HasSuffix(name, "_temporary/lock") {
				if _, done := got[way.last]; done {
					delete(got, name) // it was killed when all was done but that
				}
			}
		}
		if want := way.want; !maps.Equal(got, want) {
			t.Fatalf("round %d: the output is not that of the undisturbed run: files %v, want %v", round, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[name], name)
	}
}

// What run and resume say of an output directory that another process writes to, that one has left,
// or that is finished.
func TestResumeSays(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"long.yaml": longJob, "corpus/a.txt": strings.Repeat("a\n", 1000), "empty.yaml": strings.Replace(longJob, "out/long", "out/none", 1)})
	says := func(code int, want string, args ...string) {
		t.Helper()
		if r := s.run(args...); r.code != code || !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("slackline %s: exit code %d, want %d\n%s%s\nwant %s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr, want)
		}
	}
	says(2, "no interrupted run is known", "resume")
	says(2, "nothing: there is nothing left of an interrupted run", "resume", "nothing")
	says(2, "out/long: there is no such output directory or job file", "resume", "out/long")
	says(2, "empty.yaml: there is nothing left of an interrupted run", "resume", "empty.yaml")
	cmd := s.command("run", "long.yaml", "--seed", "7")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun("out/long")
	busy := fmt.Sprintf("output %q: process %d is writing there", "out/long", cmd.Process.Pid)
	says(2, "long.yaml:5:9: "+busy+"; wait for it, or name another directory", "run", "long.yaml", "--seed", "7")
	says(2, busy, "resume", "out/long")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	left := fmt.Sprintf("output %q: an interrupted run left it, but cannot be resumed: ", "out/long")
	says(2, left+`seed is "1" now, and was "7" before; --fresh throws away what it did, and starts again`, "run", "long.yaml")
	s.write("long.yaml", strings.Replace(longJob, "1s", "1us", 1))
	// it runs with the seed of the first run
	for _, what := range [][]string{{"out/long"}, {"long.yaml"}, {"long"}, {}} {
		says(2, left+`params is "map_cpu=1us" now, and was "map_cpu=1s" before; --fresh`, append([]string{"resume"}, what...)...)
	}
	s.must(0, "run", "long.yaml", "--fresh")
	says(0, "the run has ended; there is nothing to resume", "resume", "out/long")
	says(2, `output "out/long": it exists already; remove it, or name another directory`, "run", "long.yaml", "--fresh")
}
