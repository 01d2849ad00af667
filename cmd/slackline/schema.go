package main

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/weather"
)

// answerSchema is that of what ask answers.
//
//go:embed answer.schema.json
var answerSchema string

func newSchema() *cobra.Command {
	kinds := append([]string{"answer", "forecast"}, scenario.Schemas()...)
	return &cobra.Command{
		Use:       "schema answer|capacity|forecast|job|scenario",
		Short:     "Print the JSON Schema of job files, of scenario files, of files for slackline capacity, or of what slackline ask and slackline forecast power answer",
		Long:      "Prints a JSON Schema, with which editors check and complete YAML. Those of files are made from the table that the parser itself uses.",
		Example:   "  slackline schema job\n  slackline schema scenario\n  slackline schema capacity\n  slackline schema answer\n  slackline schema forecast",
		Args:      exactly(1, "answer, capacity, forecast, job or scenario"),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(kinds, args[0]) {
				return fmt.Errorf("there is no schema of %q%s", args[0], spelling.Hint(args[0], kinds))
			}
			if args[0] == "answer" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), answerSchema)
				return err
			}
			schema := func() ([]byte, error) { return scenario.Schema(args[0]) }
			if args[0] == "forecast" {
				schema = weather.Schema
			}
			text, err := schema()
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
			}
			return err
		},
	}
}
