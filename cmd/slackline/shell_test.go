package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
)

// asCommand makes the test binary the command itself, so that tests see exit codes and streams as a shell does.
const asCommand = "SLACKLINE_TEST_AS_COMMAND"

// holds names the folder by which a test holds jobs: see held.
const holds = "SLACKLINE_TEST_HOLDS"

func TestMain(m *testing.M) {
	commandtest.Run()
	if os.Getenv(asCommand) != "" {
		main()
	}
	// What is ignored here, as under nohup or in the background of a script, commands would ignore too. What is
	// caught here they do not.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// shell is a folder in which commands are run.
type shell struct {
	t   *testing.T
	dir string
	env []string
}

// newShell makes a folder with these files, and with what earlier runs taught of its own.
func newShell(t *testing.T, files map[string]string) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir()}
	for name, text := range files {
		s.write(name, text)
	}
	// What a killed program leaves behind stays in a folder of the test's. Under the race detector
	// a program would sleep a second before it exits.
	tmp := t.TempDir()
	s.env = append(os.Environ(), asCommand+"=1", "SLACKLINE_DATA="+filepath.Join(s.dir, "data"), "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp,
		"GORACE=atexit_sleep_ms=0", holds+"="+s.path("holds"))
	return s
}

func (s *shell) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *shell) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// result is what a command did.
type result struct {
	code           int
	stdout, stderr string
}

func (s *shell) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

// run runs slackline with arguments.
func (s *shell) run(args ...string) result {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		s.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs slackline, which must end with the code, and returns its standard output.
func (s *shell) must(code int, args ...string) string {
	s.t.Helper()
	r := s.run(args...)
	if r.code != code {
		s.t.Fatalf("slackline %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr)
	}
	return r.stdout
}

// output reads the part files of a job.
func (s *shell) output(dir string) map[string]int {
	s.t.Helper()
	parts, err := filepath.Glob(s.path(dir + "/part-r-*"))
	if err != nil || len(parts) == 0 {
		s.t.Fatalf("%s: no parts (%v)", dir, err)
	}
	counts := map[string]int{}
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var w string
			var n int
			if _, err := fmt.Sscanf(line, "%s\t%d\n", &w, &n); err != nil {
				s.t.Fatalf("%s: %q: %v", part, line, err)
			}
			counts[w] += n
		}
	}
	return counts
}

// files lists what is in the folder, but for what runs taught.
func (s *shell) files() []string {
	var all []string
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(s.dir, path); rel == "data" {
			return filepath.SkipDir
		}
		all = append(all, path)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}
