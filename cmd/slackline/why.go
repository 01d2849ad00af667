package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// whyForm names the form of what why prints as JSON. Fields may be added to it, never renamed.
const whyForm = "slackline/why/v1"

// reasons are what why tells of a job.
type reasons struct {
	Schema   string           `json:"schema"`
	World    string           `json:"world"`
	Scenario string           `json:"scenario"`
	Policy   string           `json:"policy"`
	Seed     uint64           `json:"seed"`
	Job      *report.Job      `json:"job"`             // null: it has not ended
	Account  *account.Account `json:"account"`         // null: nobody kept it
	State    string           `json:"state,omitempty"` // of a job that has not ended
	Waits    string           `json:"waits,omitempty"` // what such a job waits for
	Told     []string         `json:"told,omitempty"`  // its deadline, and when it is done as it was told
	Wait     *account.Wait    `json:"wait,omitempty"`  // the same as waits, by the book of its run
	Changes  []lab.Change     `json:"changes"`         // one thing changed, and what became of the job

	workflow *report.Workflow // its, nil: none
	name     string
}

func newWhy(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why JOB [JOURNAL]",
		Short: "Say where the time of a job went, and what would have met its deadline",
		Long: `Says what became of a job, and where its time went: what it waited for, and whose tasks were in the way; what made its tasks
slower; what was lost and done again. The parts sum to the time from its arrival to its end, exactly. They follow the way back
from the end: the last task, what that waited for, and so on.

The job is one that ran on this machine, or of a simulation that was kept (slackline simulate --keep) or recorded: name its
journal, too. A simulation is played again with one thing changed and the same draws, which shows what would have met the deadline.
For a job that ran for real this is an estimate from its times.`,
		Example: `  slackline simulate examples/two-jobs.yaml --policy fifo --seed 1 --keep && slackline why alert
  slackline simulate examples/two-jobs.yaml --policy edf-p --seed 1 --journal run.journal && slackline why report run.journal
  slackline why words -o json`,
		Args:              between(1, 2, "the number or name of a job, and perhaps a journal"),
		ValidArgsFunction: o.completeJobs,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := o.why(cmd, args)
		if err != nil {
			return err
		}
		return o.result(cmd.OutOrStdout(), r, func(w io.Writer) error { return asFailure(r.write(w)) })
	}
	o.bindStore(cmd.Flags())
	return o.bindOutput(cmd)
}

