package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// oneOf is for commands that have others below them and do nothing themselves.
func oneOf(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q%s", args[0], spelling.Hint(args[0], names))
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
			cmd.Args, cmd.RunE = oneOf, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.Example = "  slackline completion bash"
			for _, shell := range cmd.Commands() {
				shell.Example = "  slackline completion " + shell.Name()
			}
		}
	}
}
