package devcluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// daemon is a process of Hadoop's.
type daemon struct {
	name, node, class string
	heap              int // MB
	port              int // the first two digits of a DataNode's ports, as DataNodes must not share any
}

// daemons are those of a cluster with so many nodes.
func daemons(nodes int) []daemon {
	list := []daemon{
		{"namenode", "nn", "org.apache.hadoop.hdfs.server.namenode.NameNode", 256, 860},
		{"resourcemanager", "rm", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", 320, 860},
		{"jobhistory", "jhs", "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer", 192, 860},
	}
	for i := range nodes {
		n := fmt.Sprintf("n%d", i+1)
		list = append(list, daemon{"datanode-" + n, n, "org.apache.hadoop.hdfs.server.datanode.DataNode", 160, 861 + i}, nodeManager(i+1))
	}
	return list
}

// nodeManager is that of the i-th node.
func nodeManager(i int) daemon {
	n := fmt.Sprintf("n%d", i)
	return daemon{"nodemanager-" + n, n, "org.apache.hadoop.yarn.server.nodemanager.NodeManager", 256, 860 + i}
}

// command is how a daemon is started.
func (c *Cluster) command(ctx context.Context, d daemon, args ...string) *exec.Cmd {
	words := append([]string{fmt.Sprintf("-Xmx%dm", d.heap)}, strings.Fields(jvm+" "+opens())...)
	words = append(words, "-Djava.io.tmpdir="+c.path("tmp"), "-Dhadoop.log.dir="+c.path("logs"), "-Dsl.node="+d.node, fmt.Sprintf("-Dsl.port=%d", d.port),
		"-cp", strings.Join([]string{c.path("conf"), c.path("plugin", "*"), c.path("lib", "*")}, string(filepath.ListSeparator)), d.class)
	return exec.CommandContext(ctx, "java", append(words, args...)...)
}

// mostComebacks is how often a daemon that was killed is started again.
const mostComebacks = 10

// Host runs the daemons of the cluster in a folder until the context ends, or one of them does, which is the
// error. One that somebody kills is started again, as a machine that comes back: so it can be tried what a job
// and its promise make of that. It is to be the first process of its namespaces, so that all others go with it.
func Host(ctx context.Context, dir string) error {
	c := &Cluster{Dir: dir}
	text, err := os.ReadFile(c.path("nodes"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &c.Nodes)
	}
	if err != nil {
		return err
	}
	lock, err := filelock.Take(c.path("lock"), 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	for _, d := range []string{"logs", "tmp", "data"} {
		if err := os.MkdirAll(c.path(d), 0o700); err != nil {
			return err
		}
	}
	all := daemons(c.Nodes)
	for _, d := range all {
		if err := os.Remove(c.log(d)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if _, err := os.Stat(c.path("data", "nn", "current")); errors.Is(err, os.ErrNotExist) {
		if err := c.run(ctx, all[0], "-format", "-nonInteractive", "-force"); err != nil {
			return err
		}
	}
	ended := make(chan error, len(all)+1)
	go func() { ended <- c.hostRented(ctx) }()
	for _, d := range all {
		go func() {
			err := c.run(ctx, d)
			for n := 0; n < mostComebacks && killed(err) && ctx.Err() == nil; n++ {
				err = c.run(ctx, d)
			}
			ended <- cmp.Or(err, fmt.Errorf("%s has ended", d.name))
		}()
	}
	select {
	case err := <-ended:
		if ctx.Err() == nil {
			return err
		}
	case <-ctx.Done():
	}
	return nil
}

// log is the file of what a daemon says.
func (c *Cluster) log(d daemon) string { return c.path("logs", d.name+".log") }

// killed tells whether a process ended by SIGKILL.
func killed(err error) bool {
	exit, is := errors.AsType[*exec.ExitError](err)
	return is && exit.String() == "signal: killed"
}

// run runs a daemon to its end; what it says goes behind what its log has.
func (c *Cluster) run(ctx context.Context, d daemon, args ...string) error {
	log, err := os.OpenFile(c.log(d), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := c.command(ctx, d, args...)
	cmd.Stdout, cmd.Stderr = io.Writer(log), log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s has ended: %w; see %s", d.name, err, log.Name())
	}
	return nil
}