// why finds the job: in the journal, among those that ran, or in the simulations that were kept, the newest first.
func (o *options) why(cmd *cobra.Command, args []string) (*reasons, error) {
	if len(args) == 2 {
		t, err := lab.Tell(cmd.Context(), args[1], args[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", args[1], err)
		}
		return o.simulated(cmd.Context(), t, args[0])
	}
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	s, missing := showJob(m.Store(), args[0])
	if missing == nil {
		now := time.Now()
		w := o.waits(cmd.Context(), []*store.Job{s.Job}, now)[s.Job.ID]
		r := ofRealJob(s, now)
		switch {
		case r.State == "": // its run has ended, too
			return r, nil
		case s.Job.Ended != nil:
			if a, err := o.askWhy(cmd.Context(), s.Job.Run, s.Job.Name); err == nil && len(a.Accounts) == 1 {
				r.Account = a.Accounts[0]
			}
		}
		r.Wait, r.Waits = w.Wait, cmp.Or(w.words, s.Job.Reason)
		return r, nil
	}
	kept, err := o.keptJournals()
	if err != nil {
		return nil, err
	}
	for _, file := range kept {
		t, err := lab.Tell(cmd.Context(), file, args[0])
		if err != nil {
			continue // of another version, or cut off
		}
		if slices.ContainsFunc(t.Jobs, func(j report.Job) bool { return j.ID == args[0] }) {
			return o.simulated(cmd.Context(), t, args[0])
		}
	}
	return nil, missing
}

// mostKept is how many simulations are kept at most.
const mostKept = 20

// keptFolder is where simulations are kept.
func (o *options) keptFolder() (string, error) {
	dir, err := o.dataDir()
	return filepath.Join(dir, "simulated"), err
}

// keptJournals are the journals of simulations that were kept, the newest first.
func (o *options) keptJournals() ([]string, error) {
	dir, err := o.keptFolder()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.journal"))
	age := func(name string) time.Time {
		info, err := os.Stat(name)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(files, func(a, b string) int { return age(b).Compare(age(a)) })
	return files, err
}

// simulated is what is known of a job of a recorded run.
func (o *options) simulated(ctx context.Context, t *lab.Told, job string) (*reasons, error) {
	i := slices.IndexFunc(t.Jobs, func(j report.Job) bool { return j.ID == job })
	if i < 0 {
		var names []string
		for k := range t.Jobs {
			names = append(names, t.Jobs[k].ID)
		}
		return nil, fmt.Errorf("there is no job %q in that run; there are: %s", job, few(names))
	}
	r := &reasons{Schema: whyForm, World: t.World, Scenario: t.Header.Scenario, Policy: t.Policy, Seed: t.Seed,
		Job: &t.Jobs[i], workflow: t.WorkflowOf(&t.Jobs[i]), Account: t.Books.Of(i), Changes: []lab.Change{}, name: job}
	var err error
	if j := r.Job; t.Source != nil && j.Deadline != nil && !j.Outcome.InTime() {
		r.Changes, err = lab.WhatIf(ctx, t, job, o.known)
	} else {
		r.estimate()
	}
	return r, err
}

// ofRealJob is what is known of a job that ran on this machine, or runs.
func ofRealJob(s *shown, now time.Time) *reasons {
	r := &reasons{Schema: whyForm, World: "engine", Scenario: s.Job.Name, Policy: s.Run.Policy, Seed: s.Run.Seed, Job: s.Promised,
		Changes: []lab.Change{}, name: s.Job.Name}
	if r.Job != nil && s.Job.Ended != nil {
		r.Account, r.workflow = r.Job.Account, s.whole.WorkflowOf(r.Job)
		r.estimate()
		return r
	}
	r.State = s.Job.State
	if s.Job.Deadline != nil {
		r.Told = append(r.Told, "its deadline is "+stamp(*s.Job.Deadline, now)+": "+promise(s.Job, now))
	}
	if o := s.Job.Outlook; o != nil && s.Job.Ended == nil {
		r.Told = append(r.Told, "as it was told it is done: "+doneBy(o, now))
	}
	return r
}

// estimate says when a late job would have ended by its own times, if one thing had been otherwise.
func (r *reasons) estimate() {
	j, a := r.Job, r.Account
	if a == nil || j.Deadline == nil || j.Finished == nil || !j.Outcome.Late() {
		return
	}
	for _, c := range []struct {
		what   string
		causes []account.Cause
	}{
		{"no other job in its way", []account.Cause{account.Slots}},
		{"its first tasks measured before", []account.Cause{account.Sample, account.Verdict}},
		{"nothing lost and done again", []account.Cause{account.TaskFailed, account.Killed, account.OutputLost, account.NodeDown}},
		{"its tasks as fast as stated", []account.Cause{account.SlowNode, account.Load, account.Straggler, account.Remote}},
	} {
		less := units.Duration(0)
		for i := range a.Parts {
			if p := &a.Parts[i]; slices.Contains(c.causes, p.Cause) && !(len(p.Jobs) == 1 && p.Jobs[0].Self) {
				less += p.Took
			}
		}
		if less > 0 {
			f := lab.Change{What: c.what, Finished: new(*j.Finished - less.Seconds()), Deadline: j.Deadline, Estimate: true}
			if f.Outcome = report.Late; *f.Finished <= *f.Deadline {
				f.Outcome = report.Met
			}
			r.Changes = append(r.Changes, f)
		}
	}
	slices.SortStableFunc(r.Changes, func(a, b lab.Change) int { return strings.Compare(string(b.Outcome), string(a.Outcome)) })
}

// mostParts is how many parts of an account are told one by one.
const mostParts = 24

// write prints it for people.
func (r *reasons) write(w io.Writer) error {
	var text strings.Builder
	b := report.Like(w, &text)
	say := func(format string, args ...any) {
		io.WriteString(b, report.Wrapped(fmt.Sprintf(format, args...), "", 80))
	}
	by := fmt.Sprintf("%s, seed %d", r.Policy, r.Seed)
	if j := r.Job; r.State == "" && j != nil {
		say("%s: %s, under %s", report.Printable(r.name), report.Verdict(j), by)
		if j.Reason != "" {
			say("%s", j.Reason)
		}
		if r.workflow != nil {
			say("its %s", r.workflow.Title(r.Policy))
		}
		if j.Cut != "" {
			say("its %s", j.Cut)
		}
		if took := j.Receipt(); took != "" {
			say("%s", took)
		}
		if j.Planned != nil {
			say("planned to be done %s after its arrival: %s", units.Span(*j.Planned-j.Submitted), cmp.Or(j.PlannedFor, "as its workflow is due then"))
		}
		if j.Admission != "" {
			say("no promise was given, as was said when it came: %s", strings.TrimPrefix(j.Admission, "no promise: "))
		}
	} else {
		say("%s: %s, under %s", report.Printable(r.name), r.State, by)
		if r.Waits != "" {
			say("%s", r.Waits)
		}
	}
	for _, line := range r.Told {
		say("%s", line)
	}
	if a := r.Account; a != nil && (r.Job == nil || r.Job.Outcome != report.Refused) { // which had no time
		until := "its end"
		if a.Open {
			until = "the end of the run"
		}
		g := &report.Grid{Title: fmt.Sprintf("\n%s from its arrival to %s", units.Span(a.Response().Seconds()), until)}
		g.Add(">time", ">part", "went to")
		for _, t := range a.Totals() {
			g.Add(units.Span(t.Took.Seconds()), fmt.Sprintf("%.0f %%", 100*float64(t.Took)/float64(max(1, a.Response()))), t.Cause.Words())
		}
		if err := g.Write(b); err != nil {
			return err
		}
		if a.Rule != "" {
			fmt.Fprintln(b)
			say("Jobs stood in this order: %s", a.Rule)
		}
		io.WriteString(b, "\nThe way there, through its last tasks\n\n   after      time\n")
		for i, c := range a.Story() {
			if i == mostParts {
				fmt.Fprintf(b, "… and %d more; -o json has them all\n", len(a.Parts)-i)
				break
			}
			fmt.Fprintf(b, "%8s  %8s  %s\n", units.Span(c.After.Seconds()), units.Span(c.Took.Seconds()), c.What)
			for _, why := range c.Why {
				io.WriteString(b, report.Wrapped(why, "                      ", 80))
			}
		}
	}
	if len(r.Changes) > 0 {
		title := "\nSimulated again with one thing changed"
		if r.Changes[0].Estimate {
			title = "\nEstimated from its times, as a real job cannot be run again"
		}
		g := &report.Grid{Title: title}
		g.Add("changed", ">done after", "", "other jobs in time")
		for _, c := range r.Changes {
			j := report.Job{Outcome: c.Outcome, Finished: c.Finished, Deadline: c.Deadline}
			finished, others := "–", fmt.Sprintf("%+d", c.Others)
			if c.Finished != nil {
				finished = units.Span(*c.Finished - r.Job.Submitted)
			}
			if c.Estimate {
				others = "unknown"
			} else if c.Others == 0 {
				others = "no change"
			}
			g.Add(c.What, finished, report.Verdict(&j), others)
		}
		if err := g.Write(b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
