package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/runs/devcluster"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/units"
)

// newYarnDev is the command with which people try a cluster.
func newYarnDev(o *options) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run a small Hadoop cluster on this machine, to try Slackline on",
		Long: `Runs a Hadoop cluster of some nodes on this machine: NameNode, ResourceManager with the plug-in, JobHistory server, and for each
node a DataNode and a NodeManager with a name and a rack of its own. It needs Linux with user namespaces, Java 17 and Maven,
1 GB of memory and 0.5 GB more for each node, but no root. When it stops, no process of it is left.`,
		Example: "  slackline yarn dev status",
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", "", "folder of the cluster (default: yarn-dev in the folder of the store)")
	o.bindStore(cmd.PersistentFlags())
	cluster := func() (*devcluster.Cluster, error) {
		if dir == "" {
			data, err := o.dataDir()
			if err != nil {
				return nil, err
			}
			dir = filepath.Join(data, "yarn-dev")
		}
		abs, err := filepath.Abs(dir)
		return &devcluster.Cluster{Dir: abs}, err
	}
	return group(cmd, o.newYarnDevUp(cluster), newYarnDevStatus(cluster), newYarnDevDown(cluster), newYarnDevNode(cluster), newYarnDevHost())
}

func (o *options) newYarnDevUp(cluster func() (*devcluster.Cluster, error)) *cobra.Command {
	var plugin, address, state string
	var nodes int
	var stock bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the cluster, and wait until it is ready",
		Long: `Starts the cluster in the background, and waits until all its nodes are there. The first time Maven fetches the jars of
Hadoop, some 110 MB. What it stores stays in its folder for the next time.

The ResourceManager's plug-in dials --address, and knows the secret of slackline yarn serve with the same --store. While
nobody listens there the cluster's own scheduler places work.`,
		Example: `  slackline yarn dev up
  slackline yarn dev up --nodes 3 --plugin slackline-yarn-1.jar
  slackline yarn dev up --stock`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := cluster()
			if err != nil {
				return err
			}
			if nodes < 1 || nodes > devcluster.MostNodes {
				return fmt.Errorf("--nodes is %d, it must be 1 to %d", nodes, devcluster.MostNodes)
			}
			if _, err := os.Stat(plugin); err != nil && !stock {
				return fmt.Errorf("--plugin: there is no %s; in a checkout, mvn -q -DskipTests -f yarn/plugin/pom.xml package builds it; --stock does without", plugin)
			}
			outside.Store(true)
			if c.Runs() {
				return failure{fmt.Errorf("the cluster in %s is already running; slackline yarn dev down stops it", c.Dir)}
			}
			if err := devcluster.Needs(cmd.Context()); err != nil {
				return failure{err}
			}
			if state, err = o.yarnState(state); err != nil {
				return err
			}
			c.Nodes, c.Address = nodes, address
			if !stock {
				c.Plugin = plugin
				if c.Secret, _, err = runs.Secret(state, ""); err != nil {
					return failure{err}
				}
			}
			return startDev(cmd, c)
		},
	}
	f := cmd.Flags()
	f.IntVar(&nodes, "nodes", 2, "number of nodes, each with 2 GB and 4 cores to offer")
	f.StringVar(&plugin, "plugin", filepath.FromSlash("yarn/plugin/target/slackline-yarn-1.jar"), "jar of the plug-in")
	f.StringVar(&address, "address", "127.0.0.1:7447", "where slackline yarn serve listens")
	f.StringVar(&state, "state", "", "the folder of --state of slackline yarn serve, which has the secret")
	f.BoolVar(&stock, "stock", false, "leave the plug-in out")
	return cmd
}

