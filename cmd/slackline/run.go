package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/runs/sensor"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

func newRun(o *options) *cobra.Command {
	var limits *limits
	var fresh, open bool
	var again string
	var behind, chosen []string
	var power, meter, admit, slots string
	cmd := &cobra.Command{
		Use:   "run [--open] [JOB.yaml...]",
		Short: "Run MapReduce jobs on this machine",
		Long: `Runs all the jobs together on this machine, scheduled by the policy. Each job writes its output directory, which must be new or
empty: with _SUCCESS in it when the job has finished, and nothing at all when it failed.

Ctrl-C, SIGTERM and the loss of the terminal pause the run: what its tasks have committed stays. The same command continues it,
as slackline resume does, and also continues a run that was killed or found the disk full. After a run of which a job failed it
runs that job and those behind it; what has finished and is unchanged is kept. --overwrite replaces finished output of Slackline's
own instead, once the new one is whole, and nobody else's; --only runs some of the jobs. --fresh throws that work away, and
also what jobs of that run had finished, if all their parts are unchanged; slackline discard throws it away and runs nothing.
The output of a run that ended normally is never thrown away, nor are other files in a directory.

Paths in a job file are relative to the current directory. With several policies the jobs run once under each, into a folder of
the output directory named after the policy; jobs that had finished before an interruption do not run again. A deadline that is
a span counts from the planned arrival of its job. A time of day is the next one, unless it passed less than six hours before the
run: then the job is late when it begins, runs, and the exit code is 3.

{day}, {hour-1:%H} and the like in job files are dates of --as-of, when the run was meant to begin; ${NAME} is a variable of the
environment, or what --set says. One that is not set is an error.

With --open the run accepts more jobs from slackline submit in another terminal, and waits when it has none. slackline close
lets it end with the jobs that it has; so does Ctrl-C while it has none. slackline cancel and wait reach the jobs of any
run.

With --slots-trace the number of slots changes during the run. A slot that is taken away finishes its task first.

What a run did, and the profiles of its job classes, are kept: slackline jobs lists runs, simulate simulates them, and the next
run says before it starts when its jobs should be done, as slackline ask does. By default it warns of jobs that are expected
to be late; with --admit refuse it then runs nothing, and exits with 3; with --admit off it says nothing. There is no such check
under rtmr and dc, which refuse such jobs.`,
		Example: `  slackline run examples/find.yaml
  rm -rf out && slackline run examples/words.yaml examples/find.yaml --policy edf-p --journal words.journal
  rm -rf out && slackline run examples/words.yaml --nodes 1 --slots 2 -o json
  rm -rf out && slackline run examples/words.yaml --html words.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if open && len(args) == 0 {
				return nil
			}
			return some("job files")(cmd, args)
		},
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.forReal = true
			vars, err := o.vars(time.Now())
			if err != nil {
				return err
			}
			var since time.Time
			if again != "" {
				if since, err = time.Parse(time.RFC3339Nano, again); err != nil {
					return err
				}
				vars.Now = since // {day} is what it was then
			}
			over := reading()
			jobs, err := vars.ReadAll(args, readFile)
			if err == nil && again == "" {
				err = vars.Unused()
			}
			if err != nil {
				return err
			}
			about, err := whole(cmd, jobs)
			if err != nil {
				return err
			}
			if err := letGoOf(behind, jobs); err != nil {
				return err
			}
			all := jobs
			if jobs, err = only(jobs, chosen); err != nil {
				return err
			}
			m, err := o.machine(cmd)
			if err != nil {
				return err
			}
			if err := errors.Join(m.Rent(all), limits.apply(&m)); err != nil {
				return err
			}
			if slots != "" {
				if err := m.Follow(slots); err != nil {
					return fmt.Errorf("--slots-trace: %w", err)
				}
			}
			if m.Power, err = runs.ParsePower(power); err != nil {
				return fmt.Errorf("--power %w", err)
			}
			m.Meter = meter
			if _, err := sensor.OpenMeter(cmd.Context(), meter); err != nil {
				return fmt.Errorf("--meter: %w", err)
			}
			policies, _, err := o.policiesAndSeeds(lab.DefaultPolicy)
			if err != nil {
				return err
			}
			if o.admit, err = admits(admit, cmd.Flags().Changed("admit"), policies); err != nil {
				return err
			}
			seed, err := o.oneSeed()
			if err != nil {
				return err
			}
			now := time.Now()
			first := runs.Began(jobs, append(foldersOf(policies), "")...)
			if !first.IsZero() {
				since = time.Time{}
			} else {
				first = since
			}
			if !fresh && !first.IsZero() {
				now = first
			}
			local, err := runs.NewLocal(jobs, m, now)
			if err != nil {
				return err
			}
			over()
			if local.Open = open; open && len(policies) > 1 {
				return fmt.Errorf("--open: a run that takes more jobs has one policy, not %d", len(policies))
			}
			local.Several, local.Some, local.Fresh, local.Since = len(policies) > 1, len(jobs) < len(all), fresh, since
			local.Command = commandOf(cmd, args, vars)
			if again != "" && runs.Finished(jobs, foldersOf(policies)...) {
				fmt.Fprintln(cmd.OutOrStdout(), "all jobs of the run have finished; there is nothing to resume")
				return nil
			}
			if !o.quiet {
				for _, line := range about {
					fmt.Fprintln(cmd.ErrOrStderr(), report.Printable(line))
				}
			}
			if err = o.runLocal(cmd, local, policies, seed); err == nil && local.Some {
				runs.Finished(all, foldersOf(policies)...)
			}
			return o.goOn(cmd.Context(), err, local, again != "", foldersOf(policies))
		},
	}
	cmd.Flags().StringVar(&again, resumed, "", "set by resume: when the run began")
	cmd.Flags().StringArrayVar(&behind, runs.Behind, nil, "set by resume: JOB=OUTPUT of a job that these were submitted after")
	_ = cmd.Flags().MarkHidden(resumed)
	_ = cmd.Flags().MarkHidden(runs.Behind)
	cmd.Flags().BoolVar(&fresh, "fresh", false, "delete what an interrupted run of these jobs left, including finished jobs, and start again")
	cmd.Flags().BoolVar(&open, "open", false, "accept more jobs from slackline submit, until slackline close")
	cmd.Flags().StringSliceVar(&chosen, "only", nil, "run only these jobs of the files, separated by commas; those that they wait for must have finished")
	o.bindBlock(cmd)
	limits = bindLimits(cmd)
	cmd.Flags().StringVar(&slots, "slots-trace", "", "CSV file that changes the slots during the run: a column at (10m, or seconds), and capacity, the part of all slots from 0 to 1, or slots, their number; each row holds until the next")
	_ = cmd.MarkFlagFilename("slots-trace", "csv")
	cmd.Flags().StringVar(&admit, "admit", "warn", "what to do if jobs are expected to be late: warn, refuse (the run does not start) or off")
	_ = cmd.RegisterFlagCompletionFunc("admit", cobra.FixedCompletions([]string{"warn", "refuse", "off"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&power, "power", "10W,8W", "where energy cannot be measured: the watts that the machine draws when idle, and those that each busy core adds")
	cmd.Flags().StringVar(&meter, "meter", "", "what measures the energy of the machine, in place of its processor's counters: FILE.csv, or joules=URL or watts=URL of a Prometheus (docs/energy.md)")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "print only warnings and errors on standard error")
	return o.bindRuns(cmd)
}

// letGoOf lets jobs that were submitted to a run not wait any more for those that were submitted
// before them: these must have finished.
func letGoOf(behind []string, jobs []*scenario.Job) error {
	for _, b := range behind {
		before, output, _ := strings.Cut(b, "=")
		left, err := outdir.Left(output)
		switch {
		case err != nil:
			return err
		case !left.Finished && left.Command != nil:
			return fmt.Errorf("job %q, for which others wait, is interrupted too; resume it first: slackline resume %s", before, report.ShellWord(output))
		case !left.Finished:
			return fmt.Errorf("job %q, for which others wait, has not finished: there is no finished output in %s; run or resume it first", before, output)
		}
		for _, j := range jobs {
			j.After = slices.DeleteFunc(j.After, func(name string) bool { return name == before })
		}
	}
	return nil
}

// only are the jobs of these names, which let go of the others: these must have finished.
func only(jobs []*scenario.Job, names []string) (list []*scenario.Job, err error) {
	if len(names) == 0 {
		return jobs, nil
	}
	if err := scenario.Chain(jobs); err != nil {
		return nil, err
	}
	all := each.Of(jobs, func(j *scenario.Job) string { return j.Name })
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("--only: there is no job %q%s", name, spelling.Hint(name, all))
		}
	}
	for _, j := range jobs {
		if !slices.Contains(names, j.Name) {
			continue
		}
		// the deadline of its workflow may stand at another job
		for _, o := range jobs {
			if o.Workflow == j.Workflow && j.Workflow != "" && o.WorkflowDue.Set() {
				j.WorkflowDue = o.WorkflowDue
			}
		}
		list = append(list, j)
		for _, before := range jobs {
			if !slices.Contains(j.After, before.Name) || slices.Contains(names, before.Name) {
				continue
			}
			if left, err := outdir.Left(before.Output); err != nil || !left.Finished {
				return nil, errors.Join(err, fmt.Errorf("--only: job %q waits for job %q, of which there is no finished output in %s; run that too", j.Name, before.Name, before.Output))
			}
			j.After = slices.DeleteFunc(j.After, func(name string) bool { return name == before.Name })
		}
	}
	return list, nil
}

// foldersOf are the folders for policies within the output of each job: none if there is but one policy.
func foldersOf(policies []string) []string {
	folders := make([]string, len(policies))
	for i, p := range policies {
		if len(policies) > 1 {
			folders[i] = fileName(p)
		}
	}
	return folders
}

// round is the run of the jobs by one policy.
type round struct {
	under  string
	cell   lab.Cell
	done   bool        // before this process began
	report *report.Run // nil if it is not known
}

// runLocal runs the jobs by each policy in turn, reports, and keeps what they did and taught.
func (o *options) runLocal(cmd *cobra.Command, local *runs.Local, policies []string, seed uint64) error {
	if local.Small() { // they end before there is much to collect, which would take a seventh of their processor time
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	memory, known := o.openOrNot(cmd.ErrOrStderr(), local.Families()...)
	if memory != nil {
		defer memory.Close()
	}
	if local.Memory = memory; !local.Several { // else each run teaches the next one
		local.Known = known
	}
	if err := local.CheckFresh(foldersOf(policies)...); err != nil {
		return err
	}
	if f := cmd.Flags().Lookup(overwrite); f != nil && f.Value.String() == "true" {
		if err := local.CheckOverwrite(foldersOf(policies)...); err != nil {
			return err
		}
	}
	rounds, err := o.rounds(cmd.ErrOrStderr(), local, known, policies, seed)
	if err != nil {
		return err
	}
	cells := each.Of(rounds, func(r round) lab.Cell { return r.cell })
	for _, f := range local.Files {
		for _, folder := range append(foldersOf(policies), "") {
			if err := files.Reserve(filepath.Join(f.Output, folder), "job's output"); err != nil {
				return err
			}
		}
	}
	if err := o.record(cells); err != nil {
		return err
	}
	for i := range cells {
		c := &cells[i]
		if c.GoesOn.IsZero() || c.Journal == "" {
			continue
		}
		if _, to := lab.Recorded(c.Journal); to != c.Journal {
			fmt.Fprintf(cmd.ErrOrStderr(), "this run is recorded to %s; %s has the part before the interruption\n", report.Printable(to), report.Printable(c.Journal))
			c.Journal = to
		}
	}
	if err := o.draw(cells); err != nil {
		return err
	}
	defer o.drawing.discard()
	if !o.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", report.Printable(local.Name()), local.Machine)
		if how := local.Isolation(); how != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "isolation: %s\n", how)
		}
		for _, note := range append(local.Notes(), local.Clocks()...) {
			fmt.Fprintln(cmd.ErrOrStderr(), note)
		}
	}
	for _, warning := range local.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), warning)
	}
	tellUnknown(cmd.ErrOrStderr(), local, known, policies)
	err = local.DiscardFinished(func(job string) {
		if !o.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "job %q had finished in the interrupted run; its output is thrown away, and it runs again\n", job)
		}
	})
	if err != nil {
		return err
	}
	var runs []*report.Run
	for i, r := range rounds {
		if !r.done {
			if r.report, err = o.runReal(cmd, local, known, cells[i], r.under); err != nil {
				return err
			}
		}
		if r.report != nil {
			runs = append(runs, r.report)
		}
	}
	if local.Several { // the run has come to its end
		local.Forget(foldersOf(policies)...)
	}
	return o.finish(cmd.OutOrStdout(), report.New(runs...))
}

// rounds finds out what is to be run. Policies that had finished when the process before this one
// died are not. Those whose report is not known stand last.
func (o *options) rounds(w io.Writer, local *runs.Local, known []*profile.Class, policies []string, seed uint64) ([]round, error) {
	var rounds, lost []round
	folders := foldersOf(policies)
	for i, p := range policies {
		r := round{under: folders[i]}
		var err error
		if r.done, err = local.Complete(seed, r.under); err != nil {
			return nil, err
		}
		if !r.done {
			if r.cell, err = local.Real(p, seed, r.under, known); err != nil {
				return nil, err
			}
			rounds = append(rounds, r)
			continue
		}
		r.cell, r.report, err = local.Reported(p, seed, r.under)
		switch {
		case r.report != nil:
			rounds = append(rounds, r)
			if !o.quiet {
				fmt.Fprintf(w, "policy %s had finished before, and is not run again: its report is from then, and a page or trace does not show its attempts\n", p)
			}
		default:
			lost = append(lost, r)
			why := "it was not kept"
			if err != nil {
				why = err.Error()
			}
			fmt.Fprintf(w, "warning: policy %s had finished before and is not run again, but its report is missing here: %s\n", p, why)
		}
	}
	// that is an error, as all output is there
	if !slices.ContainsFunc(rounds, func(r round) bool { return !r.done }) {
		_, err := local.Real(policies[0], seed, folders[0], known)
		return nil, err
	}
	return append(rounds, lost...), nil
}

// runReal runs a cell on this machine: it says what to expect, shows how far it is, and keeps the outcome.
func (o *options) runReal(cmd *cobra.Command, local *runs.Local, known []*profile.Class, c lab.Cell, under string) (*report.Run, error) {
	w := cmd.ErrOrStderr()
	say := w
	if o.quiet {
		say = io.Discard
	}
	var foreseen []runs.Foresight
	if len(local.Files) > 0 {
		all, unknown := local.Ask(cmd.Context(), c.Policy, c.Seed, known)
		switch {
		case unknown != nil && cmd.Context().Err() != nil: // the run says that it is interrupted
		case unknown != nil:
			fmt.Fprintf(say, "no estimate: %v\n", unknown)
		default:
			foreseen = all.Foreseen
			for i := range all.Jobs {
				// Else the policy says so itself, when the job arrives; what was to be done by now, of a run that
				// goes on, it tells again.
				if a := &all.Jobs[i]; a.Refused == "" && (c.GoesOn.IsZero() || a.Done == nil || a.Done.After(time.Now())) {
					fmt.Fprintln(say, wrapped(say, sentence(a, all.Asked)))
				}
			}
		}
		if err := o.compareDeadlines(w, local, c, foreseen); err != nil {
			return nil, err
		}
	}
	outside.Store(true)
	keeper, err := local.NewKeeper(c, under, foreseen)
	if err != nil {
		fmt.Fprintf(w, "warning: this run is not listed, and nothing is learned from it: %v\n", err)
	}
	if number, why := keeper.Number(); local.Open && why != nil {
		return nil, errors.Join(fmt.Errorf("--open: no other process could bring jobs: %w", why), keeper.Abandon("it could take no jobs"))
	} else if local.Open {
		fmt.Fprintf(say, "run %d takes jobs: slackline submit JOB.yaml, in this directory; slackline close lets it end\n", number)
	}
	for _, r := range keeper.Beside() {
		fmt.Fprintf(say, "process %d has been running %s here since %s; both runs are kept, and teach the profiles\n", r.PID, r.Name, r.Began.Format(time.TimeOnly))
	}
	if !c.GoesOn.IsZero() {
		fmt.Fprintf(say, "this resumes a run that started at %s: all times and deadlines count from then\n", stamp(c.GoesOn, time.Now()))
	}
	learner := report.NewLearner(known...)
	c.Sinks, c.Drives = append(c.Sinks, learner, keeper), keeper.Drives
	kept := local.Kept(under)
	unchanged := 0 // of those, as the engine finds out
	keeps := func(jobs ...string) {
		fmt.Fprintf(w, "kept, as an earlier run has finished them and they are unchanged: %s\n", report.Printable(strings.Join(jobs, ", ")))
	}
	local.Resumed = func(r engine.Resumption) {
		switch is := slices.Contains(kept, r.Job); {
		case !is && r.Maps == r.AllMaps && r.Reduces == r.AllReduces: // all but the mark that it has finished
			keeps(r.Job)
			return
		case !is:
			fmt.Fprintln(say, goesOn(r))
			return
		}
		if unchanged++; unchanged == len(kept) && c.GoesOn.IsZero() {
			keeps(kept...)
		}
	}
	shown := newLive(say, each.Of(foreseen, func(f runs.Foresight) *report.Expectation { return f.Expected() }), local.JobNames(), runs.Told(known))
	local.Warn = func(job, text string) { shown.warn(w, job, text) }
	c.Sinks = append(c.Sinks, shown)
	named, _ := sensor.OpenMeter(cmd.Context(), local.Machine.Meter) // what is wrong since, it says at the end
	meter := runs.StartMeter(local.Machine.Power, named)
	r, err := lab.Run(cmd.Context(), c)
	took := meter.Stop()
	keeper.Unserve()
	shown.close()
	if err != nil {
		why := err.Error()
		if paused := pausedBy(cmd.Context(), err); paused != nil {
			why = paused.Error()
			shown.state.tellOpen(say)
		}
		for _, name := range keeper.Lost() {
			fmt.Fprintf(w, "job %q had not begun; slackline resume %s starts it\n", name, report.Printable(report.ShellWord(name)))
		}
		if lost := keeper.Abandon(why); lost != nil {
			fmt.Fprintf(w, "warning: the interruption of this run cannot be recorded: %v\n", lost)
		}
		if _, changed := errors.AsType[*outdir.ChangedError](err); changed {
			err = fmt.Errorf("%w; --fresh throws away what it did, and starts again", err)
		}
		return nil, err
	}
	earlier, err := local.Judge(r, under, c.GoesOn)
	if err != nil {
		fmt.Fprintf(w, "warning: it is not known whether jobs that had finished before met their deadlines: %v\n", err)
	}
	for _, e := range earlier {
		text := wasInTime(e)
		if c.GoesOn.IsZero() { // it was kept of a run that had ended
			text = strings.Replace(text, " before the interruption", " before", 1)
		}
		fmt.Fprintln(say, text)
	}
	if err := keeper.Finish(r, took, learner.Profiles()); err != nil {
		fmt.Fprintf(w, "warning: the history of this run cannot be kept: %v\n", err)
	}
	if classes := coldClasses(r); len(classes) > 0 {
		fmt.Fprintln(say, wrapped(say, fmt.Sprintf("this run was cold for %s (the first of its class here, or its input came from storage): "+
			"estimates will use warm runs", strings.Join(classes, ", "))))
	}
	return r, nil
}

// admits checks --admit, which has nothing to say where a policy admits jobs by their deadlines itself.
func admits(admit string, given bool, policies []string) (string, error) {
	if !slices.Contains([]string{"warn", "refuse", "off"}, admit) {
		return "", fmt.Errorf("--admit %q: it must be warn, refuse or off", admit)
	}
	for _, p := range policies {
		if given && admit != "off" && refusesItself(p) {
			return "", fmt.Errorf("--admit %s: %s admits jobs by their deadlines itself; leave --admit out", admit, p)
		}
	}
	return admit, nil
}

// refusesItself tells whether a policy admits jobs by their deadlines, and says nothing of when they are done.
func refusesItself(policy string) bool {
	return lab.JudgesDeadlines(policy, lab.NoQueues) && !lab.ReadsConfidence(policy, lab.NoQueues)
}

// compareDeadlines says which jobs are expected to be late before any of them has begun. The error is no: the
// run is not to start. A resumed run has begun already.
func (o *options) compareDeadlines(w io.Writer, local *runs.Local, c lab.Cell, foreseen []runs.Foresight) error {
	if o.admit == "off" || !c.GoesOn.IsZero() || refusesItself(c.Policy) {
		return nil
	}
	var list []string
	for i := range foreseen {
		if f := &foreseen[i]; local.Late(f) > 0 {
			list = append(list, fmt.Sprintf("job %q is expected to end %s after its deadline", report.Printable(f.ID), units.Span(local.Late(f).Seconds())))
		}
	}
	if list == nil {
		return nil
	}
	if o.admit == "refuse" {
		return no{fmt.Errorf("nothing was run (--admit refuse): %s", strings.Join(list, "; "))}
	}
	for _, sentence := range list {
		fmt.Fprintf(w, "warning: %s\n", sentence)
	}
	return nil
}

// coldClasses are the classes for which a run was cold.
func coldClasses(r *report.Run) (classes []string) {
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Cold && !slices.Contains(classes, j.Class) {
			classes = append(classes, j.Class)
		}
	}
	return classes
}

// wasInTime says whether a job that had finished before the run was interrupted had met its deadline.
func wasInTime(e runs.Earlier) string {
	switch {
	case !e.Told:
		return fmt.Sprintf("job %q had finished before the interruption; it is not known when, so its deadline counts as neither met nor missed", e.Job)
	case e.Late > 0:
		return fmt.Sprintf("job %q had finished before the interruption: it missed its deadline by %s", e.Job, units.Span(e.Late.Seconds()))
	}
	return fmt.Sprintf("job %q had finished before the interruption: it met its deadline by %s", e.Job, units.Span(-e.Late.Seconds()))
}

// goesOn says where an interrupted job resumes.
func goesOn(r engine.Resumption) string {
	text := fmt.Sprintf("job %q resumes: %d of %d maps and %d of %d reduces are done", r.Job, r.Maps, r.AllMaps, r.Reduces, r.AllReduces)
	if r.AllReduces == 0 {
		text = fmt.Sprintf("job %q resumes: %d of %d maps are done", r.Job, r.Maps, r.AllMaps)
	}
	if n := r.MapsAgain + r.PartsAgain; n > 0 {
		text += fmt.Sprintf("; %d more were, but their files are missing or have changed", n)
	}
	return text
}
