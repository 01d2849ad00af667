package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// jobOf is a job of maps of 100 MB each, and one reduce.
func jobOf(id string, maps int, deadline units.Time) *workload.Job {
	return &workload.Job{ID: id, Class: id, Deadline: deadline, Stages: []workload.StageSpec{
		{Kind: workload.Map, Tasks: make([]workload.Task, maps)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 1)}}}
}

// watched is a view without a terminal, in which things happen at second times.
func watched(t *testing.T, w *strings.Builder) (l *live, at func(seconds float64, events ...sched.Event)) {
	t.Helper()
	l = newLive(w, []*report.Expectation{{Seconds: 10}, nil}, []string{"words", "find"}, nil)
	f := follow.New(l)
	at = func(seconds float64, events ...sched.Event) {
		t.Helper()
		l.clock = func() time.Time {
			return time.Date(2026, 1, 31, 18, 0, 0, 0, time.UTC).Add(time.Duration(units.FromSeconds(seconds)))
		}
		if err := f.Batch(0, units.Time(units.FromSeconds(seconds)), events); err != nil {
			t.Fatal(err)
		}
	}
	return l, at
}

func arrives(h sched.JobID, j *workload.Job) sched.Event {
	for i := range j.Stages[0].Tasks {
		j.Stages[0].Tasks[i].Input = 100 * units.MB
	}
	return sched.Event{Kind: sched.JobArrived, Job: h, Detail: &sched.Detail{Job: j}}
}

func starts(h sched.JobID, a sched.AttemptID, s sched.Stage, t sched.TaskID) sched.Event {
	return sched.Event{Kind: sched.Started, Job: h, Attempt: a, Stage: s, Task: t, Node: 1}
}

func ends(a sched.AttemptID, o sched.Outcome, why string) sched.Event {
	return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: o, Text: why}
}

// The frame is a function of what happened and the time.
func TestFrames(t *testing.T) {
	var out strings.Builder
	l, at := watched(t, &out)
	frame := func(seconds float64, columns int, want string) {
		t.Helper()
		if d := cmp.Diff(want, l.state.frame(units.Time(units.FromSeconds(seconds)), columns)); d != "" {
			t.Errorf("after %v s: %s", seconds, d)
		}
	}
	at(0, sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n1"}}}, arrives(1, jobOf("words", 3, units.Time(12*units.Second))))
	frame(0, 120, "0 s  0 of 2 ended  words ░░░░░░░░░░░░  due in 12.0 s, 10.0 s left (until 18:00:10), maps 0 of 3, reduces 0 of 1")
	at(1, starts(1, 1, sched.Map, 1), starts(1, 2, sched.Map, 2))
	at(2, sched.Event{Kind: sched.Progress, Attempt: 1, X: 0.5}, arrives(2, jobOf("find", 1, units.Never)))
	// an eighth is done; half of 100 MB in two seconds
	frame(2, 125, "2.0 s  0 of 2 ended  words █▌░░░░░░░░░░  due in 10.0 s, 7.9 s left (until 18:00:09), maps 0 of 3, reduces 0 of 1, 25 MB/s")
	at(4, ends(1, sched.Committed, ""), ends(2, sched.Failed, "it broke"), starts(2, 3, sched.Map, 1))
	frame(4, 79, "4.0 s  0 of 2 ended  words ███░░░░░░░░░  due in 8.0 s, 6.8 s left (until 18:00…")
	at(9, ends(3, sched.Committed, ""), starts(2, 4, sched.Reduce, 1), starts(1, 5, sched.Map, 3), starts(1, 6, sched.Map, 2))
	at(11, ends(5, sched.Committed, ""), ends(6, sched.Committed, ""), sched.Event{Kind: sched.Progress, Attempt: 4, X: 0.5})
	// a quarter is left of what took ten seconds
	frame(11, 150, "11.0 s  0 of 2 ended  words █████████░░░  due in 1.0 s: LATE by 1.5 s, 2.5 s left (until 18:00:13), maps 3 of 3, reduces 0 of 1, 1 failed, 42.9 MB/s")
	at(12, sched.Event{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 1}, sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Failed})
	frame(14, 79, "14.0 s  1 of 2 ended  words ██████░░░░░░  LATE by 2.0 s, 6.5 s left (until 18:…")
	at(15, sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed})
	if !l.state.over() {
		t.Error("it is not over")
	}
	l.close()
	for i := range 20 {
		l.state.add("another job with a name that is far too long " + strings.Repeat("x", i))
	}
	frame(0, 40, "0 s  2 of 22 ended  another… ░░░░░░░░░░…")
}

