package report

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/units"
)

// The table of a real run says what its jobs did, what was expected, what the process took, and why attempts failed.
func TestRealTable(t *testing.T) {
	at := func(s float64) *float64 { return &s }
	memory := int64(64 << 20)
	run := &Run{World: "engine", Scenario: "w", Policy: "fifo", Summary: Summary{Wall: 2},
		Jobs: []Job{
			{ID: "words", Class: "wordcount", Maps: 4, LocalMaps: 3, Outcome: "finished", Finished: at(2.2), Submitted: 0.2, Expected: &Expectation{Seconds: 1.6, Spread: at(0.25)},
				Work:     &Work{Read: 3 << 29, Records: 1234567, Spilled: 9999, Shuffled: 1500, Written: 0, RecordsOut: 12},
				Failures: []Failure{{Stage: "reduce", Task: 1, Try: 1, Node: "n1", Reason: "it broke\n"}, {Stage: "map", Task: 3, Try: 2, Node: "n2", Reason: "it hung"}}},
			{ID: "find", Class: "grep", Maps: 1, Outcome: "failed", Work: &Work{Counters: map[string]int64{"TaskCounter.MAP_INPUT_BYTES": 5, "TaskCounter.SKIPPED_RECORDS": 2,
				"grep.bytes scanned line by line, slowly": 4_020_000}}},
		},
		Real: &Real{CPU: 3, Memory: &memory, Energy: &Energy{Joules: 44, Source: "model", Detail: "10W + 8W for each busy core"}}}
	var b strings.Builder
	writeReal(&b, []*Run{run})
	want := `
job      read  records  spilled  shuffled  written  records  local maps  failed tries        expected   took  off by
──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
words  1.5 GB   1.23 M     9999   1.46 kB      0 B       12      3 of 4             2  1.6 s ± 250 ms  2.0 s   +25 %
find      0 B        0        0       0 B      0 B        0      0 of 1             0               –      –       –

3.0 s of processor time (1.5 cores), at most 64 MB of memory in the engine, 44 J (not measured, by the model 10W + 8W for each busy core)
job "find" counted SKIPPED_RECORDS: 2
job "find" counted grep.bytes scanned line by line, slowly: 4.02 M
job "words" map-3, try 2 on n2 failed: it hung
job "words" reduce-1, try 1 on n1 failed: it broke
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	run.Real.Energy = &Energy{Joules: 31.25, Source: "rapl", Detail: "package-0"}
	if s := run.Real.Sentence(0); s != "3.0 s of processor time, at most 64 MB of memory in the engine, 31.2 J (measured by RAPL: package-0)" {
		t.Error(s)
	}
	mixed := Real{CPU: 3, Started: 7, Cgroups: 5}
	if s := mixed.Sentence(0); s != "3.0 s of processor time, 2 of 7 commands and programs without a cgroup" {
		t.Error(s)
	}
	family := int64(7 << 20)
	for want, r := range map[string]Real{
		"": {},
		"at most 64 MB of memory in the engine (not known for commands and programs)":                                                                               {Memory: &memory, Started: 1},
		"at most 64 MB of memory in the engine and 7 MB in the largest command or program with all that it started (sampled ten times a second)":                    {Memory: &memory, Started: 1, Family: &family, FamilyBy: FamilyByLooks},
		"at most 64 MB of memory in the engine and 7 MB in the largest command or program with all that it started (counted by its cgroup, including cached files)": {Memory: &memory, Started: 1, Family: &family, FamilyBy: FamilyByCgroup},
		"at most 7 MB of memory in the largest command or program with all that it started (its largest process)":                                                   {Started: 1, Family: &family, FamilyBy: FamilyByLargest},
	} {
		if got := r.memory(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for i := range 2 * mostReasons {
		run.Jobs[1].Failures = append(run.Jobs[1].Failures, Failure{Stage: "map", Task: 1, Try: 1, Node: "n1", Reason: strconv.Itoa(i)})
	}
	for i := range 2 * mostCounters {
		run.Jobs[1].Work.Counters[strconv.Itoa(i)] = 1
	}
	b.Reset()
	writeCounters(&b, run)
	if n := strings.Count(b.String(), "\n"); n != mostCounters+1 || !strings.HasSuffix(b.String(), "… and more counters; slackline show find has them all\n") {
		t.Errorf("%d lines: %s", n, b.String())
	}
	b.Reset()
	writeFailures(&b, run)
	if n := strings.Count(b.String(), "\n"); n != mostReasons+1 || !strings.HasSuffix(b.String(), "slackline logs find --outcome failed, has them all\n") {
		t.Errorf("%d lines: %s", n, b.String())
	}
	run.Jobs[1].Failures = []Failure{{Stage: "reduce", Task: 3, Reason: "part-r-00002: the checksum does not match"}}
	b.Reset()
	writeFailures(&b, run)
	if want := "reduce-3 had to run again, as its committed output was damaged: part-r-00002: the checksum does not match\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s, want %s", b.String(), want)
	}
	// A reason is told once: what the job failed for stands with its end, and what others failed
	// for with the first of them.
	run.Jobs[1].ID, run.Jobs[1].Outcome, run.Jobs[1].Reason = "find it", Failed, "map task 1 failed 2 times, the last time: it said:\nbad\x1b"
	run.Jobs[1].Failures = []Failure{{Stage: "map", Task: 1, Try: 1, Node: "n1", Reason: "lost\nfor good"}, {Stage: "map", Task: 1, Try: 2, Node: "n1", Reason: "it said:\nbad\x1b"},
		{Stage: "map", Task: 2, Try: 1, Node: "n1", Reason: "lost\nfor good"}}
	b.Reset()
	writeReasons(&b, []*Run{{Policy: "fifo", Jobs: run.Jobs[1:]}})
	run.Jobs = run.Jobs[1:]
	writeFailures(&b, run)
	if d := cmp.Diff(`fifo: job "find it" failed: map task 1 failed 2 times, the last time: it said:
    bad\x1b
    slackline logs 'find it' map-1 shows all its output
job "find it" map-1, try 1 on n1 failed, and one more attempt in the same way: lost
    for good
`, b.String()); d != "" {
		t.Error(d)
	}
	// A simulation has none of it.
	b.Reset()
	writeReal(&b, []*Run{{World: "sim"}})
	if b.Len() > 0 {
		t.Error(b.String())
	}
}

func TestSizes(t *testing.T) {
	for x, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "0.977 kB", 1024: "1 kB", 150 << 10: "150 kB", 1 << 20: "1 MB", 1.5 * (1 << 60): "1536 PB"} {
		if got := Size(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0", 9999: "9999", 12345: "12.3 k", 1e9: "1 G"} {
		if got := Count(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0 s", 0.00042: "0.42 ms", 0.0099: "9.9 ms", 0.012: "12 ms", 3: "3.0 s"} {
		if got := units.Span(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
