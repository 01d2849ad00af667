//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
)

// terminal is a command that goes on in a process of its own.
type terminal struct {
	*shell
	cmd    *exec.Cmd
	stdout bytes.Buffer
	lock   sync.Mutex
	said   string // on standard error
	ended  chan struct{}
}

// elsewhere starts a command, and waits until it says something like that.
func (s *shell) elsewhere(until string, args ...string) *terminal {
	s.t.Helper()
	o := &terminal{shell: s, cmd: s.command(args...), ended: make(chan struct{})}
	o.cmd.Stdout = &o.stdout
	stderr, err := o.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := o.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			o.lock.Lock()
			o.said += lines.Text() + "\n"
			o.lock.Unlock()
		}
		_ = o.cmd.Wait()
		close(o.ended)
	}()
	s.t.Cleanup(func() { _ = o.cmd.Process.Kill(); <-o.ended })
	o.until(until)
	return o
}

// until waits until the command has said that.
func (o *terminal) until(text string) {
	o.t.Helper()
	for range 600 {
		o.lock.Lock()
		said := strings.Contains(o.said, text)
		o.lock.Unlock()
		if said {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	o.t.Fatalf("it does not say %q but\n%s", text, o.said)
}

// ends waits for the end of the command, which has to have this exit code.
func (o *terminal) ends(code int) string {
	o.t.Helper()
	select {
	case <-o.ended:
	case <-time.After(time.Minute):
		o.t.Fatalf("it does not end\n%s", o.said)
	}
	if got := o.cmd.ProcessState.ExitCode(); got != code {
		o.t.Errorf("exit code %d, want %d\n%s%s", got, code, o.stdout.String(), o.said)
	}
	return o.stdout.String()
}

// answers holds what a command says and how it ends.
func (s *shell) answers(code int, want string, args ...string) {
	s.t.Helper()
	if r := s.run(args...); r.code != code || !strings.Contains(r.stdout+r.stderr, want) || strings.Count(r.stderr, "\n") > 1 {
		s.t.Errorf("%v: exit code %d, want %d\n%s%s\nwant %s", args, r.code, code, r.stdout, r.stderr, want)
	}
}

func jobFile(name string, more ...string) string {
	return fmt.Sprintf("name: %s\napp: wordcount\ninput: text.txt\noutput: out/%s\nreduces: 2\n%s", name, name, strings.Join(more, "\n"))
}

// hangs is a job that runs until it is stopped.
const hangs = "name: hangs\napp: loadgen\nparams: {map_cpu: 1h}\ninput: text.txt\noutput: out/hangs\n"

// A run in one terminal takes jobs from another, and lets go of those that are cancelled there.
// What it reports, keeps and records is as if they had been there from the start, and their output
// is that of a run without anybody else.
func TestSubmitCancelWait(t *testing.T) {
	t.Parallel()
	text, _ := corpus()
	s := newShell(t, map[string]string{"text.txt": text, "a.yaml": jobFile("a"), "b.yaml": jobFile("b", "deadline: 10m"), "c.yaml": jobFile("c", "after: [a]"),
		"d.yaml": strings.Replace(jobFile("d", "after: [c]"), "text.txt", "out/c", 1), "hangs.yaml": hangs, "behind.yaml": jobFile("behind", "after: [hangs]"),
		"late.yaml": jobFile("late", "arrive: 1h"), "bad.yaml": strings.Replace(jobFile("bad"), "text.txt", "missing.txt", 1),
		"same.yaml": strings.Replace(jobFile("same"), "out/same", "out/hangs", 1), "other/e.yaml": jobFile("e")})
	s.answers(3, "no run is accepting jobs; start one with slackline run --open", "submit", "a.yaml")
	s.answers(3, "no run is accepting jobs", "close")
	s.answers(2, `there is no job "a"`, "cancel", "a")
	run := s.elsewhere("takes jobs", "run", "--open", "a.yaml", "--slots", "2,2", "--journal", "run.journal", "--policy", "edf-p")
	s.answers(0, "a: finished", "wait", "a")
	s.answers(0, "b, is submitted", "submit", "b.yaml")
	s.answers(0, "d, is submitted", "submit", "d.yaml", "c.yaml")
	s.answers(0, "hangs, is submitted", "submit", "hangs.yaml", "behind.yaml", "late.yaml")

	s.answers(2, `bad.yaml:3:8: input "missing.txt"`, "submit", "bad.yaml")
	s.answers(2, `hangs.yaml:1:7: the run has a job "hangs" already`, "submit", "hangs.yaml")
	s.answers(2, `is that of job "hangs" as well`, "submit", "same.yaml")
	s.answers(2, `a.yaml:4:9: output "out/a": it exists already`, "submit", "a.yaml")
	s.answers(2, "nothing.yaml", "submit", "nothing.yaml")
	s.answers(3, "run 77 takes no jobs, or has ended", "submit", "--run", "77", "b.yaml")
	away := *s
	away.dir = s.path("other")
	away.answers(2, "takes job files from "+real(t, s.dir)+", as their paths are relative to that; submit them there", "submit", "e.yaml")

	if r := s.run("wait", "b", "c", "d"); r.code != 0 || strings.Count(r.stdout, ": finished\n") != 3 {
		t.Errorf("wait: %+v", r)
	}
	if listed := s.must(0, "__complete", "cancel", ""); !strings.HasPrefix(listed, "late\nbehind\nhangs\n:") {
		t.Errorf("cancel completes %s", listed)
	}
	s.answers(2, `there is no job "hang"; did you mean "hangs"`, "cancel", "hang")
	s.answers(3, "b, cannot be cancelled: it has finished", "cancel", "b")
	s.answers(0, "late, is cancelled", "cancel", "late")
	waits := s.elsewhere("", "wait", "hangs")
	s.answers(0, "hangs, is cancelled", "cancel", "hangs")
	if out := waits.ends(exitFailed); !strings.HasSuffix(out, "hangs: killed: cancelled by its user\n") {
		t.Errorf("wait says %s", out)
	}
	s.answers(1, "behind: killed: its predecessor did not finish", "wait", "behind")
	if _, err := os.Stat(s.path("out/hangs")); err == nil {
		t.Error("the cancelled job left its output")
	}
	s.answers(3, "hangs, cannot be cancelled: it was killed", "cancel", "hangs")
	s.write("hangs.yaml", jobFile("hangs")) // mended, with the same name and output
	s.answers(0, "hangs, is submitted", "submit", "hangs.yaml")
	s.answers(0, "hangs: finished", "wait", "hangs")
	s.answers(0, "the run will end when its current jobs have ended", "close")
	report := run.ends(0)
	for _, name := range []string{"a", "b", "c", "d"} {
		if !regexp.MustCompile(`(?m)^` + name + ` .*\d s$|^` + name + ` .*ms|^` + name + ` .*met by`).MatchString(report) {
			t.Errorf("the report does not have job %s:\n%s", name, report)
		}
	}
	if n := strings.Count(report, "killed"); n < 3 {
		t.Errorf("the report does not have the cancelled jobs:\n%s", report)
	}
	if !regexp.MustCompile(`(?m)^hangs +loadgen~\S* .*killed\n(.*\n)*hangs +wordcount .*done\n`).MatchString(report) {
		t.Errorf("the report does not have both jobs of one name:\n%s", report)
	}
	s.answers(0, "exact", "replay", "run.journal")
	if b, c := tree(t, s.path("out/b")), tree(t, s.path("out/a")); !maps.Equal(b, c) || len(b) != 3 {
		t.Errorf("a submitted job wrote %d files, unlike the %d of one that was there from the start", len(b), len(c))
	}
	if jobs := s.must(0, "jobs", "--state", "killed"); strings.Count(jobs, "\n") != 5 {
		t.Errorf("jobs lists\n%s", jobs)
	}
	s.answers(3, "no run is accepting jobs", "submit", "b.yaml")
}

// A run without an open door takes no jobs, and lets them be cancelled. One whose process is gone
// answers nobody.
func TestCancelOfAPlainRun(t *testing.T) {
	s := newShell(t, map[string]string{"text.txt": "a\n", "hangs.yaml": hangs, "more.yaml": jobFile("more"), "two.yaml": strings.ReplaceAll(hangs, "hangs", "two")})
	run := s.elsewhere(`job "hangs"`, "run", "hangs.yaml")
	s.answers(3, "no run is accepting jobs", "submit", "more.yaml")
	s.answers(0, "hangs, is cancelled", "cancel", "hangs")
	run.ends(0)
	s.answers(1, "hangs: killed: cancelled by its user", "wait", "1")

	run = s.elsewhere(`job "two"`, "run", "two.yaml")
	for !strings.Contains(s.must(0, "jobs"), "two") { // it is said a moment before it is kept
		time.Sleep(5 * time.Millisecond)
	}
	waits := s.elsewhere("", "wait", "two")
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.ends(-1)
	if out := waits.ends(exitFailed); !strings.Contains(out, "two: interrupted") {
		t.Errorf("wait says %s", out)
	}
	s.answers(3, "two, cannot be cancelled: its run was interrupted", "cancel", "two")
}

// An open run that is stopped with a submitted job in it leaves it to resume; one without a job
// comes to its end. Nobody asks anything of a run where others may write to the store.
func TestOpenRunThatStops(t *testing.T) {
	t.Parallel()
	sleeps := "name: hangs\n" + held + "\ninput: text.txt\noutput: out/hangs\n"
	s := newShell(t, map[string]string{"text.txt": "a\n", "a.yaml": jobFile("a", "deadline: 10m"), "hangs.yaml": sleeps + "run: {policy: fifo, block: 5000B}\n",
		"two.yaml": strings.ReplaceAll(sleeps, "hangs", "two") + "run: {policy: fair, block: 1025B}\n"})
	run := s.elsewhere("takes jobs", "run", "--open")
	s.answers(0, "", "close")
	if report := run.ends(0); !strings.Contains(report, "on this machine: no jobs ran\n") {
		t.Errorf("a run that nobody brought a job reports %s", report)
	}
	run = s.elsewhere("takes jobs", "run", "--open")
	s.answers(0, "a, is submitted", "submit", "a.yaml")
	s.answers(0, "a: finished", "wait", "a")
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if report := run.ends(0); !strings.Contains(report, "met by") {
		t.Errorf("the run reports %s", report)
	}

	s.hold("two", "")
	s.hold("hangs", "")
	run = s.elsewhere("takes jobs", "run", "--open", "two.yaml")
	s.answers(0, "hangs, is submitted", "submit", "hangs.yaml")
	run.until(`job "hangs"`)
	s.begun("out/two")
	s.begun("out/hangs")
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	run.ends(exitInterrupt)
	run.until("slackline resume out/two and slackline resume out/hangs continue it")
	run = s.elsewhere("takes jobs", "run", "--open")
	s.answers(2, `an interrupted run left "out/hangs"; slackline resume continues it`, "submit", "hangs.yaml")
	s.answers(0, "the run will end", "close")
	run.ends(0)
	s.release("two")
	s.release("hangs")
	// as the run was that took it, not as its file says
	if r := s.run("resume", "out/hangs"); r.code != 0 || !strings.Contains(r.stderr, "--policy=fair --block=1025B -- hangs.yaml\n") {
		t.Errorf("%+v", r)
	}
	s.must(0, "resume", "out/two")
	s.answers(0, "hangs: finished", "wait", "hangs")

	if err := os.Chmod(s.path("data"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.write("data/mine.txt", "so the folder is the user's, and is not closed")
	r := s.run("run", "--open")
	if r.code == 0 || !strings.Contains(r.stderr, "others may write to "+filepath.Join(real(t, s.dir), "data")) {
		t.Errorf("with a store that others may write to: %+v", r)
	}
}

// A job that was submitted behind another of the run goes on without it, if that has finished.
func TestResumeBehindAnother(t *testing.T) {
	t.Parallel()
	b := "name: b\n" + held + "\ninput: out/a\noutput: out/b\nafter: [a]\n"
	s := newShell(t, map[string]string{"text.txt": "a\n", "a.yaml": jobFile("a"), "b.yaml": b, "c.yaml": jobFile("c", "after: [b]")})
	s.hold("b", "")
	run := s.elsewhere("takes jobs", "run", "--open")
	s.answers(0, "a, is submitted", "submit", "a.yaml")
	s.answers(0, "b, is submitted", "submit", "b.yaml")
	s.answers(0, "it waits for b until ", "submit", "c.yaml")
	s.begun("out/b")
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	run.ends(exitInterrupt)
	run.until("slackline resume out/b continues it")
	run.until("job \"c\" had not begun; slackline resume c starts it\n")
	if r := s.run("resume", "c.yaml"); r.code != 2 ||
		!strings.Contains(r.stderr, `job "b", for which others wait, is interrupted too; resume it first: slackline resume `+s.path("out/b")) {
		t.Errorf("c before b: %+v", r)
	}
	s.release("b")
	s.must(0, "resume", "b")
	s.answers(0, "b: finished", "wait", "b")
	s.must(0, "resume", "c")
	s.answers(2, `job "z", for which others wait, has not finished`, "run", "--behind=z=out/z", "c.yaml")
}

// What an open run had taken when its process was killed comes back, by name and set by set, whether
// it had begun or not; and a name stands for its own job, not for the run that it was in.
func TestQueueSurvivesTheProcess(t *testing.T) {
	t.Parallel()
	slow := strings.ReplaceAll(hangs, "hangs", "slow")
	s := newShell(t, map[string]string{"text.txt": "a\n", "hangs.yaml": hangs, "slow.yaml": slow, "a.yaml": jobFile("a"),
		"x.yaml": jobFile("x", "deadline: 10h"), "y.yaml": jobFile("y", "after: [x]"), "z.yaml": jobFile("z", "after: [a]")})
	run := s.elsewhere("takes jobs", "run", "--open", "--nodes", "1", "--slots", "1,1", "hangs.yaml")
	run.until(`job "hangs"`)
	s.answers(0, "slow, is submitted", "submit", "slow.yaml")
	s.answers(0, "y, is submitted", "submit", "x.yaml", "y.yaml")
	s.answers(0, "z, is submitted", "submit", "a.yaml", "z.yaml")
	s.begun("out/hangs")
	waits := s.elsewhere("", "wait", "y")
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.ends(-1)
	if out := waits.ends(exitFailed); !strings.HasSuffix(out, "y: interrupted\n") {
		t.Errorf("wait says %s", out)
	}
	m, err := runs.OpenMemory(s.path("data"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	kept := func(name string) *store.Job {
		t.Helper()
		jobs, err := m.Store().Jobs(store.JobFilter{Name: name, Limit: 1})
		if err != nil || len(jobs) == 0 {
			t.Fatal(name, err)
		}
		return jobs[0]
	}
	first := kept("y")
	s.answers(2, "several runs were interrupted; name one of them by its output directory or job: "+
		s.path("out/hangs")+", z, y, slow", "resume")
	if r := s.run("resume", "y"); r.code != 0 || !strings.Contains(r.stderr, "-- x.yaml y.yaml\n") || !strings.Contains(r.stdout, "x ") {
		t.Errorf("y: %+v", r)
	}
	s.answers(0, "y: finished", "wait", fmt.Sprint(first.ID))
	for _, name := range []string{"x", "y"} {
		j := kept(name)
		if j.First == 0 || j.State != store.Finished || name == "y" && j.First != first.ID || j.Submitted.After(first.Submitted) {
			t.Errorf("%s goes on as %+v, and was %+v", name, j, first)
		}
		if name == "x" && !j.Deadline.Equal(j.Submitted.Add(10*time.Hour)) {
			t.Errorf("the deadline of a job submitted at %v is at %v", j.Submitted, j.Deadline)
		}
	}
	s.answers(0, "there is nothing to resume", "resume", "y")
	for _, arg := range []string{"slow.yaml", "z", "a"} {
		s.answers(0, "the job had not begun; it cannot be resumed any more", "discard", arg)
	}
	s.answers(2, "nothing left of an interrupted run", "resume", "z.yaml")
	s.answers(0, "hangs", "discard", "hangs")
	s.answers(2, "no interrupted run is known", "resume")
}

// real is a path without links.
func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A submission that is slow to read, here as it comes through a pipe, holds up nobody else. Once
// whoever asked for it has given up, its jobs do not run, whenever they are read.
func TestSlowSubmission(t *testing.T) {
	t.Parallel()
	need(t, "mkfifo")
	s := newShell(t, map[string]string{"text.txt": "a\n", "hangs.yaml": hangs, "b.yaml": jobFile("b")})
	if err := exec.Command("mkfifo", s.path("late"), s.path("next"), s.path("never")).Run(); err != nil {
		t.Fatal(err)
	}
	run := s.elsewhere(`job "hangs"`, "run", "--open", "hangs.yaml")
	s.answers(2, "late is not a regular file", "submit", "late")
	m, err := runs.OpenMemory(s.path("data"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	slow := func(ctx context.Context, file string) (runs.Reply, error) {
		return m.Ask(ctx, 1, runs.Submit, fmt.Sprintf(`{"dir": %q, "files": [%q]}`, s.dir, file))
	}
	write := func(file, text string) { // returns when the run has begun to read
		t.Helper()
		pipe, err := os.OpenFile(s.path(file), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipe.WriteString(text)
		if err := errors.Join(err, pipe.Close()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, giveUp := context.WithCancel(t.Context())
	said := make(chan error)
	go func() { _, err := slow(ctx, "late"); said <- err }()
	s.answers(0, "b, is submitted", "submit", "b.yaml")
	s.answers(0, "hangs, is cancelled", "cancel", "hangs")
	giveUp()
	if err := <-said; err == nil || err.Error() != "interrupted; the request is withdrawn" {
		t.Errorf("whoever gives up hears %v", err)
	}
	write("late", jobFile("late"))
	go func() {
		r, err := slow(t.Context(), "next")
		if err == nil && (len(r.Jobs) != 1 || r.Jobs[0].Name != "next") {
			err = fmt.Errorf("the reply is %+v", r)
		}
		said <- err
	}()
	write("next", jobFile("next", "after: [b]"))
	if err := <-said; err != nil {
		t.Error(err)
	}
	s.answers(0, "next: finished", "wait", "next")

	go func() { _, err := slow(t.Context(), "never"); said <- err }()
	s.answers(0, "the run will end", "close")
	if err := <-said; !errors.Is(err, store.ErrGone) {
		t.Errorf("after the end of the run whoever waits hears %v", err)
	}
	run.ends(0)
	if jobs := s.must(0, "jobs"); strings.Contains(jobs, "late") {
		t.Errorf("jobs lists\n%s", jobs)
	}
}
