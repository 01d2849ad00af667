package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// asking is a command that asks the history.
func (o *options) asking(cmd *cobra.Command, ask func(h *store.Store, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := o.read(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer m.Close()
		return ask(m.Store(), args)
	}
	o.bindStore(cmd.Flags())
	return o.bindOutput(cmd)
}

// findJob finds a job by its number, or the newest of a name.
func findJob(h *store.Store, key string) (*store.Job, error) {
	if key == "" {
		return nil, errors.New(`"" names no job; write its number or its name`)
	}
	f := store.JobFilter{Name: key, Limit: 1}
	if id, err := strconv.ParseInt(key, 10, 64); err == nil && id > 0 {
		f = store.JobFilter{ID: id}
	}
	jobs, err := h.Jobs(f)
	if err == nil && len(jobs) == 0 && f.ID != 0 { // a name may be a number too
		jobs, err = h.Jobs(store.JobFilter{Name: key, Limit: 1})
	}
	if err != nil {
		return nil, failure{err}
	}
	if len(jobs) > 0 {
		return jobs[0], nil
	}
	if f.ID != 0 {
		newest, err := h.Jobs(store.JobFilter{Limit: 1})
		switch {
		case err != nil:
			return nil, failure{err}
		case len(newest) > 0:
			return nil, fmt.Errorf("there is no job %s; the newest is %d", key, newest[0].ID)
		}
	}
	names, err := h.JobNames()
	if err != nil {
		return nil, failure{err}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no job %q; none has run yet", key)
	}
	return nil, fmt.Errorf("there is no job %q%s", key, spelling.Hint(key, names))
}

// completeJobs completes the names of jobs that ran.
func (o *options) completeJobs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer m.Close()
	names, _ := m.Store().JobNames()
	return names, cobra.ShellCompDirectiveNoFileComp
}

// parseSince reads a time to begin with: a span back from now, a day, or an absolute time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	d, err := units.ParseDuration(text)
	switch {
	case err == nil && d >= 0:
		return now.Add(-time.Duration(d)), nil
	case err != nil && strings.Contains(err.Error(), "longer than"): // it is a span
		return time.Time{}, fmt.Errorf("--since: %w; leave out --since for all jobs", err)
	}
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339} {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since %q: write a span such as 2h, a day such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z", text)
}

// checkNames refuses a value of a flag that is none of those there are.
func checkNames(flag string, given, all []string) error {
	for _, name := range given {
		if !slices.Contains(all, name) {
			return fmt.Errorf("--%s %q: there is no such %s%s", flag, name, flag, spelling.Hint(name, all))
		}
	}
	return nil
}

func checkLimit(limit int) error {
	if limit < 0 {
		return fmt.Errorf("--limit is %d, it must be 0, for all, or more", limit)
	}
	return nil
}

// oneLine is the first line of a reason, of at most so many columns.
func oneLine(reason string, columns int) string {
	return text.Snip(report.Printable(strings.ReplaceAll(strings.TrimSpace(reason), "\n", " | ")), columns, "…")
}