// The line tells of the job with the least time to spare, whatever came first; without deadlines of the first that has
// come.
func TestMostUrgent(t *testing.T) {
	var out strings.Builder
	l, at := watched(t, &out)
	defer l.close()
	at(0, arrives(1, jobOf("free", 3, units.Never)))
	for _, step := range []struct {
		job      string
		deadline units.Time
		want     string
	}{{"", 0, "free"}, {"long", units.Time(90 * units.Second), "long"}, {"soon", units.Time(60 * units.Second), "soon"}, {"later", units.Time(80 * units.Second), "soon"}} {
		if step.job != "" {
			at(1, arrives(sched.JobID(len(l.state.named)+1), jobOf(step.job, 1, step.deadline)))
		}
		if got := l.state.urgent(units.Time(units.Second)); got.name != step.want {
			t.Errorf("%s, want %s", got.name, step.want)
		}
	}
}

// In a pipe there is a line for each change, and at most one every few seconds besides what becomes of jobs.
func TestPlainLines(t *testing.T) {
	var out strings.Builder
	l, at := watched(t, &out)
	at(0, arrives(1, jobOf("words", 3, units.Never)), arrives(2, jobOf("find", 1, units.Never)))
	at(1, starts(1, 1, sched.Map, 1))
	at(2, ends(1, sched.Committed, ""))
	at(4, starts(1, 1, sched.Map, 2)) // the first change after three seconds
	for s := 4.1; s < 6.9; s += 0.1 {
		at(s, sched.Event{Kind: sched.Progress, Attempt: 1, X: s / 10})
	}
	for a := range sched.AttemptID(19) {
		at(6.9, starts(2, a+2, sched.Map, 1), ends(a+2, sched.Failed, "it broke"))
	}
	at(8, ends(1, sched.Committed, ""))
	at(9, starts(2, 2, sched.Map, 1), ends(2, sched.Failed, "it broke again"))
	at(9, sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Failed, Text: "map task 1 failed"})
	at(10, sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed})
	l.close()
	want := `    0.0 s  job "words": 3 maps, 1 reduce
    0.0 s  job "find": 1 map, 1 reduce
    4.0 s  words: maps 1 of 3, reduces 0 of 1, 6.8 s left (until 18:00:10); find: maps 0 of 1, reduces 0 of 1; 33.3 MB/s
    6.9 s  job "find": map-1 failed: it broke
    8.0 s  words: maps 2 of 3, reduces 0 of 1, 4.5 s left (until 18:00:12); find: maps 0 of 1, reduces 0 of 1, 19 failed; 16.7 MB/s
    9.0 s  job "find": map-1 failed (and 18 more before it): it broke again
    9.0 s  job "find": failed: map task 1 failed
   10.0 s  job "words": committed
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	if got := clocked(units.Time(117_400 * units.Millisecond)); got != " 1:57 min" {
		t.Errorf("later it is %q", got)
	}
}

// Names and reasons are lines of text, whatever is in them.
func TestLiveLinesAreClean(t *testing.T) {
	var out strings.Builder
	l, at := watched(t, &out)
	at(0, arrives(1, jobOf("a\x1b[2Jb", 1, units.Never)), starts(1, 1, sched.Map, 1))
	at(10, ends(1, sched.Failed, "it said \x1b[31m\nand\rmore"))
	l.close()
	for _, line := range append([]string{l.state.frame(units.Time(10*units.Second), 80)}, strings.Split(strings.TrimSpace(out.String()), "\n")...) {
		if report.Printable(line) != strings.TrimSpace(line) {
			t.Errorf("%q", line)
		}
	}
	for _, want := range []string{`map-1 failed: it said \x1b[31m` + "\n             and" + `\rmore`, `a\x1b[2Jb: maps 0 of 1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// What a job's program warns of is told in a line of its own, without control characters.
func TestWarningsOfPrograms(t *testing.T) {
	var out strings.Builder
	(&live{}).warn(&out, "find", "it is \x1b[31mslow")
	if want := "warning: job \"find\": it is \\x1b[31mslow\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// A job is said to be done at another time where that decides about its deadline, or is a tenth of the time until that.
func TestMovesThatMatter(t *testing.T) {
	j := &liveJob{deadline: units.Time(100 * units.Second)}
	for i, c := range []struct {
		sure    float64
		matters bool
	}{{50, true}, {54, false}, {57, false}, {46, false}, {61, true}, {99, true}, {101, true}, {104, false}, {99, true}} {
		o := &report.Outlook{Sure: c.sure}
		got := j.matters(0, o)
		if got != c.matters {
			t.Errorf("%d: %v s after %+v: %v", i, c.sure, j.said, got)
		}
		if got {
			j.said = o
		}
	}
}
