package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/scenario"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:       "schema capacity|job|scenario",
		Short:     "Print the JSON Schema of job files, of scenario files, or of files for slackline capacity",
		Long:      "Prints a JSON Schema, with which editors check and complete YAML. It is made from the table that the parser itself uses.",
		Example:   "  slackline schema job\n  slackline schema scenario\n  slackline schema capacity",
		Args:      exactly(1, "capacity, job or scenario"),
		ValidArgs: scenario.Schemas(),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := scenario.Schema(args[0])
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
			}
			return err
		},
	}
}
