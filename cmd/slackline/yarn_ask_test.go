//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
)

// What a job would be told on a cluster is asked of the process that schedules it, with the files as the cluster
// has them.
func TestYarnAsk(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	s := newShell(t, map[string]string{"in.txt": strings.Repeat("some words of a text\n", 5000),
		"local.yaml": "name: words\napp: wordcount\ninput: in.txt\noutput: out\nreduces: 1\n",
		"job.yaml":   "name: words\napp: wordcount\ninput: /text\noutput: /out\nreduces: 1\ndeadline: 24h\n",
		"hadoop": "#!/bin/sh\ncase $* in\n" +
			"'fs -ls -R /text') echo '-rw-r--r-- 2 root all 300000 2026-11-29 02:31 /text/a b'; echo 'drwxr-xr-x - root all 0 2026-11-29 02:31 /text/d'; " +
			"echo '-rw-r--r-- 2 root all 50 2026-11-29 02:31 /text/_logs';;\n" +
			"'fs -stat %o /text/a b') echo 100000;;\n*) echo \"unexpected: $*\" >&2; exit 1;;\nesac\n"})
	if err := os.Chmod(s.path("hadoop"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"ask", "--to", "yarn", "--hadoop", "./hadoop", "job.yaml"}
	if r := s.run(args...); r.code != exitNo || !strings.Contains(r.stderr, "slackline yarn serve is one") {
		t.Errorf("without a cluster: %d, %s", r.code, r.stderr)
	}
	for range 3 {
		s.must(0, "run", "local.yaml", "--block", "20kB", "-q")
		s.again()
	}
	o := s.serves("--policy", "promise")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	say := o.attach(ctx)
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	o.until("Slackline places work")
	var a runs.Answers
	if err := json.Unmarshal([]byte(s.must(0, append(args, "-o", "json")...)), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Jobs) != 1 || a.Policy != "promise" || a.Run == 0 {
		t.Fatalf("%+v", a)
	}
	if j := &a.Jobs[0]; j.ID != "words" || j.Class != "wordcount" || j.Done == nil || j.By90 == nil || j.Deadline == nil || j.Deadline.Sub(j.Submitted).Hours() != 24 || !j.Promised || j.New {
		t.Errorf("%+v", j)
	}
	if out := s.must(0, args...); !strings.Contains(out, `job "words": done at `) || !strings.Contains(out, "this is the answer of run ") {
		t.Error(out)
	}
	for _, c := range [][2]string{{"--policy", "contradict each other"}, {"--to", "must be run or yarn"}} {
		if r := s.run(append(args, c[0], "fifo")...); r.code != exitBadInput || !strings.Contains(r.stderr, c[1]) {
			t.Errorf("%s: %d, %s", c[0], r.code, r.stderr)
		}
	}
	s.write("far.yaml", "name: far\napp: wordcount\ninput: /none\noutput: /out\nreduces: 1\n")
	if r := s.run("ask", "--to", "yarn", "--hadoop", "./hadoop", "far.yaml"); r.code == 0 || !strings.Contains(r.stderr, "hadoop says: unexpected") {
		t.Errorf("%d, %s", r.code, r.stderr)
	}
}
