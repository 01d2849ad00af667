package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, revision and platform",
		Args:    cobra.NoArgs,
		Example: "  slackline version",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}

// release is the version that CHANGELOG.md describes last.
const release = "0.1.0"

// version says which build this is: its release, and the revision that the Go toolchain wrote into it.
func version() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				revision = " " + s.Value[:12] + revision
			case s.Key == "vcs.modified" && s.Value == "true":
				revision += " with changes"
			}
		}
	}
	return fmt.Sprintf("slackline %s%s %s %s/%s", release, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
