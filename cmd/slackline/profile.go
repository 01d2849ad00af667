package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func newProfile(o *options) *cobra.Command {
	return group(&cobra.Command{
		Use:   "profile",
		Short: "List, show, learn, export, import and forget the profiles of job classes",
		Long: `Each finished job adds to the profile of its class: how long a map, a shuffle and a reduce take per byte, how much comes out
for what goes in, what it costs to start an attempt, how much memory the engine needs (without commands and programs), and how
far off the prediction was. Estimates and simulations use these profiles.

Cold runs are kept apart: the first run of a class on a machine, and runs that had to fetch a quarter or more of their input
from storage (as Linux counts it). Estimates and simulations use warm runs, and cold ones only while there is no other.
Policies that promise deadlines plan with the worst of both.

Jobs of one application with other parameters or another format are classes of their own, such as grep~error-1234abcd. Its name
alone, grep, stands for all of them.`,
		Example: `  slackline profile list
  slackline profile show wordcount`,
	}, newProfileList(o), newProfileShow(o), newProfileExport(o), newProfileImport(o), newProfileLearn(), newProfileForget(o))
}

// profiles returns what is known of these classes, or of all. Where there is nothing it says so to log.
func (o *options) profiles(log io.Writer, names ...string) ([]*profile.Class, error) {
	m, err := o.read(log)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	known, err := m.Profiles()
	if err != nil {
		return nil, failure{err}
	}
	return chosen(known, names)
}

// chosen are the profiles of these classes, or all. An application stands for all classes of it, unless it is one
// itself.
func chosen(known []*profile.Class, names []string) ([]*profile.Class, error) {
	if len(names) == 0 {
		return known, nil
	}
	var list []*profile.Class
	for _, name := range names {
		at, hint := spelling.Find(name, known, className)
		found := false
		for i, c := range known {
			if i != at && (at >= 0 || profile.Family(c.Name) != name) {
				continue
			}
			if found = true; !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
		if !found {
			return nil, fmt.Errorf("nothing is known of a class %q%s", name, hint)
		}
	}
	return list, nil
}

// completeClasses completes the names of classes that something is known of.
func (o *options) completeClasses(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	known, _ := o.profiles(io.Discard)
	return each.Of(known, className), cobra.ShellCompDirectiveNoFileComp
}

func className(c *profile.Class) string { return c.Name }

// writeProfiles prints profiles as the file that import reads.
func writeProfiles(w io.Writer, classes []*profile.Class) error {
	text, err := profile.Format(classes)
	if err == nil {
		_, err = w.Write(text)
	}
	return asFailure(err)
}

// writeProfilesTo writes them to a file, or to standard output if none is named.
func writeProfilesTo(cmd *cobra.Command, to string, known []*profile.Class) error {
	out, err := create(cmd, "to", to, "profile")
	if err != nil {
		return err
	}
	return out.finish(writeProfiles(out, known), units.Count(len(known), "class"))
}

func newProfileList(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the classes of jobs that have a profile",
		Example: `  slackline profile list`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			classes, err := o.profiles(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if o.json() {
				return writeProfiles(cmd.OutOrStdout(), classes)
			}
			g := &report.Grid{}
			g.Add("class", ">jobs", ">a map", ">reads", ">a reduce", ">intermediate", ">result", ">engine memory", ">predictions off by")
			for _, all := range classes {
				c := all.Told()
				between := profile.Estimate{N: c.Ratio.N, Mean: c.Between(1)}
				m, r := c.Any(workload.Map), c.Any(workload.Reduce)
				rate, off := "–", "–"
				if slope := m.Slope(); slope > 0 {
					rate = report.Size(1/slope) + "/s"
				}
				if within, enough := c.Off(1); enough {
					off = fmt.Sprintf("%.0f %%", 100*within)
				}
				g.Add(c.Name, jobsOf(all), known(&m.Task, units.Span), rate, known(&r.Task, units.Span), known(&between, percent),
					known(&c.Output, percent), known(&c.Memory, report.Size), off)
			}
			return writeRows(cmd.OutOrStdout(), g, len(classes), "nothing is known yet; jobs that slackline run finishes teach it")
		},
	}
	o.bindStore(cmd.Flags())
	return o.bindOutput(cmd)
}

// jobsOf prints how many jobs have taught what is told, and how many cold ones are left out of that.
func jobsOf(c *profile.Class) string {
	switch {
	case c.Cold == nil, c.Whole().Runs == 0:
		return fmt.Sprint(c.Runs)
	case c.Runs == 0:
		return fmt.Sprintf("%d cold", c.Cold.Runs)
	}
	return fmt.Sprintf("%d + %d cold", c.Runs, c.Cold.Runs)
}

