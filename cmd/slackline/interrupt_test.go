//go:build !windows

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const longJob = "name: long\napp: loadgen\nparams: {map_cpu: 1s}\ninput: corpus\noutput: out/long\n"

// interrupt starts a long job, interrupts it so many times once it runs, and returns its exit code.
func interrupt(t *testing.T, times int) (code int, s *shell) {
	s = newShell(t, map[string]string{"long.yaml": longJob, "corpus/a.txt": strings.Repeat("a\n", 1000)})
	cmd := s.command("run", "long.yaml")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), `job "long"`) {
	}
	for range times {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() && !strings.Contains(lines.Text(), "stopping") {
		}
	}
	for lines.Scan() {
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), s
}

// The first Ctrl-C stops cleanly: no half-written output stays.
func TestInterrupt(t *testing.T) {
	code, s := interrupt(t, 1)
	if code != exitInterrupt {
		t.Errorf("exit code %d, want %d", code, exitInterrupt)
	}
	if _, err := os.Stat(s.path("out/long")); !os.IsNotExist(err) {
		t.Errorf("the output of the stopped job is there: %v", err)
	}
}

// The second one ends the program at once. What it leaves lies in the output directory, where a later run sees it: it goes on with
// it, or starts anew.
func TestInterruptTwice(t *testing.T) {
	code, s := interrupt(t, 2)
	if code != exitInterrupt {
		t.Errorf("exit code %d, want %d", code, exitInterrupt)
	}
	s.write("long.yaml", strings.Replace(longJob, "1s", "1us", 1))
	s.must(0, "run", "long.yaml", "--fresh")
	if left, err := filepath.Glob(s.path("out/long/_temporary")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
