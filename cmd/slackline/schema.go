package main

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// answerSchema is that of what ask answers.
//
//go:embed answer.schema.json
var answerSchema string

func newSchema() *cobra.Command {
	kinds := append([]string{"answer"}, scenario.Schemas()...)
	return &cobra.Command{
		Use:       "schema answer|capacity|job|scenario",
		Short:     "Print the JSON Schema of job files, of scenario files, of files for slackline capacity, or of what slackline ask answers",
		Long:      "Prints a JSON Schema, with which editors check and complete YAML. Those of files are made from the table that the parser itself uses.",
		Example:   "  slackline schema job\n  slackline schema scenario\n  slackline schema capacity\n  slackline schema answer",
		Args:      exactly(1, "answer, capacity, job or scenario"),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(kinds, args[0]) {
				return fmt.Errorf("there is no schema of %q%s", args[0], spelling.Hint(args[0], kinds))
			}
			if args[0] == "answer" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), answerSchema)
				return err
			}
			text, err := scenario.Schema(args[0])
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
			}
			return err
		},
	}
}
