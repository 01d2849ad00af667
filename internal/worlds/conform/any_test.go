package conform

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// drawn are some jobs with deadlines near and far, or none; each has an ApplicationMaster where it asks for needs.
func drawn(r *rand.Rand, needs units.Vector) (jobs []*workload.Job) {
	attached, at := needs != units.Vector{}, units.Time(0)
	for i := range 1 + r.IntN(7) {
		at = at.Add(units.Duration(r.IntN(20)) * units.Second)
		j := &workload.Job{ID: fmt.Sprint("j", i+1), Class: fmt.Sprint("j", 1+r.IntN(6)), Queue: []string{"a", "b"}[r.IntN(2)], User: []string{"u", "v"}[r.IntN(2)],
			Arrive: at, Weight: 1, Soft: units.Never, Deadline: units.Never, SlowStart: []float64{0, 0.05, 0.5, 1}[r.IntN(4)]}
		if r.IntN(4) > 0 {
			j.Deadline = at.Add(units.Duration(20+r.IntN(1000)) * units.Second)
		}
		add := func(kind workload.Stage, n int) {
			st := workload.StageSpec{Kind: kind, Tasks: make([]workload.Task, n)}
			local := r.IntN(2) == 0
			for k := range st.Tasks {
				st.Tasks[k].Input = units.Bytes(r.IntN(3)) * units.MB
				if kind == workload.Map && local {
					st.Hosts.Set(k, cluster.NodeID(1+r.IntN(4)))
				}
			}
			if attached {
				st.Containers = []cluster.Container{{Needs: needs}}
			}
			j.Stages = append(j.Stages, st)
		}
		if attached || r.IntN(2) == 0 {
			add(workload.Master, 1)
		}
		reduces := r.IntN(5)
		if attached || reduces == 0 || r.IntN(8) > 0 {
			add(workload.Map, 1+r.IntN(16))
		}
		if reduces > 0 {
			add(workload.Reduce, reduces)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// Whatever jobs come, and whatever is known of them, all of them end: under each policy in the unkind world, and
// where that is behind YARN's stream, with nodes that are cut into slots. But for queues that never grow: masters
// that the stock scheduler started may fill what a queue has for them, and then none of its tasks starts.
func TestAnyJobsEnd(t *testing.T) {
	unit := units.Vector{units.VCores: 1, units.Memory: 1 << 30}
	for _, text := range heeders() {
		if text == "capacity(elastic=false)" {
			continue
		}
		t.Run(text, func(t *testing.T) {
			fresh := fromCatalogue(t, text)
			for seed := range uint64(runs(30)) {
				r := rand.New(rand.NewPCG(seed, 99))
				var w drive.World
				if calm := r.IntN(300); r.IntN(2) == 0 {
					split := &yarn.Split{Masters: units.Vector{units.VCores: 2, units.Memory: 2 << 30}, Slot: unit}
					n := int64(6 + r.IntN(4))
					w = fake(t, yarn.Config{Slots: split}, drawn(r, unit), units.Vector{units.VCores: n, units.Memory: n << 30}, seed, calm)
				} else {
					w = adverse.New(adverse.Config{Cluster: machines(), Jobs: drawn(r, units.Vector{}), Seed: seed, Calm: calm, Retires: seed%3 == 1, Watching: seed%5 == 4})
				}
				l := drive.New(&school{World: w, early: r.IntN(3) > 0}, fresh())
				var err error
				for err == nil && l.Round < 3500 {
					err = l.Step(t.Context())
				}
				if errors.Is(err, io.EOF) {
					continue
				}
				t.Errorf("seed %d: %v", seed, err)
				for j := sched.JobID(1); j <= l.Ledger.Jobs(); j++ {
					if job := l.Ledger.Job(j); job != nil {
						t.Logf("%q is %v: masters, maps and reduces %+v", job.Spec.ID, job.State, job.Stages[:3])
					}
				}
			}
		})
	}
}
