package main

import (
	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/studies/report"
)

func newApps(o *options) *cobra.Command {
	return o.bindOutput(&cobra.Command{
		Use:     "apps",
		Short:   "List the built-in applications and their parameters",
		Example: "  slackline apps\n  slackline apps -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := &report.Grid{}
			t.Add("app", "parameter", "default", "what it does")
			for _, a := range apps.All() {
				t.Add(a.Name, "", "", a.Doc)
				for _, p := range a.Params {
					def := p.Default
					if p.Required {
						def = "(needed)"
					}
					t.Add("", p.Name, def, p.Doc)
				}
			}
			return o.result(cmd.OutOrStdout(), apps.All(), t.Write)
		},
	})
}
