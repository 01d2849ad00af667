package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/experiment"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/units"
)

// noPage is what --html says to go without.
const noPage = "none"

func newReproduce(o *options) *cobra.Command {
	quick, measured := false, ""
	cmd := &cobra.Command{
		Use:   "reproduce [EXPERIMENT]",
		Short: "Repeat a published evaluation, and check its claims",
		Long: `Without an argument it lists the experiments. With one it simulates the experiment's scenarios under all its policies and seeds
on all cores, prints the published figures beside ours with 95 % confidence intervals over the seeds, gives a verdict on each
claim, and writes a web page with our curves on the paper's axes. Where the text of a paper has no numbers, order and shape
are the claim. The paper's claims and our own findings are counted apart. A claim is one of:

  reproduces       the paper's: a number within the experiment's margin of ours, and a fifth of itself; an order or a
                   range as it was published
  holds            ours: it is so
  compatible       a number that our runs do not refute, farther off than that
  calibrated       it fits, as one of our settings was chosen by it: no evidence
  by construction  it could not be otherwise, as with a theorem: no evidence
  refuted          our runs show that it is otherwise
  open             the seeds do not tell

Parameters come from the paper. What the paper leaves open is assumed once, and stated. Each assumption is varied, most by a
factor of two either way, and the claims are judged again over the first ten seeds. Some experiments also calibrate: they
fit the open parameters to one table, on a grid, and predict the others. --quick skips both, and uses 5 seeds: they can
refute a published number, but not show that it is compatible, which takes ten. A claim that is refuted or open is a finding
and not a failure: the exit code is 0, or 3 with --strict.

Claims are written in Go, below internal/studies/experiment; their scenarios and the published figures are below experiments.
To compare policies in a scenario of your own, over its seeds, use slackline compare.`,
		Example: `  slackline reproduce
  slackline reproduce 003-rtmr --quick --html rtmr.html
  slackline reproduce 003-matchmaking --quick --seed 1..3 --html none -o json
  slackline forecast weather --days 30 --to june.csv
  slackline reproduce 000-capacity --quick --seed 1..4 --weather june.csv`,
		Args: between(0, 1, "one experiment"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			all, _ := experiment.All()
			return each.Of(all, func(e *experiment.Experiment) string { return e.Name }), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if flag := given(cmd, "seed", "quick", "html", "strict", "weather"); flag != "" {
					return fmt.Errorf("--%s needs an experiment; slackline reproduce lists them", flag)
				}
				return o.listExperiments(cmd.OutOrStdout())
			}
			return o.reproduce(cmd, args[0], quick, measured)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.seed, "seed", noSeed, "seeds of everything random: one, a list, or a range such as 1..30")
	f.BoolVar(&quick, "quick", false, "5 seeds, and no other assumptions")
	bindFile(f, &o.html, "html", "write the page to this file (default EXPERIMENT.html here; "+noPage+" = no page)")
	f.BoolVar(&o.strict, "strict", false, "exit with 3 when a claim is refuted or open")
	f.StringVar(&measured, "weather", "", "compute from this file of weather, where an experiment makes up its own: NSRDB, MIDC or CSV")
	return o.bindOutput(cmd)
}

// quickSeeds are the seeds of a quick run.
var quickSeeds = []uint64{1, 2, 3, 4, 5}

func (o *options) reproduce(cmd *cobra.Command, name string, quick bool, measured string) error {
	e, err := experiment.Find(name)
	if err != nil {
		return err
	}
	if measured != "" {
		sky, err := readWeather(measured)
		if err != nil {
			return err
		}
		tellNotes(cmd, sky.Notes)
		e.Under(sky)
	}
	var otherwise []uint64
	if quick {
		otherwise = quickSeeds
	}
	seeds, err := o.seeds(otherwise...)
	if err != nil {
		return err
	}
	over := reading()
	plan, err := e.Plan(seeds, !quick)
	if err != nil {
		return err
	}
	over()
	file, err := o.pageFor(cmd, e.Name)
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Discard()
	}
	began := time.Now()
	progress := newBar(cmd.ErrOrStderr(), plan.Runs(), true)
	r, err := plan.Run(cmd.Context(), 0, func() { progress.step(time.Now()) })
	progress.close()
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d runs in %s\n", plan.Runs(), units.Span(time.Since(began).Seconds()))
	err = o.result(cmd.OutOrStdout(), r, r.WriteTable)
	if file != nil {
		if err = errors.Join(err, r.WritePage(file)); err == nil {
			err = file.Commit()
		}
	}
	switch {
	case err != nil:
		return failure{err}
	case file != nil:
		fmt.Fprintf(cmd.ErrOrStderr(), "the page is %s\n", o.pageName(cmd, e.Name))
	}
	if unmet := r.Unmet(); o.strict && unmet != "" {
		return no{errors.New(unmet)}
	}
	return nil
}

// readWeather reads a file of weather, in intervals of ten minutes where it has such, else in its own.
func readWeather(file string) (*weather.Series, error) {
	in, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return weather.Read(in, weather.Options{File: filepath.ToSlash(file)}, 0, 10*time.Minute)
}

// pageFor begins the page, so that one that could not be written is told before anything runs; nil
// if none is wanted.
func (o *options) pageFor(cmd *cobra.Command, name string) (*files.File, error) {
	if o.html == noPage {
		return nil, nil
	}
	file, err := files.Create(o.pageName(cmd, name), page.File)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	return file, nil
}

// pageName is where the page goes.
func (o *options) pageName(cmd *cobra.Command, name string) string {
	if cmd.Flags().Changed("html") {
		return o.html
	}
	return name + ".html"
}

// listExperiments prints what there is.
func (o *options) listExperiments(w io.Writer) error {
	all, err := experiment.All()
	if err != nil {
		return err
	}
	if o.json() {
		type entry struct {
			Name   string `json:"name"`
			Paper  string `json:"paper"`
			About  string `json:"about"`
			Claims int    `json:"claims"`
		}
		list := each.Of(all, func(e *experiment.Experiment) entry { return entry{e.Name, e.Paper, e.About, len(e.Claims)} })
		return report.WriteJSON(w, map[string]any{"schema": "slackline/experiments/v1", "experiments": list})
	}
	g := &report.Grid{}
	g.Add("experiment", "paper", "what", ">claims", ">on two cores")
	for _, e := range all {
		g.Add(e.Name, e.Paper, e.About, fmt.Sprint(len(e.Claims)), e.Took)
	}
	return asFailure(g.Write(w))
}
