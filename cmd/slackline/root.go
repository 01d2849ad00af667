package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// options are the flags that several commands share.
type options struct {
	colour    string // of --color
	export    string // of --export
	exporting *export
	policies  []string
	seed      string
	nodes     int
	slots     string
	block     string
	journal   string
	html      string
	drawing   *drawing // of the runs under way, nil = none is asked for
	output    string
	store     string
	asOf      string   // of commands that read job files
	sets      []string // likewise
	strict    bool
	untimed   bool
	forReal   bool       // of run: what becomes of a job is no play
	admit     string     // what run does with jobs that are expected to be late
	quiet     bool       // of run: no progress
	cache     *lab.Cache // of simulations, nil = each is run
	planned   int        // simulations so far
	warnings  []string   // that are told once all input is found good, before the runs
}

func newRoot() *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:     "slackline",
		Version: version(),
		Short:   "MapReduce jobs on time",
		Long: `Slackline schedules MapReduce jobs so that they finish by their deadlines. The same policies run real jobs on this machine and
simulated ones on clusters of any size.

An interrupted run keeps what it has done, and continues when it is run again. slackline help exit-codes explains the exit codes.`,
		Example: `  slackline demo
  slackline run examples/words.yaml --policy edf-p
  slackline compare examples/two-jobs.yaml`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			mayOverwrite(cmd)
			if err := errors.Join(localFlags(cmd), emptyFlags(cmd), o.cutPolicies(), o.sheet(cmd)); err != nil || cmd.Flags().Lookup("output") == nil {
				return err
			}
			return o.checkOutput(cmd)
		},
	}
	root.PersistentFlags().StringVar(&o.colour, "color", "auto", "colours for what is late, failed or refused: auto = on a terminal without NO_COLOR, always, never")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	group(root, newDemo(o), newRun(o), newSubmit(o), newCancel(o), newWait(o), newClose(o), newResume(o), newDiscard(o),
		newSimulate(o), newAsk(o), newCompare(o), newAudit(o), newPolicies(o), newApps(o), newStream(),
		newJobs(o), newShow(o), newWhy(o), newLogs(o), newProfile(o), newReplay(), newSchema(), newValidate(o), newReproduce(o),
		newCapacity(o), newWorkload(o), newForecast(o), newYarn(o), newVersion(), newExitCodes())
	alsoCalled(root)
	addHelp(root)
	return root
}

// localFlags refuses addresses where a flag names a file or folder.
func localFlags(cmd *cobra.Command) error {
	for _, name := range []string{"store", "journal", "html", "export", "to", "trace", "keep", "input"} {
		if f := cmd.Flags().Lookup(name); f != nil {
			if err := scenario.NoAddress(f.Value.String()); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	return nil
}

// emptyFlags refuses values that are only how a flag stands when nobody gives it: 0, and an empty text, such as that
// of a variable that is not set.
func emptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "string", "stringSlice":
			if text := strings.Trim(f.Value.String(), "[]"); text == "" && f.DefValue == f.Value.String() {
				err = fmt.Errorf("--%s is empty; give it a value, or leave it out", f.Name)
			}
		case "int", "int64", "float64":
			if x, _ := strconv.ParseFloat(f.Value.String(), 64); x == 0 && f.DefValue == "0" && !strings.Contains(f.Usage, "0 = ") {
				err = fmt.Errorf("--%s is 0, it must be above 0; or leave it out", f.Name)
			}
		}
	})
	return err
}

// cutPolicies refuses a list that a blank has cut: what comes after it would be taken for a file.
func (o *options) cutPolicies() error {
	for _, text := range o.policies {
		if strings.HasSuffix(text, ",") {
			return fmt.Errorf("--policy %q ends with a comma; write the list without blanks, or in quotes: --policy fifo,edf-p", text)
		}
	}
	return nil
}

// noSeed is the flag as it stands when nobody gives it.
const noSeed = "1, or as the scenario says"

// bindBlock adds the flags of commands that read job files and cut input as the engine does.
func (o *options) bindBlock(cmd *cobra.Command) {
	o.bindVars(cmd.Flags())
	cmd.Flags().StringVar(&o.block, "block", "", "largest input of a map, of job files; default = as much as gives each map slot four maps, from 4MB to 256MB")
}

