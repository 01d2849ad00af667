package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/trace"
)

func newSimulate(o *options) *cobra.Command {
	var admit string
	var keep, aggregate bool
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO.yaml|JOB.yaml...",
		Short: "Simulate scenarios, or jobs that have run before",
		Long: `Simulates each scenario under each of its policies, with each of its seeds and all values of its sweep.

Job files are simulated together on this machine, as earlier runs have measured it: the input is split as the engine would
split it, and tasks take as long as such tasks took. If the same jobs have really run, the report of that run is shown too.

When a job with a deadline arrives, the command checks whether it would be in time: it plays a copy of the run to its end,
with the jobs that are there and no others, each task taking the time that is stated. The report names the jobs that would be
late, and says how often that came true. With --admit refuse, a job that would be late does not come in. There is no such check
under policies that admit jobs by their deadlines themselves.`,
		Example: `  slackline simulate examples/two-jobs.yaml
  slackline simulate examples/two-jobs.yaml --policy fifo,edf-p --seed 1..5 -o json
  slackline simulate examples/two-jobs.yaml --policy edf-p --seed 1 --html two-jobs.html
  rm -rf out && slackline run examples/words.yaml && slackline simulate examples/words.yaml`,
		Args:              some("scenario files or job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			cells, jobs, before, err := o.cells(cmd, args)
			if err != nil {
				return err
			}
			if aggregate {
				if err := o.aggregated(cells, admit, cmd.Flags().Changed("admit")); err != nil {
					return err
				}
			} else if err := askAtDoor(cells, admit, cmd.Flags().Changed("admit")); err != nil {
				return err
			}
			if jobs == nil && cmd.Flags().Changed("block") {
				return fmt.Errorf("--block is for job files; a scenario says so itself")
			}
			if keep {
				if err := o.keepThem(cells); err != nil {
					return err
				}
			}
			runs, err := o.runCells(cmd, cells)
			if err != nil {
				return err
			}
			return o.finish(cmd.OutOrStdout(), report.New(append(runs, before...)...))
		},
	}
	cmd.Flags().StringVar(&admit, "admit", "warn", fmt.Sprintf("what to do with a job that would be late when it arrives: warn, refuse or off (default: with one seed, check the first %d jobs of a run)", askedFirst))
	cmd.Flags().BoolVar(&aggregate, "aggregate", false, "keep no row for each job, but counts and quantiles by class and by hour: traces of any length in the same memory")
	o.bindExport(cmd.Flags())
	cmd.Flags().BoolVar(&keep, "keep", false, fmt.Sprintf("keep the run in the folder of --store, for slackline why; of those that are kept the newest %d stay", mostKept))
	_ = cmd.RegisterFlagCompletionFunc("admit", cobra.FixedCompletions([]string{"warn", "refuse", "off"}, cobra.ShellCompDirectiveNoFileComp))
	o.bindBlock(cmd)
	return o.bindRuns(cmd)
}

