package main

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs/sensor"
	"github.com/slackline/slackline/units"
)

// sensorFlags say what tells how much of the cluster there is.
type sensorFlags struct {
	trace, command, prometheus, query, cgroup string
	every                                     time.Duration
}

func newYarnCapacity(o *options) *cobra.Command {
	var f sensorFlags
	cmd := &cobra.Command{
		Use:   "capacity http://RESOURCEMANAGER:8088",
		Short: "Give the nodes of a cluster as much of their resources as a sensor tells",
		Long: `Gives every node of the cluster that part of its memory and cores which a sensor tells, until Ctrl-C or SIGTERM: where power, or
load beside the cluster, leaves less. YARN's scheduler and slackline yarn serve both see it (node resource updates). Containers that
run are not ended; a node gets no more until they have left room. At the end all nodes have all again.

The part is a number from 0 to 1, of one of these:

  --trace       a CSV file with the columns at and capacity, as for slackline run --slots-trace; at counts from the start
  --command     a line of shell that prints it
  --prometheus  a server, and --query one whose result is a single value
  --cgroup      a folder of a control group (version 2) on this machine: the processors that its cpu.max allows, of all

Nodes that come later get their part too. Where the sensor fails all stays as it was. The ResourceManager is asked by its web
service, as the user who runs the command, who must be one of YARN's administrators (yarn.admin.acl).`,
		Example: `  slackline yarn capacity http://127.0.1.11:8088 --trace examples/halved.csv
  slackline yarn capacity http://rm:8088 --prometheus http://prometheus:9090 --query 'avg(power_available_ratio)'
  slackline yarn capacity http://rm:8088 --command 'cat /run/capacity' --every 30s`,
		Args: exactly(1, "the address of a ResourceManager"),
		RunE: func(cmd *cobra.Command, args []string) error {
			read, err := f.sensor()
			if err != nil {
				return err
			}
			if f.every <= 0 {
				return fmt.Errorf("--every is %v, it must be above 0", f.every)
			}
			dir, err := o.dataDir()
			if err != nil {
				return err
			}
			me, err := user.Current()
			if err != nil {
				return err
			}
			nodes, err := sensor.OpenNodes(args[0], me.Username, filepath.Join(dir, "yarn-capacity"))
			if err != nil {
				return err
			}
			defer nodes.Close()
			return f.follow(cmd, read, nodes)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.trace, "trace", "", "CSV file with the columns at and capacity")
	_ = cmd.MarkFlagFilename("trace", "csv")
	flags.StringVar(&f.command, "command", "", "line of shell that prints the part")
	flags.StringVar(&f.prometheus, "prometheus", "", "address of a Prometheus server, such as http://host:9090")
	flags.StringVar(&f.query, "query", "", "with --prometheus: the query")
	flags.StringVar(&f.cgroup, "cgroup", "", "folder of a control group, such as /sys/fs/cgroup/batch.slice")
	_ = cmd.MarkFlagDirname("cgroup")
	flags.DurationVar(&f.every, "every", 10*time.Second, "how often the sensor is read")
	cmd.MarkFlagsOneRequired("trace", "command", "prometheus", "cgroup")
	cmd.MarkFlagsMutuallyExclusive("trace", "command", "prometheus", "cgroup")
	cmd.MarkFlagsRequiredTogether("prometheus", "query")
	o.bindStore(flags)
	return cmd
}

// sensor is the one that the flags name.
func (f *sensorFlags) sensor() (sensor.Sensor, error) {
	switch {
	case f.trace != "":
		read, err := sensor.Trace(f.trace, time.Now)
		if err != nil {
			err = fmt.Errorf("--trace: %w", err)
		}
		return read, err
	case f.command != "":
		return sensor.Command(f.command), nil
	case f.prometheus != "":
		return sensor.Prometheus(f.prometheus, f.query), nil
	}
	return sensor.Cgroup(f.cgroup), nil
}

// follow keeps the nodes at what the sensor tells. What fails at the beginning ends it, later it is said once.
func (f *sensorFlags) follow(cmd *cobra.Command, read sensor.Sensor, nodes *sensor.Nodes) error {
	ctx, w := cmd.Context(), cmd.ErrOrStderr()
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "%s  %s\n", time.Now().Format(time.DateTime), fmt.Sprintf(format, args...))
	}
	outside.Store(true)
	turn := time.NewTicker(f.every)
	defer turn.Stop()
	began, failed := false, ""
	for {
		part, err := read(ctx)
		changed := 0
		if err == nil {
			changed, err = nodes.Offer(ctx, part)
		}
		if changed > 0 {
			say("%.4g of all: %s changed", part, units.Count(changed, "node"))
		}
		switch {
		case ctx.Err() != nil:
		case err == nil:
			began, failed = true, ""
		case !began:
			return errors.Join(err, restore(ctx, nodes))
		case err.Error() != failed:
			failed = err.Error()
			say("all stays as it was: %v", err)
		}
		select {
		case <-ctx.Done():
			if err := restore(ctx, nodes); err != nil {
				return failure{fmt.Errorf("nodes have not got all back, which the next slackline yarn capacity does: %w", err)}
			}
			say("all nodes have all again")
			return nil
		case <-turn.C:
		}
	}
}

// restore gives the nodes all, also when the run was interrupted.
func restore(ctx context.Context, nodes *sensor.Nodes) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return nodes.Restore(ctx)
}
