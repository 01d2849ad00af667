package devcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// Runs tells whether the cluster in the folder has its processes.
func (c *Cluster) Runs() bool { return filelock.Taken(c.path("lock")) }

// Start starts the cluster, and waits until all its nodes are there. The command is this program as it hosts a
// cluster. A cluster that does not get ready is ended.
func (c *Cluster) Start(ctx context.Context, host []string) error {
	log, err := os.Create(c.path("host.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	script := append([]string{"sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, c.path("hosts")}, host...)
	cmd := unshared(context.WithoutCancel(ctx), script...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.Dir
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := write(c.path("pid"), strconv.Itoa(cmd.Process.Pid)+"\n", 0o600); err != nil {
		return errors.Join(err, cmd.Process.Kill())
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	for {
		select {
		case err := <-over:
			said, _ := os.ReadFile(log.Name()) // what cannot be read says nothing
			if text := strings.TrimSpace(string(bytes.TrimPrefix(said, []byte("slackline: ")))); text != "" {
				return errors.New(text)
			}
			return fmt.Errorf("its processes have ended: %w", err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), c.Stop(context.WithoutCancel(ctx)))
		case <-time.After(300 * time.Millisecond):
		}
		if s := c.Look(ctx); s.Ready(c.Nodes) {
			return nil
		}
	}
}

// Stop ends all its processes, and waits until they are gone.
func (c *Cluster) Stop(ctx context.Context) error {
	text, err := os.ReadFile(c.path("pid"))
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 2 {
		return fmt.Errorf("%s does not contain a process number", c.path("pid"))
	}
	p, err := os.FindProcess(pid)
	if err == nil && c.Runs() { // else the number may be another's by now
		err = p.Kill() // the kernel ends the rest
	}
	for err == nil && c.Runs() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return err
}

// State is what a cluster says of itself.
type State struct {
	NodeManagers, DataNodes int
	History                 bool
}

// Ready tells whether all so many nodes, and the rest, are there.
func (s *State) Ready(nodes int) bool {
	return s.NodeManagers == nodes && s.DataNodes == nodes && s.History
}

// Look asks the daemons. What does not answer is not there.
func (c *Cluster) Look(ctx context.Context) (s State) {
	if text, err := os.ReadFile(c.path("nodes")); err == nil {
		c.Nodes, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	var metrics struct {
		ClusterMetrics struct{ ActiveNodes int } `json:"clusterMetrics"`
	}
	if ask(ctx, "http://127.0.1.11:8088/ws/v1/cluster/metrics", &metrics) == nil {
		s.NodeManagers = metrics.ClusterMetrics.ActiveNodes
	}
	var beans struct {
		Beans []struct{ NumLiveDataNodes int } `json:"beans"`
	}
	if ask(ctx, "http://127.0.1.10:9870/jmx?qry=Hadoop:service=NameNode,name=FSNamesystem", &beans) == nil && len(beans.Beans) > 0 {
		s.DataNodes = beans.Beans[0].NumLiveDataNodes
	}
	var any json.RawMessage
	s.History = ask(ctx, "http://127.0.1.12:19888/ws/v1/history/info", &any) == nil
	return s
}

func ask(ctx context.Context, url string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
