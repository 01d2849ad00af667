package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var elsewhere = flag.String("elsewhere", "", "a folder with runs that another build has recorded, to be decided again; without any, record some")

// busy is a workload with deadlines near and far, tasks of all lengths, and failures.
const busy = `name: busy
cluster:
  {nodes: 40, racks: 4, map_slots: 4, reduce_slots: 2, read: {rack: 100MB, remote: 40MB}, network: {fabric: 4GB, link: 125MB},
  stragglers: {rate: 0.03, factor: 5}, skew: 0.7, files: {count: 50, zipf: 1.1}, task_times: {law: pareto, cv: 0.4}, failure_rate: 0.005, mtbf: 5d, mttr: 20m,
  rack_mtbf: 60d, rack_mttr: 1h, faulty: {share: 0.03, rate: 0.4}, blacklist: {failures: 8, restore: 1h}, progress: 5s}
workload:
  streams:
    - {id: adhoc, class: query, arrivals: {process: bursty, every: 1m}, for: 1h, input: 4GB, reduces: 2, map_time: 15s, shuffle_time: 4s, reduce_time: 10s, deadline: +6m}
    - {id: analyst, class: report, users: 5, think: 3m, for: 1h, input: 10GB, reduces: 8, map_time: 20s, shuffle_time: 6s, reduce_time: 20s, deadline: +20m}
  jobs:
    - {id: night, class: etl, arrive: 10m, input: 60GB, reduces: 20, map_time: 25s, shuffle_time: 10s, reduce_time: 60s, deadline: 1h}
policies: [fifo]
`

// Policies decide alike where products and sums are joined: a program built with GOAMD64=v3 decides runs
// again that one built without it has recorded (.ci/run processors).
func TestProcessors(t *testing.T) {
	if *elsewhere == "" {
		t.Skip("-elsewhere names no folder")
	}
	ctx, s, recorded := context.Background(), readScenario(t, busy), 0
	policies := slices.Concat(Policies(), []string{"rds(interval=2m)", "promise(level=90%)",
		"edf(feasible)+slowstart", "edf-p+speculate", "capacity+delay", "fair+preempt"})
	for k, c := range Cells(s, policies, []uint64{1, 2, 3}) {
		c.Journal = filepath.Join(*elsewhere, fmt.Sprint(k, ".journal"))
		if _, err := os.Stat(c.Journal); errors.Is(err, os.ErrNotExist) {
			if _, err := Run(ctx, c); err != nil {
				t.Fatalf("%s: %v", c.Policy, err)
			}
			recorded++
			continue
		}
		if _, err := Replay(ctx, c.Journal); err != nil {
			t.Errorf("%s, seed %d: %v", c.Policy, c.Seed, err)
		}
	}
	t.Logf("%d runs recorded", recorded)
}
