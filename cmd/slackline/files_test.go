package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Few open files are enough for many maps and reduces, in this process and in commands: what one
// attempt merges at once depends on them, and what comes out does not.
func TestFewOpenFiles(t *testing.T) {
	need(t, "sh", "cat")
	if runtime.GOOS == "windows" {
		t.Skip("NOT CHECKED: there is no such limit here")
	}
	s := newShell(t, map[string]string{
		"in":         strings.Repeat("the cat and the dog\nno 1 and the 2 of them\n", 580),
		"words.yaml": "app: wordcount\ninput: in\noutput: OUT\nreduces: 50\n", "cat.yaml": "map: cat\ninput: in\noutput: OUT\nreduces: 50\n"})
	for _, job := range []string{"words.yaml", "cat.yaml"} {
		text := s.read(job)
		run := func(out, script string) {
			s.write(job, strings.ReplaceAll(text, "OUT", out))
			cmd := s.command("run", job, "--block", "430B", "-o", "json")
			sh := exec.Command("sh", append([]string{"-c", script + `exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)...)
			sh.Dir, sh.Env = cmd.Dir, cmd.Env
			said, err := sh.CombinedOutput()
			if err != nil || !strings.Contains(string(said), `"maps": 58,`) {
				t.Fatalf("%s: %v\n%s", job, err, said)
			}
		}
		run("out/many", "")
		want := s.parts("out/many")
		for _, n := range []int{128, 64} {
			run(fmt.Sprint("out/", n), fmt.Sprintf("ulimit -n %d && ", n))
			if s.parts(fmt.Sprint("out/", n)) != want {
				t.Errorf("%s: with %d open files something else comes out", job, n)
			}
		}
		s.again()
	}
}
