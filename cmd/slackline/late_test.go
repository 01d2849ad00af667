//go:build !windows

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const lateJobs = `name: b
app: loadgen
params: {map_cpu: 100ms}
input: short.txt
output: out/b
deadline: DUE
---
name: a
` + held + `
input: short.txt
output: out/a
deadline: 1h
`

// A deadline that a job had missed, or met, before its run was killed counts in the run that resumed it.
func TestDeadlinesBeforeAKill(t *testing.T) {
	t.Parallel()
	for due, want := range map[string]struct {
		code        int
		met, missed float64
		said, end   string
	}{
		"20ms": {3, 1, 1, `job "b" had finished before the interruption: it missed its deadline by `, "slackline: job \"b\" missed its deadline before this run resumed it\n"},
		"1h":   {0, 2, 0, `job "b" had finished before the interruption: it met its deadline by `, ""},
	} {
		t.Run(due, func(t *testing.T) {
			s := newShell(t, map[string]string{"jobs.yaml": strings.Replace(lateJobs, "DUE", due, 1), "short.txt": "x\n"})
			s.hold("a", "")
			cmd := s.command("run", "jobs.yaml", "--policy", "fifo", "--strict", "-o", "json")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.begun("out/a")
			s.finishes("b")
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			s.release("a")
			r := s.run("resume", "out/a")
			if r.code != want.code || !strings.Contains(r.stderr, want.said) || !strings.HasSuffix(r.stderr, want.end) {
				t.Fatalf("exit code %d: %s", r.code, r.stderr)
			}
			if sum := parse(t, r.stdout).Runs[0].Summary; sum["met"] != want.met || sum["late"] != want.missed || sum["deadlines"] != 2.0 {
				t.Errorf("%v", sum)
			}
		})
	}
}

// A workflow is one though its run was killed after its first job, and though the input of a job is there late.
func TestWorkflowAcrossAKill(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"short.txt": "x\n"})
	s.write("jobs.yaml", `
name: a
map: sh -c 'sleep 0.05; s=`+s.path("s")+`; mkdir -p ${s}ide; echo y >${s}ide/in; cat'
input: short.txt
output: out/a
workflow: w
workflow_deadline: 1h
---
name: b
app: wordcount
input: [out/a, "side/*"]
output: out/b
workflow: w
---
name: c
`+held+`
input: out/b
output: out/c
workflow: w
`)
	s.hold("c", "")
	cmd := s.command("run", "jobs.yaml", "--policy", "flow", "-o", "json")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.finishes("b")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s.release("c")
	for _, args := range [][]string{{"resume", "out/c"}, {"run", "jobs.yaml", "--policy", "flow", "--overwrite", "-o", "json"}} {
		if args[0] == "run" && os.RemoveAll(s.path("side")) != nil {
			t.Fatal("side/in stays")
		}
		r := s.run(args...)
		flows := parse(t, r.stdout).Runs[0].Workflows
		if len(flows) != 1 || flows[0]["jobs"] != 3.0 || flows[0]["outcome"] != "met" || fmt.Sprint(flows[0]["critical_path"]) != "[a b c]" {
			t.Errorf("%v: %v\n%s", args, flows, r.stderr)
		}
	}
}
