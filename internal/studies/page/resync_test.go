package page

import (
	"context"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// After any number of resyncs nothing waits or runs at the end, every attempt has a bar, and no two
// bars of a slot overlap.
func TestPageOutlivesAResync(t *testing.T) {
	for seed := range uint64(20) {
		c := cluster.Uniform(4, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
		var jobs []*workload.Job
		for i, id := range []string{"a", "b", "c"} {
			jobs = append(jobs, &workload.Job{ID: id, Weight: 1, Arrive: units.Time(units.Duration(5*i) * units.Second), SlowStart: 1, Soft: units.Never, Deadline: units.Never,
				Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 6)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}})
		}
		w := adverse.New(adverse.Config{Cluster: c, Jobs: jobs, Seed: seed, Calm: 200})
		watch := newCollector(10_000, 100)
		if err := drive.New(w, conform.Friendly{}, follow.New(watch)).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		watch.close()
		for _, k := range []int{mapHeld, mapHeld + 2, attemptsRunning, mapsWaiting, reducesWaiting, jobsRunning, jobsWaiting} {
			if n := watch.series.now[k]; n != 0 {
				t.Errorf("seed %d: series %d ends at %d", seed, k, n)
			}
		}
		bars, busy := 0, units.Duration(0)
		watch.gantt.rows(func(r rowInfo, list []bar) {
			for i := range list {
				if bars++; i > 0 && list[i].begin < list[i-1].end {
					t.Errorf("seed %d: bars %v and %v of slot %d on node %d overlap", seed, list[i-1], list[i], r.slot, r.node)
				}
				busy += list[i].busy
			}
		})
		want := units.Duration(0)
		for _, life := range w.Lives {
			want += life.Ended.Sub(life.Began)
		}
		if bars != len(w.Lives) || busy != want {
			t.Errorf("seed %d: %d bars of %v, want %d of %v", seed, bars, busy, len(w.Lives), want)
		}
		blockOf(t, write(t, &Page{[]*collector{watch}}, report.New(&report.Run{Jobs: []report.Job{}})))
	}
}