// startDev starts a cluster and says how to use it.
func startDev(cmd *cobra.Command, c *devcluster.Cluster) error {
	w, out := cmd.ErrOrStderr(), cmd.OutOrStdout()
	self, err := os.Executable()
	if err != nil {
		return failure{err}
	}
	fmt.Fprintln(w, "the jars of Hadoop; the first time this may take some minutes")
	if err := c.Fetch(cmd.Context()); err != nil {
		return failure{err}
	}
	if err := c.Configure(); err != nil {
		return failure{err}
	}
	outside.Store(true)
	fmt.Fprintf(w, "starting %s\n", units.Count(c.Nodes, "node"))
	began := time.Now()
	if err := c.Start(cmd.Context(), []string{self, "yarn", "dev", "host", c.Dir}); err != nil {
		if cmd.Context().Err() != nil {
			return interrupted{errors.New("interrupted; nothing is left of the cluster")}
		}
		return failure{fmt.Errorf("the cluster does not start: %w", err)}
	}
	fmt.Fprintf(w, "ready after %s\n", units.Span(time.Since(began).Seconds()))
	fmt.Fprintf(out, `hadoop    %s
examples  %s
`, report.ShellWord(c.Hadoop()), report.ShellWord(c.Examples()))
	if c.Plugin != "" {
		fmt.Fprintln(out, "serve     slackline yarn serve --heartbeat 200ms")
	}
	return nil
}

func newYarnDevStatus(cluster func() (*devcluster.Cluster, error)) *cobra.Command {
	const short = "Say whether the cluster is running, and which of its nodes are there"
	return ofRunning(cluster, "status", short, func(ctx context.Context, c *devcluster.Cluster) (string, error) {
		s := c.Look(ctx)
		history := "is there"
		if !s.History {
			history = "does not answer"
		}
		return fmt.Sprintf("%d of %d NodeManagers, %d of %d DataNodes; the JobHistory server %s", s.NodeManagers, c.Nodes, s.DataNodes, c.Nodes, history), nil
	})
}

func newYarnDevDown(cluster func() (*devcluster.Cluster, error)) *cobra.Command {
	return ofRunning(cluster, "down", "Stop the cluster, and whatever runs on it", func(ctx context.Context, c *devcluster.Cluster) (string, error) {
		if err := c.Stop(ctx); err != nil {
			return "", failure{fmt.Errorf("the cluster could not be stopped: %w", err)}
		}
		return "stopped", nil
	})
}

// ofRunning is a command that does something with the cluster, if it runs, and prints the answer.
func ofRunning(cluster func() (*devcluster.Cluster, error), name, short string,
	do func(context.Context, *devcluster.Cluster) (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  slackline yarn dev " + name,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := cluster()
			if err != nil {
				return err
			}
			text := "no cluster is running in " + report.Printable(c.Dir)
			if c.Runs() {
				text, err = do(cmd.Context(), c)
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			return err
		},
	}
}

// newYarnDevNode is the command by which nodes of the cluster are rented.
func newYarnDevNode(cluster func() (*devcluster.Cluster, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "node",
		Short: "Rent NodeManagers of the cluster: a command for offers of yarn serve",
		Long: `Reads one line of JSON, as any command for offers does (slackline yarn serve --offers), and starts a NodeManager of the cluster, has
one decommissioned gracefully, or lists those that it has started.`,
		Example: "  slackline yarn dev status",
		Args:    exactly(0, "no arguments; it reads one line of JSON"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := cluster()
			if err != nil {
				return err
			}
			outside.Store(true)
			return asFailure(cloud.Answer(cmd.Context(), devcluster.Renting{Cluster: c}, cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
}

// newYarnDevHost is what up starts in the namespaces of the cluster.
func newYarnDevHost() *cobra.Command {
	return &cobra.Command{
		Use:     "host DIR",
		Short:   "Run the daemons of the cluster: up starts this",
		Example: "  slackline yarn dev status",
		Hidden:  true,
		Args:    exactly(1, "the folder of the cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if os.Getpid() != 1 {
				return errors.New("slackline yarn dev up starts this, in namespaces of its own")
			}
			outside.Store(true)
			return asFailure(devcluster.Host(cmd.Context(), args[0]))
		},
	}
}
