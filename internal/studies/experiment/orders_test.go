package experiment

import (
	"context"
	"math"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// By hand. Capacity halves at 20 s, by the speed of the node or by one of two nodes.
func TestOrdersByHand(t *testing.T) {
	for _, c := range []struct {
		name, cluster, jobs string
		edf, best           float64
	}{
		// b ends at 10, a has 10 s left at 20, and ends at 40: a third late. The other order: a ends at 20 in
		// time, b at 40, three deadlines late.
		{"speed", "{nodes: 1, map_slots: 1, reduce_slots: 1, speed_steps: [{at: 20s, factor: 0.5}]}",
			"{id: a, class: c, maps: 1, map_time: 20s, reduces: 0, deadline: 30s}, {id: b, class: c, maps: 1, map_time: 10s, reduces: 0, deadline: 10s}",
			(1./3 + 0) / 2, (1./3 + 0) / 2},
		// By deadline b ends at 50 and a at 60, both late. The other way a ends at 10 and b at 60.
		{"not by deadline", "{nodes: 1, map_slots: 1, reduce_slots: 1}",
			"{id: a, class: c, maps: 1, map_time: 10s, reduces: 0, deadline: 13s}, {id: b, class: c, maps: 1, map_time: 50s, reduces: 0, deadline: 12s}",
			(38./12 + 47./13) / 2, (0 + 48./12) / 2},
		// 2 slots until 20 are 40 s of work, the other 40 take until 60. Then the reduce.
		{"nodes and reduces", "{nodes: 2, map_slots: 1, reduce_slots: 1, node_steps: [{at: 20s, nodes: 1}]}",
			"{id: c, class: c, maps: 4, map_time: 20s, reduces: 1, reduce_time: 10s, deadline: 35s}", 1, 1},
	} {
		s, err := scenario.Read("s.yaml", []byte("cluster: "+c.cluster+"\nworkload: {jobs: ["+c.jobs+"]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		for best, want := range map[bool]float64{false: c.edf, true: c.best} {
			got, err := ordered(best)(context.Background(), &computed{scenario: s}, 0, 1)
			if err != nil || math.Abs(got["penalty"]-want) > 1e-9 {
				t.Errorf("%s, best %v: %v, %v, want %v", c.name, best, got, err, want)
			}
		}
	}
}