// bindRuns adds the flags of commands that run something.
func (o *options) bindRuns(cmd *cobra.Command, forms ...string) *cobra.Command {
	f := cmd.Flags()
	f.StringArrayVar(&o.policies, "policy", nil, "policies to use, separated by commas (slackline policies lists them)")
	f.StringVar(&o.seed, "seed", noSeed, "seed of everything random; for simulations also a list or a range, such as 1..30")
	f.IntVar(&o.nodes, "nodes", 0, "number of nodes; on this machine, workers that share its cores")
	f.StringVar(&o.slots, "slots", "", "slots of a node for maps, or for maps and reduces: 2 or 2,1")
	bindFile(f, &o.journal, "journal", "record the run to this file, or several runs to a folder of this name")
	bindFile(f, &o.html, "html", "write the runs as a web page to this file; it needs no network")
	o.bindStore(f)
	f.BoolVar(&o.untimed, "no-timing", false, "leave measurements out of the JSON (wall_s, events_per_s, real), so that equal results are equal bytes")
	f.BoolVar(&o.strict, "strict", false, "exit with 3 also when a job missed its deadline, or in a simulation failed or was refused")
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	return o.bindOutput(cmd, append([]string{"csv"}, forms...)...)
}

// bindOnePlay adds the flags of commands that play job files on this machine by one policy.
func (o *options) bindOnePlay(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.StringArrayVar(&o.policies, "policy", nil, "policy to use")
	f.StringVar(&o.seed, "seed", noSeed, "seed of the placement of blocks")
	f.IntVar(&o.nodes, "nodes", 0, "number of workers that share the cores of this machine")
	f.StringVar(&o.slots, "slots", "", "slots of a worker for maps, or for maps and reduces: 2 or 2,1")
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	o.bindBlock(cmd)
	return o.bindOutput(cmd)
}

// given is the first of these flags that the command line has; "" = none.
func given(cmd *cobra.Command, flags ...string) string {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) {
			return flag
		}
	}
	return ""
}

// onePlay is the policy and the seed of such a command.
func (o *options) onePlay(cmd *cobra.Command) (policy string, seed uint64, err error) {
	policies, _, err := o.policiesAndSeeds(lab.DefaultPolicy)
	if err == nil && len(policies) > 1 {
		err = fmt.Errorf("--policy: %s takes one policy, not %d", cmd.Name(), len(policies))
	}
	if err != nil {
		return "", 0, err
	}
	seed, err = o.oneSeed()
	return policies[0], seed, err
}

