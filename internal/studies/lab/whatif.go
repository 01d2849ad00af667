package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Change is one thing that was otherwise, and what became of a job then.
type Change struct {
	What     string         `json:"what"`
	Outcome  report.Outcome `json:"outcome,omitempty"`
	Finished *float64       `json:"finished_s"`
	Deadline *float64       `json:"deadline_s"`
	Others   int            `json:"others_in_time"`      // how many more of the other jobs were in time; below 0: fewer
	Estimate bool           `json:"estimated,omitempty"` // from measured times: nothing was played
}

// otherPolicies are those that are tried in place of the one of the run.
var otherPolicies = []string{"edf-p", "edf(feasible)", "promise", "fair", "fifo"}

// moreNodes are how many nodes are added, the fewest first.
var moreNodes = []int{1, 2, 4, 8, 16}

// WhatIf plays a recorded simulation again with one thing changed, and the same draws, as those are keyed by what
// they are for: the deadline later by as much as the job was late; the job before the one that held most of what it
// waited for; another policy; no failures; the fewest nodes more with which the job is in time. The changes that help
// come first, the smallest before: those that decide otherwise for the fewest other jobs, or in that order.
func WhatIf(ctx context.Context, t *Told, job string, known func(class string) *profile.Class) ([]Change, error) {
	if t.Source == nil {
		return nil, fmt.Errorf("the journal does not hold its scenario; record the run again with --journal")
	}
	was, late := count(t.Run, job)
	if was == nil {
		return nil, fmt.Errorf("there is no job %q", job)
	}
	var list []Change
	try := func(what, policy string, more int, alter func(*sim.Config) bool) (bool, error) {
		same := false
		s, err := t.Source.Read(more, known)
		if err != nil || Suits(policy, s) != nil {
			return false, err
		}
		c := Cells(s, []string{policy}, []uint64{t.Seed})[0]
		config := c.Config
		c.World = made(func(ctx context.Context) (sim.Config, error) {
			cfg, err := config(ctx)
			if err == nil && alter != nil {
				same = !alter(&cfg)
			}
			return cfg, err
		})
		run, err := Run(ctx, c)
		if err != nil && !Ends(err) {
			return false, err
		}
		now, others := count(run, job)
		if now == nil || same || now.Outcome == was.Outcome && now.Finished != nil && was.Finished != nil && *now.Finished == *was.Finished {
			return false, nil // it changes nothing
		}
		list = append(list, Change{What: what, Outcome: now.Outcome, Finished: now.Finished, Deadline: now.Deadline, Others: others - late})
		return now.Outcome.InTime(), nil
	}
	if was.Outcome.Late() {
		by := units.FromSeconds(*was.Finished - *was.Deadline)
		if _, err := try("its deadline later by "+units.Span(by.Seconds()), t.Policy, 0, func(cfg *sim.Config) bool { return extend(cfg, job, by) }); err != nil {
			return nil, err
		}
	}
	if rival := rivalOf(t.Books.Named(job)); rival != "" {
		if _, err := try("it came before "+rival, t.Policy, 0, func(cfg *sim.Config) bool { return ahead(cfg, job, rival) }); err != nil {
			return nil, err
		}
	}
	for _, p := range otherPolicies {
		name, err := PolicyName(p, NoQueues)
		if err != nil || name == t.Policy {
			continue
		}
		if _, err := try("policy "+name, name, 0, nil); err != nil {
			return nil, err
		}
	}
	if _, err := try("no failures and outages", t.Policy, 0, spared); err != nil {
		return nil, err
	}
	before := len(list)
	for _, n := range moreNodes {
		list = list[:before] // fewer did not help
		met, err := try(units.Count(n, "node")+" more", t.Policy, n, nil)
		if err != nil {
			return nil, err
		}
		if met {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.size(), b.size()) })
	return list, nil
}

// size is for how many other jobs the change decided otherwise, on balance; one that does not help is larger than all
// that do.
func (c *Change) size() int {
	if !c.Outcome.InTime() {
		return math.MaxInt
	}
	return max(c.Others, -c.Others)
}

// count finds a job in a run, and counts the others that were in time.
func count(run *report.Run, job string) (found *report.Job, others int) {
	for i := range run.Jobs {
		if j := &run.Jobs[i]; j.ID == job && found == nil {
			found = j
		} else if j.Outcome.InTime() {
			others++
		}
	}
	return found, others
}

// extend gives a job a later deadline.
func extend(cfg *sim.Config, job string, by units.Duration) bool {
	later := func(j *workload.Job) *workload.Job {
		if j == nil || j.ID != job || j.Deadline == units.Never {
			return j
		}
		other := *j
		other.Deadline = j.Deadline.Add(by)
		return &other
	}
	if from := cfg.Source; from != nil {
		cfg.Source = func() workload.Source { return &extended{from(), later} }
	}
	if cfg.Workload != nil {
		cfg.Workload = &workload.Workload{Jobs: each.Of(cfg.Workload.Jobs, later)}
	}
	return true
}

// rivalOf is the job that came earlier and held most of what another waited for, "" if none did.
func rivalOf(a *account.Account) (name string) {
	if a == nil {
		return ""
	}
	held, most := map[string]units.Duration{}, units.Duration(0)
	for i := range a.Parts {
		for _, o := range a.Parts[i].Jobs {
			if o.First && !o.Self && a.Parts[i].Cause == account.Slots {
				if held[o.Job] += o.Held; held[o.Job] > most {
					name, most = o.Job, held[o.Job]
				}
			}
		}
	}
	return name
}

// ahead has a job come at the time of another, before it. Only a list of jobs can be put in another order.
func ahead(cfg *sim.Config, job, other string) bool {
	named := func(name string) int {
		if cfg.Workload == nil || cfg.Source != nil {
			return -1
		}
		return slices.IndexFunc(cfg.Workload.Jobs, func(j *workload.Job) bool { return j.ID == name })
	}
	i, k := named(job), named(other)
	if i < 0 || k < 0 {
		return false
	}
	early := *cfg.Workload.Jobs[i]
	early.Arrive = cfg.Workload.Jobs[k].Arrive
	rest := slices.Delete(slices.Clone(cfg.Workload.Jobs), i, i+1)
	cfg.Workload = &workload.Workload{Jobs: append([]*workload.Job{&early}, rest...)}
	return true
}

// spared takes all failures out, if there are any.
func spared(cfg *sim.Config) bool {
	some := cfg.Failures != sim.Failures{} || len(cfg.Outages) > 0
	cfg.Failures, cfg.Outages = sim.Failures{}, nil
	return some
}

// extended is a source of jobs some of which have another deadline.
type extended struct {
	workload.Source
	later func(*workload.Job) *workload.Job
}

func (e *extended) Next() (*workload.Job, error) {
	j, err := e.Source.Next()
	return e.later(j), err
}
