package page

import (
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/page/pagetest"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/trace"
)

// The page says of a run of vcores how much of them was in use, and has a dash where there were no
// slots; a run of slots has no vcores.
func TestBrowserTellsUse(t *testing.T) {
	b := pagetest.New(t)
	_, _, slotted := play(t, "fifo")
	cores := *slotted.Runs[0]
	cores.Policy = "cores"
	half := 0.5
	cores.Summary.MapUtilization, cores.Summary.MapSlots, cores.Summary.ReduceUtilization, cores.Summary.ReduceSlots = 0, 0, 0, 0
	cores.Summary.CoreUtilization, cores.Summary.Cores = &half, 8
	tell := func(r *report.Report, from string) string {
		b.Open(save(t, write(t, &Page{}, r)))
		var text string
		b.Eval(`[...document.querySelectorAll('`+from+`')].map(e => e.textContent.trim().replace(/\s+/g, ' ')).join(', ')`, &text)
		return text
	}
	if got := tell(report.New(&cores), "#tiles div"); !strings.Contains(got, "map slots–in use, reduce slots–in use, vcores50 %in use") {
		t.Errorf("tiles: %s", got)
	}
	if got := tell(slotted, "#tiles div"); strings.Contains(got, "vcores") || strings.Contains(got, "–") {
		t.Errorf("tiles of a run of slots: %s", got)
	}
	if got := tell(report.New(slotted.Runs[0], &cores), "#runs tr"); !strings.Contains(got, "vcores") || !strings.Contains(got, "––50 %") {
		t.Errorf("table: %s", got)
	}
}

// The page says of a stuck run that it is, and why, and lists the deadlines of each class; other runs have neither.
func TestBrowserTellsStuckAndPromises(t *testing.T) {
	b := pagetest.New(t)
	_, _, r := play(t, "fifo", "edf-p")
	stuck := *r.Runs[1]
	stuck.Stuck = "no node is left <b>"
	stuck.Trace = &report.Trace{Account: trace.Account{LeftOut: []trace.Count{{Why: "jobs that failed", Count: 2, First: "t:2: <b>"}}}}
	stuck.Notes = []string{"the weather lacks a day"}
	stuck.Classes = []report.DeadlineClass{{Class: "<i>tight", Deadlines: 4, InTime: 1}, {Class: "wide", Deadlines: 2, InTime: 2}}
	b.Open(save(t, write(t, &Page{}, report.New(r.Runs[0], &stuck))))
	tell := func(from string) (text string) {
		b.Eval(`[...document.querySelectorAll('`+from+`')].filter(e => !e.hidden).map(e => e.textContent.trim().replace(/\s+/g, ' ')).join(', ')`, &text)
		return text
	}
	if got := tell("#stuck") + tell("#told p") + tell("#kept table"); got != "" {
		t.Errorf("of a run that came to its end: %s", got)
	}
	if got := tell("#run option") + tell("#runs tr"); !strings.Contains(got, "edf-p · seed 7 · stuck") || !strings.Contains(got, "edf-p, stuck7") || strings.Contains(got, "fifo · seed 7 · stuck") {
		t.Errorf("list of runs: %s", got)
	}
	b.Eval("document.getElementById('after').click()", nil)
	b.Eval("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))", nil)
	if got := tell("#stuck"); !strings.Contains(got, "did not come to its end: no node is left <b>") {
		t.Errorf("stuck: %q", got)
	}
	if got := tell("#told p"); got != "left out of the trace: jobs that failed (2), the first: t:2: <b>, the weather lacks a day" {
		t.Errorf("told: %q", got)
	}
	if got := tell("#kept tr"); got != "classin timeofpart, <i>tight1425 %, wide22100 %" {
		t.Errorf("promises: %q", got)
	}
	kept := *r.Runs[1]
	kept.Jobs = nil
	for i := range 200 {
		stated, end := 0.9, 9.0
		kept.Jobs = append(kept.Jobs, report.Job{ID: strconv.Itoa(i), Outcome: report.Kept, Admitted: true, Confidence: &stated, Promised: &end, Finished: &end, Deadline: &end})
	}
	b.Open(save(t, write(t, &Page{}, report.New(&kept))))
	if got := tell("#kept caption") + tell("#kept tr"); !strings.Contains(got, "Promises as stated and as kept") || !strings.Contains(got, "more than stated") {
		t.Errorf("kept: %q", got)
	}
	b.Quiet()
}

