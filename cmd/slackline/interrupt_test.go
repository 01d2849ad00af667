//go:build !windows

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const longJob = "name: long\napp: loadgen\nparams: {map_cpu: 1s}\ninput: corpus\noutput: out/long\n"

// interrupt starts a long job, sends it signals once it runs, and returns its exit code and what it
// said on standard error.
func interrupt(t *testing.T, signals ...os.Signal) (code int, said string, s *shell) {
	t.Helper()
	s = newShell(t, map[string]string{"long.yaml": longJob, "corpus/a.txt": strings.Repeat("a\n", 1000)})
	code, said = s.interrupted(s.command("run", "long.yaml"), signals...)
	return code, said, s
}

// interrupted starts a command that runs the long job, and sends it signals once that has begun.
func (s *shell) interrupted(cmd *exec.Cmd, signals ...os.Signal) (code int, said string) {
	s.t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	next := func(want string) {
		for lines.Scan() {
			said += lines.Text() + "\n"
			if want != "" && strings.Contains(lines.Text(), want) {
				return
			}
		}
	}
	next(` s  job "long"`) // behind what is foreseen of it
	s.begun("out/long")    // it is told when it arrives, and begins then
	for _, sig := range signals {
		if err := cmd.Process.Signal(sig); err != nil {
			s.t.Fatal(err)
		}
		next("stopping")
	}
	next("")
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), said
}

// Ctrl-C, SIGTERM and a lost terminal pause a run: exit code 130, the last line names the command
// that goes on, jobs says interrupted, and both that command and the same run go on.
func TestInterrupt(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(fmt.Sprint(sig), func(t *testing.T) {
			code, said, s := interrupt(t, sig)
			if want := "\njob \"long\" is interrupted: 0 of 1 maps and 0 of 1 reduces are done\nslackline: interrupted; slackline resume out/long continues it\n"; code != exitInterrupt || !strings.HasSuffix(said, want) {
				t.Errorf("exit code %d, want %d\n%s", code, exitInterrupt, said)
			}
			if left := s.jobs("--state", "interrupted").Jobs; len(left) != 1 || left[0].Reason != "interrupted" {
				t.Errorf("jobs: %+v", left)
			}
			again := s.command("resume", "out/long")
			if sig != os.Interrupt {
				again = s.command("run", "long.yaml")
			}
			if code, said = s.interrupted(again, sig); code != exitInterrupt || !strings.Contains(said, `job "long" resumes: 0 of 1 maps`) ||
				!strings.HasSuffix(said, "out/long continues it\n") {
				t.Errorf("again: exit code %d\n%s", code, said)
			}
		})
	}
}

// The second one ends the program at once, and keeps the same. A terminal that goes may tell so twice.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	code, said, s := interrupt(t, os.Interrupt, os.Interrupt)
	if code != exitInterrupt || !strings.HasSuffix(said, "the same command continues from there\n") && !strings.HasSuffix(said, "out/long continues it\n") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if code, said = s.interrupted(s.command("resume", "out/long"), syscall.SIGTERM); code != exitInterrupt || !strings.Contains(said, `job "long" resumes`) {
		t.Errorf("exit code %d\n%s", code, said)
	}
	s.write("long.yaml", strings.Replace(longJob, "1s", "1us", 1))
	s.must(0, "run", "long.yaml", "--fresh")
	if left, err := filepath.Glob(s.path("out/long/_temporary")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A command obeys in every phase: while it reads, also what never comes, it ends with the first signal, and without
// a grace.
func TestInterruptedWhileItReads(t *testing.T) {
	t.Parallel()
	for args, sig := range map[string]os.Signal{"simulate s.yaml": syscall.SIGTERM, "compare s.yaml": os.Interrupt, "audit s.yaml": syscall.SIGHUP,
		"run s.yaml": os.Interrupt, "ask s.yaml": syscall.SIGTERM, "simulate t.yaml": syscall.SIGTERM,
		"forecast power s.yaml": syscall.SIGTERM, "capacity s.yaml": syscall.SIGTERM, "replay s.yaml": syscall.SIGTERM,
		"workload stats s.yaml": syscall.SIGTERM, "profile import s.yaml": syscall.SIGTERM, "validate s.yaml": syscall.SIGTERM} {
		s := newShell(t, map[string]string{"t.yaml": "cluster: {nodes: 2, map_slots: 2, reduce_slots: 0}\nworkload: {trace: {format: swim, file: s.yaml}}\n"})
		if err := syscall.Mkfifo(s.path("s.yaml"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := s.command(strings.Fields(args)...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		mouth, err := os.OpenFile(s.path("s.yaml"), os.O_WRONLY, 0) // waits until the command reads
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(stderr)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		mouth.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupt || string(said) != "slackline: interrupted; the same command starts again\n" {
			t.Errorf("%s: exit code %d: %s", args, code, said)
		}
	}
}

// nohup, and shells that put a command into the background, let it ignore signals. It goes on ignoring them.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	s := newShell(t, map[string]string{"short.yaml": strings.Replace(longJob, "1s", "300us", 1), "corpus/a.txt": strings.Repeat("a\n", 1000)})
	cmd := exec.Command("sh", "-c", `trap "" HUP INT; exec "$0" run short.yaml`, os.Args[0])
	cmd.Dir, cmd.Env = s.dir, s.env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), `job "long": 1 maps`) {
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, os.Interrupt} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended: %v", err)
	}
}