// completePolicies completes the last of a list.
func completePolicies(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	before := text[:strings.LastIndex(text, ",")+1]
	list := each.Of(lab.Policies(), func(p string) string { return before + p })
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// gone are flags that there were, and what to take instead.
var gone = map[string]string{
	"power --order":           "take --by combined, the default",
	"capacity --instances":    "take -o yaml and slackline simulate for the plan of a file, and slackline reproduce for paper 004",
	"capacity --verify":       "take -o yaml, which prints a scenario, and slackline simulate",
	"capacity --sweep":        "change the deadlines in the file; slackline reproduce 004-deadlines has the paper's",
	"capacity --from-history": "write the classes of jobs into a file; --from-profiles has their times",
}

// flagError says what is wrong with a flag in the words of people.
func flagError(cmd *cobra.Command, err error) error {
	number := &strconv.NumError{}
	text := err.Error()
	if i := strings.Index(text, ": strconv."); i >= 0 && errors.As(err, &number) {
		why := "it is not a whole number"
		if errors.Is(err, strconv.ErrRange) {
			why = "it is too large"
		}
		return errors.New(text[:i] + ": " + why)
	}
	if name, unknown := strings.CutPrefix(text, "unknown flag: --"); unknown {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		hint := spelling.Meant("--"+name, names)
		if cure := gone[cmd.Name()+" --"+name]; cure != "" {
			hint = "; it is gone: " + cure
		} else if hint == "" {
			hint = "; see " + cmd.CommandPath() + " --help"
		}
		return errors.New(text + hint)
	}
	return err
}

// askedPolicies returns the policies of the flag as they are always written, nil if there are none.
func (o *options) askedPolicies(q queues.Config) ([]string, error) {
	var asked []string
	for _, text := range o.policies {
		for _, part := range splitOutside(text) {
			p, err := lab.PolicyName(part, q)
			if err != nil {
				return nil, fmt.Errorf("--policy: %w", err)
			}
			if slices.Contains(asked, p) {
				return nil, fmt.Errorf("--policy: %s is given twice", p)
			}
			asked = append(asked, p)
		}
	}
	return asked, nil
}

// splitOutside splits at commas that stand outside of parentheses.
func splitOutside(text string) (parts []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// seeds returns the seeds of the flag, or these.
func (o *options) seeds(otherwise ...uint64) ([]uint64, error) {
	if o.seed == noSeed {
		return otherwise, nil
	}
	s, err := scenario.ParseSeeds(o.seed)
	if err != nil {
		return nil, fmt.Errorf("--seed: %w", err)
	}
	return s, nil
}

// oneSeed is for what is run once.
func (o *options) oneSeed() (uint64, error) {
	s, err := o.seeds(1)
	if err == nil && len(s) != 1 {
		err = fmt.Errorf("--seed %q: a run on this machine takes one seed", o.seed)
	}
	if err != nil {
		return 0, err
	}
	return s[0], nil
}

// size returns the nodes and slots of the flags, nil where they say nothing.
func (o *options) size(cmd *cobra.Command) (s scenario.Resize, err error) {
	if cmd.Flags().Changed("nodes") {
		if o.nodes < 1 || o.nodes > scenario.MaxNodes {
			return s, fmt.Errorf("--nodes is %d, it must be 1 to %d", o.nodes, scenario.MaxNodes)
		}
		s.Nodes = &o.nodes
	}
	if o.slots != "" {
		maps, reduces, both := strings.Cut(o.slots, ",")
		if !both {
			reduces = maps
		}
		m, err1 := strconv.Atoi(strings.TrimSpace(maps))
		r, err2 := strconv.Atoi(strings.TrimSpace(reduces))
		if err1 != nil || err2 != nil || m < 1 || r < 0 || max(m, r) > scenario.MaxSlots {
			return s, fmt.Errorf("--slots %q: write the number of map slots of a node, or those for maps and reduces, such as 2 or 2,1; at most %d", o.slots, scenario.MaxSlots)
		}
		s.MapSlots, s.ReduceSlots = &m, &r
	}
	return s, nil
}

// machine returns the workers of this machine: by default two, or as many as there are cores, that
// share all cores.
func (o *options) machine(cmd *cobra.Command) (runs.Machine, error) {
	m := runs.ThisMachine(runtime.GOMAXPROCS(0))
	s, err := o.size(cmd)
	if err != nil {
		return m, err
	}
	if s.Nodes != nil {
		if m.Nodes = *s.Nodes; m.Nodes > runs.MaxWorkers {
			return m, fmt.Errorf("--nodes is %d, on this machine it must be at most %d", m.Nodes, runs.MaxWorkers)
		}
	}
	if s.MapSlots != nil {
		m.MapSlots, m.ReduceSlots = *s.MapSlots, *s.ReduceSlots
	}
	if o.block != "" {
		if m.Block, err = parseBlock(o.block); err != nil {
			return m, fmt.Errorf("--block%w", err)
		}
	}
	return m, nil
}

// parseBlock reads the largest input of a map, 0 for default: as the input and the slots say. Its error goes on where
// the name of what says it ends.
func parseBlock(text string) (units.Bytes, error) {
	block, err := units.ParseBytes(text)
	switch {
	case text == "default": // of a resumed run, whatever its files say
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf(": %w", err)
	case block < 1:
		return 0, fmt.Errorf(" is %v, it must be above 0", block)
	}
	return block, nil
}

// exactly is cobra.ExactArgs with a sentence that says what the arguments are.
func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// between wants so many arguments at least and at most.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%s takes %s, not %d arguments; see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// some wants at least one argument, and none twice.
func some(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, a := range args {
			if slices.Contains(args[:i], a) {
				return fmt.Errorf("%s is given twice", a)
			}
		}
		if len(args) == 0 {
			return fmt.Errorf("%s takes %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// yamlFiles completes the names of YAML files.
var yamlFiles = cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
