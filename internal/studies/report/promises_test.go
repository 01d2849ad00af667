package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/rtmr"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A promise is kept or broken by the deadline alone; what was expected at admission, which a job
// may lawfully miss, stands beside what came. To a refusal belongs what would have been accepted.
func TestOutcomes(t *testing.T) {
	const s = int64(units.Second)
	b := NewBuilder("sim", "s", "rtmr", 1)
	var arrived []sched.Event
	for i, id := range []string{"kept", "late", "sampled", "refused", "plain", "lent", "guessed", "labels", "before", "free", "broken", "exact"} {
		spec := &workload.Job{ID: id, Deadline: units.Time(100 * s), Soft: units.Never, Weight: 1}
		switch id {
		case "before":
			spec.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2), Done: []int32{1, 2}}}
		case "free":
			spec.Deadline = units.Never
		case "broken":
			spec.Deadline = units.Time(60 * s)
		}
		arrived = append(arrived, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: spec}})
	}
	var p sched.Plan
	worst := func(by int64) sched.Outlook {
		return sched.Outlook{Word: sched.Promised, Confidence: sched.Certain, By: units.Time(by * s)}
	}
	p.Admit(1, worst(80), sched.Because(estimate.Promised, 100*s))
	p.Admit(2, worst(40), sched.Because(estimate.Promised, 100*s))
	p.Admit(3, sched.Outlook{Word: sched.Expected, By: units.Time(90 * s), Measured: 3}, sched.Because(rtmr.Estimated, 100*s))
	p.Reject(4, sched.Offer(units.Time(250*s), true), sched.Because(rtmr.Late, 100*s, 250*s))
	p.Admit(5, sched.Outlook{}, sched.Because(sched.AdmitAll))
	p.Admit(6, sched.Outlook{Word: sched.Unpromised}, sched.Because(rtmr.ClassUnknown))
	p.Reject(7, sched.Outlook{Word: sched.NoEarlier, Measured: 2, By: units.Time(250 * s)}, sched.Because(rtmr.Late, 100*s, 250*s))
	p.Reject(8, sched.Outlook{}, sched.Because(rtmr.HasLabels))
	p.Admit(9, worst(0), sched.Because(estimate.Promised, 100*s))
	p.Admit(10, sched.Outlook{Word: sched.Unpromised}, sched.Because(estimate.NoDeadline))
	p.Admit(11, worst(55), sched.Because(estimate.Promised, 60*s))
	p.Admit(12, worst(70), sched.Because(estimate.Promised, 100*s))
	ended := []sched.Event{}
	for j := sched.JobID(1); j <= 12; j++ {
		o := sched.Committed
		if j == 4 || j == 7 || j == 8 {
			o = sched.Killed
		}
		ended = append(ended, sched.Event{Kind: sched.JobEnded, Job: j, Outcome: o})
	}
	f := follow.New(b)
	for _, err := range []error{f.Batch(1, 0, arrived), f.Plan(1, 0, &p), f.Batch(2, units.Time(70*s), ended)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := b.Run()
	if j := run.Jobs[8]; !j.Before || j.Outcome != Done || run.Summary.Kept != 4 || run.Summary.Broken != 1 || run.Summary.Met != 2 || run.Summary.Deadlines != 10 {
		t.Errorf("%+v %+v", j, run.Summary)
	}
	if j := run.Jobs[9]; j.Admission != "it has no deadline: it gets the slots that no promise needs" {
		t.Errorf("%+v", j)
	}
	if j := run.Jobs[6]; !j.Estimated {
		t.Errorf("%+v", j)
	}
	var text bytes.Buffer
	if err := New(run).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\njob      deadline  expected by  finished  promise            than expected\n",
		"kept     1:40 min     1:20 min  1:10 min  kept              10.0 s earlier\n",
		"late     1:40 min       40.0 s  1:10 min  kept                30.0 s later\n",
		"broken   1:00 min       55.0 s  1:10 min  BROKEN by 10.0 s    15.0 s later\n",
		"exact    1:40 min     1:10 min  1:10 min  kept                         0 s\n",
		"sampled  1:40 min     1:30 min  1:10 min  kept              20.0 s earlier  an estimate from a sample\n",
		"lent     1:40 min            –  1:10 min  none                              there is no profile of its class: it runs without a promise, on slots that no promise needs\n",
		"1:40 min         –  done before",
		`job "guessed" was refused: by an estimate from a sample of 2 maps: would finish at 4:10 min`,
		`job "refused" was refused: would finish at 4:10 min, 2:30 min after its deadline; the earliest deadline that would be accepted is 4:10 min`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), "LATER") {
		t.Errorf("a kept promise is called late:\n%s", &text)
	}
	for _, id := range []string{"plain ", "before ", "free ", "refused ", "guessed ", "labels "} {
		if strings.Count(text.String(), "\n"+id) != 1 {
			t.Errorf("%s, to which nothing was promised, stands among the promises:\n%s", id, &text)
		}
	}
}

