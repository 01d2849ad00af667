package sensor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/slackline/slackline/internal/kernel/filelock"
)

// Nodes are those of a ResourceManager. What each has when nothing is taken away is kept in a file until it
// has it again, so that a process which is started after another one was killed does not take a part for the whole.
type Nodes struct {
	base, user, file string
	lock             *os.File
	whole            map[string]amounts // by YARN's name of the node
}

// amounts are what a node has.
type amounts struct {
	Memory int64 `json:"memory"` // MB
	VCores int64 `json:"vCores"`
}

// part is that part of it, and of what is not nothing at least one, unless the part is 0.
func (a amounts) part(part float64) amounts {
	of := func(n int64) int64 {
		if part == 0 || n == 0 {
			return 0
		}
		return max(1, int64(math.Round(part*float64(n))))
	}
	return amounts{of(a.Memory), of(a.VCores)}
}

// OpenNodes prepares for the ResourceManager at an address such as http://host:8088. It is asked as this
// user, who must be an administrator of YARN. The state is kept in the folder.
func OpenNodes(base, user, dir string) (*Nodes, error) {
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("%q is no address of a ResourceManager's web service; write it as http://host:8088", base)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	n := &Nodes{base: strings.TrimRight(base, "/"), user: user, file: filepath.Join(dir, url.QueryEscape(at.Host)+".json"), whole: map[string]amounts{}}
	if n.lock, err = filelock.Take(n.file+".lock", 0o600); err != nil {
		if errors.Is(err, filelock.ErrTaken) {
			return nil, fmt.Errorf("another process changes the nodes of %s already", base)
		}
		return nil, err
	}
	text, err := os.ReadFile(n.file)
	if err == nil {
		err = json.Unmarshal(text, &n.whole)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s cannot be read: %w; remove it once all nodes have all of their resources", n.file, err), n.lock.Close())
	}
	return n, nil
}

// Close lets another process do it.
func (n *Nodes) Close() error { return n.lock.Close() }

// restNode is a node as the web service tells of it.
type restNode struct {
	ID                          string
	State                       string
	UsedMemoryMB, AvailMemoryMB json.Number
	UsedVirtualCores            json.Number
	AvailableVirtualCores       json.Number
	TotalResource               struct {
		ResourceInformations struct {
			ResourceInformation []struct {
				Name  string
				Value json.Number
			}
		}
	}
}

// list asks which nodes run, and what each has.
func (n *Nodes) list(ctx context.Context) (map[string]amounts, error) {
	var answer struct {
		Nodes struct{ Node json.RawMessage }
	}
	status, err := ask(ctx, http.DefaultClient, http.MethodGet, n.base+"/ws/v1/cluster/nodes", nil, &answer)
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fmt.Errorf("%s/ws/v1/cluster/nodes: %d %s; is it a ResourceManager?", n.base, status, http.StatusText(status))
	}
	nodes := make([]restNode, 1)
	if list := answer.Nodes.Node; len(list) > 0 && list[0] == '{' { // some releases write a list of one so
		err = json.Unmarshal(list, &nodes[0])
	} else if nodes = nil; len(list) > 0 {
		err = json.Unmarshal(list, &nodes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/ws/v1/cluster/nodes: %w", n.base, err)
	}
	have := make(map[string]amounts)
	for i := range nodes {
		node := &nodes[i]
		if node.State != "RUNNING" {
			continue
		}
		sum := func(a, b json.Number) int64 {
			x, _ := a.Int64() // 0 where nothing is said
			y, _ := b.Int64()
			return x + y
		}
		have[node.ID] = amounts{sum(node.UsedMemoryMB, node.AvailMemoryMB), sum(node.UsedVirtualCores, node.AvailableVirtualCores)}
		for _, r := range node.TotalResource.ResourceInformations.ResourceInformation {
			if x, _ := r.Value.Int64(); x > 0 && r.Name != "memory-mb" && r.Name != "vcores" {
				return nil, fmt.Errorf("the node %s has %d of %q besides memory and cores, which a change of these would take away", node.ID, x, r.Name)
			}
		}
	}
	return have, nil
}

// Offer gives all nodes this part of what they have as a whole, those too that came or came back since. It
// returns how many were changed.
func (n *Nodes) Offer(ctx context.Context, part float64) (changed int, err error) {
	have, err := n.list(ctx)
	if err != nil {
		return 0, err
	}
	grew := false
	for id, is := range have {
		all := amounts{max(is.Memory, n.whole[id].Memory), max(is.VCores, n.whole[id].VCores)}
		grew = grew || all != n.whole[id]
		n.whole[id] = all
	}
	if grew {
		if err := n.save(); err != nil {
			return 0, err
		}
	}
	for id, is := range have {
		goal := n.whole[id].part(part)
		if goal == is {
			continue
		}
		if bad := n.update(ctx, id, goal); bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		changed++
	}
	return changed, err
}

// Restore gives all nodes all of it, if they were given less. What is known of them is forgotten.
func (n *Nodes) Restore(ctx context.Context) error {
	if len(n.whole) == 0 {
		return nil
	}
	if _, err := n.Offer(ctx, 1); err != nil {
		return err
	}
	n.whole = map[string]amounts{}
	return os.Remove(n.file)
}

// update asks for a node's resources, for good.
func (n *Nodes) update(ctx context.Context, id string, to amounts) error {
	var body struct {
		Resource amounts `json:"resource"`
		Timeout  int     `json:"overCommitTimeout"`
	}
	body.Resource, body.Timeout = to, -1
	text, err := json.Marshal(&body)
	if err != nil {
		return err
	}
	at := n.base + "/ws/v1/cluster/nodes/" + url.PathEscape(id) + "/resource?user.name=" + url.QueryEscape(n.user)
	var answer struct{ RemoteException struct{ Message string } }
	status, err := ask(ctx, http.DefaultClient, http.MethodPost, at, bytes.NewReader(text), &answer)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the node %s cannot be changed: %d %s %s", id, status, http.StatusText(status), answer.RemoteException.Message)
	}
	return err
}

// save writes what nodes have as a whole.
func (n *Nodes) save() error {
	text, err := json.MarshalIndent(n.whole, "", "\t")
	if err == nil {
		err = os.WriteFile(n.file+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(n.file+".new", n.file)
	}
	return err
}
