package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/weather"
)

// What ask, audit, yarn compare and why write for programs.
var (
	//go:embed answer.schema.json
	answerSchema []byte
	//go:embed audit.schema.json
	auditSchema []byte
	//go:embed shadow.schema.json
	shadowSchema []byte
	//go:embed why.schema.json
	whySchema []byte
)

func newSchema() *cobra.Command {
	kinds := append([]string{"answer", "audit", "forecast", "shadow", "why"}, scenario.Schemas()...)
	return &cobra.Command{
		Use:       "schema answer|audit|capacity|claims|forecast|job|offers|scenario|shadow|why",
		Short:     "Print the JSON Schema of job files, of scenario files, of files for slackline capacity and for yarn serve --claims and --offers, or of what slackline ask, audit, forecast power, yarn compare and why answer",
		Long:      "Prints a JSON Schema, with which editors check and complete YAML. The schemas of files are made from the tables that the parser itself uses.",
		Example:   "  slackline schema job\n  slackline schema scenario\n  slackline schema capacity\n  slackline schema claims\n  slackline schema offers\n  slackline schema answer\n  slackline schema audit\n  slackline schema forecast\n  slackline schema shadow\n  slackline schema why",
		Args:      exactly(1, "answer, audit, capacity, claims, forecast, job, offers, scenario, shadow or why"),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(kinds, args[0]) {
				return fmt.Errorf("there is no schema of %q%s", args[0], spelling.Hint(args[0], kinds))
			}
			var text []byte
			var err error
			switch args[0] {
			case "answer":
				text = answerSchema
			case "audit":
				text = auditSchema
			case "why":
				text = whySchema
			case "shadow":
				text = shadowSchema
			case "forecast":
				text, err = weather.Schema()
			default:
				text, err = scenario.Schema(args[0])
			}
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", bytes.TrimSpace(text))
			}
			return err
		},
	}
}
