package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/units"
)

func newDemo(o *options) *cobra.Command {
	var text textFlags
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch real jobs over real text meet their deadlines, or miss them",
		Long: `Runs a sort, a word count and a grep over text on this machine, twice: first come first served, and earliest deadline first.
Before that, the jobs are rehearsed first come first served until two runs in a row take about the same time. The measured
times are then simulated under both orders. A job that finishes much earlier with earliest deadline first is due halfway (by
ratio) between its two times; any other job gets one and a half times the later one. Nothing is adjusted afterwards. The text
is read in place; output goes to a temporary directory, which is removed at the end. The demo takes less than a minute on two
cores.`,
		Example: `  slackline demo
  slackline demo --input . --size 20MB
  slackline demo --policy fifo,promise -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := cmd.ErrOrStderr()
			policies, _, err := o.policiesAndSeeds("fifo", runs.Urgent)
			if err != nil {
				return err
			}
			seed, err := o.oneSeed()
			if err != nil {
				return err
			}
			d := &runs.Demo{Seed: seed, Budget: 12 * units.Second, Say: func(format string, args ...any) { fmt.Fprintf(log, format+"\n", args...) }}
			if d.Machine, err = o.machine(cmd); err != nil {
				return err
			}
			if d.Files, err = text.files(d.Say); err != nil {
				return err
			}
			if d.Dir, err = workDir(keep); err != nil {
				return err
			}
			if keep == "" {
				defer os.RemoveAll(d.Dir)
			}
			outside.Store(true)
			err = o.runDemo(cmd, d, policies)
			if cmd.Context().Err() != nil && err != nil && keep != "" {
				err = interrupted{fmt.Errorf("interrupted; what the demo has written is in %s; remove it, and the same command starts again", keep)}
			}
			return err
		},
	}
	text.bind(cmd, "1GB", "")
	cmd.Flags().StringVar(&keep, "keep", "", "keep the output in this folder, which must not exist")
	return o.bindRuns(cmd)
}

// textFlags name the text that jobs read where no job file does.
type textFlags struct{ input, size string }

// bind adds the flags; when says when they count.
func (t *textFlags) bind(cmd *cobra.Command, size, when string) {
	cmd.Flags().StringVar(&t.input, "input", "", when+"folder with text (default: the source of the Go toolchain)")
	cmd.Flags().StringVar(&t.size, "size", size, when+"at most this much text")
}

// files are those of the text, as far as they are taken.
func (t *textFlags) files(say func(format string, args ...any)) ([]input.File, error) {
	most, err := units.ParseBytes(t.size)
	if err == nil && most < 1 {
		err = fmt.Errorf("it must be above 0")
	}
	if err != nil {
		return nil, fmt.Errorf("--size: %w", err)
	}
	if t.input == "" {
		if t.input, err = goSource(); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(t.input)
	if err != nil {
		return nil, failure{err}
	}
	files, err := runs.FindText(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--input: %w", err)
	case len(files) == 0:
		return nil, fmt.Errorf("--input %q: there is no text in it", dir)
	}
	say("reading the text in %s where it is: %d files, %v", dir, len(files), input.Total(files))
	return runs.Take(files, most), nil
}

// goSource is the source of the Go toolchain on this machine.
func goSource() (string, error) {
	if tool, err := exec.LookPath("go"); err == nil {
		if root, err := exec.Command(tool, "env", "GOROOT").Output(); err == nil {
			src := filepath.Join(strings.TrimSpace(string(root)), "src")
			if info, err := os.Stat(src); err == nil && info.IsDir() {
				return src, nil
			}
		}
	}
	return "", errors.New("there is no Go toolchain on this machine whose source could be read; name a folder with text with --input DIR")
}

// workDir makes the folder for output: a temporary one, or the one to keep.
func workDir(keep string) (string, error) {
	if keep == "" {
		dir, err := os.MkdirTemp("", "slackline-demo-")
		if err != nil {
			return "", failure{err}
		}
		return dir, nil
	}
	if _, err := os.Lstat(keep); err == nil {
		return "", fmt.Errorf("--keep %q: it exists already; name another folder", keep)
	}
	if err := os.MkdirAll(keep, 0o777); err != nil {
		return "", fmt.Errorf("--keep: %w", err)
	}
	return filepath.Abs(keep)
}

// runDemo measures, runs and reports.
func (o *options) runDemo(cmd *cobra.Command, d *runs.Demo, policies []string) error {
	if err := d.Prepare(cmd.Context(), len(policies)); err != nil {
		return failure{err}
	}
	cells, err := d.Cells(policies, fileName)
	if err != nil {
		return failure{err}
	}
	if err := o.record(cells); err != nil {
		return err
	}
	var runs []*report.Run
	var lines []*report.Timeline
	for _, c := range cells {
		d.Say("\nrunning by %s", c.Policy)
		line := report.NewTimeline()
		c.Sinks = []follow.Sink{line, newLog(cmd.ErrOrStderr())}
		r, err := lab.Run(cmd.Context(), c)
		if err != nil {
			return err
		}
		runs, lines = append(runs, r), append(lines, line)
	}
	d.Say("")
	out := cmd.OutOrStdout()
	verdict := o.finish(out, report.New(runs...))
	if o.json() {
		return verdict
	}
	if err := drawTimelines(out, runs, lines); err != nil {
		return failure{err}
	}
	return verdict
}

// drawTimelines draws the runs one below the other on one scale.
func drawTimelines(w io.Writer, runs []*report.Run, lines []*report.Timeline) error {
	var end units.Time
	for _, l := range lines {
		end = max(end, l.End())
	}
	var b strings.Builder
	for i, l := range lines {
		s := &runs[i].Summary
		fmt.Fprintf(&b, "\n%s: %d of %d deadlines met\n", runs[i].Policy, s.InTime, s.Deadlines)
		l.Draw(&b, width(w), end)
	}
	fmt.Fprintf(&b, "\n%s\n", report.Legend)
	_, err := io.WriteString(w, b.String())
	return err
}
