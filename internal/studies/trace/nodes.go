package trace

import (
	"context"
	"net/http"
	"strings"

	"github.com/slackline/slackline/units"
)

// clusterRoot is where a ResourceManager tells of its cluster.
const clusterRoot = "/ws/v1/cluster"

type restNode struct {
	Host       scalar `json:"nodeHostName"`
	Used       scalar `json:"usedMemoryMB"`
	Free       scalar `json:"availMemoryMB"`
	UsedVCores scalar `json:"usedVirtualCores"`
	FreeVCores scalar `json:"availableVirtualCores"`
}

// NodeClasses asks the ResourceManager at an address such as http://host:8088 for the class of each node, by its host:
// nodes that have as much memory and as many vcores are of one class, which is called as in a world of YARN.
func NodeClasses(ctx context.Context, base string) (map[string]string, error) {
	return nodeClasses(ctx, base, nil)
}

func nodeClasses(ctx context.Context, base string, by http.RoundTripper) (map[string]string, error) {
	h := &jobHistory{ctx: ctx, client: &http.Client{Timeout: answerTime, Transport: by}, base: strings.TrimRight(base, "/"), root: clusterRoot}
	h.place = place{o: Options{File: base}}
	classes := make(map[string]string)
	each(h, h.need, "nodes", "node", func(n *restNode) {
		mb := h.number("usedMemoryMB", n.Used, 0) + h.number("availMemoryMB", n.Free, 0)
		has := units.Vector{units.Memory: mb * int64(units.MB),
			units.VCores: h.number("usedVirtualCores", n.UsedVCores, 0) + h.number("availableVirtualCores", n.FreeVCores, 0)}
		classes[string(n.Host.text)] = has.Words(nil)
	}, "nodes")
	return classes, h.stop()
}
