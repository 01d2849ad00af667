package main

import (
	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
)

func newPolicies(o *options) *cobra.Command {
	return o.bindOutput(&cobra.Command{
		Use:     "policies",
		Short:   "List policies, the parts to make others of, and their parameters",
		Example: "  slackline policies\n  slackline policies -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.json() {
				return writeJSON(cmd.OutOrStdout(), policyList())
			}
			t := &report.Grid{}
			t.Add("name", "kind", "parameter", "default", "what it does")
			for _, e := range catalog.All() {
				t.Add(e.Name, string(e.Kind), "", "", e.Doc)
				for _, p := range e.Params {
					t.Add("", "", p.Name, p.Default, p.Doc)
				}
			}
			return t.Write(cmd.OutOrStdout())
		},
	})
}

// policyInfo is how -o json lists an entry of the catalogue.
type policyInfo struct {
	Name   string        `json:"name"`
	Kind   string        `json:"kind"`
	Doc    string        `json:"doc"`
	Cite   string        `json:"cite"`
	Needs  string        `json:"needs"`
	Params []policyParam `json:"params"`
}

type policyParam struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default string   `json:"default"`
	Unit    string   `json:"unit"`
	Choices []string `json:"choices,omitempty"`
	Doc     string   `json:"doc"`
}

func policyList() []policyInfo {
	list := []policyInfo{}
	for _, e := range catalog.All() {
		info := policyInfo{Name: e.Name, Kind: string(e.Kind), Doc: e.Doc, Cite: e.Cite, Params: []policyParam{}}
		for _, p := range e.Params {
			info.Params = append(info.Params, policyParam{p.Name, string(p.Type), p.Default, p.Unit, p.Choices, p.Doc})
		}
		list = append(list, info)
	}
	return list
}
