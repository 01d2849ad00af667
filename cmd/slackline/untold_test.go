package main

import (
	"strings"
	"testing"
)

// What a trace does not tell is said once, before it is played, until somebody says it; and so is it that a policy will
// refuse all jobs of which nothing is known. A run that refused most jobs of a cluster that idled says why.
func TestUntold(t *testing.T) {
	var tsv strings.Builder
	for i := range 12 {
		tsv.WriteString(strings.Join([]string{"j" + string(rune('a'+i)), "1", "1", "1000000", "0", "1"}, "\t") + "\n")
	}
	trace := "cluster: {nodes: 20}\nworkload: {trace: {format: swim, file: t.tsv"
	s := newShell(t, map[string]string{
		"t.tsv":      tsv.String(),
		"plain.yaml": trace + "}}\n",
		"times.yaml": trace + ", map_time: 30s}}\n",
		"due.yaml":   trace + ", deadlines: {share: 1}}}\n",
		"known.yaml": "profiles: rehearsed\n" + trace + ", map_time: 30s, deadlines: {share: 1}}}\n",
		"in.txt":     "some text\n",
		"job.yaml":   "name: j\napp: wordcount\ninput: in.txt\noutput: out\ndeadline: 5m\n",
		"sure.yaml":  "name: s\napp: wordcount\ninput: in.txt\noutput: out2\ndeadline: 5m\nconfidence: 97%\n",
		"asks.yaml":  "cluster: {nodes: 2}\nworkload: {jobs: [{id: j, maps: 2, map_time: 10s, deadline: 5m, confidence: 97%}]}\n",
		"pool.yaml": "cluster: {nodes: 2}\nqueues: [{name: q, confidence: 97%}]\n" +
			"workload: {streams: [{id: j, queue: q, arrivals: {process: constant, every: 10s}, count: 2, maps: 2, map_time: 10s, deadline: +5m}]}\n",
	})
	const (
		times    = "note: the trace does not tell how long tasks take; maps take 20 to 40 s, unless map_time below workload.trace says otherwise\n"
		both     = "note: the trace does not tell how long tasks take, nor deadlines; maps take 20 to 40 s and no job has a deadline, unless"
		unknown  = "warning: dc refuses jobs with deadlines while nothing is known of their class, and this scenario begins without profiles; give profiles: rehearsed"
		measured = "warning: dc refuses jobs with deadlines while nothing is known of their class, which is so for wordcount; a run with another policy measures it\n"
		causes   = "dc: 12 of 12 jobs were refused while less than a tenth of the slots was used: its estimates of task times are the likely cause"
	)
	for _, c := range []struct {
		args      string
		code      int
		has, none []string
	}{
		{"simulate plain.yaml", 0, []string{times}, []string{"warning", causes}},
		{"simulate plain.yaml --policy rtmr", 0, []string{both}, []string{"warning"}},
		{"simulate times.yaml", 0, nil, []string{"note: ", "warning"}},
		{"simulate due.yaml --policy dc,fifo --seed 1..2", 0, []string{times, unknown}, nil},
		{"simulate due.yaml --policy dc --seed 1", 0, []string{times, unknown, causes}, nil},
		{"simulate known.yaml --policy dc --seed 1", 0, nil, []string{"note: ", "warning", causes}},
		{"run job.yaml --policy dc", 3, []string{measured}, []string{causes}},
		{"run job.yaml --policy fifo", 0, nil, []string{"warning", "note: "}},
		{"run sure.yaml --policy fifo", 0, []string{"note: fifo does not read confidence; promise does\n"}, nil},
		{"simulate asks.yaml --policy rtmr,fifo --seed 1..2", 0, []string{"note: rtmr and fifo do not read confidence; promise does\n"}, nil},
		{"simulate pool.yaml --policy promise(level=90%),fair", 0, []string{"note: fair does not read confidence; promise does\n"}, nil},
		{"simulate asks.yaml --policy promise(level=90%)", 0, nil, []string{"note: "}},
	} {
		r := s.run(strings.Fields(c.args)...)
		said := r.stderr + r.stdout
		if r.code != c.code {
			t.Errorf("slackline %s: exit code %d: %s", c.args, r.code, said)
		}
		for _, want := range c.has {
			if strings.Count(said, want) != 1 {
				t.Errorf("slackline %s says %d times %q:\n%s", c.args, strings.Count(said, want), want, said)
			}
		}
		for _, not := range c.none {
			if strings.Contains(said, not) {
				t.Errorf("slackline %s says %q:\n%s", c.args, not, said)
			}
		}
	}
}