// known prints the mean of an estimate, if there is any.
func known(e *profile.Estimate, show func(mean float64) string) string {
	if e.N == 0 {
		return "–"
	}
	return show(e.Mean)
}

func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

func newProfileShow(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show CLASS",
		Short: "Show the profile of a class, by stage and class of nodes",
		Long: `Prints each estimate with its mean, its spread and its bounds; then the cost models. A model has the fixed time of a part of
a task, the times that each MB and each 1000 records add, and the factor by which real tasks differ from that, as quantiles:
a factor that all tasks of a job share, and one of each task's own. Scores say how well the models predicted later jobs.`,
		Example:           `  slackline profile show wordcount`,
		Args:              exactly(1, "the name of a class"),
		ValidArgsFunction: o.completeClasses,
		RunE: func(cmd *cobra.Command, args []string) error {
			known, err := o.profiles(cmd.ErrOrStderr(), args...)
			if err != nil {
				return err
			}
			if len(known) > 1 {
				return fmt.Errorf("there are %d classes of %s: %s; name one", len(known), args[0], strings.Join(each.Of(known, className), ", "))
			}
			if o.json() {
				return writeProfiles(cmd.OutOrStdout(), known)
			}
			return writeProfile(cmd.OutOrStdout(), known[0])
		},
	}
	o.bindStore(cmd.Flags())
	return o.bindOutput(cmd)
}

// taughtBy says from what a class was learned. Of a job that did not finish the tasks that did have
// taught all the same.
func taughtBy(c *profile.Class) string {
	if c.Runs == 0 {
		return "tasks of jobs that did not finish"
	}
	return units.Count(int(c.Runs), "job")
}

// writeProfile prints a profile for people: each estimate with mean, deviation, quantiles where its
// distribution is kept, and bounds.
func writeProfile(w io.Writer, c *profile.Class) error {
	title := c.Name + ", learned from " + taughtBy(c.Told())
	switch {
	case c.Cold == nil || c.Cold.Runs == 0:
	case c.Runs > 0:
		title += fmt.Sprintf("; %s left out", units.Count(int(c.Cold.Runs), "cold job"))
	default:
		title = fmt.Sprintf("%s: learned from %s, as there is no warm run yet", c.Name, units.Count(int(c.Cold.Runs), "cold job"))
	}
	c = c.Told()
	g := &report.Grid{Title: title}
	g.Add("what", "of", ">values", ">mean", ">deviation", ">least", ">median", ">95 %", ">most", "unit")
	// add prints an estimate in a unit that is so many of what it is kept in.
	add := func(what, of string, e *profile.Estimate, s profile.Spread, factor float64, unit string) {
		if e.N == 0 {
			return
		}
		number := func(x float64) string { return fmt.Sprintf("%.4g", x*factor) }
		median, high := "", ""
		if q := s.Values(20); q != nil { // quantiles 1/40, 3/40, …
			median, high = number((q[9]+q[10])/2), number((q[18]+q[19])/2)
		}
		g.Add(what, of, fmt.Sprint(e.N), number(e.Mean), number(e.Std()), number(e.Min), median, high, number(e.Max), unit)
	}
	for i := range c.Stages {
		s := &c.Stages[i]
		of := placeOfModel(profile.Key{Stage: s.Stage, Node: s.Node})
		add("time", of, &s.Task, s.Spread, 1000, "ms a task")
		add("cost", of, &s.PerByte, s.Costs, 1000*float64(units.MB), "ms/MB")
		add("start and commit", of, &s.Start, nil, 1000, "ms a task")
		add("shuffle", of, &s.Shuffle, nil, 1000, "ms a task")
		add("shuffle cost", of, &s.Fetch, s.Fetches, 1000*float64(units.MB), "ms/MB")
	}
	add("intermediate data", "job", &c.Ratio, nil, 100, "% of input")
	add("result", "job", &c.Output, nil, 100, "% of input")
	add("engine memory", "job", &c.Memory, nil, 1/float64(units.MB), "MB")
	add("time over prediction", "job", &c.Error, c.Errors, 1, "")
	if err := g.Write(w); err != nil {
		return failure{err}
	}
	return writeModels(w, c)
}

