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
			if o.json() {
				return writeJSON(cmd.OutOrStdout(), appList())
			}
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
			return t.Write(cmd.OutOrStdout())
		},
	})
}

// appInfo is how -o json lists an application.
type appInfo struct {
	Name   string      `json:"name"`
	Doc    string      `json:"doc"`
	Output string      `json:"output"`
	Params []paramInfo `json:"params"`
}

type paramInfo struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Default  string `json:"default"`
	Required bool   `json:"required"`
	Unit     string `json:"unit"`
	Doc      string `json:"doc"`
}

func appList() []appInfo {
	list := []appInfo{}
	for _, a := range apps.All() {
		info := appInfo{Name: a.Name, Doc: a.Doc, Output: a.Output, Params: []paramInfo{}}
		for _, p := range a.Params {
			info.Params = append(info.Params, paramInfo{p.Name, string(p.Type), p.Default, p.Required, p.Unit, p.Doc})
		}
		list = append(list, info)
	}
	return list
}
