package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/workload"
)

// Predict plays the jobs in the simulator from what is known: what validate holds against the
// machine, and what run says before it runs.
func (l *Local) Predict(ctx context.Context, policy string, seed uint64, known []*profile.Class) (*report.Run, error) {
	return l.play(ctx, policy, seed, known, func(*sim.Config) {})
}

// play is the same with something changed.
func (l *Local) play(ctx context.Context, policy string, seed uint64, known []*profile.Class, change func(*sim.Config)) (*report.Run, error) {
	cfg, err := l.sim(policy, seed, known)
	if err != nil {
		return nil, err
	}
	change(&cfg)
	return lab.Run(ctx, lab.Cell{Scenario: l.Name(), Policy: policy, Seed: seed, World: lab.Simulated(cfg)})
}

// The spread of a prediction is that of so many more, in each of which tasks take times as they
// were measured; fewer where the jobs have many tasks.
const (
	mostDraws  = 16
	leastDraws = 4
	drawnTasks = 20_000
)

// enough is how many predictions of a class must have been held against what came, before their
// errors say how far off the next one is.
const enough = 3

// Expect says for each job, in the order of the files, how long it takes from submission to finish.
// An error says what is not known.
//
// The spread follows from the errors of earlier predictions of the class; while there are few of
// them, from how differently long its tasks took.
func (l *Local) Expect(ctx context.Context, policy string, seed uint64, known []*profile.Class) ([]*report.Expectation, error) {
	told := Told(known)
	for i, f := range l.Files {
		if class := find(told, f.Class); class == nil || class.Any(workload.Map).Task.N == 0 {
			return nil, fmt.Errorf("nothing is known of jobs of class %q yet", f.Class)
		}
		if l.jobs[i].Splits == nil {
			return nil, fmt.Errorf("the input of job %q is the output of another job", f.Name)
		}
	}
	run, err := l.Predict(ctx, policy, seed, known)
	if err != nil {
		return nil, err
	}
	all := make([]*report.Expectation, len(l.Files))
	open := false // some job's spread has to be drawn
	for i, f := range l.Files {
		took, ok := response(run, f.Name)
		if !ok {
			continue // the policy would not run it, or it would not finish
		}
		all[i] = &report.Expectation{Seconds: took, Factor: find(told, f.Class).Bias(), Cold: find(known, f.Class).Runs == 0}
		if off, known := find(told, f.Class).Off(enough); known {
			off *= took
			all[i].Spread, all[i].From = &off, "errors of earlier predictions"
		} else {
			open = true
		}
	}
	if !open {
		return all, nil
	}
	spreads, err := l.drawn(ctx, policy, seed, known, mostDraws)
	if err != nil {
		return nil, err
	}
	for i, e := range all {
		if e != nil && e.Spread == nil && len(spreads[i]) > 1 {
			var all stat.Sum
			for _, t := range spreads[i] {
				all.Add(t)
			}
			e.Spread, e.From = new(all.Deviation()), "spread of task times"
		}
	}
	return all, nil
}

// response is how long a job takes in a run.
func response(run *report.Run, id string) (float64, bool) {
	for i := range run.Jobs {
		if j := &run.Jobs[i]; j.ID == id && j.Finished != nil {
			return *j.Finished - j.Submitted, true
		}
	}
	return 0, false
}

// drawn predicts so many times again with drawn times of tasks, or less often where the jobs have many tasks:
// how long each job took, ascending.
func (l *Local) drawn(ctx context.Context, policy string, seed uint64, known []*profile.Class, times int) ([][]float64, error) {
	took := make([][]float64, len(l.Files))
	tasks := 1
	for i := range l.jobs {
		tasks += len(l.jobs[i].Splits) + l.Files[i].Reduces
	}
	for k := range min(max(drawnTasks/tasks, leastDraws), times) {
		run, err := l.play(ctx, policy, seed, known, func(cfg *sim.Config) {
			vary(cfg, Told(known), draw.Of(seed, "prediction").Number(uint64(k)))
		})
		if err != nil {
			return nil, err
		}
		for i, f := range l.Files {
			if t, ok := response(run, f.Name); ok {
				took[i] = append(took[i], t)
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took, nil
}

// vary draws the time of each task by the cost model of its stage: the factor that tasks of a job
// share, which is one for all its stages, and one for the task. Both are for the mean that the task
// has. What has no model is drawn from what such tasks took.
func vary(cfg *sim.Config, known []*profile.Class, from draw.Draw) {
	const points = 64
	for _, j := range cfg.Workload.Jobs {
		class := find(known, j.Class)
		shared := from.Job(j.ID).Job("shared").Float64()
		for s := range j.Stages {
			st := &j.Stages[s]
			if m := class.Model(st.Kind, "", profile.Run); m != nil {
				largest := 0.0
				for t := range st.Tasks {
					largest = max(largest, float64(st.Tasks[t].Input))
				}
				ofJob := m.SharedAt(largest, -1)
				factor := ofJob.Quantile(shared) / ofJob.Mean() / m.Own.Mean()
				for t := range st.Tasks {
					own := m.Own.Quantile(from.Job(j.ID).At(int(st.Kind), t, 0).Float64())
					st.Tasks[t].Work = st.Tasks[t].Work.Scale(factor * own)
				}
				continue
			}
			stage := class.Any(st.Kind)
			values := steadier(stage.Costs.Values(points), stage.Spread.Values(points))
			if values == nil {
				continue
			}
			mean := stat.Mean(values)
			for t := range st.Tasks {
				st.Tasks[t].Work = st.Tasks[t].Work.Scale(values[from.Job(j.ID).At(int(st.Kind), t, 0).Below(points)] / mean)
			}
		}
	}
}

// steadier is what differs less for its mean: the cost of a byte where tasks of many sizes were
// measured, the time of a task where most of it is not for its bytes.
func steadier(a, b []float64) []float64 {
	off := func(values []float64) float64 {
		var s stat.Sum
		for _, x := range values {
			s.Add(x)
		}
		return s.Deviation() / stat.Mean(values)
	}
	if a == nil || b != nil && off(b) < off(a) {
		return b
	}
	return a
}
