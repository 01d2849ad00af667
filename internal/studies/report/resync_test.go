package report

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A world that tells everything again, under other handles and after it has swallowed what happened,
// leaves the report as true as it was: each job once, since it arrived, with all its attempts, and
// slots held for as long as these ran.
func TestReportsOutliveAResync(t *testing.T) {
	unseen := 0
	for seed := range uint64(20) {
		c := cluster.Uniform(4, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
		var jobs []*workload.Job
		for i := range 4 {
			jobs = append(jobs, &workload.Job{ID: fmt.Sprint("j", i), Class: "k", Weight: 1, Arrive: units.Time(units.Duration(5*i) * units.Second), SlowStart: 1,
				Soft: units.Never, Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 5+i)},
					{Kind: workload.Reduce, Tasks: make([]workload.Task, 2)}}})
		}
		w := adverse.New(adverse.Config{Cluster: c, Jobs: jobs, Seed: seed, Calm: 200})
		b, line, l := NewBuilder("adverse", "s", "p", seed), NewTimeline(), NewLearner()
		if err := drive.New(w, conform.Friendly{}, follow.New(b, line, l)).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		run := b.Run()
		attempts, held, missed := map[string]int64{}, map[sched.Stage]float64{}, map[string]bool{}
		tasks := int64(0)
		for _, life := range w.Lives {
			attempts[life.Job]++
			held[life.Stage] += life.Ended.Sub(life.Began).Seconds()
			if life.Unseen {
				missed[life.Job] = true
				unseen++
			}
		}
		if len(run.Jobs) != len(jobs) || run.Summary.Attempts != int64(len(w.Lives)) || int(l.Profiles()[0].Runs) != len(jobs) || line.End() != units.Time(units.FromSeconds(run.Summary.Makespan)) {
			t.Errorf("seed %d: %d jobs, %d attempts of %d, %d runs", seed, len(run.Jobs), run.Summary.Attempts, len(w.Lives), l.Profiles()[0].Runs)
		}
		for i := range run.Jobs {
			if j := &run.Jobs[i]; int64(j.Attempts) != attempts[j.ID] || j.Submitted < jobs[i].Arrive.Seconds() || j.Submitted > jobs[i].Arrive.Seconds()+10 || j.Finished == nil {
				t.Errorf("seed %d: %+v, attempts %d", seed, j, attempts[j.ID])
			} else if !missed[j.ID] && (j.Maps != 5+i || j.Reduces != 2) || j.LocalMaps > j.Maps {
				// All that there are, however few were known when it came. Where an end was not seen, nobody knows.
				t.Errorf("seed %d: %s has %d maps, %d of them local, and %d reduces; it ran %d and 2", seed, j.ID, j.Maps, j.LocalMaps, j.Reduces, 5+i)
			}
		}
		for i := range run.Jobs {
			tasks += int64(run.Jobs[i].Maps + run.Jobs[i].Reduces)
		}
		if run.Summary.Tasks != tasks {
			t.Errorf("seed %d: the jobs have %d tasks, the summary says %d", seed, tasks, run.Summary.Tasks)
		}
		for stage, got := range map[sched.Stage]float64{sched.Map: run.Summary.MapUtilization * run.Summary.MapSlots, sched.Reduce: run.Summary.ReduceUtilization * run.Summary.ReduceSlots} {
			if want := held[stage] / run.Summary.Makespan; got < want-1e-9 || got > want+1e-9 {
				t.Errorf("seed %d: %v slots are held %v at a mean, want %v", seed, stage, got, want)
			}
		}
		for _, n := range b.usage.nodes {
			for d := range n {
				if n[d].holds != 0 {
					t.Errorf("seed %d: a node still holds %d of %v", seed, n[d].holds, units.Dim(d))
				}
			}
		}
	}
	if unseen == 0 {
		t.Error("no attempt ended unseen: this tests nothing")
	}
}