func newProfileExport(o *options) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "export [CLASS...]",
		Short: "Write profiles to a file for another machine",
		Example: `  slackline profile export --to profiles.json
  slackline profile export wordcount`,
		ValidArgsFunction: o.completeClasses,
		RunE: func(cmd *cobra.Command, args []string) error {
			known, err := o.profiles(cmd.ErrOrStderr(), args...)
			if err != nil {
				return err
			}
			return writeProfilesTo(cmd, to, known)
		},
	}
	bindFile(cmd.Flags(), &to, "to", "write to this file (default standard output)")
	o.bindStore(cmd.Flags())
	return cmd
}

func newProfileImport(o *options) *cobra.Command {
	var merge, replace bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import profiles from another machine",
		Long: `Reads a file that export wrote, all of it or nothing. If there are profiles of a class already, it refuses, unless --merge adds
the file to them or --replace replaces them.`,
		Example:           `  slackline profile export --to other.json && slackline profile import other.json --replace`,
		Args:              exactly(1, "a file"),
		ValidArgsFunction: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if merge && replace {
				return fmt.Errorf("--merge and --replace contradict each other; leave one out")
			}
			src, err := readFile(args[0])
			if err != nil {
				return err
			}
			classes, err := scenario.ParseProfiles(args[0], src)
			if err != nil {
				return err
			}
			m, err := o.open(io.Discard)
			if err != nil {
				return err
			}
			defer m.Close()
			if m.ReadOnly() != nil {
				return failure{m.ReadOnly()}
			}
			if err := importProfiles(m, classes, merge, replace); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s imported from %s\n", units.Count(len(classes), "class"), args[0])
			return err
		},
	}
	cmd.Flags().BoolVar(&merge, "merge", false, "add to the profiles of the same classes")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the profiles of the same classes")
	o.bindStore(cmd.Flags())
	return cmd
}

func newProfileForget(o *options) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "forget CLASS...",
		Short: "Forget the profiles of job classes",
		Long: `Deletes the profiles of these classes, or of all classes with --all. An application stands for all of its classes. Use
it after a change of the machine or of a program, when earlier measurements no longer hold. The next run of a class measures it
again. The history of runs stays: see slackline jobs.`,
		Example:           `  slackline profile export --to before.json && slackline profile forget wordcount && slackline profile import before.json --replace`,
		ValidArgsFunction: o.completeClasses,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return fmt.Errorf("--all and names of classes contradict each other; leave one out")
			case !all && len(args) == 0:
				return fmt.Errorf("name the classes to forget, or give --all")
			}
			m, err := o.openThere(io.Discard)
			if err != nil {
				return err
			}
			defer m.Close()
			known, err := m.Profiles()
			if err != nil {
				return failure{err}
			}
			if known, err = chosen(known, args); err != nil { // all of them or none
				return err
			}
			if len(known) == 0 {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "nothing is known, so nothing was forgotten")
				return err
			}
			if m.ReadOnly() != nil {
				return failure{m.ReadOnly()}
			}
			if err := m.Store().Forget(each.Of(known, className)...); err != nil {
				return failure{err}
			}
			for _, c := range known {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "forgot %s, learned from %s\n", c.Name, taughtBy(c.Whole())); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "forget all classes")
	o.bindStore(cmd.Flags())
	return cmd
}

func importProfiles(m *runs.Memory, classes []*profile.Class, merge, replace bool) error {
	known, err := m.Profiles()
	if err != nil {
		return failure{err}
	}
	if !merge && !replace {
		var twice []string
		for _, c := range classes {
			if _, err := chosen(known, []string{c.Name}); err == nil {
				twice = append(twice, fmt.Sprintf("%q", c.Name))
			}
		}
		if len(twice) > 0 {
			return fmt.Errorf("there are profiles of %s already; --merge adds to them, --replace replaces them", strings.Join(twice, ", "))
		}
	}
	put := m.Store().Learn
	if replace {
		put, known = m.Store().Replace, nil
	}
	for _, c := range classes {
		if merge && slices.ContainsFunc(known, func(k *profile.Class) bool { return k.Name == c.Name && k.Mixes(c) }) {
			return fmt.Errorf("of the profiles of %q here and in the file, one counts shuffles as part of the times of reduces, "+
				"as yarn serve learns them, and the other apart; --replace takes that of the file", c.Name)
		}
	}
	var before profile.Set
	var fitter profile.Fitter
	for _, c := range known {
		before.Put(c)
		fitter.Lend(c)
	}
	for _, c := range classes {
		if len(c.Samples) > 0 { // else the file has models alone
			fitter.Fit(before.Of(c.Name), c)
		}
	}
	return asFailure(put(classes...))
}
