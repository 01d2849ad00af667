//go:build !windows

package main

import (
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
		"bad.yaml":    "map: cat\ninput: in\noutput: out\nafter: words\n",
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
	s.answers(2, "bad.yaml:4:8: after cannot move to a Hadoop cluster", submit("words.yaml", "bad.yaml")...)
	s.answers(2, "nothing: there is no such file here", submit("--put", "gone.yaml")...)
	s.answers(2, "--streaming: no.jar cannot be read", submit("--streaming", "no.jar", "words.yaml")...)
	s.answers(2, `--hadoop: "nowhere" cannot be run`, "submit", "--to", "yarn", "--hadoop", "nowhere", "words.yaml")
	s.answers(2, `--to is "moon", it must be run or yarn`, "submit", "--to", "moon", "words.yaml")
	if s.read("calls") != before {
		t.Error("a job was submitted beside one that cannot be")
	}
}
