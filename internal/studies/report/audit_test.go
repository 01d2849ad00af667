package report

import (
	"fmt"
	"strings"
	"testing"
)

// A run of a hundred promises at 95 %, of which ten are broken, all of one class and those without a history.
func TestAudit(t *testing.T) {
	stated, run := 0.95, &Run{Scenario: "s", Policy: "promise(level=95%)", World: "sim"}
	for i := range 100 {
		finished, deadline := float64(10*i+100), float64(10*i+200)
		j := Job{ID: fmt.Sprintf("j%d", i), Class: "good", Submitted: float64(10 * i), Finished: &finished, Deadline: &deadline, Promised: &finished, Confidence: &stated, Outcome: Kept}
		if i < 10 {
			j.Class, j.Outcome = "bad", Broken
		}
		o := Outlook{Half: j.Submitted + 100, Sure: j.Submitted + 110}
		if i >= 50 {
			o.Sure = j.Submitted + 250
		}
		j.Outlooks = []Outlook{o, {Half: 1, Sure: 1000, Why: "it moved"}}
		run.Jobs = append(run.Jobs, j)
	}
	run.Jobs = append(run.Jobs, Job{ID: "worst", Class: "good", Outcome: Kept, Promised: &stated}, Job{ID: "refused", Outcome: Refused, Confidence: &stated},
		Job{ID: "estimated", Class: "good", Outcome: Broken, Promised: &stated, Estimated: true})
	got := map[string]string{}
	for _, a := range Audits([]*Run{run}) {
		key := a.by() + a.Class + a.History + a.Tail
		if a.Stated == 1 {
			key = "worst " + key
		}
		got[key] = fmt.Sprintf("%d of %d, %.4f to %.4f, %s, %.2f wide", a.Kept, a.Promises, a.Low, a.High, a.Verdict, a.Wide)
	}
	// intervals: scipy.stats.binomtest(k, n).proportion_ci(method="exact")
	want := map[string]string{
		"worst all":       "1 of 1, 0.0250 to 1.0000, as stated, 0.00 wide",
		"all":             "90 of 100, 0.8238 to 0.9510, as stated, 1.80 wide",
		"classbad":        "0 of 10, 0.0000 to 0.3085, less than stated, 1.10 wide",
		"classgood":       "90 of 90, 0.9598 to 1.0000, more than stated, 1.88 wide",
		"historynone":     "10 of 20, 0.2720 to 0.7280, less than stated, 1.10 wide",
		"history1 to 9":   "9 of 9, 0.6637 to 1.0000, as stated, 1.10 wide",
		"tailbelow 1.25":  "40 of 50, 0.6628 to 0.8997, less than stated, 1.10 wide",
		"tail2 or more":   "50 of 50, 0.9289 to 1.0000, as stated, 2.50 wide",
		"history10 to 99": "71 of 71, 0.9494 to 1.0000, as stated, 2.09 wide",
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s: %s, not %s", k, got[k], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows: %v", len(got), got)
	}
	var b strings.Builder
	writeAudit(&b, []*Run{run})
	for _, part := range []string{"promises as stated and as kept", "class bad", "less than stated", "1.88  more than stated", "worst case", "earlier jobs of its class: 1 to 9", "90.00 %", "82.38 to 95.10 %               1.80", "quantile / median: below 1.25"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
	b.Reset()
	run.Jobs = run.Jobs[:9]
	if writeAudit(&b, []*Run{run}); b.Len() > 0 {
		t.Errorf("of nine promises there is a table:\n%s", b.String())
	}
}

// A job without a class, in a run without a scenario, is counted once.
func TestAuditOfNoClass(t *testing.T) {
	stated := 0.95
	list := Audits([]*Run{{Jobs: []Job{{ID: "a", Outcome: Kept, Confidence: &stated}}}})
	if len(list) != 1 || list[0].Promises != 1 {
		t.Errorf("%+v", list)
	}
}

// Promises of jobs that failed are in no row, and said as a number; jobs that failed without a promise are not.
func TestAuditOfFailed(t *testing.T) {
	stated, by := 0.99, 5.0
	runs := []*Run{{Jobs: []Job{
		{ID: "kept", Outcome: Kept, Promised: &by, Confidence: &stated},
		{ID: "failed", Outcome: Failed, Promised: &by, Confidence: &stated},
		{ID: "worst", Outcome: Failed, Promised: &by},
		{ID: "estimated", Outcome: Failed, Promised: &by, Estimated: true},
		{ID: "unpromised", Outcome: Failed},
	}}}
	list := Audits(runs)
	if n := PromisesOfFailed(runs); n != 2 || len(list) != 1 || list[0].Promises != 1 {
		t.Errorf("%d of jobs that failed, %+v", n, list)
	}
	for n, want := range map[int]string{0: "", 1: "1 promise of a job that failed or was killed is not counted", 2: "2 promises of jobs that failed or were killed are not counted"} {
		rows := AuditTable("", list, n).Rows()
		if last := rows[len(rows)-1]; NotCounted(n) != want || n > 0 && (len(last) != 1 || last[0] != want) || n == 0 && len(rows) != 2 {
			t.Errorf("%d: %q, %q", n, NotCounted(n), last)
		}
	}
}
