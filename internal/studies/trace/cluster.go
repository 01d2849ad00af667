package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
)

// clusterRoot is where a ResourceManager tells of its cluster.
const clusterRoot = "/ws/v1/cluster"

// Cluster is what a ResourceManager tells of its cluster.
type Cluster struct {
	Nodes  []ClusterNode
	Queues []ClusterQueue // parents before their children
	Beat   units.Duration // how often nodes report
}

// ClusterNode is a node that is in service.
type ClusterNode struct {
	Host, Rack string
	Has        units.Vector // memory and vcores
}

// ClusterQueue is a queue of a CapacityScheduler. Shares are percent.
type ClusterQueue struct {
	Path                         string // root.prod.nightly
	Capacity, Maximum, UserLimit float64
	UserFactor, Masters          float64 // of Masters, what ApplicationMasters may take of it; 0 = not told
	Running                      int     // at most so many applications at a time; 0 = any number
}

// Machines are the nodes as simulations have them.
func (c *Cluster) Machines() *cluster.Cluster {
	all, racks, classes := &cluster.Cluster{}, map[string]cluster.RackID{}, map[units.Vector]*cluster.Class{}
	for _, n := range c.Nodes {
		if racks[n.Rack] == 0 {
			all.Racks++
			racks[n.Rack] = cluster.RackID(all.Racks)
		}
		class := classes[n.Has]
		if class == nil {
			class = &cluster.Class{Name: n.Has.Words(nil), Speed: 1, Capacity: n.Has}
			classes[n.Has], all.Classes = class, append(all.Classes, class)
		}
		all.Nodes = append(all.Nodes, &cluster.Node{Name: n.Host, Rack: racks[n.Rack], Class: class})
	}
	return all
}

type restNode struct {
	Host       scalar `json:"nodeHostName"`
	Rack       scalar `json:"rack"`
	State      scalar `json:"state"`
	Used       scalar `json:"usedMemoryMB"`
	Free       scalar `json:"availMemoryMB"`
	UsedVCores scalar `json:"usedVirtualCores"`
	FreeVCores scalar `json:"availableVirtualCores"`
}

type restQueue struct {
	Path       string  `json:"queuePath"`
	Name       string  `json:"queueName"`
	Capacity   float64 `json:"capacity"`
	Maximum    float64 `json:"maxCapacity"`
	UserLimit  float64 `json:"userLimit"`
	UserFactor float64 `json:"userLimitFactor"`
	Running    float64 `json:"maxParallelApps"`
	Queues     struct {
		Each raw `json:"queue"`
	} `json:"queues"`
	Capacities struct {
		Each []struct {
			Partition string  `json:"partitionName"`
			Masters   float64 `json:"maxAMLimitPercentage"`
		} `json:"queueCapacitiesByPartition"`
	} `json:"capacities"`
}

// NodeClasses asks the ResourceManager at an address such as http://host:8088 for the class of each node, by its host:
// nodes that have as much memory and as many vcores are of one class, which is called as in a world of YARN.
func NodeClasses(ctx context.Context, base string) (map[string]string, error) {
	c, err := readCluster(ctx, base, nil, false)
	return c.classes(), err
}

func (c *Cluster) classes() map[string]string {
	classes := make(map[string]string)
	for _, n := range c.Nodes {
		classes[n.Host] = n.Has.Words(nil)
	}
	return classes
}

// ReadCluster asks the ResourceManager at an address such as http://host:8088 for its nodes and queues. Another
// scheduler than the CapacityScheduler tells no queues.
func ReadCluster(ctx context.Context, base string) (Cluster, error) {
	return readCluster(ctx, base, nil, true)
}

func readCluster(ctx context.Context, base string, by http.RoundTripper, queues bool) (c Cluster, err error) {
	h := &jobHistory{ctx: ctx, client: &http.Client{Timeout: answerTime, Transport: by}, base: strings.TrimRight(base, "/"), root: clusterRoot}
	h.place = place{o: Options{File: base}}
	each(h, h.need, "nodes", "node", func(n *restNode) {
		if state := string(n.State.text); state != "" && state != "RUNNING" {
			return
		}
		mb := h.number("usedMemoryMB", n.Used, 0) + h.number("availMemoryMB", n.Free, 0)
		c.Nodes = append(c.Nodes, ClusterNode{string(n.Host.text), string(n.Rack.text), units.Vector{units.Memory: mb * int64(units.MB),
			units.VCores: h.number("usedVirtualCores", n.UsedVCores, 0) + h.number("availableVirtualCores", n.FreeVCores, 0)}})
	}, "nodes")
	var scheduler struct {
		Scheduler struct{ SchedulerInfo raw }
	}
	if queues && h.ask(&scheduler, "scheduler") {
		c.below("", one(scheduler.Scheduler.SchedulerInfo), h)
	}
	if c.Beat = units.Second; queues && h.bad == nil { // what Hadoop has where nothing is said, or nobody may ask
		var conf struct {
			Property struct{ Value scalar }
		}
		h.root = "/conf?name=yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
		if h.ask(&conf); h.bad == nil {
			if ms := h.number("value", conf.Property.Value, 0); ms > 0 {
				c.Beat = units.Duration(ms) * units.Millisecond
			}
		}
		h.bad = nil
	}
	return c, h.stop()
}

// below adds the queues of a list, and those below them.
func (c *Cluster) below(path string, list raw, h *jobHistory) {
	var some []restQueue
	if len(list) == 0 || h.bad != nil {
		return
	}
	if err := json.Unmarshal(list, &some); err != nil {
		h.failf("queue", "it is not what a CapacityScheduler tells: %v", err)
		return
	}
	for _, q := range some {
		at := cmp.Or(q.Path, strings.TrimPrefix(path+"."+q.Name, "."))
		if at == "" {
			continue // another scheduler
		}
		running := 0
		if q.Running > 0 && q.Running < 1e9 {
			running = int(q.Running)
		}
		masters := 0.0
		for _, p := range q.Capacities.Each {
			if p.Partition == "" {
				masters = p.Masters
			}
		}
		c.Queues = append(c.Queues, ClusterQueue{at, q.Capacity, q.Maximum, q.UserLimit, q.UserFactor, masters, running})
		c.below(at, one(q.Queues.Each), h)
	}
}
