package adverse_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// recorded are the peculiarities of a real ResourceManager, as recordings show them.
var recorded = []string{"asks that grow", "none asked for, and some again", "a container too many, given back", "a row of none",
	"rows of two priorities", "a map counted once a replica", "a failure that only another ask shows", "a node that vanishes in silence",
	"the end of a container that nobody knows", "a second ApplicationMaster", "an end behind that of the last task", "an end with an open ask",
	"a proposal refused", "all told again", "an old job", "reduces asked for beside maps", "a node that is avoided",
	"reduces for a job that its ApplicationMaster ends", "another capacity", "a node that offers nothing any more",
	"the elder of two attempts killed"}

// besides are those that no recording shows yet.
var besides = []string{"an old container", "an amendment", "a late clock",
	"reduces before the last map", "control: yield", "control: take-over", "control: watch"}

// batchJobs are five jobs, two of them with ApplicationMasters.
func batchJobs() []*workload.Job {
	var jobs []*workload.Job
	for i := range 5 {
		j := &workload.Job{ID: fmt.Sprint("j", i), Queue: []string{"a", "b"}[i%2], Arrive: units.Time(0).Add(units.Duration(i) * 3 * units.Second),
			Weight: 1, Soft: units.Never, Deadline: units.Never}
		if i%2 == 1 {
			j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)})
		}
		maps := workload.StageSpec{Kind: workload.Map}
		for k := range 5 + i {
			maps.Tasks = append(maps.Tasks, workload.Task{})
			maps.Hosts.Set(k, cluster.NodeID((i+k)%4+1), cluster.NodeID((i+2*k+1)%4+1))
		}
		j.Stages = append(j.Stages, maps, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 3)})
		jobs = append(jobs, j)
	}
	return jobs
}

// The twin says nothing that the language does not have, and all that is peculiar to a real ResourceManager
// is met in its runs.
func TestTwinSpeaksTheLanguage(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(60) {
		c := cluster.Uniform(4, 2, cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(2, 1)})
		w := adverse.New(adverse.Config{Cluster: c, Jobs: batchJobs(), Seed: seed, Calm: 200, Cancels: seed%4 == 3, Quits: seed%4 == 2, Retires: seed%2 == 1,
			Begin: units.Time(0).Add(units.Duration(seed%3) * 9 * units.Hour), Watching: seed%5 == 4})
		l := newLanguage()
		if err := drive.New(w, conform.Friendly{}, l).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, wrong := range l.wrong {
			t.Errorf("seed %d: %s", seed, wrong)
		}
		for what, n := range l.seen {
			seen[what] += n
		}
	}
	t.Logf("met: %v", seen)
	for _, what := range append(append([]string{}, recorded...), besides...) {
		if seen[what] == 0 {
			t.Errorf("the twin never shows %s", what)
		}
	}
}

// The language is one: what a ResourceManager cannot say is noticed.
func TestLanguage(t *testing.T) {
	up := sched.Event{Kind: sched.NodeUp, Node: 1}
	spec := &workload.Job{ID: "j", Stages: []workload.StageSpec{{Kind: workload.Master}, {Kind: workload.Map}}}
	job := sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: spec}}
	ask := func(s sched.Stage, n int32, rows ...sched.LocationDemand) sched.Event {
		return sched.Event{Kind: sched.Demand, Job: 1, Stage: s, Count: n, Detail: &sched.Detail{Demand: rows}}
	}
	start := func(a sched.AttemptID, s sched.Stage) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: s, Node: 1}
	}
	end := func(a sched.AttemptID) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed}
	}
	for name, c := range map[string][]sched.Event{
		"": {up, job, ask(sched.Master, 1), start(1, sched.Master), ask(sched.Map, 1), start(2, sched.Map), end(2), end(2), end(1),
			{Kind: sched.JobEnded, Job: 1}},
		"came up twice":          {up, up},
		"went down twice":        {up, {Kind: sched.NodeDown, Node: 1}, {Kind: sched.NodeDown, Node: 1}},
		"arrived twice":          {job, job},
		"which is not there":     {ask(sched.Map, 1)},
		"does not run":           {up, job, ask(sched.Map, 1)},
		"nobody asked for it":    {up, job, start(1, sched.Master)},
		"which is not up":        {job, ask(sched.Master, 1), start(1, sched.Master)},
		"started twice":          {up, job, ask(sched.Master, 2), start(1, sched.Master), start(1, sched.Master)},
		"that never was":         {end(1)},
		"were lost than it had":  {job, {Kind: sched.OutputLost, Job: 1, Stage: sched.Map}},
		"ended before its":       {up, job, ask(sched.Master, 1), start(1, sched.Master), {Kind: sched.JobEnded, Job: 1}},
		"anywhere, of 2":         {up, job, ask(sched.Master, 2, sched.LocationDemand{Count: 1})},
		"changed that is not up": {{Kind: sched.NodeChanged, Node: 1}},
	} {
		l := newLanguage()
		for i := range c {
			_ = l.Batch(1, 1, c[i:i+1])
		}
		if got := fmt.Sprint(l.wrong); (len(l.wrong) == 0) != (name == "") || name != "" && !contains(got, name) {
			t.Errorf("%q: %s", name, got)
		}
	}
}
