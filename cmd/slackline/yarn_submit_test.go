//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
)

// The jobs of files go to a Hadoop cluster: all of them are looked at before the first is submitted.
func TestSubmitToYarn(t *testing.T) {
	s := newShell(t, map[string]string{
		"h/bin/hadoop": `#!/bin/sh
echo "$@" >> calls
case "$*" in
"fs -get "*) mkdir "$4" ;;
*late*) echo "java.io.IOException: Failed to submit application_1_0002 to YARN : slackline: it would be late"; exit 255 ;;
*broken*) echo "INFO begins"; echo "ERROR Streaming: no such input"; echo "	at x.y"; exit 5 ;;
*) echo "INFO Job: Running job: job_1_0001" ;;
esac
`,
		"h/lib/hadoop-streaming-1.jar": "", "in/a": "a b\n", "in/b": "b\n",
		"words.yaml":  "app: wordcount\ninput: in/*\noutput: new/out\n",
		"late.yaml":   "map: cat\ninput: in\noutput: out\n",
		"broken.yaml": "map: cat\ninput: in\noutput: out\n",
		"bad.yaml":    "map: cat\ninput: in\noutput: out\nlimits: {memory: 1GB}\n",
		"gone.yaml":   "map: cat\ninput: nothing\noutput: out\n",
	})
	if err := os.Chmod(s.path("h/bin/hadoop"), 0o700); err != nil {
		t.Fatal(err)
	}
	submit := func(args ...string) []string {
		return append([]string{"submit", "--to", "yarn", "--hadoop", s.path("h/bin/hadoop")}, args...)
	}
	if out := s.must(0, submit("--put", "--fetch", "words.yaml")...); out != "job words is submitted as application_1_0001\njob words is done, and its output is in new/out\n" {
		t.Errorf("it says %q", out)
	}
	calls := strings.Split(strings.TrimSpace(s.read("calls")), "\n")
	for i, want := range []string{"fs -mkdir -p in", "fs -put -f in/a in/b in", "jar ", "fs -get new/out new/out"} {
		if i >= len(calls) || !strings.HasPrefix(calls[i], want) {
			t.Fatalf("call %d is not %q:\n%s", i+1, want, strings.Join(calls, "\n"))
		}
	}
	if !strings.Contains(calls[2], "/h/lib/hadoop-streaming-1.jar -D mapreduce.job.name=words ") || strings.Contains(calls[2], "-background") {
		t.Errorf("the job is submitted by %s", calls[2])
	}
	s.must(0, submit("words.yaml")...)
	if !strings.HasSuffix(s.read("calls"), " -output new/out -background\n") {
		t.Errorf("it waits for the end: %s", s.read("calls"))
	}
	s.answers(3, `job "late" was refused: it would be late`, submit("late.yaml")...)
	s.answers(1, `job "broken": hadoop says: ERROR Streaming: no such input`, submit("broken.yaml")...)
	before := s.read("calls")
	s.answers(2, "bad.yaml:4:9: limits cannot move to a Hadoop cluster", submit("words.yaml", "bad.yaml")...)
	s.answers(2, "nothing: there is no such file here", submit("--put", "gone.yaml")...)
	s.answers(2, "--streaming: no.jar cannot be read", submit("--streaming", "no.jar", "words.yaml")...)
	s.answers(2, `--hadoop: "nowhere" cannot be run`, "submit", "--to", "yarn", "--hadoop", "nowhere", "words.yaml")
	s.answers(2, `--to is "moon", it must be run or yarn`, "submit", "--to", "moon", "words.yaml")
	if s.read("calls") != before {
		t.Error("a job was submitted beside one that cannot be")
	}
}

