//go:build !windows

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

const nightly = "name: words\napp: wordcount\ninput: [raw/{day}]\noutput: out/{day}/${REGION}\nreduces: 1\n"

// A run that begins after its deadline is late, says so, and ends with 3; the work is done nevertheless. What
// says the day, or a run that begins before, is not.
func TestRunThatWasHeldUp(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		by   string
		asOf time.Duration // before now; 0 = now
		code int
	}{
		{now.Add(-2 * time.Minute).Format("15:04"), 0, exitNo},
		{now.Add(-2 * time.Minute).Format("15:04"), time.Minute, exitOK},
		{now.Add(-2 * time.Minute).Format("15:04"), time.Hour, exitNo},
		{"tomorrow " + now.Format("15:04"), 0, exitOK},
		{now.Add(-9 * time.Hour).Format("15:04"), 0, exitOK},
		{"{yesterday}T00:00", 0, exitNo},
	} {
		args, day := []string{"run", "n.yaml", "-q", "--set", "REGION=eu", "-o", "json"}, now.Add(-c.asOf).Format(time.DateOnly)
		if c.asOf > 0 {
			args = append(args, "--as-of", now.Add(-c.asOf).Format(time.RFC3339))
		}
		s := newShell(t, map[string]string{"n.yaml": nightly + "by: '" + c.by + "'\n", "raw/" + day + "/f": "a b a\n"})
		r := s.run(args...)
		sum := parse(t, r.stdout).Runs[0].Summary
		if late := strings.Contains(r.stderr, "it counts as late"); r.code != c.code || late != (c.code == exitNo) || (sum["late"] == 1.0) != late || sum["penalty"] != 0.0 {
			t.Errorf("%+v: exit code %d, %v: %s", c, r.code, sum, r.stderr)
		}
		if text, err := os.ReadFile(s.path("out/" + day + "/eu/part-r-00000")); err != nil || string(text) != "a\t2\nb\t1\n" {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
	}
}

// A night that was interrupted is resumed as of the same night, with the same variables, whatever the day and
// the environment are by then.
func TestNightIsResumed(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"n.yaml": strings.Replace(nightly, "app: wordcount", held, 1), "raw/2030-01-30/f": "x\n"})
	s.hold("eu", "")
	cmd := s.command("run", "n.yaml", "--as-of", "2030-01-30T23:00", "-q")
	cmd.Env = append(cmd.Environ(), "REGION=eu")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun("out/2030-01-30/eu")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s.release("eu")
	r := s.run("resume", "out/2030-01-30/eu")
	if r.code != 0 || !strings.Contains(r.stderr, "--as-of=2030-01-30T23:00:00") || !strings.Contains(r.stderr, "--set=REGION=eu") {
		t.Error(r.stderr)
	}
	if _, err := os.Stat(s.path("out/2030-01-30/eu/_SUCCESS")); err != nil {
		t.Error(err)
	}
}

const chain = `name: first
app: wordcount
input: in
output: out/first
---
name: second
map: sh -c 'cat; exit 3'
input: out/first
output: out/second
---
name: third
map: cat
input: out/second
output: out/third
---
name: beside
app: sort
input: in
output: out/beside
`

