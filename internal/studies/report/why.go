package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/slackline/slackline/internal/studies/account"
)

// Verdict says in a word or two what became of the job.
func Verdict(j *Job) string { return verdict(j) }

// Wrapped is a sentence in lines of so many columns behind an indent.
func Wrapped(said, indent string, columns int) string {
	lines := strings.Split(text.WrapSoft(Printable(said), columns-len(indent)), "\n")
	for i := range lines {
		lines[i] = indent + strings.TrimRight(lines[i], " ") + "\n"
	}
	return strings.Join(lines, "")
}

// Explain notes where the time of each job went; nil: nobody kept accounts.
func (r *Run) Explain(books *account.Accountant) {
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if books == nil || j.Before {
			continue
		}
		a := books.Of(i)
		if a == nil {
			continue
		}
		j.Causes, j.Why = a.Totals(), a.Sentence()
		if r.World != "sim" {
			j.Account = a
		}
	}
}

// Unexplained is the run without accounts of its jobs.
func (r *Run) Unexplained() *Run {
	run := *r
	run.Jobs = slices.Clone(r.Jobs)
	for i := range run.Jobs {
		run.Jobs[i].Causes, run.Jobs[i].Why = nil, ""
	}
	return &run
}

// lateness says why a job was late, or has not ended, "" if it was neither or nobody knows.
func (j *Job) lateness() string {
	if j.Outcome.Late() || j.Outcome == Unfinished || j.Outcome == Interrupted {
		return j.Why
	}
	return ""
}