// A page has room for so many classes of deadlines; the others are one.
func TestPromisesOfManyClasses(t *testing.T) {
	run := &report.Run{}
	for range 30 {
		run.Classes = append(run.Classes, report.DeadlineClass{Class: strings.Repeat("x", 500), Deadlines: 3, InTime: 2})
	}
	list := promisesOf(run)
	if last := list[len(list)-1]; len(list) != 21 || last != (report.DeadlineClass{Class: "others", Deadlines: 30, InTime: 20}) || len(list[0].Class) > 130 {
		t.Errorf("%d: %+v", len(list), list)
	}
}

// Whoever turns jobs away does not look better for it: tiles, card and curves count the jobs that were submitted.
func TestBrowserTellsRefusals(t *testing.T) {
	b := pagetest.New(t)
	due, early, work := 100.0, 90.0, 5.0
	const why = "alone on this cluster it takes 4:12 min (its maps 1:00 min, its reduces 3:12 min), and its deadline is in 3:00 min; the earliest deadline that would be accepted is 5:00 min"
	play := func(policy string, refused int) *report.Run {
		r := &report.Run{World: "sim", Scenario: "s", Policy: policy, Seed: 1}
		for i := range 7 {
			j := report.Job{ID: string(rune('a' + i)), Deadline: &due, TaskTime: &work, Maps: 1, Outcome: report.Met, Admitted: true, Finished: &early}
			if i < refused {
				j.Outcome, j.Admitted, j.Finished, j.Reason = report.Refused, false, nil, why
			} else if refused > 0 {
				j.Outcome, j.Promised = report.Kept, &early
			}
			r.Jobs = append(r.Jobs, j)
		}
		r.Tally()
		r.Summary.Makespan = 90
		return r
	}
	b.Open(save(t, write(t, &Page{}, report.New(play("picky", 4), play("open", 0)))))
	tell := func(from string) (text string) {
		b.Eval(`[...document.querySelectorAll('`+from+`')].map(e => e.textContent.trim().replace(/\s+/g, ' ')).join(', ')`, &text)
		return text
	}
	tiles := tell("#tiles div")
	if strings.Contains(tiles, "3 of 3") || !strings.HasPrefix(tiles, "in time3 of 7 submitted, work in time43 %of the task time, refused4 of 7") {
		t.Errorf("tiles: %s", tiles)
	}
	if got := tell("#kept > p"); got != "3 of 7 jobs with a deadline finished in time. 3 of all 7 jobs were accepted, 4 refused; 3 of 3 promises were kept." {
		t.Errorf("card: %s", got)
	}
	if got := tell("#kept .legend span"); got != "refused 4, kept 3" {
		t.Errorf("legend: %s", got)
	}
	if got := tell("#curves .legend span"); !strings.Contains(got, "picky: 3 of 7 jobs, open: 7 of 7 jobs") || strings.Contains(got, "100 %") {
		t.Errorf("curves: %s", got)
	}
	if got := tell("#curves .note"); !strings.Contains(got, "did not finish the same jobs") {
		t.Errorf("curves: %s", got)
	}
	if got := tell("#jobs td"); !strings.Contains(got, "refused, ") || !strings.Contains(got, why) {
		t.Errorf("jobs: %s", got)
	}
	if got := tell("#differ"); !strings.HasSuffix(got, "Of all jobs 0 are in time that are not under open, and 4 are not that are there.") {
		t.Errorf("differ: %s", got)
	}
	if got := tell("#runs tr"); !strings.Contains(got, "picky137") || !strings.Contains(got, "43 %3 of 73 of 3") {
		t.Errorf("runs: %s", got)
	}
	b.Quiet()
}

// The page has the table of what was promised and kept, with its verdict, where a run made some promises.
func TestPageTellsWhatWasKept(t *testing.T) {
	stated, end := 0.9, 9.0
	run := &report.Run{World: "sim", Policy: "promise(level=90%)"}
	for range 200 {
		run.Jobs = append(run.Jobs, report.Job{ID: "j", Class: strings.Repeat("x", 500), Outcome: report.Kept, Confidence: &stated, Promised: &end, Finished: &end})
	}
	rows := keptOf(run)
	if len(rows) < 2 || rows[0][0] != "of" || rows[1][0] != "all" || rows[1][3] != "200" || rows[1][len(rows[1])-1] != "more than stated" {
		t.Errorf("%q", rows)
	}
	run.Jobs = run.Jobs[:9]
	if rows := keptOf(run); rows != nil {
		t.Errorf("of nine promises: %q", rows)
	}
}
