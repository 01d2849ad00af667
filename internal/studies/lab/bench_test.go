package lab

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// BenchmarkSimulate plays whole scenarios as the command does: simulator, ledger, policy and
// report, without a journal. The cluster is kept busy by jobs of 200 maps and 20 reduces that
// arrive as fast as it can run them.
func BenchmarkSimulate(b *testing.B) {
	for _, policy := range []string{"fifo", "edf-p", "fair", "capacity"} {
		for _, nodes := range []int{100, 1000} {
			b.Run(fmt.Sprintf("%s/nodes=%d", policy, nodes), func(b *testing.B) {
				jobs := 3 * nodes / 10
				text := fmt.Sprintf("name: bench\ncluster: {nodes: %d, racks: 20, map_slots: 2, reduce_slots: 1, heartbeat: 3s, replicas: 3}\nworkload:\n  jobs:\n", nodes)
				for j := range jobs {
					text += fmt.Sprintf("    - {id: j%d, class: c, queue: q%d, arrive: %dms, maps: 200, reduces: 20, map_time: 20s, shuffle_time: 5s, reduce_time: 30s, deadline: %ds}\n",
						j, j%5, j*3000000/nodes, 4000+j*7919%4000)
				}
				s, err := scenario.Read("bench.yaml", []byte(text))
				if err != nil {
					b.Fatal(err)
				}
				tasks, events := int64(0), int64(0)
				b.ReportAllocs()
				for range b.N {
					r, err := Run(context.Background(), Cell{Scenario: "bench", Policy: policy, Seed: 1, World: Simulated(s.Sim(1))})
					if err != nil {
						b.Fatal(err)
					}
					if r.Summary.Finished() != jobs {
						b.Fatalf("%d of %d jobs finished", r.Summary.Finished(), jobs)
					}
					tasks += int64(r.Summary.Tasks)
					events += int64(r.Summary.Events)
				}
				b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
				b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}
