package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

// mostNamed is how many jobs a sentence names.
const mostNamed = 10

// verdict is the error of a report that is written: a failure if a run got stuck or a real job
// failed, and no if a real job was refused. With --strict it is no as well if a job missed its
// deadline, or in a simulation was refused, or failed by the scenario's own chance. What a job came
// to when it last ran for real stands in the report of a simulation and is not judged there.
func (o *options) verdict(r *report.Report) error {
	if err := unfinished(r.Runs); err != nil {
		return err
	}
	played := slices.ContainsFunc(r.Runs, func(run *report.Run) bool { return run.World == "sim" })
	var failed, unlucky, refused, late []judged
	var missed []string // workflows
	for _, run := range r.Runs {
		if played && run.World != "sim" {
			continue
		}
		for i := range run.Jobs {
			j := judged{run, &run.Jobs[i]}
			switch {
			case j.Outcome == report.Failed && run.World != "sim":
				failed = append(failed, j)
			case j.Outcome == report.Failed && o.strict:
				unlucky = append(unlucky, j)
			case j.Outcome == report.Refused && (o.forReal || o.strict):
				refused = append(refused, j)
			case j.Outcome.Late() && (o.strict || o.forReal && !j.Before && j.Overdue):
				late = append(late, j)
			}
		}
		for i := range run.Workflows {
			if w := &run.Workflows[i]; w.Outcome.Late() && o.strict {
				missed = append(missed, w.ID)
			}
		}
		if run.Door != nil && o.strict {
			for _, id := range run.Door.Refused {
				refused = append(refused, judged{run, &report.Job{ID: id, Reason: "it would be late (--admit refuse)"}})
			}
		}
	}
	told := o.forReal && !o.quiet // on standard error, when it happened
	var errs []error
	if len(failed) > 0 {
		errs = append(errs, failure{o.sentence(r, failed, "failed", "failed", !told)})
	}
	if len(unlucky) > 0 {
		errs = append(errs, no{o.sentence(r, unlucky, "failed", "failed", true)})
	}
	if len(refused) > 0 {
		errs = append(errs, no{o.sentence(r, refused, "was refused", "were refused", !told)})
	}
	if len(late) > 0 {
		errs = append(errs, no{o.sentence(r, late, "missed its deadline", "missed their deadlines", false)})
	}
	switch len(missed) {
	case 0:
	case 1:
		errs = append(errs, no{fmt.Errorf("workflow %q missed its deadline", missed[0])})
	default:
		errs = append(errs, no{fmt.Errorf("%d workflows missed their deadlines; the first: %q", len(missed), missed[0])})
	}
	return errors.Join(errs...)
}

// unfinished is the failure of runs that got stuck or took too long, nil if there are none.
func unfinished(runs []*report.Run) error {
	stuck := report.Stuck(runs)
	switch {
	case len(stuck) == 0:
		return nil
	case len(runs) == 1:
		return failure{fmt.Errorf("%s: %s", placeOf(stuck[0]), stuck[0].Stuck)}
	}
	return failure{fmt.Errorf("%d of %d runs did not finish; the first, %s: %s", len(stuck), len(runs), placeOf(stuck[0]), stuck[0].Stuck)}
}

// judged is a job of a run.
type judged struct {
	run *report.Run
	*report.Job
}

func placeOf(r *report.Run) string {
	c := lab.Cell{Scenario: r.Scenario, Policy: r.Policy, Seed: r.Seed, Params: r.Params}
	return c.Position()
}

// sentence says what became of some of the jobs of a report, and why. Of a simulation, which may
// have thousands, the first is named.
func (o *options) sentence(r *report.Report, jobs []judged, one, many string, reasons bool) error {
	rest := func(j judged) (text string) {
		switch {
		case len(r.Runs) > 1 && o.forReal:
			text = " by " + j.run.Policy
		case len(r.Runs) > 1:
			text = " in " + placeOf(j.run)
		}
		if j.Before {
			text += " before this run resumed it"
		}
		if reasons {
			text += ": " + strings.ReplaceAll(j.Reason, "\n", "\n    ") // which a program may have said
		}
		return text
	}
	if len(jobs) == 1 {
		return fmt.Errorf("job %q %s%s", jobs[0].ID, one, rest(jobs[0]))
	}
	all := 0
	for _, run := range r.Runs {
		all += len(run.Jobs)
	}
	text := fmt.Sprintf("%d of %d jobs %s", len(jobs), all, many)
	if !o.forReal {
		return fmt.Errorf("%s; the first: %q%s", text, jobs[0].ID, rest(jobs[0]))
	}
	for _, j := range jobs[:min(len(jobs), mostNamed)] {
		text += fmt.Sprintf("\n  %q%s", j.ID, rest(j))
	}
	if more := len(jobs) - mostNamed; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return errors.New(text)
}
