package lab

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A history of runs in which slow tasks were overtaken by second attempts knows slow tasks all the same, so
// promises of a policy that has no second attempts are kept about as often as by a history without them.
func TestHistoriesOfSecondAttempts(t *testing.T) {
	s := readScenario(t, `
cluster: {nodes: 4, heartbeat: 0s, progress: 1s, task_times: {law: lognormal, cv: 0.2}, stragglers: {rate: 0.03, factor: 5}}
workload:
  mix: {class: load, arrivals: {process: poisson, every: 40s}, start: 1s, rate: 6.4MB, ratio: 0.5,
    jobs: [{id: s, count: 150, maps: 6, reduces: 1, deadline: 80s..200s}]}
`)
	history := func(by string) []*profile.Class {
		policy, err := catalog.New(by, NoQueues)
		if err != nil {
			t.Fatal(err)
		}
		l, longest := report.NewLearner(), &overtaken{}
		if err := drive.New(simulator(t, s.Sim(100)), policy, follow.New(l, longest)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for stage := range sched.Stages {
			if worst := l.Of("load").Any(stage).Task.Max; worst < longest.ran[stage].Seconds() {
				t.Errorf("%s: the worst %v that is known takes %v s, and one ran for %v", by, stage, worst, longest.ran[stage])
			}
		}
		return l.Profiles()
	}
	slow, part := map[string]float64{}, map[string]float64{}
	for _, by := range []string{"fifo", "fifo+speculate(lag=20s)"} {
		classes := history(by)
		own := classes[0].Model(sched.Map, "", profile.Run).Own
		slow[by] = 1 - own.CDF(2)
		promised, kept := 0, 0
		for seed := range uint64(3) {
			cfg := s.Sim(seed + 1)
			cfg.Profiles = classes
			r, err := Run(context.Background(), Cell{Scenario: "h", Policy: "promise(level=95%)", Seed: seed + 1, World: Simulated(cfg)})
			if err != nil {
				t.Fatal(err)
			}
			promised, kept = promised+r.Summary.Promised, kept+r.Summary.Kept
		}
		part[by] = float64(kept) / float64(promised)
		if part[by] < 0.95 || promised < 100 {
			t.Errorf("by a history under %s %d of %d promises at 95 %% are kept", by, kept, promised)
		}
		t.Logf("%s: %.2g of maps take twice what is typical or more; worst %v s; %d of %d promises kept (%.4g)", by, slow[by], classes[0].Any(sched.Map).Task.Max, kept, promised, part[by])
	}
	if all, second := slow["fifo"], slow["fifo+speculate(lag=20s)"]; second < all/2 || second > 1.5*all {
		t.Errorf("%.2g of maps are slow by a history with second attempts, %.2g by one without", second, all)
	}
}

// overtaken notes how long attempts have run, at most, whose tasks others committed.
type overtaken struct {
	follow.Single
	ran [sched.Stages]units.Duration
}

func (o *overtaken) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		if e := &records[i]; e.Kind == sched.Ended && e.Outcome == sched.Superseded && e.Attempt != nil {
			at := &o.ran[e.Attempt.Stage]
			*at = max(*at, e.At.Sub(e.Attempt.Began))
		}
	}
	return nil
}