// keepThem records cells for why, each in place of the same run before.
func (o *options) keepThem(cells []lab.Cell) error {
	dir, err := o.keptFolder()
	switch {
	case err != nil:
		return err
	case o.journal != "":
		return errors.New("--keep and --journal exclude each other; slackline why JOB JOURNAL reads a journal anywhere")
	case len(cells) > mostKept:
		return fmt.Errorf("--keep: these are %d runs, at most %d are kept; choose with --policy and --seed", len(cells), mostKept)
	}
	if err := files.MakeFolder(dir); err != nil {
		return failure{fmt.Errorf("--keep: %w", err)}
	}
	for i := range cells {
		cells[i].Journal = filepath.Join(dir, journalName(&cells[i]))
	}
	old, err := o.keptJournals()
	for _, file := range old[min(len(old), mostKept-len(cells)):] {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// aggregated has cells keep no rows of jobs, where nobody wants any.
func (o *options) aggregated(cells []lab.Cell, admit string, given bool) error {
	if given && admit != "off" || o.html != "" || o.export != "" {
		return errors.New("--aggregate keeps no row of a job; leave out --html, --export and --admit, which need them")
	}
	for i := range cells {
		cells[i].Aggregate = true
	}
	return nil
}

// askedFirst is how many jobs of a run are asked about that nobody asked for: each question plays
// on from where the run stands.
const askedFirst = 100

// askAtDoor lets the cells be asked about each job that comes, but where the policy admits jobs by
// their deadlines itself.
func askAtDoor(cells []lab.Cell, admit string, given bool) error {
	if _, err := admits(admit, given, nil); err != nil || admit == "off" {
		return err
	}
	asked := &lab.Admission{Refuse: admit == "refuse"}
	if !given {
		if slices.ContainsFunc(cells, func(c lab.Cell) bool { return c.Seed != cells[0].Seed }) {
			return nil // a table of means
		}
		asked.Most = askedFirst
	}
	all := true
	for i := range cells {
		if c := &cells[i]; !lab.JudgesDeadlines(c.Policy, c.Queues) || given && lab.ReadsConfidence(c.Policy, c.Queues) {
			c.Admission, all = asked, false
		}
	}
	if given && all && len(cells) > 0 {
		return fmt.Errorf("--admit %s: %s admits jobs by their deadlines itself; leave --admit out", admit, cells[0].Policy)
	}
	return nil
}

// cells are those of scenario files and job files, and how the jobs did when they ran last.
func (o *options) cells(cmd *cobra.Command, files []string) (cells []lab.Cell, jobs []*scenario.Job, before []*report.Run, err error) {
	defer reading()()
	vars, err := o.vars(time.Now())
	if err != nil {
		return nil, nil, nil, err
	}
	cells, err = config.FromFiles(files, readFile, func(file string, src []byte) ([]lab.Cell, error) {
		if !scenario.IsJob(src) {
			return o.scenarioCells(cmd, file, src)
		}
		more, err := vars.Read(file, src)
		jobs = append(jobs, more...)
		return nil, err
	})
	if err == nil {
		err = vars.Unused()
	}
	if err == nil {
		_, err = whole(cmd, jobs)
	}
	if err == nil && jobs != nil {
		var more []lab.Cell
		more, before, err = o.jobCells(cmd, jobs)
		cells = append(cells, more...)
	}
	return cells, jobs, before, err
}

// scenarioCells makes the grid of a scenario: policy by policy, seed by seed.
func (o *options) scenarioCells(cmd *cobra.Command, file string, src []byte) ([]lab.Cell, error) {
	size, err := o.size(cmd)
	if err != nil {
		return nil, err
	}
	size.Known = o.known
	variants, err := scenario.ReadSweep(file, src, size)
	if err != nil {
		return nil, err
	}
	var cells []lab.Cell
	var told trace.Account
	var noted []string
	for i, s := range variants {
		if i == 0 || !reflect.DeepEqual(s.Workload.Trace, variants[i-1].Workload.Trace) ||
			!reflect.DeepEqual(s.Workload.Streams, variants[i-1].Workload.Streams) || !reflect.DeepEqual(s.Cluster, variants[i-1].Cluster) ||
			!reflect.DeepEqual(s.Config, variants[i-1].Config) {
			before := told
			if told, err = s.Account(); err != nil {
				return nil, err
			}
			if i == 0 || !reflect.DeepEqual(told, before) {
				tellAccount(cmd.ErrOrStderr(), told)
			}
		}
		more, err := o.variantCells(s, told)
		if err != nil {
			return nil, err
		}
		cells = append(cells, more...)
		for _, note := range s.Notes() {
			if !slices.Contains(noted, note) {
				noted = append(noted, note)
				tellNotes(cmd, noted[len(noted)-1:])
			}
		}
		if i == 0 {
			tellUntold(cmd.ErrOrStderr(), s, more)
		}
	}
	return cells, nil
}

// tellAccount says what of a trace is not played as it stands there: a line for each kind.
func tellAccount(w io.Writer, a trace.Account) {
	for i, line := range a.Lines() {
		if i < len(a.LeftOut) {
			line = "warning: " + line
		}
		fmt.Fprintln(w, line)
	}
}

// mostRuns bounds the runs of a command, whose reports are in memory together.
const mostRuns = 500_000

// variantCells makes the grid of one variant of a scenario, of whose trace this was told.
func (o *options) variantCells(s *scenario.Scenario, told trace.Account) ([]lab.Cell, error) {
	policies, err := o.askedPolicies(s.Config)
	if err != nil {
		return nil, err
	}
	for _, p := range policies {
		if err := lab.Suits(p, s); err != nil {
			return nil, fmt.Errorf("--policy: %s: %w", s.File(), err)
		}
	}
	if policies == nil {
		if s.Policies == nil {
			s.Policies = []string{lab.BaselinePolicy}
		}
		for i, text := range s.Policies {
			p, err := lab.PolicyName(text, s.Config)
			if err == nil {
				err = lab.Suits(p, s)
			}
			if err != nil {
				return nil, s.Errorf(fmt.Sprintf("policies[%d]", i), "%v", err)
			}
			if slices.Contains(policies, p) {
				return nil, s.Errorf(fmt.Sprintf("policies[%d]", i), "the policy %s is given twice", p)
			}
			policies = append(policies, p)
		}
	}
	otherwise := []uint64(s.Seeds)
	if otherwise == nil {
		otherwise = []uint64{1}
	}
	seeds, err := o.seeds(otherwise...)
	if err != nil {
		return nil, err
	}
	if o.planned += len(policies) * len(seeds); o.planned > mostRuns {
		return nil, fmt.Errorf("%s: this comes to more than %d runs, for each policy, seed and combination of the sweep; ask for fewer", s.File(), mostRuns)
	}
	cells := lab.Cells(s, policies, seeds, told)
	if o.cache != nil {
		key, err := o.cache.Key(s)
		if err != nil {
			return nil, fmt.Errorf("results cannot be kept: %w; --fresh works without", err)
		}
		for i := range cells {
			cells[i].Key = key
		}
	}
	return cells, nil
}

// jobCells makes the grid of job files played on this machine, and returns what they came to when
// they last ran for real.
func (o *options) jobCells(cmd *cobra.Command, jobs []*scenario.Job) ([]lab.Cell, []*report.Run, error) {
	m, err := o.machine(cmd)
	if err == nil {
		err = m.Rent(jobs)
	}
	if err != nil {
		return nil, nil, err
	}
	local, err := runs.NewLocal(jobs, m, time.Now())
	if err != nil {
		return nil, nil, err
	}
	for _, note := range append(local.Clocks(), local.Warnings...) {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	memory, err := o.open(cmd.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	defer memory.Close()
	known, err := memory.Profiles()
	if err != nil {
		return nil, nil, failure{err}
	}
	policies, seeds, err := o.policiesAndSeeds(lab.DefaultPolicy)
	if err != nil {
		return nil, nil, err
	}
	before, err := lastRuns(memory, local.Name(), policies)
	if err != nil {
		return nil, nil, failure{err}
	}
	var cells []lab.Cell
	for _, p := range policies {
		for _, seed := range seeds {
			c, err := local.Simulated(p, seed, known)
			if err != nil {
				return nil, nil, err
			}
			cells = append(cells, c)
		}
	}
	return cells, before, nil
}

// policiesAndSeeds are those of the flags, checked, or these policies, for what is not a scenario.
func (o *options) policiesAndSeeds(otherwise ...string) ([]string, []uint64, error) {
	policies, err := o.askedPolicies(lab.NoQueues)
	if err != nil {
		return nil, nil, err
	}
	if policies == nil {
		policies = otherwise
	}
	seeds, err := o.seeds(1)
	return policies, seeds, err
}

// runCells runs a grid on all cores, with a progress bar, journals and drawings. With a cache, what
// is known from before does not run again unless it is to be recorded or drawn.
func (o *options) runCells(cmd *cobra.Command, cells []lab.Cell) ([]*report.Run, error) {
	if err := lab.Check(cells); err != nil { // before any file is begun
		return nil, err
	}
	if err := o.record(cells); err != nil {
		return nil, err
	}
	for i := range cells {
		if (o.cache == nil || o.html != "") && !cells[i].Aggregate && cells[i].Seed == cells[0].Seed {
			cells[i].Books = account.New(account.Enough)
		}
	}
	if err := o.draw(cells); err != nil {
		return nil, err
	}
	if err := o.beginExport(cells); err != nil {
		return nil, err
	}
	for _, text := range o.warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", text)
	}
	if o.cache != nil {
		if found := o.cache.Fill(cells); found > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d results were kept from before; use --fresh to run them again\n", found, len(cells))
		}
	}
	progress := newBar(cmd.ErrOrStderr(), len(cells), false)
	var done atomic.Int64
	runs, err := lab.Grid(cmd.Context(), cells, 0, o.cache, func() {
		done.Add(1)
		progress.step(time.Now())
	})
	progress.close()
	if err != nil {
		o.drawing.discard()
		o.exporting.discard()
	}
	if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) && o.cache != nil {
		err = interrupted{fmt.Errorf("interrupted; %d of %d runs are done and kept, and the same command continues with the others", done.Load(), len(cells))}
	}
	return runs, err
}

// record names a journal for each run: the file of the flag for one, files in a folder for several.
func (o *options) record(cells []lab.Cell) error {
	if o.journal == "" {
		return nil
	}
	if len(cells) == 1 {
		cells[0].Journal = o.journal
		return mayRecord(o.journal)
	}
	if err := files.MakeFolder(o.journal); err != nil {
		return fmt.Errorf("--journal: the folder for several runs cannot be made: %w", err)
	}
	for i := range cells {
		c := &cells[i]
		c.Journal = filepath.Join(o.journal, journalName(c))
		if err := mayRecord(c.Journal); err != nil {
			return err
		}
	}
	return nil
}

// journalName is the name of a journal in a folder.
func journalName(c *lab.Cell) string {
	return fmt.Sprintf("%s-%s-%d.journal", fileName(c.Name()), fileName(c.Policy), c.Seed)
}

// mayRecord refuses a file that no journal may be written to, before anything runs.
func mayRecord(name string) error {
	if err := files.Free(name, lab.Journal); err != nil {
		return fmt.Errorf("--journal: %w", err)
	}
	return nil
}

// fileName makes a text fit for the name of a file on any system. One that had to be changed gets a
// sum of the text, so that it is not taken for another.
func fileName(text string) string {
	const most = 80
	hidden := true // a file whose name begins with a dot
	name := strings.Map(func(c rune) rune {
		if c == '.' && hidden {
			return '_'
		}
		hidden = false
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._+=", c) {
			return c
		}
		return '_'
	}, text)
	if len(name) > most {
		name = name[:most]
	}
	if name == text {
		return name
	}
	sum := fnv.New32a()
	sum.Write([]byte(text))
	return fmt.Sprintf("%s-%08x", name, sum.Sum32())
}
