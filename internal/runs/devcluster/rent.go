package devcluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/kernel/filelock"
	"github.com/slackline/slackline/internal/worlds/cloud"
)

// A rented node is a file in the folder "rented", by the node's name, in which its token stands; back is behind the
// name when it was given back. The process that hosts the cluster starts NodeManagers for such files, and has the
// ResourceManager decommission those that go back: gracefully, so that what runs there ends and what jobs fetch from
// there is fetched. When the NodeManager has ended for that, the file goes.

const back = ".back"

// decommissioned is after how many seconds a node goes whatever runs there.
const decommissioned = "3600"

func (c *Cluster) excluded() string { return c.path("conf", "exclude") }

// rentals returns the tokens of what is rented by name of the node, those to go with back behind it.
func (c *Cluster) rentals() (map[string]string, error) {
	files, err := os.ReadDir(c.path("rented"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]string{}
	for _, f := range files {
		token, err := os.ReadFile(c.path("rented", f.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may just have gone
			return nil, err
		} else if err == nil {
			all[f.Name()] = string(token)
		}
	}
	return all, nil
}

// Renting is the cluster as a provider of NodeManagers.
type Renting struct{ *Cluster }

// locked does something to what is rented while nobody else does.
func (r Renting) locked(do func(rented map[string]string) error) error {
	if !r.Runs() {
		return fmt.Errorf("no cluster is running in %s", r.Dir)
	}
	if err := os.MkdirAll(r.path("rented"), 0o700); err != nil {
		return err
	}
	var lock *os.File
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if lock, err = filelock.Take(r.path("rented.lock"), 0o600); err == nil {
			break
		} else if !errors.Is(err, filelock.ErrTaken) || time.Now().After(end) {
			return err
		}
	}
	defer lock.Close()
	rented, err := r.rentals()
	if err != nil {
		return err
	}
	return do(rented)
}

// Rent implements cloud.Provider: all classes are of one kind.
func (r Renting) Rent(ctx context.Context, token, _ string, _ float64) error {
	r.Look(ctx)
	return r.locked(func(rented map[string]string) error {
		for _, t := range rented {
			if t == token {
				return nil
			}
		}
		for i := r.Nodes + 1; i <= MostNodes; i++ {
			name := fmt.Sprintf("n%d", i)
			if rented[name] == "" && rented[name+back] == "" {
				return write(r.path("rented", name), token, 0o600)
			}
		}
		return fmt.Errorf("all %d nodes that there are names for are there", MostNodes)
	})
}

// GiveBack implements cloud.Provider.
func (r Renting) GiveBack(_ context.Context, token string) error {
	return r.locked(func(rented map[string]string) error {
		for name, t := range rented {
			if t == token && !strings.HasSuffix(name, back) {
				return os.Rename(r.path("rented", name), r.path("rented", name+back))
			}
		}
		return nil
	})
}

// There implements cloud.Provider. A node serves when the ResourceManager says so.
func (r Renting) There(ctx context.Context) (list []cloud.Node, err error) {
	var nodes struct {
		Nodes struct {
			Node []struct{ NodeHostName, State string } `json:"node"`
		} `json:"nodes"`
	}
	up := map[string]bool{}
	if ask(ctx, "http://127.0.1.11:8088/ws/v1/cluster/nodes", &nodes) == nil { // else none is known to serve
		for _, n := range nodes.Nodes.Node {
			up[n.NodeHostName] = n.State == "RUNNING" || n.State == "DECOMMISSIONING"
		}
	}
	err = r.locked(func(rented map[string]string) error {
		for name, token := range rented {
			name, _ = strings.CutSuffix(name, back)
			list = append(list, cloud.Node{Token: token, Name: name, Up: up[name]})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b cloud.Node) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// hostRented runs the NodeManagers of what is rented, until the context ends or its files cannot be read.
func (c *Cluster) hostRented(ctx context.Context) error {
	run, ended := map[string]bool{}, make(chan string)
	var out []string // that are to leave
	for changed := false; ; {
		rented, err := c.rentals()
		if err != nil {
			return err
		}
		for i := c.Nodes + 1; i <= MostNodes; i++ {
			d := nodeManager(i)
			switch leaves := slices.Contains(out, d.node); {
			case rented[d.node] != "" && !run[d.node]:
				run[d.node] = true
				go func() {
					_ = c.run(ctx, d) // its log says why; as long as it is rented it is started again
					select {
					case ended <- d.node:
					case <-ctx.Done():
					}
				}()
			case rented[d.node+back] != "" && run[d.node] && !leaves:
				out, changed = append(out, d.node), true
			case rented[d.node+back] != "" && !run[d.node]:
				if leaves {
					out, changed = slices.DeleteFunc(out, func(n string) bool { return n == d.node }), true
				} else if err := os.Remove(c.path("rented", d.node+back)); err != nil {
					return err
				}
			}
		}
		changed = changed && c.exclude(ctx, out) != nil // its log says why; it is tried again
		select {
		case name := <-ended:
			run[name] = false
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
}

// exclude has the ResourceManager decommission these nodes, and take the others again.
func (c *Cluster) exclude(ctx context.Context, nodes []string) error {
	if err := write(c.excluded(), strings.Join(nodes, "\n")+"\n", 0o600); err != nil {
		return err
	}
	admin := daemon{"rmadmin", "client", "org.apache.hadoop.yarn.client.cli.RMAdminCLI", 128, 860}
	return c.run(ctx, admin, "-refreshNodes", "-g", decommissioned, "-server")
}
