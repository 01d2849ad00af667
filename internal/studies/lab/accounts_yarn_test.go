package lab

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Behind YARN's stream, where the world is unkind, is away and comes back, the time of each job sums as well, and what
// a job waits for is told of each that has not ended.
func TestAccountsBehindYARN(t *testing.T) {
	takes := cluster.Container{Needs: units.Vector{units.VCores: 1, units.Memory: 1 << 30}}
	accounts, causes, waits := 0, map[account.Cause]int{}, map[account.Cause]int{}
	for seed := range uint64(scenarios(30, 1000)) {
		var jobs []*workload.Job
		for i := range 4 {
			j := &workload.Job{ID: fmt.Sprint("j", i), Class: "c", Queue: "q", User: "u", Weight: 1, Deadline: units.Never, Soft: units.Never, Virtual: units.Never,
				Arrive: units.Time(0).Add(units.Duration(i) * 3 * units.Second)}
			for _, of := range []struct {
				kind  sched.Stage
				tasks int
			}{{workload.Master, 1}, {workload.Map, 3 + 2*i}, {workload.Reduce, i}} {
				if of.tasks > 0 {
					j.Stages = append(j.Stages, workload.StageSpec{Kind: of.kind, Tasks: make([]workload.Task, of.tasks), Containers: []cluster.Container{takes}})
				}
			}
			jobs = append(jobs, j)
		}
		nodes := cluster.Uniform(3, 2, cluster.Class{Name: "plain", Speed: 1, Capacity: units.Vector{units.VCores: 3, units.Memory: 4 << 30}})
		w, err := yarnfake.New(yarn.Config{Secret: []byte("test"), Heartbeat: adverse.Beat}, adverse.New(adverse.Config{Cluster: nodes, Jobs: jobs, Seed: seed, Calm: 100}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		p, err := catalog.New("fifo", NoQueues)
		if err != nil {
			t.Fatal(err)
		}
		books := account.New(0)
		loop := drive.New(w, p, follow.New(books))
		for err == nil && loop.Round < 5000 {
			err = loop.Step(t.Context())
			for _, j := range jobs {
				if w := account.Standing(loop.Ledger, 0, unknown, j.ID)[0]; w != nil {
					waits[w.Cause]++
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range jobs {
			a := books.Of(i)
			if a == nil {
				continue
			}
			at := a.Arrived
			for k := range a.Parts {
				if a.Parts[k].From != at || a.Parts[k].Took <= 0 {
					t.Fatalf("seed %d, %+v: a gap at %v", seed, a, at)
				}
				at = at.Add(a.Parts[k].Took)
				causes[a.Parts[k].Cause]++
			}
			if accounts++; at != a.Ended {
				t.Fatalf("seed %d: %v of %v", seed, at, a.Ended)
			}
		}
	}
	t.Logf("%d accounts, with %v; waits by %v", accounts, causes, waits)
	if accounts == 0 || causes[account.Slots] == 0 || causes[account.Master] == 0 || waits[account.Slots] == 0 {
		t.Error("that tests nothing")
	}
}