// A run that goes on keeps the clock of the first: what had arrived is older, a deadline may have
// passed, and so may one that the first run promised.
func TestGoesOn(t *testing.T) {
	b := NewBuilder("engine", "s", "fifo", 1)
	f := follow.New(b)
	for i, id := range []string{"late", "moment", "promised", "kept"} {
		spec := &workload.Job{ID: id, Deadline: units.Time(10 * units.Second), Soft: units.Never, Weight: 1, Promised: i > 1}
		if i%2 == 1 {
			spec.Deadline = units.Time(70 * units.Second)
		}
		at := units.Time(60 * units.Second)
		events := []sched.Event{{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Age: 60 * units.Second, Detail: &sched.Detail{Job: spec}}}
		var p sched.Plan
		p.Admit(sched.JobID(i+1), sched.Outlook{}, sched.Because(sched.Begun))
		ended := []sched.Event{{Kind: sched.JobEnded, Job: sched.JobID(i + 1), Outcome: sched.Committed}}
		for _, err := range []error{f.Batch(1, at, events), f.Plan(1, at, &p), f.Batch(2, at.Add(5*units.Second), ended)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	run := b.Run()
	if j := run.Jobs[0]; j.Submitted != 0 || *j.Deadline != 10 || j.Outcome != Late || verdict(&j) != "LATE by 55.0 s" || *j.Penalty != 5.5 {
		t.Errorf("%+v %+v", j, run.Summary)
	}
	for i, want := range map[int]Outcome{1: Met, 2: Broken, 3: Kept} {
		if j := run.Jobs[i]; j.Outcome != want {
			t.Errorf("%+v, want %v", j, want)
		}
	}
	if run.Summary.MeanResponse == nil || *run.Summary.MeanResponse != 65 {
		t.Errorf("%+v", run.Summary)
	}
}

// Of jobs that ran while the policy only watched the report says what it would have done with them;
// what it then does is said instead.
func TestAdviceIsTold(t *testing.T) {
	b := NewBuilder("yarn", "s", "rtmr", 1)
	var told []sched.Event
	for i, id := range []string{"in", "out", "waits", "later"} {
		told = append(told, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: &workload.Job{ID: id, Deadline: units.Never, Soft: units.Never}}})
	}
	var p, after sched.Plan
	p.Admit(1, sched.Outlook{}, sched.Because(sched.AdmitAll))
	p.Reject(2, sched.Outlook{}, sched.Because(rtmr.HasLabels))
	p.Hold(3, sched.Because(rtmr.HasLabels))
	p.Reject(4, sched.Outlook{}, sched.Because(rtmr.HasLabels))
	for i := range p.Items {
		p.Items[i].Refused = sched.Watched
	}
	after.Admit(4, sched.Outlook{}, sched.Because(sched.AdmitAll))
	ended := []sched.Event{}
	for j := range sched.JobID(4) {
		ended = append(ended, sched.Event{Kind: sched.JobEnded, Job: j + 1, Outcome: sched.Committed})
	}
	f := follow.New(b)
	for _, err := range []error{f.Batch(1, 0, told), f.Plan(1, 0, &p), f.Plan(2, 1, &after), f.Batch(3, 70, ended)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := b.Run()
	for i, want := range []string{"would have been admitted: ", "would have been refused: ", "would have been held: ", ""} {
		j := &run.Jobs[i]
		if !strings.HasPrefix(j.Advice, want) || want == "" && j.Advice != "" || j.Outcome != Done || j.Reason != "" || j.Admitted != (i == 3) {
			t.Errorf("%s: advice %q, outcome %s, reason %q, admitted %v", j.ID, j.Advice, j.Outcome, j.Reason, j.Admitted)
		}
	}
	var table bytes.Buffer
	writeReasons(&table, []*Run{run})
	for text, want := range map[string]bool{`job "in"`: false, `job "out" would have been refused: `: true, `job "waits" would have been held: `: true, `job "later"`: false} {
		if strings.Contains(table.String(), text) != want {
			t.Errorf("%q in\n%s", text, table.String())
		}
	}
}

// Of a promise with a probability the table names the probability, by which most end sooner, and says when half and
// 90 % of such jobs are done. Whoever promises, and for whatever reason.
func TestPromisesWithAProbabilityAreTold(t *testing.T) {
	const s = int64(units.Second)
	own := &sched.Cause{Name: "dice-say-so", Text: "the dice say so"}
	for _, c := range []struct {
		sure []float64
		why  *sched.Cause
		head string
	}{
		{[]float64{0.99, 0.99}, estimate.Likely, "job  deadline  with 99 % by  finished  promise       than that"},
		{[]float64{0.99, 0.95}, estimate.Likely, "job  deadline  likely by  finished  promise       than that"},
		{[]float64{0.99, 0.95}, own, "job  deadline  likely by  finished  promise       than that"},
	} {
		b := NewBuilder("sim", "s", "promise", 1)
		var told, ended []sched.Event
		var p sched.Plan
		for i, sure := range c.sure {
			id := sched.JobID(i + 1)
			spec := &workload.Job{ID: fmt.Sprint("j", id), Deadline: units.Time(100 * s), Soft: units.Never}
			told = append(told, sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: spec}})
			told := sched.Outlook{Word: sched.Promised, Confidence: int32(math.Round(sure * sched.Certain)), Half: units.Time(60 * s), Ninety: units.Time(75 * s), By: units.Time(90 * s)}
			p.Admit(id, told, sched.Because(c.why, 100*s))
			if told.By += units.Time(s); i > 0 {
				p.Foretell(id, told, sched.Because(own))
			}
			ended = append(ended, sched.Event{Kind: sched.JobEnded, Job: id, Outcome: sched.Committed})
		}
		f := follow.New(b)
		for _, err := range []error{f.Batch(1, 0, told), f.Plan(1, 0, &p), f.Batch(2, units.Time(70*s), ended)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		run := b.Run()
		o := run.Jobs[0].Outlooks
		if len(o) != 1 || o[0].Half != 60 || o[0].Ninety != 75 || o[0].Sure != 90 || math.Abs(o[0].Confidence-0.99) > 1e-9 {
			t.Errorf("%+v", o)
		}
		if o := run.Jobs[1].Outlooks; len(o) != 2 || o[1].Sure != 91 || o[1].Why != "the dice say so" {
			t.Errorf("%+v", o)
		}
		stated := map[float64]int{}
		for _, a := range Audits([]*Run{run}) {
			stated[a.Stated] += a.Kept
		}
		if stated[1] != 0 || stated[0.99] == 0 || stated[c.sure[1]] == 0 {
			t.Errorf("kept of what was stated: %v", stated)
		}
		var text bytes.Buffer
		writePromises(&text, []*Run{run})
		for _, want := range []string{c.head, "20.0 s earlier  with 99 %; 50 % by 1:00 min, 90 % by 1:15 min"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, &text)
			}
		}
	}
}

// More than half of at least ten jobs are refused, and less than a tenth of either kind of slots is used.
func TestUnderused(t *testing.T) {
	for s, want := range map[Summary]bool{
		{Jobs: 20, Refused: 11, MapUtilization: 0.09, ReduceUtilization: 0.09}: true,
		{Jobs: 20, Refused: 10, MapUtilization: 0.09}:                          false,
		{Jobs: 9, Refused: 9}:                            false,
		{Jobs: 20, Refused: 11, MapUtilization: 0.11}:    false,
		{Jobs: 20, Refused: 11, ReduceUtilization: 0.11}: false,
	} {
		if s.underused() != want {
			t.Errorf("%d of %d refused, %v and %v of the slots used: %v", s.Refused, s.Jobs, s.MapUtilization, s.ReduceUtilization, !want)
		}
	}
}
