package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// logsSchema names the form of what logs prints as JSON. Fields may be added to it, never renamed.
const logsSchema = "slackline/logs/v1"

func newLogs(o *options) *cobra.Command {
	var f store.AttemptFilter
	var text bool
	cmd := &cobra.Command{
		Use:   "logs JOB [TASK]",
		Short: "Show what the attempts of a job did and printed",
		Long: `Lists the attempts of a job that have ended, in the order in which they started. JOB is a number, or a name, which means the
newest job of that name. TASK is a stage with the number of a task, such as map-3, or a stage alone. For a single task the
output of each attempt follows, if there is any: what its program wrote to standard error, or the stack of a panic.

On a terminal, control characters in such output are quoted, as \x1b: they could move the cursor or imitate other lines. In a
pipe or a file the output is unchanged, except that bytes that are not UTF-8 are kept as ?.`,
		Example: `  slackline logs words
  slackline logs words map-1
  slackline logs words reduce --outcome failed,killed -o json`,
		Args:              between(1, 2, "the number or name of a job, and perhaps one of its tasks"),
		ValidArgsFunction: o.completeJobs,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Outcomes, "outcome", nil, "only attempts with one of these outcomes: committed, failed, killed, preempted, superseded, lost")
	flags.StringVar(&f.Node, "node", "", "only attempts on this node")
	flags.IntVar(&f.Limit, "limit", 0, "at most this many; 0 = all")
	flags.BoolVar(&text, "text", false, "print only the output of the attempts")
	return o.asking(cmd, func(h *store.Store, args []string) error {
		if err := checkNames("outcome", f.Outcomes, outcomes()); err != nil {
			return err
		}
		if err := checkLimit(f.Limit); err != nil {
			return err
		}
		j, err := findJob(h, args[0])
		if err != nil {
			return err
		}
		if len(args) == 2 {
			if f.Stage, f.Task, err = parseTask(j, args[1]); err != nil {
				return err
			}
		}
		list, err := h.Attempts(j.ID, f)
		if err != nil {
			return failure{err}
		}
		w := cmd.OutOrStdout()
		if o.json() {
			if list == nil {
				list = []*store.Attempt{}
			}
			return report.WriteJSON(w, struct {
				Schema   string           `json:"schema"`
				Job      *store.Job       `json:"job"`
				Attempts []*store.Attempt `json:"attempts"`
			}{logsSchema, j, list})
		}
		said := func(text string) string { return text }
		if isTerminal(w) {
			said = report.PrintableLines
		}
		return asFailure(writeAttempts(w, j, list, text, f.Task > 0, width(w), said))
	})
}

// outcomes are the names of what can become of an attempt.
func outcomes() []string {
	all := []sched.Outcome{sched.Committed, sched.Failed, sched.Killed, sched.Preempted, sched.Superseded, sched.Lost}
	return each.Of(all, sched.Outcome.String)
}

// parseTask reads a stage, or a stage and the number of a task: map, map-3, m3.
func parseTask(j *store.Job, text string) (stage string, task int, err error) {
	at := strings.IndexAny(text, "0123456789")
	word := strings.TrimRight(text[:max(at, 0)], "-_/ ")
	if at < 0 {
		word = text
	}
	var tally store.Tally
	switch word {
	case "map", "maps", "m":
		stage, tally = "map", j.Maps
	case "reduce", "reduces", "r":
		stage, tally = "reduce", j.Reduces
	default:
		return "", 0, fmt.Errorf("there is no task %q; write a stage and a number, such as map-1 or reduce-1", text)
	}
	if at < 0 {
		return stage, 0, nil
	}
	if task, err = strconv.Atoi(text[at:]); err != nil || task < 1 || task > tally.Tasks {
		return "", 0, fmt.Errorf("job %q has no %s %s; its %ss are numbered from 1 to %d", j.Name, stage, text[at:], stage, tally.Tasks)
	}
	return stage, task, nil
}

// writeAttempts prints attempts, one on a line, with their output below if that is asked for, or
// the output alone, as said makes it.
func writeAttempts(w io.Writer, j *store.Job, list []*store.Attempt, textOnly, withText bool, columns int, said func(string) string) error {
	var b strings.Builder
	if !textOnly {
		g := &report.Grid{}
		g.Add("task", ">try", "node", "input", ">began", ">took", ">shuffle", ">read", ">written", "outcome", "why")
		for _, a := range list {
			g.Add(fmt.Sprintf("%s-%d", a.Stage, a.Task), fmt.Sprint(a.Try), a.Node, a.Locality, units.Span(a.Began.Sub(j.Submitted).Seconds()), units.Span(a.Took),
				units.Span(a.Shuffle), report.Size(float64(a.Read)), report.Size(float64(a.Written)), a.Outcome, oneLine(a.Reason, max(30, columns/2)))
		}
		_ = writeRows(&b, g, len(list), "no such attempts") // it takes all that is written
	}
	if textOnly || withText {
		talkers := slices.DeleteFunc(slices.Clone(list), func(a *store.Attempt) bool { return a.Output == "" })
		for _, a := range talkers {
			fmt.Fprintf(&b, "\n%s-%d, try %d:\n%s\n", a.Stage, a.Task, a.Try, said(strings.TrimRight(a.Output, "\n")))
		}
		if textOnly && len(talkers) == 0 {
			b.WriteString("no such output\n")
		}
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}
