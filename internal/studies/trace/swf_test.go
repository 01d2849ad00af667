package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const swfSample = `; Version: 2.2
; MaxProcs: 128

    1      0     10   3600     8   3500   2048    16   7200  4096  1    3    1    7   2 -1 -1 -1
    2     30.5   -1     -1    -1     -1     -1    16     60   512  0   -1   -1   -1  -1 -1  1 20
    3     31     -1     -1    -1     -1     -1     1     -1    -1  5    3    1    7   2 -1 -1 -1
    4     31      5    100     2     -1     -1    -1     -1    -1  2    3    1    7   2 -1 -1 -1
    5     40      5      0     2     -1     -1    -1     -1    -1  1    3    1    7   2 -1  3 -1
    6     41     -1     -1     4     -1     -1     4    100    -1  5    3    1    7   2 -1 -1 -1
    7     42      0      0     4     -1     -1     4    100    -1  5    3    1    7   2 -1 -1 -1
    8     43      0     50    -1     50     -1    -1    100    -1  1    3    1    7   2 -1 -1 -1
    9     44      0     -1     2     50     -1     2     -1    -1  1    3    1    7   2 -1 -1 -1
   10     45      0     50    -1     50     -1     3    100    -1  5    3    1    7   2 -1 -1 -1
`

func TestSWF(t *testing.T) {
	all, _, err := readAll(t, "swf", swfSample, false)
	if err != nil {
		t.Fatal(err)
	}
	maps := func(n int, time units.Duration, kb int64) []Stage {
		return []Stage{{Kind: workload.Map, Needs: units.Vector{units.VCores: 1, units.Memory: kb << 10}, Tasks: []Task{{Count: n, Input: Unknown, Time: time}}}}
	}
	want := []Job{
		{ID: "j1", Class: "app7", Queue: "q2", User: "u3", Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: maps(8, units.Hour, 2048)},
		{ID: "j2", Submit: units.Time(30500 * units.Millisecond), After: []string{"j1"}, Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: maps(16, units.Minute, 512)},
		{ID: "j5", Class: "app7", Queue: "q2", User: "u3", Submit: units.Time(40 * units.Second), Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: maps(2, 0, 0)},
		{ID: "j10", Class: "app7", Queue: "q2", User: "u3", Submit: units.Time(45 * units.Second), Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: maps(3, 50*units.Second, 0)},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
}

// A job that never ran, of which it is not known how long or on what it ran, or that is listed
// twice, is left out, and counted: one that was cancelled before it ran is not played for the time
// it had asked for.
func TestSWFLeavesOut(t *testing.T) {
	_, r, err := readAll(t, "swf", swfSample+"   11     51      5      0     0     -1     -1    -1     -1    -1  5    3    1    7   2 -1  3 -1\n", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Count{
		{Reason: "never-ran", Why: "jobs that never ran", Count: 4, First: "t:6: status: job 3 was cancelled before it ran"},
		{Reason: "part", Why: "parts of jobs that were swapped out; each is also listed as a whole", Count: 1, First: "t:7: status: 2 is a part of a job that was swapped out"},
		{Reason: "unmeasured", Why: "jobs that ran for an unknown time or on an unknown number of processors", Count: 2, First: "t:11: allocated processors: neither those of job 8 nor those it asked for are known"},
	}
	if d := cmp.Diff(want, r.Account().LeftOut); d != "" {
		t.Error(d)
	}
	none := strings.Split(swfSample, "\n")[5] + "\n"
	if _, _, err = readAll(t, "swf", none+none, false); err == nil || err.Error() != "t:1: status: job 3 was cancelled before it ran; and none of its other records is a job that can be played" {
		t.Error(err)
	}
}

// Times of UNIX count from the begin of the log, if its heading tells one, or from the first job; such as count from
// the begin of the log are not touched by the heading. Those who failed while they ran are counted.
func TestSWFSinceTheEpoch(t *testing.T) {
	line := func(id, at, status string) string {
		return id + " " + at + " 0 100 2 -1 -1 2 200 -1 " + status + " 1 1 1 1 1 -1 -1\n"
	}
	for heading, first := range map[string]units.Duration{"; UnixStartTime: 1356996000\n": 147 * units.Second, "": 0, "; UnixStartTime: 0\n": 0,
		"; UnixStartTime: 1756996147\n": 0, "; UnixStartTime: x\n": 0} {
		all, r, err := readAll(t, "swf", heading+line("1", "1356996147", "0")+line("2", "1356996200", "5"), false)
		if err != nil || all[0].Submit != units.Time(first) || all[1].Submit.Sub(all[0].Submit) != 53*units.Second {
			t.Errorf("%q: %v, %v", heading, all, err)
		}
		accounted(t, r, "; ended-badly 2, input-unknown 2")
	}
	if all, _, err := readAll(t, "swf", "; UnixStartTime: 1356996000\n"+line("1", "147", "1"), false); err != nil || all[0].Submit != units.Time(147*units.Second) {
		t.Error(all, err)
	}
	if all, _, err := readAll(t, "swim", "a\t1356996147\t0\t1\t0\t0\nb\t1356996200\t53\t1\t0\t0\n", false); err != nil || all[0].Submit != 0 || all[1].Submit != units.Time(53*units.Second) {
		t.Error(all, err)
	}
}

func TestSWFBad(t *testing.T) {
	line := func(number, submit, run, procs, memory, user string) string {
		return number + " " + submit + " -1 " + run + " " + procs + " -1 " + memory + " -1 -1 -1 1 " + user + " -1 -1 -1 -1 -1 -1"
	}
	badInputs(t, "swf", line("1", "5", "1", "1", "-1", "-1")+"\n", "\n"+line("3", "50", "1", "1", "-1", "-1"), "j1 j3", map[string]string{
		"2 6 -1 1": `t:2: it has 4 fields separated by blanks, a job has 18`,
		line("2", "6", "1", "1", "-1", "-1") + " 9": `t:2: it has 19 fields separated by blanks, a job has 18`,
		line("x", "6", "1", "1", "-1", "-1"):        `t:2: job number: "x" is not a number`,
		line("\xff", "6", "1", "1", "-1", "-1"):     `t:2: job number: "\xff" is not a number`,
		line("1", "6", "1", "1", "-1", "-1"):        `t:2: job "j1" was already listed`,
		line("-2", "6", "1", "1", "-1", "-1"):       `t:2: job number: -2 is negative`,
		line("2", "-6", "1", "1", "-1", "-1"):       `t:2: submit time: "-6" is negative`,
		line("2", "4", "1", "1", "-1", "-1"):        `t:2: submit time: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order`,
		line("2", "6", "1e10", "1", "-1", "-1"):     `t:2: run time: "1e10" seconds are more than 30 years`,
		line("2", "6", "-2", "1", "-1", "-1"):       `t:2: run time: "-2" is negative`,
		line("2", "6", "1", "99999999", "-1", "-1"): `t:2: allocated processors: 99999999 are more than 10000000`,
		line("2", "6", "1", "1", "9e15", "-1"):      `t:2: used memory: 9000000000000000 KB are more than any node has`,
		line("2", "6", "1", "1", "-1", "ann"):       `t:2: user: "ann" is not a number`,
	})
}

func FuzzSWF(f *testing.F) {
	f.Add(swfSample, false)
	f.Add("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\nx", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "swf", text, lenient) })
}