// Jobs of a workflow go to a cluster one behind the other. Submitted again, those that have ended or run there are not
// submitted a second time, and what waits for one that fails is not submitted.
func TestSubmitWorkflow(t *testing.T) {
	need(t, "basename", "dirname", "grep")
	s := newShell(t, map[string]string{
		"h/bin/hadoop": `#!/bin/sh
echo "$@" >> calls
case "$*" in
*ApplicationCLI*) n=$(grep -c ApplicationCLI calls); if test -e runs && test $n -gt 1 -a $n -lt 4; then touch b.done; printf 'application_1_0009\t   \tMAPREDUCE\napplication_1_0007\t b \tMAPREDUCE\n'; fi ;;
"fs -test -e "*) test -e "$(basename "$(dirname "$4")").done" ;;
*name=c*) echo "ERROR Streaming: no such input"; exit 5 ;;
*name=a*) touch a.done; echo "INFO Job: Running job: job_1_0001" ;;
*) echo "INFO Job: Running job: job_1_0002" ;;
esac
`,
		"h/lib/hadoop-streaming-1.jar": "", "in/a": "a b\n",
		"all.yaml": "name: d\nmap: cat\ninput: [out/b, out/c]\noutput: out/d\nworkflow: W\n---\nname: a\nmap: cat\ninput: in\noutput: out/a\nworkflow: W\nworkflow_deadline: 1h\n---\n" +
			"name: b\nmap: cat\ninput: out/a\noutput: out/b\nworkflow: W\n---\nname: c\nmap: cat\ninput: out/a\noutput: out/c\nworkflow: W\n",
	})
	if err := os.Chmod(s.path("h/bin/hadoop"), 0o700); err != nil {
		t.Fatal(err)
	}
	submit := []string{"submit", "--to", "yarn", "--put", "--hadoop", s.path("h/bin/hadoop"), "all.yaml"}
	r := s.run(submit...)
	if r.code != exitFailed || !strings.Contains(r.stderr, `job "d" was not submitted, as job "c" has not ended well`) && !strings.Contains(r.stderr, `job "c": hadoop says: ERROR`) ||
		!strings.HasPrefix(r.stdout, "job a has ended as application_1_0001\n") || !strings.Contains(r.stdout, "job b has ended as application_1_0002\n") {
		t.Errorf("%d, %s%s", r.code, r.stdout, r.stderr)
	}
	calls := s.read("calls")
	for _, want := range []string{"fs -put -f in .\n", "-D mapreduce.job.tags=wf:w,vdl:", " -input out/a "} {
		if !strings.Contains(calls, want) {
			t.Errorf("no %q:\n%s", want, calls)
		}
	}
	if strings.Contains(calls, "-put -f out/") || strings.Contains(calls, "name=d") {
		t.Errorf("what others write is copied, or d is submitted:\n%s", calls)
	}
	s.write("runs", "")
	s.write("calls", "")
	r = s.run(submit...)
	if calls = s.read("calls"); strings.Contains(calls, "name=a") || strings.Contains(calls, "name=b") || !strings.Contains(calls, "name=c") ||
		!strings.Contains(r.stdout, "job a has ended already") || !strings.Contains(r.stdout, "job b runs already\n") || !strings.Contains(r.stdout, "job b has ended already") {
		t.Errorf("%s%s\n%s", r.stdout, r.stderr, calls)
	}
	s.write("runs", "")
	s.write("calls", "")
	if err := os.Remove(s.path("b.done")); err != nil {
		t.Fatal(err)
	}
	cmd := s.command(submit...)
	out, err := cmd.StdoutPipe()
	var said bytes.Buffer
	if cmd.Stderr = &said; err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "job b runs already" {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupt || !strings.HasSuffix(said.String(), "slackline: interrupted; what runs there goes on, and the same command continues\n") {
		t.Errorf("%v: %s", cmd.ProcessState, said.String())
	}
	if calls = s.read("calls"); strings.Count(calls, "ApplicationCLI") > 3 || strings.Contains(calls, "name=d") {
		t.Errorf("it goes on:\n%s", calls)
	}
	s.write("alone.yaml", "map: cat\ninput: in\noutput: out\nafter: nobody\n")
	s.answers(2, `nobody`, append(submit[:len(submit)-1:len(submit)-1], "alone.yaml")...)
}
