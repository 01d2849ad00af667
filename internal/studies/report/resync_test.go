package report

import (
	"context"
	"fmt"
	"slices"
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
// slots held for as long as these ran. A job of which a resync tells nothing has ended unseen: it has no end.
func TestReportsOutliveAResync(t *testing.T) {
	unseen, untold := 0, 0
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
		watch := conform.NewWatch(false)
		if err := drive.New(w, conform.Friendly{}, follow.New(b, line, l), watch).Run(context.Background()); err != nil {
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
		if len(run.Jobs) != len(jobs) || run.Summary.Attempts != int64(len(w.Lives)) || int(l.Profiles()[0].Runs) != len(jobs)-watch.Untold || line.End() != units.Time(units.FromSeconds(run.Summary.Makespan)) {
			t.Errorf("seed %d: %d jobs, %d attempts of %d, %d runs", seed, len(run.Jobs), run.Summary.Attempts, len(w.Lives), l.Profiles()[0].Runs)
		}
		for i := range run.Jobs {
			if j := &run.Jobs[i]; int64(j.Attempts) != attempts[j.ID] || j.Submitted < jobs[i].Arrive.Seconds() || j.Submitted > jobs[i].Arrive.Seconds()+10 {
				t.Errorf("seed %d: %+v, attempts %d", seed, j, attempts[j.ID])
			} else if !missed[j.ID] && (j.Maps != 5+i || j.Reduces != 2) || j.LocalMaps > j.Maps {
				// All that there are, however few were known when it came. Where an end was not seen, nobody knows.
				t.Errorf("seed %d: %s has %d maps, %d of them local, and %d reduces; it ran %d and 2", seed, j.ID, j.Maps, j.LocalMaps, j.Reduces, 5+i)
			}
		}
		endless := 0
		for i := range run.Jobs {
			if run.Jobs[i].Finished == nil {
				endless++
			}
			tasks += int64(run.Jobs[i].Maps + run.Jobs[i].Reduces)
		}
		untold += endless
		if endless != watch.Untold {
			t.Errorf("seed %d: %d jobs have no end, and that of %d was not told", seed, endless, watch.Untold)
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
	if unseen == 0 || untold == 0 {
		t.Errorf("%d attempts and %d jobs ended unseen: this tests nothing", unseen, untold)
	}
}

// An ApplicationMaster's start-up lasts from its start to when a stage may start first, also where that is
// told by a resync. Where nobody can know it, none is learned.
func TestStartUpsOutliveAResync(t *testing.T) {
	spec := &workload.Job{ID: "a", Class: "c", Weight: 1, Deadline: units.Never, Soft: units.Never, Stages: []workload.StageSpec{{Kind: workload.Master,
		Tasks: make([]workload.Task, 1)}, {Kind: workload.Map, Grows: true}, {Kind: workload.Reduce, Grows: true}}}
	node := sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "x", Speed: 1}}}}
	// at time to, with what held since from
	of := func(kind sched.EventKind, stage sched.Stage, from, to int) sched.Event {
		return sched.Event{Kind: kind, Job: 1, Stage: stage, Node: 1, Attempt: 1, Age: units.Duration(to-from) * units.Second, Detail: &sched.Detail{Job: spec}}
	}
	type batch struct {
		at     int
		events []sched.Event
	}
	come, start, maps := batch{0, []sched.Event{node, of(sched.JobArrived, 0, 0, 0)}}, batch{10, []sched.Event{of(sched.Started, sched.Master, 10, 10)}}, batch{14, []sched.Event{of(sched.StageReady, sched.Map, 14, 14)}}
	reduces := batch{1200, []sched.Event{of(sched.StageReady, sched.Reduce, 1200, 1200)}}
	again := func(ready ...sched.Event) batch {
		return batch{1000, append([]sched.Event{{Kind: sched.Resync}, node, of(sched.JobArrived, 0, 0, 1000), of(sched.Started, sched.Master, 10, 1000)}, ready...)}
	}
	next := of(sched.Started, sched.Master, 500, 500)
	next.Attempt = 2
	second := of(sched.Started, sched.Master, 900, 1000)
	second.Attempt = 2
	other := batch{1000, []sched.Event{{Kind: sched.Resync}, node, of(sched.JobArrived, 0, 0, 1000), second, of(sched.StageReady, sched.Map, 904, 1000)}}
	for name, c := range map[string]struct {
		batches []batch
		want    []float64
	}{
		"undisturbed":     {[]batch{come, start, maps, reduces}, []float64{4}},
		"told when":       {[]batch{come, start, again(of(sched.StageReady, sched.Map, 14, 1000)), reduces}, []float64{4}},
		"not told when":   {[]batch{come, start, again(of(sched.StageReady, sched.Map, 1000, 1000)), reduces}, nil},
		"asks afterwards": {[]batch{come, start, again(), {1004, []sched.Event{of(sched.StageReady, sched.Map, 0, 0)}}, reduces}, []float64{994}},
		"again": {[]batch{come, start, {500, []sched.Event{next, {Kind: sched.Ended, Attempt: 1, Outcome: sched.Lost}}},
			{504, []sched.Event{of(sched.StageReady, sched.Map, 0, 0)}}}, []float64{4}},
		"that of the next master":       {[]batch{come, start, other}, nil},
		"met when it had asked already": {[]batch{again(of(sched.StageReady, sched.Map, 1000, 1000)), reduces}, nil},
	} {
		l := NewLearner()
		f := follow.New(l)
		for i, b := range c.batches {
			if err := f.Batch(int64(i+1), units.Time(0).Add(units.Duration(b.at)*units.Second), b.events); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Batch(9, units.Time(0).Add(2000*units.Second), []sched.Event{{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}}); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, s := range l.Profiles()[0].Stages {
			if s.Start.N > 0 {
				got = append(got, s.Start.Max)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: start-ups of %v s were learned, want %v", name, got, c.want)
		}
	}
}
