package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/mapreduce"
)

func newStream() *cobra.Command {
	var params []string
	cmd := &cobra.Command{
		Use:   "stream map|combine|reduce APP",
		Short: "Run a mapper, combiner or reducer of Hadoop Streaming",
		Long: `Runs one side of a built-in application over standard input and output, as Hadoop Streaming does: a mapper reads lines of text
and writes key TAB value; a combiner and a reducer read such lines sorted by key. Counters go to standard error. So every
application runs wherever commands run, such as on a Hadoop cluster:

  hadoop jar hadoop-streaming.jar -files slackline -mapper './slackline stream map wordcount' \
    -combiner './slackline stream combine wordcount' -reducer './slackline stream reduce wordcount' -input in -output out`,
		Example: `  slackline stream map wordcount < README.md | LC_ALL=C sort | slackline stream reduce wordcount
  slackline stream map grep --param pattern=deadline < README.md`,
		Args: exactly(2, "a role (map, combine or reduce) and an application"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				list = []string{"map", "combine", "reduce"}
			case 1:
				list = each.Of(apps.All(), func(a apps.App) string { return a.Name })
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			roles := []mapreduce.Role{mapreduce.MapRole, mapreduce.CombineRole, mapreduce.ReduceRole}
			role := mapreduce.Role(args[0])
			if !slices.Contains(roles, role) {
				return fmt.Errorf("%q is not map, combine or reduce", args[0])
			}
			given, err := parseParams(params)
			if err != nil {
				return err
			}
			program, err := apps.New(args[1], given)
			if err != nil {
				return err
			}
			err = program.Stream(cmd.Context(), role, mapreduce.Streams{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Report: cmd.ErrOrStderr(), Env: os.Getenv})
			return asFailure(err)
		},
	}
	cmd.Flags().StringArrayVar(&params, "param", nil, "a parameter of the application, as NAME=VALUE; may be given several times")
	return cmd
}

// parseParams reads NAME=VALUE.
func parseParams(list []string) (map[string]string, error) {
	params := map[string]string{}
	for _, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--param %q: write it as NAME=VALUE", text)
		}
		if _, twice := params[name]; twice {
			return nil, fmt.Errorf("--param: %s is given twice", name)
		}
		params[name] = value
	}
	return params, nil
}