// The same command continues a run of which a job failed: what finished and is unchanged is kept, and told;
// what has changed is not, nor is anything that another program wrote.
func TestFailedRunIsContinued(t *testing.T) {
	t.Parallel()
	need(t, "sh", "cat")
	s := newShell(t, map[string]string{"c.yaml": chain, "in/f": "a b a\n"})
	stamp := func(path string) string {
		info, err := os.Stat(s.path(path))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().String()
	}
	if r := s.run("run", "c.yaml", "-q"); r.code != exitFailed {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	first, beside := stamp("out/first/part-r-00000"), stamp("out/beside/part-r-00000")
	if r := s.run("run", "c.yaml", "--only", "third", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, `--only: job "third" waits for job "second", of which there is no finished output in out/second; run that too`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}

	mended := strings.Replace(chain, "; exit 3", "", 1)
	s.write("c.yaml", strings.Replace(mended, "app: sort", "app: wordcount", 1))
	if r := s.run("run", "c.yaml", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, `output "out/beside": it is finished, but the job would write something else: `) || !strings.Contains(r.stderr, "--overwrite") || strings.Contains(r.stderr, "kept") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if r := s.run("run", "c.yaml", "-q", "--html", "out/second"); r.code != exitBadInput || !strings.Contains(r.stderr, "--html: ") {
		t.Errorf("a page instead of an output: exit code %d: %s", r.code, r.stderr)
	}
	s.write("c.yaml", mended)
	r := s.run("run", "c.yaml", "-q")
	if r.code != 0 || !strings.Contains(r.stderr, "they are unchanged: first, beside\n") {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if stamp("out/first/part-r-00000") != first || stamp("out/beside/part-r-00000") != beside {
		t.Error("what was kept was written again")
	}
	if text, err := os.ReadFile(s.path("out/third/part-r-00000")); err != nil || string(text) != "a\t2\nb\t1\n" {
		t.Errorf("%q, %v", text, err)
	}
	if list := s.must(0, "profile", "list"); !regexp.MustCompile(`(?m)^wordcount +1 cold `).MatchString(list) {
		t.Errorf("a job that was kept has taught something:\n%s", list)
	}
	for _, name := range []string{"first", "second", "third", "beside"} {
		if _, err := os.Stat(s.path("out/" + name + "/_temporary")); err == nil {
			t.Errorf("%s: the trace of its run is left", name)
		}
	}

	if r := s.run("run", "c.yaml", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, "it exists already; remove it, or name another directory, or replace it with --overwrite") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if r := s.run("run", "c.yaml", "-q", "--overwrite", "--only", "third,beside"); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if stamp("out/first/part-r-00000") != first || stamp("out/beside/part-r-00000") == beside {
		t.Error("what was to be replaced was not, or more was")
	}
	s.write("out/third/notes.txt", "mine\n")
	if r := s.run("run", "c.yaml", "-q", "--overwrite"); r.code != exitBadInput || !strings.Contains(r.stderr, `output "out/third": notes.txt in it is not from the job that wrote it`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if stamp("out/first/part-r-00000") != first {
		t.Error("something was replaced by a run that was refused")
	}
	s.write("hers/part-r-00000", "x\n")
	s.write("hers/_SUCCESS", "")
	s.write("d.yaml", strings.ReplaceAll("app: wordcount\ninput: in\noutput: hers\n", "in\n", "in\n"))
	if r := s.run("run", "d.yaml", "-q", "--overwrite"); r.code != exitBadInput || !strings.Contains(r.stderr, `d.yaml:3:9: output "hers": it exists already, and Slackline did not write it`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if text, err := os.ReadFile(s.path("hers/part-r-00000")); err != nil || string(text) != "x\n" {
		t.Errorf("%q, %v", text, err)
	}
	if r := s.run("run", "c.yaml", "--only", "thrid"); r.code != exitBadInput || !strings.Contains(r.stderr, `--only: there is no job "thrid"; did you mean "third"?`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

// A run of which a job failed, and then finished in another one, has nothing left to resume by any
// of its names. As long as it has, resume says if the file that it ran is gone.
func TestResumeOfWhatFinishedLater(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"c.yaml": chain, "in/f": "b\na\na\n"})
	if r := s.run("run", "c.yaml", "-q"); r.code != exitFailed {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if err := os.Rename(s.path("c.yaml"), s.path("d.yaml")); err != nil {
		t.Fatal(err)
	}
	if r := s.run("resume", "first"); r.code != exitBadInput || !strings.Contains(r.stderr, "slackline run --quiet=true -- c.yaml, but c.yaml is not there any more\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	s.write("c.yaml", strings.Replace(chain, "; exit 3", "", 1))
	s.must(0, "run", "c.yaml", "-q")
	for _, name := range []string{"first", "second", "third", "beside", "c.yaml", "out/first"} {
		if r := s.run("resume", name); r.code != 0 || !strings.Contains(r.stdout, "there is nothing to resume") {
			t.Errorf("resume %s: exit code %d: %s%s", name, r.code, r.stdout, r.stderr)
		}
	}
	if r := s.run("resume", ""); r.code != exitBadInput || !strings.Contains(r.stderr, "the name of the run is empty") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

// Whichever jobs of a file ran alone, behind a failure or before all others, the whole file goes on from what they
// have finished; resume says which command that is, by whatever name of the run.
func TestJobsAloneAndTheWhole(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"c.yaml": chain, "in/f": "b\na\na\n"})
	s.must(0, "run", "c.yaml", "--only", "first", "-q")
	if r := s.run("run", "c.yaml", "-q"); r.code != exitFailed || !strings.Contains(r.stderr, "they are unchanged: first\n") {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	for _, name := range []string{"c.yaml", "first", "second", "third", "out/first", "out/second", "beside"} {
		if r := s.run("resume", name); r.code != exitBadInput || !strings.Contains(r.stderr, "not all of its jobs have finished; in "+s.path("")+" this runs the rest: slackline run --quiet=true -- c.yaml\n") {
			t.Errorf("resume %s: exit code %d: %s", name, r.code, r.stderr)
		}
	}
	s.write("c.yaml", strings.Replace(chain, "; exit 3", "", 1))
	s.must(0, "run", "c.yaml", "--only", "second", "-q")
	r := s.run("run", "c.yaml", "-q")
	if r.code != 0 || !strings.Contains(r.stderr, "they are unchanged: first, second, beside\n") {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	s.again()
	s.run("run", "c.yaml", "--only", "first", "-q")
	if err := os.Remove(s.path("out/first/_SUCCESS")); err != nil {
		t.Fatal(err)
	}
	if r := s.run("run", "c.yaml", "--only", "first", "-q"); r.code != 0 || !strings.Contains(r.stderr, "they are unchanged: first\n") {
		t.Errorf("without _SUCCESS: exit code %d: %s", r.code, r.stderr)
	}
	for _, name := range []string{"second", "beside", "third"} {
		s.must(0, "run", "c.yaml", "--only", name, "-q")
	}
	for _, name := range []string{"first", "second", "third", "beside"} {
		if _, err := os.Stat(s.path("out/" + name + "/_temporary")); err == nil {
			t.Errorf("%s: the trace of its run is left, though all have finished", name)
		}
	}
	if r := s.run("run", "c.yaml", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, "; all 4 jobs have finished, so nothing is left to run\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if out := s.must(0, "resume", "second"); !strings.Contains(out, "the run has ended; there is nothing to resume") {
		t.Error(out)
	}
}

// What a command names by a whole path, and another job writes, is waited for and part of what the job is; bytes
// that no text has are told of input that another job writes, too, and so is a script with CR LF behind sh -c.
func TestCommandReadsAnotherOutput(t *testing.T) {
	t.Parallel()
	need(t, "sh", "cat", "printf")
	s := newShell(t, map[string]string{"in/f": "b a a\n", "m.sh": "#!/bin/sh\r\ncat\r\n"})
	s.write("c.yaml", "name: uses\nmap: sh "+s.path("out/makes/part-m-00000")+"\nreduces: 0\ninput: in\noutput: out/uses\n---\n"+
		"name: makes\nmap: sh -c 'printf \"tr a-z A-Z\"'\nreduces: 0\noutput_format: raw\ninput: in\noutput: out/makes\n")
	s.must(0, "run", "c.yaml", "-q")
	if text := s.read("out/uses/part-m-00000"); text != "B A A\t\n" && text != "B A A\n" {
		t.Errorf("%q", text)
	}
	s.write("b.yaml", "name: bytes\nmap: sh -c 'printf \"\\001\\004\\000\\005\"'\nreduces: 0\noutput_format: raw\ninput: in\noutput: out/bytes\n---\n"+
		"name: counts\napp: wordcount\ninput: out/bytes\noutput: out/counts\n")
	if r := s.run("run", "b.yaml", "-q"); r.code != 0 || !strings.Contains(r.stderr, "bytes that no text has are taken as text in out/bytes/part-m-00000: ") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if err := os.Chmod(s.path("m.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write("d.yaml", "name: crlf\nmap: sh -c ./m.sh\nfiles: [m.sh]\nreduces: 0\ninput: in\noutput: out/crlf\n")
	if r := s.run("run", "d.yaml", "-q"); !strings.Contains(r.stderr, `ends in CR LF, so the system looks for "/bin/sh\r" and not for /bin/sh; save it with LF`) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	// An interpreter to which a command hands its script does not look at the first line, and a shell at all others.
	for command, warned := range map[string]bool{"sh -u a.awk": true, "env ./a.awk": true, "awk -f a.awk": false} {
		s.write("a.awk", "#!/usr/bin/env awk\r\n{ print }\r\n")
		s.write("p.yaml", "name: handed\nmap: "+command+"\nfiles: [a.awk]\nreduces: 0\ninput: in\noutput: out/"+strings.ReplaceAll(command, "/", "")+"\n")
		if r := s.run("run", "p.yaml", "-q"); strings.Contains(r.stderr, "ends in CR LF") != warned {
			t.Errorf("%s: exit code %d: %s", command, r.code, r.stderr)
		}
	}
}

// A side file that another job of the file writes is waited for, as input is, and what it holds is part of what the
// job is; a part that is gone from output that was kept is said to be.
func TestSideFileOfAnotherJob(t *testing.T) {
	t.Parallel()
	const jobs = "name: words\napp: wordcount\ninput: in\noutput: out/words\nreduces: 1\n---\n" +
		"name: uses\nmap: cat list\nfiles: ['out/words/part-r-00000#list']\nreduces: 0\ninput: in\noutput: out/uses\n---\n" +
		"name: bad\nmap: sh -c 'cat; exit 3'\nreduces: 0\ninput: in\noutput: out/bad\n"
	s := newShell(t, map[string]string{"c.yaml": jobs, "in/f": "b a a\n"})
	if r := s.run("run", "c.yaml", "-q"); r.code != exitFailed {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if text, err := os.ReadFile(s.path("out/uses/part-m-00000")); err != nil || string(text) != "a\t2\nb\t1\n" {
		t.Errorf("%q, %v", text, err)
	}
	part := s.path("out/words/part-r-00000")
	for _, c := range []struct {
		spoil func() error
		want  string
	}{
		{func() error { return os.WriteFile(part, []byte("a\t2\nb\t2\n"), 0o666) }, "its files have changed: part-r-00000: the checksum does not match; "},
		{func() error { return os.Remove(part) }, "its files have changed: part-r-00000: there is no such file; "},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		if r := s.run("run", "c.yaml", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, `output "out/words": it is finished, but `+c.want) {
			t.Errorf("exit code %d: %s", r.code, r.stderr)
		}
	}
	s.write("c.yaml", strings.Replace(jobs, "app: wordcount", "app: grep\nparams: {pattern: b}", 1))
	s.must(0, "run", "c.yaml", "--only", "words", "--overwrite", "-q")
	s.write("c.yaml", strings.Replace(strings.Replace(jobs, "app: wordcount", "app: grep\nparams: {pattern: b}", 1), "; exit 3", "", 1))
	if r := s.run("run", "c.yaml", "-q"); r.code != exitBadInput || !strings.Contains(r.stderr, `output "out/uses": it is finished, but the job would write something else: file list is `) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	s.must(0, "run", "c.yaml", "--only", "uses", "--overwrite", "-q")
	if r := s.run("run", "c.yaml", "-q"); r.code != 0 || !strings.Contains(r.stderr, "they are unchanged: words, uses\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}
