//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/mapreduce/run"
)

// asProgram makes the test binary a program of a user's that misbehaves.
const asProgram = "SLACKLINE_TEST_AS_PROGRAM"

func init() {
	if os.Getenv(asProgram) == "" || os.Getenv("SLACKLINE_WORKER") != "1" || len(os.Args) > 1 {
		return
	}
	run.MainOf(map[string]run.Maker{"bad": func(params map[string]string) (mapreduce.Program, error) {
		return mapreduce.Typed[string, string, int64, int64]{
			Map: func(c *mapreduce.Context, line string, emit func(string, int64)) error {
				emit(line, 1)
				if line != "bad" {
					return nil
				}
				return misbehave(params["how"])
			},
		}.Program(), nil
	}})
}

func misbehave(how string) error {
	switch how {
	case "error":
		return errors.New("no good")
	case "panic":
		panic("oh no")
	case "exit":
		os.Exit(0)
	case "loop":
		for {
			runtime.Gosched()
		}
	case "open":
		for all := []*os.File{}; ; {
			f, err := os.Open(os.DevNull)
			if err != nil {
				return err
			}
			all = append(all, f)
		}
	case "leak":
		var all [][]byte
		for len(all) >= 0 {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "fork":
		cmd := exec.Command("sh", "-c", commandtest.Line("setsid")+" sleep 1000 & exec sleep 1000")
		if err := cmd.Start(); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
		os.Exit(5)
	}
	return nil
}

// family marks all processes that a test starts, however far away they get.
const family = "SLACKLINE_TEST_FAMILY"

// alive lists the processes with the mark in their environment.
func alive(mark string) (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		env, err := os.ReadFile(file)
		if err == nil && bytes.Contains(env, []byte(family+"="+mark+"\x00")) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			list = append(list, fmt.Sprintf("%s: %q", filepath.Dir(file), command))
		}
	}
	return list
}

// Whatever the attempts of a job do, each fails with its reason, is tried again unless that is of
// no use, harms no other job, and leaves no process behind: with cgroups, where there are any, and
// without.
func TestIsolation(t *testing.T) {
	need(t, "sh", "cat", "sleep", "head")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	eat, setsid := commandtest.Line("eat 120 stay"), commandtest.Line("setsid")
	for name, c := range map[string]struct{ job, want string }{
		"command hangs":        {"map: sleep 1000\ntimeout: 300ms\n", "it made no progress for 300ms"},
		"command takes long":   {"map: sh -c 'while true; do echo reporter:status:on >&2; sleep 0.05; done'\nlimits: {time: 300ms}\n", "it took longer than 300ms; its last status was: on"},
		"command eats":         {"map: " + eat + "\nlimits: {memory: 50MB}\n", "it took more than 50MB of memory"},
		"child eats":           {"map: sh eat.sh\nfiles: eat.sh\nlimits: {memory: 50MB}\n", "it took more than 50MB of memory"},
		"command opens":        {"map: sh -c 'exec 3<in 4<in 5<in 6<in 7<in 8<in 9<in'\nlimits: {open_files: 7}\n", "it ended with exit code 2; it said: "},
		"command forks, dies":  {"map: sh -c '" + setsid + " sleep 1000 & sleep 1000 & exit 3'\n", "it ended with exit code 3"},
		"command forks, ends":  {"map: sh -c 'cat; " + setsid + " sleep 1000 & exit 0'\n", "something that it started keeps its output open"},
		"command cries":        {"map: sh -c 'head -c 20000000 /dev/zero >&2; echo >&2; echo the end >&2; exit 9'\n", "it ended with exit code 9; it said:"},
		"command closes stdin": {"map: sh -c 'exec <&-; exit 6'\n", "it ended with exit code 6"},
		"command has no line":  {"map: head -c 80000000 /dev/zero\n", "it wrote a line longer than 64MB"},
		"reducer fails":        {"map: cat\nreduce: sh -c 'cat >/dev/null; echo broken >&2; exit 1'\n", "it said: broken"},
		"program errs":         {"params: {how: error}\n", "failed: no good"},
		"program panics":       {"params: {how: panic}\n", "panicked: oh no"},
		"program exits":        {"params: {how: exit}\n", "it ended with exit code 0 in the middle of its task"},
		"program loops":        {"params: {how: loop}\ntimeout: 400ms\n", "it made no progress for 400ms"},
		"program opens":        {"params: {how: open}\nlimits: {open_files: 40}\n", "too many open files"},
		"program leaks":        {"params: {how: leak}\nlimits: {memory: 150MB}\n", "it took more than 150MB of memory"},
		"program forks":        {"params: {how: fork}\n", "it ended with exit code 5"},
	} {
		for _, without := range []string{"", "1"} {
			t.Run(name+without, func(t *testing.T) {
				if without == "" && !strings.Contains(name, "eats") && !strings.Contains(name, "forks") {
					return // makes no difference
				}
				t.Parallel()
				s := newShell(t, map[string]string{"in": "well\nbad\n" + strings.Repeat("more\n", 100_000), "eat.sh": eat + " & wait\n", "good.yaml": "map: cat\ninput: in\noutput: good\n"})
				job := c.job + "input: in\noutput: bad\n"
				if strings.HasPrefix(name, "program") {
					job += "app: " + program + "\n"
				}
				s.write("bad.yaml", job)
				mark := strings.ReplaceAll(s.dir, "/", "_")
				s.env = append(s.env, family+"="+mark, asProgram+"=1", "SLACKLINE_NO_CGROUPS="+without)
				r := s.run("run", "bad.yaml", "good.yaml")
				tries := "failed 4 times"
				if name == "command has no line" {
					tries = "map task 1 failed\n"
				}
				if r.code != 1 || !strings.Contains(r.stderr, tries) || !strings.Contains(r.stderr, c.want) {
					t.Errorf("exit code %d, want %q and %q in\n%s", r.code, c.want, tries, r.stderr)
				}
				how := "cgroups (version 2); "
				if without != "" || strings.Contains(r.stderr, "isolation: process groups") {
					how = "process groups, orphans adopted; memory sampled from /proc"
				}
				if text := s.must(0, "show", "bad"); !strings.Contains(text, "\nisolation  "+how) {
					t.Errorf("%q is not in\n%s", how, text)
				}
				if got := strings.Count(s.parts("good"), "\n"); got != 100_003 {
					t.Errorf("the other job wrote %d lines", got)
				}
				if _, err := os.Stat(s.path("bad")); err == nil {
					t.Error("the job that failed left output")
				}
				if left := alive(mark); len(left) > 0 {
					t.Errorf("left behind: %s", strings.Join(left, ", "))
				}
			})
		}
	}
}
