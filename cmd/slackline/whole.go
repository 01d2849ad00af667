package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// whole sets what job files say of the run of all their jobs: the flags of the command that have
// these names, where nobody gave them. It returns what the files say of themselves.
func whole(cmd *cobra.Command, jobs []*scenario.Job) (about []string, err error) {
	said := map[string]string{}
	for _, j := range jobs {
		if j.Run.About != "" {
			about = append(about, j.Run.About)
		}
		says := map[string]string{"policy": j.Run.Policy, "block": j.Run.Block, overwrite: ""}
		if j.Run.Overwrite {
			says[overwrite] = strconv.FormatBool(true)
		}
		for _, name := range []string{"policy", "block", overwrite} {
			value, flag := says[name], cmd.Flags().Lookup(name)
			if value == "" || flag == nil || flag.Changed {
				continue
			}
			if before := said[name]; before != "" && before != value {
				return nil, j.Errorf("run."+name, "%s is %s here and %s in another file; leave one out, or give --%s", name, value, before, name)
			}
			if said[name] == "" {
				err := flag.Value.Set(value)
				switch {
				case err != nil:
				case name == "policy":
					_, err = (&options{policies: []string{value}}).askedPolicies(lab.NoQueues)
				case name == "block":
					_, err = parseBlock(value)
				}
				if err != nil {
					return nil, j.Errorf("run."+name, "%s", strings.TrimPrefix(name+strings.TrimPrefix(err.Error(), "--policy"), "policy: "))
				}
			}
			said[name] = value
		}
	}
	return about, nil
}
