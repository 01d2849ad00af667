package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// What holds for jobs of a queue is refused where no job stands, with its place.
func TestKeysOfLeaves(t *testing.T) {
	for _, key := range []string{"weight: 2", "min_maps: 1", "min_reduces: 1", "jobs: fifo", "minimum_user_limit: 50", "user_limit_factor: 2", "min_share_timeout: 1m",
		"max_master_share: 5"} {
		name, _, _ := strings.Cut(key, ":")
		if name == "min_share_timeout" {
			key += ", min_maps: 1"
		}
		read := func(outer, inner string) error {
			_, err := Read("s.yaml", fmt.Appendf(nil, "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s, queue: ui}]}\nqueues:\n"+
				"  - {name: dev, capacity: 50, %s, queues: [{name: ui, capacity: 50, %s}]}\n", outer, inner))
			return err
		}
		want := fmt.Sprintf(`s.yaml:4:%d: queue "dev": %s has no effect here`, 31+len(name)+2, name)
		if err := read(key, "maximum: 60"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		} else if strings.Count(err.Error(), "\n") != strings.Count(key, ",") {
			t.Errorf("%s is told more than once: %v", key, err)
		}
		if err := read("max_running: 3", key); err != nil {
			t.Errorf("%s of a leaf: %v", key, err)
		}
	}
}
