package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// oneOf is for commands that have others below them and do nothing themselves.
func oneOf(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, hint := spelling.Find(args[0], cmd.Commands(), (*cobra.Command).Name)
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, args[0]) {
			hint = fmt.Sprintf("; did you mean %q?", c.Name())
		}
	}
	if hint == "" {
		hint = fmt.Sprintf("; %s --help lists them", cmd.CommandPath())
	}
	return fmt.Errorf("unknown command %q%s", args[0], hint)
}

// elsewhere are the names that other programs have for commands.
var elsewhere = map[string][]string{
	"jobs": {"list", "ls", "ps", "status", "history", "queue"}, "show": {"describe", "info", "job"}, "why": {"explain", "reason", "account"}, "cancel": {"kill", "stop", "abort", "delete"},
	"run": {"start", "exec"}, "resume": {"continue", "retry", "rerun"}, "discard": {"clean", "rm", "remove", "prune"}, "logs": {"log", "tail"},
	"simulate": {"sim", "play"}, "ask": {"estimate", "predict", "eta"}, "compare": {"diff", "bench"}, "workload": {"trace", "import"},
}

// alsoCalled lets commands be found by those.
func alsoCalled(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.SuggestFor = elsewhere[c.Name()]
	}
}

// group makes a command of others. By itself it prints its help.
func group(cmd *cobra.Command, of ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = oneOf, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(of...)
	return cmd
}

// addHelp adds the commands help and completion of the library, and what they lack: examples, and
// that what they do not know is an error.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  slackline help run"
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				asked, rest, err := root.Find(args)
				if err == nil {
					err = oneOf(asked, rest)
				}
				if err != nil {
					return err
				}
				asked.InitDefaultHelpFlag()
				return asked.Help()
			}
		case "completion":
			group(cmd)
			cmd.Example = "  slackline completion bash"
			for _, shell := range cmd.Commands() {
				shell.Example = "  slackline completion " + shell.Name()
			}
		}
	}
}
