package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/runs/hadoopconf"
)

func newYarnInstall(o *options) *cobra.Command {
	w := hadoopconf.Wanted{Java: os.Getenv("JAVA_HOME")}
	var undo, doIt bool
	var state string
	cmd := &cobra.Command{
		Use:   "install --hadoop-conf DIR",
		Short: "Put the plug-in into a Hadoop cluster, or take it out again",
		Long: `Prints which jar goes where on the machine of the ResourceManager and what changes in its yarn-site.xml, and checks for
settings that the plug-in cannot work with. capacity-scheduler.xml is not touched. Nothing is written without --write; with
it, the original file is kept beside the new one. A second time it changes nothing.

--undo takes the plug-in out again; other changes made to the file since then stay. Both take effect when the
ResourceManager is restarted; running jobs continue if its recovery is switched on.`,
		Example: `  slackline yarn install --hadoop-conf /etc/hadoop/conf --hadoop-home /usr/lib/hadoop
  slackline yarn install --hadoop-conf /opt/hadoop/etc/hadoop --write
  slackline yarn install --hadoop-conf /opt/hadoop/etc/hadoop --undo --write`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if w.Conf == "" {
				return errors.New("--hadoop-conf is needed: the folder of the ResourceManager's configuration, such as /etc/hadoop/conf")
			}
			plan := hadoopconf.Install
			if undo {
				plan = hadoopconf.Undo
			}
			var err error
			if state, err = o.yarnState(state); err != nil {
				return err
			}
			made := w.Secret == ""
			if w.Secret == "" {
				w.Secret = filepath.Join(state, "secret")
			} else if w.Secret, err = filepath.Abs(w.Secret); err != nil {
				return err
			}
			p, err := plan(w)
			if err != nil {
				return err
			}
			if err := writePlan(cmd.OutOrStdout(), p, undo); err != nil {
				return err
			}
			for _, note := range p.Notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", note)
			}
			switch {
			case len(p.Stops) > 0:
				return errors.New(strings.Join(p.Stops, "; "))
			case p.Done():
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "there is nothing to do")
				return err
			case !doIt:
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "nothing was written; --write does")
				return err
			}
			if !undo {
				named := w.Secret
				if made {
					named = ""
				}
				if _, _, err := runs.Secret(state, named); err != nil {
					return err
				}
			}
			if err := p.Write(); err != nil {
				return failure{err}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "done; restart the ResourceManager")
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&w.Conf, "hadoop-conf", "", "folder of the ResourceManager's configuration, with yarn-site.xml")
	f.StringVar(&w.Home, "hadoop-home", "", "folder of Hadoop, with share/hadoop/yarn (default: two above --hadoop-conf)")
	f.StringVar(&w.Jar, "plugin", filepath.FromSlash("yarn/plugin/target/slackline-yarn-1.jar"), "jar of the plug-in")
	f.StringVar(&w.Secret, "secret", "", "file with the secret that slackline yarn serve shares (default: the file secret in the folder of --state, which is made)")
	f.StringVar(&w.Address, "address", "", "where slackline yarn serve listens (default: what is set, or 127.0.0.1:7447)")
	f.StringVar(&state, "state", "", "the folder of --state of slackline yarn serve")
	f.BoolVar(&doIt, "write", false, "do it")
	f.BoolVar(&undo, "undo", false, "take the plug-in out again")
	o.bindStore(f)
	return cmd
}

// writePlan prints what would change.
func writePlan(w io.Writer, p *hadoopconf.Plan, undo bool) error {
	var b strings.Builder
	switch {
	case undo && p.JarThere:
		fmt.Fprintf(&b, "remove %s\n", p.JarTo)
	case !undo && !p.JarThere:
		fmt.Fprintf(&b, "copy %s\n  to %s\n", p.JarFrom, p.JarTo)
	}
	if len(p.Changes) > 0 {
		fmt.Fprintf(&b, "in %s\n", p.Site())
	}
	shown := func(value *string) string {
		if value == nil {
			return "not set"
		}
		return *value
	}
	for _, c := range p.Changes {
		fmt.Fprintf(&b, "  %s\n    is      %s\n    becomes %s\n", c.Name, shown(c.Old), shown(c.New))
	}
	_, err := io.WriteString(w, b.String())
	return asFailure(err)
}
