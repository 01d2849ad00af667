//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// header reads what a journal is of.
func (s *shell) header(name string) journal.Header {
	s.t.Helper()
	f, err := os.Open(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	r, err := journal.NewReader(f)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Header
}

// age makes a log that of a run which began so much earlier.
func (s *shell) age(name string, by time.Duration) {
	s.t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	var log []byte
	for line := range strings.Lines(string(text)) {
		var e map[string]any
		read := json.NewDecoder(strings.NewReader(line[len("01234567 "):]))
		read.UseNumber() // an instant in nanoseconds is no float
		if err := read.Decode(&e); err != nil {
			s.t.Fatal(err)
		}
		if d, ok := e["job"].(map[string]any); ok {
			began, err := time.Parse(time.RFC3339, d["began"].(string))
			if err != nil {
				s.t.Fatal(err)
			}
			d["began"] = began.Add(-by)
		}
		record, err := json.Marshal(e)
		if err != nil {
			s.t.Fatal(err)
		}
		log = fmt.Appendf(log, "%08x %s\n", crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli)), record)
	}
	if err := os.WriteFile(s.path(name), log, 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// Time 0 is the start of the first run, for as long as its jobs live: a run that was killed goes on
// later on the same clock. What was promised then is judged by that promise, and not refused
// because time was lost, whether the job had begun or only waited. A job that nobody had promised
// anything is judged as any other.
func TestOneClockAcrossAKill(t *testing.T) {
	t.Parallel()
	need(t, "sh", "sleep", "cat")
	// All maps but the first wait while there is this file, so that b has not begun when the run is killed.
	const job = "name: NAME\nclass: lines\nmap: sh -c 'while [ \"$mapreduce_task_partition\" != 0 ] && [ -e \"$" + holds + "/on\" ]; do sleep 0.01; done; cat'\n" +
		"input: in.txt\noutput: out/NAME\nreduces: 0\ndeadline: DUE\n"
	of := func(name, due, more string) string {
		return strings.NewReplacer("NAME", name, "DUE", due).Replace(job) + more
	}
	for _, c := range []struct {
		due            string
		seconds, later float64 // the deadline; when the last job arrives
		want           report.Outcome
	}{{"1h", 3600, 7206, report.Broken}, {"3h", 10800, 7206, report.Kept}} {
		t.Run(c.due, func(t *testing.T) {
			s := newShell(t, map[string]string{"in.txt": strings.Repeat("some line of text\n", 100), "teach.yaml": strings.Replace(of("teach", "1h", ""), "out/", "taught/", 1),
				"jobs.yaml": of("a", c.due, "") + "---\n" + of("b", c.due, "") + "---\n" + of("c", "20s", fmt.Sprintf("arrive: %vs\n", c.later))})
			flags := []string{"--block", "180B", "--nodes", "1", "--slots", "1"}
			s.must(0, append([]string{"run", "teach.yaml", "-q"}, flags...)...)
			s.again()
			s.hold("on", "in.txt")
			cmd := s.command(append([]string{"run", "jobs.yaml", "-q", "--policy", "rtmr", "--journal", "j"}, flags...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for ; ; time.Sleep(20 * time.Millisecond) {
				a, b := s.jobs("--name", "a").Jobs, s.jobs("--name", "b").Jobs
				if len(a) == 1 && len(b) == 1 && a[0].Promised && b[0].Promised && a[0].Maps.Done > 0 {
					break
				}
				if time.Since(began) > time.Minute {
					t.Fatalf("no promises: %+v %+v", a, b)
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if _, err := os.Stat(s.path("out/b/_temporary/log")); err == nil {
				t.Fatal("the job that waits had begun")
			}
			s.release("on")
			s.age("out/a/_temporary/log", 2*time.Hour)
			left, err := outdir.Left(s.path("out/a"))
			if err != nil {
				t.Fatal(err)
			}
			lost := time.Since(left.Began).Seconds()
			r := s.run("resume", "out/a", "-o", "json")
			var got report.Report
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
				t.Fatal(err, r.stderr)
			}
			if origin, err := time.Parse(time.RFC3339, s.header("j.2").World.Origin); err != nil || !origin.Equal(left.Began) {
				t.Errorf("the clock counted from %v, and then from %v (%v)", left.Began, origin, err)
			}
			if r := s.run("replay", "j.2"); r.code != 0 {
				t.Errorf("%d: %s", r.code, r.stderr)
			}
			run := got.Runs[0]
			for i := range run.Jobs[:2] {
				j := &run.Jobs[i]
				if j.Outcome != c.want || j.Submitted != 0 || *j.Deadline != c.seconds || j.Finished == nil || *j.Finished < lost || j.Promised == nil {
					t.Errorf("%+v\n%s", j, r.stderr)
				}
			}
			if j := run.Jobs[2]; j.ID != "c" || j.Submitted < c.later || *j.Deadline != c.later+20 {
				t.Errorf("%+v", j)
			}
			if one := s.must(0, "show", "b"); !strings.Contains(one, "promised ") {
				t.Error(one)
			}
		})
	}
}