// A run whose journal cannot be written any more stops as by a signal: its work stays, and it is told how to go on.
// The exit code is that of a failure.
func TestJournalThatIsFull(t *testing.T) {
	t.Parallel()
	files := map[string]string{"corpus/a.txt": strings.Repeat("a\n", 500)}
	args := []string{"run", "--block", "10B", "-q"}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name+".yaml"] = strings.NewReplacer("1s", "1us", "long", name).Replace(longJob)
		args = append(args, name+".yaml")
	}
	s := newShell(t, files)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("NOT CHECKED: there is no /dev/full here")
	} else if r := s.run(append(args, "--journal", "/dev/full")...); r.code != exitFailed || !strings.HasSuffix(r.stderr, "no space left on device; what was done is kept, and nothing was finished, so the same command runs it again\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	// The journal has the lines of all jobs, so it is larger than the log of any of them, and the
	// first to meet a limit. The store, which might, is none.
	cmd := s.command(append(args, "--journal", "journal")...)
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 100; SLACKLINE_DATA=/dev/null/none exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	said, err := cmd.CombinedOutput()
	r := result{code: cmd.ProcessState.ExitCode(), stderr: string(said)}
	resume := regexp.MustCompile(`file too large; what was done is kept, and slackline resume (out/[a-d]) continues it\n$`).FindStringSubmatch(r.stderr)
	if r.code != exitFailed || resume == nil {
		t.Fatalf("exit code %d: %s, %v", r.code, r.stderr, err)
	}
	s.must(0, "resume", resume[1])
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := os.Stat(s.path("out/" + name + "/_SUCCESS")); err != nil {
			t.Error(err)
		}
	}
}

// The journal of a run whose process dies has what was decided until then, and the run that goes on
// writes to a file of its own.
func TestJournalOfKilled(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"long.yaml": longJob, "corpus/a.txt": strings.Repeat("a\n", 1000)})
	kill := func(cmd *exec.Cmd, journal string) (said string) {
		t.Helper()
		var err strings.Builder
		cmd.Stderr = &err
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			text, _ := os.ReadFile(s.path(journal))
			if strings.Contains(string(text), " item admit ") && strings.Contains(string(text), " event started ") {
				break
			}
			if time.Since(began) > 30*time.Second {
				t.Errorf("%s does not tell what is decided while the run goes on: %q", journal, text)
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err.String()
	}
	kill(s.command("run", "long.yaml", "--journal", "j"), "j")
	first, _ := os.ReadFile(s.path("j"))
	for _, name := range []string{"j.2", "j.3"} {
		said := kill(s.command("resume", "out/long"), name)
		if want := "this run is recorded to " + name + "; j has the part before the interruption\n"; !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
		if now, _ := os.ReadFile(s.path("j")); string(now) != string(first) {
			t.Error("the first half is overwritten")
		}
		if r := s.run("replay", name); !strings.Contains(r.stdout, "exact as far as it goes") {
			t.Error(r.stdout, r.stderr)
		}
	}
	if r := s.run("replay", "j"); !strings.Contains(r.stdout, "exact as far as it goes") {
		t.Error(r.stdout, r.stderr)
	}
}
