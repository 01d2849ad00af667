package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What admission says of a job's finish stands beside what came, and to a refusal belongs what would have been accepted.
func TestOutcomes(t *testing.T) {
	const s = int64(units.Second)
	b := NewBuilder("sim", "s", "rtmr", 1)
	var arrived []sched.Event
	for i, id := range []string{"kept", "late", "sampled", "refused", "plain"} {
		spec := &workload.Job{ID: id, Deadline: units.Time(100 * s), Soft: units.Never, Weight: 1}
		arrived = append(arrived, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: spec}})
	}
	var p sched.Plan
	p.Admit(1, sched.Because(sched.Promised, 100*s, 80*s))
	p.Admit(2, sched.Because(sched.Promised, 100*s, 40*s))
	p.Admit(3, sched.Because(sched.Estimated, 100*s, 90*s, 3))
	p.Reject(4, units.Time(250*s), sched.Because(sched.Deadline, 100*s, 250*s))
	p.Admit(5, sched.Because(sched.AdmitAll))
	ended := []sched.Event{}
	for j := sched.JobID(1); j <= 5; j++ {
		o := sched.Committed
		if j == 4 {
			o = sched.Killed
		}
		ended = append(ended, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: o})
	}
	for _, err := range []error{b.Batch(1, 0, arrived), b.Plan(1, 0, &p), b.Batch(2, units.Time(70*s), ended)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	if err := New(b.Run()).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"kept      100.0 s       80.0 s    70.0 s  10.0 s before",
		"late      100.0 s       40.0 s    70.0 s  30.0 s LATER than promised",
		"sampled   100.0 s       90.0 s    70.0 s  20.0 s before               an estimate from a sample",
		"refused   100.0 s            –         –  refused",
		`job "refused" was rejected: would finish at 4m10s, deadline 1m40s; the earliest deadline that would be accepted is 4m10s`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Count(text.String(), "plain ") != 1 {
		t.Errorf("a job of which nothing was said stands among the promises:\n%s", &text)
	}
}
