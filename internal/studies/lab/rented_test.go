package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// Nodes come because of deadlines and leave again, and no task runs twice for it: what lies on them alone, blocks and
// map outputs that are still wanted, keeps them.
func TestNoTaskRunsTwiceForNodesThatLeave(t *testing.T) {
	games, rented, left := 60, 0, 0
	if os.Getenv("SLACKLINE_LONG") != "" {
		games = 1000
	}
	for seed := range uint64(games) {
		r := rand.New(rand.NewPCG(seed, 38))
		yaml := fmt.Sprintf(`
cluster: {nodes: %d, map_slots: 1, reduce_slots: 1, heartbeat: 1s, replicas: %d, task_times: {law: lognormal, cv: 0.4}, offers: [{name: m, most: 8, price: 1, boot: %ds}]}
profiles: rehearsed
workload:
  mix: {class: c, rate: 6.4MB, ratio: 0.3, shuffle_rate: 20MB, reduce_rate: 10MB, arrivals: {process: poisson, every: 40s}, jobs: [{id: s, count: 8, maps: 1..8, reduces: 1..2, deadline: 80s..240s}, {id: l, count: 4, maps: 20..40, reduces: 1..4, deadline: 200s..400s}]}
`, 1+r.IntN(3), r.IntN(2), 1+r.IntN(20))
		s, err := scenario.Read("rented.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		c := Cells(s, []string{[]string{"edf(feasible)+need(idle=1s)", "promise+need(idle=1s)"}[seed%2]}, []uint64{seed})[0]
		run, err := Run(context.Background(), c)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if n := run.Summary; n.Attempts != n.Tasks || n.Finished() != n.Jobs {
			t.Errorf("seed %d: %d attempts of %d tasks, %d of %d jobs finished", seed, n.Attempts, n.Tasks, n.Finished(), n.Jobs)
		}
		rented += run.Bill[0].Rented
		left += run.Bill[0].Rented - run.Bill[0].Most
	}
	if rented < games || left < games/10 {
		t.Errorf("nodes were rented only %d times, and again %d times", rented, left)
	}
	t.Logf("%d games: nodes were rented %d times", games, rented)
}
