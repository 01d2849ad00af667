package lab

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What a policy would plan for jobs that come now is what it plans when they do come then, in a simulator that cuts
// them. Nothing of it is left in the run that was asked.
func TestPlan(t *testing.T) {
	s, err := scenario.Read("green.yaml", []byte(`cluster:
  heartbeat: 0s
  replicas: 0
  classes:
    - {name: slow, nodes: 2, map_slots: 4, speed: 1, dynamic_power: 40W}
    - {name: fast, nodes: 1, map_slots: 4, speed: 2, dynamic_power: 400W}
workload:
  jobs:
    - {id: warm, maps: 3, map_time: 7s}
    - {id: a, workflow: w, workflow_deadline: +100s, maps: 8, map_time: 10s, moldable: {slope: 0.1}}
    - {id: b, workflow: w, after: a, maps: 8, map_time: 5s, moldable: {slope: 0.1}}
    - {id: c, workflow: w, after: a, maps: 4, map_time: 10s, moldable: {slope: 0.1}}
    - {id: d, workflow: w, after: [b, c], maps: 4, map_time: 20s, moldable: {slope: 0.1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"flow", "dawsee", "edf"} {
		cfg := Cells(s, []string{policy}, []uint64{1})[0]
		is, err := cfg.Config(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		all := is.Workload.Jobs
		play := func(jobs []*workload.Job, until units.Time) *drive.Loop {
			c := is
			c.Workload = &workload.Workload{Jobs: jobs}
			w, err := sim.New(c)
			if err != nil {
				t.Fatal(err)
			}
			p, err := cfg.policy()
			if err != nil {
				t.Fatal(err)
			}
			l := drive.New(w, p)
			for err == nil && l.Ledger.Now() < until {
				err = l.Step(context.Background())
			}
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return l
		}
		before := play(all[:1], 1)
		stand, err := StandOf(before)
		if err != nil {
			t.Fatal(err)
		}
		at, world := before.Ledger.Now().Add(1), *before.Ledger.World()
		var jobs []*workload.Job
		for _, j := range all[1:] {
			come := *j
			come.Arrive = at
			jobs = append(jobs, &come)
		}
		workload.NewWorkflow("w", at.Add(100*units.Second), jobs)
		got, err := stand.Plan(jobs)
		if err != nil {
			t.Fatal(err)
		}
		if before.Ledger.Find("a") != 0 || *before.Ledger.World() != world {
			t.Errorf("%s: the run that was asked has another book", policy)
		}
		cut, l, when := 0, play(append(all[:1:1], jobs...), at), make([]sched.Job, len(got))
		for err = nil; err == nil && l.Ledger.Now() == at; err = l.Step(context.Background()) {
			for i := range got {
				when[i] = *l.Ledger.Job(l.Ledger.Find(got[i].Job.ID))
			}
		}
		for i := range got {
			is := &when[i]
			if n, want := got[i].Job.Tasks(sched.Map), is.Spec.Tasks(sched.Map); n != want || got[i].Due != 0 && got[i].Due != is.Due() || got[i].Due == 0 && is.Due() != is.Spec.Virtual {
				t.Errorf("%s: %s in %d maps by %v, and when it comes %d by %v", policy, is.Spec.ID, n, got[i].Due, want, is.Due())
			}
			if got[i].Due != 0 {
				cut++
			}
		}
		if (cut > 0) != (policy != "edf") {
			t.Errorf("%s plans %d jobs", policy, cut)
		}
	}
}
