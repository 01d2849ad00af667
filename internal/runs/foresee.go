package runs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Foresight is when a job will be done, as far as that is known before it comes. Times are seconds from its
// submission.
type Foresight struct {
	lab.Fate
	After  []string // the jobs that it comes after, as far as it is known when they are done
	Ready  float64  // when the last of these is
	Known  bool     // when it is done
	Done   float64  // by then half of all such jobs are, or it is expected to be
	Ninety float64  // by then 90 % are; 0: it is not known
	Sure   float64  // by then the Level is; 0: it is not known
	Level  float64
	Chance float64 // of its deadline; 0: it is not known
	Factor float64 // of Done, over what the simulator says by the costs of tasks alone; 0: these are not known
	New    bool    // nothing is known of its class
	Cold   bool    // only cold runs of it are
	varies bool    // how long it takes is to be found by plays with drawn times
}

// Took is how long it takes from when it may begin: a job that comes after others is measured from when these are
// done.
func (f *Foresight) Took() float64 { return max(0, f.Done-f.Ready) }

// Foresee says when the jobs would be done if they were run together now, in the order of the files: what the
// policy says of each when it comes. If it says nothing the jobs are played with drawn times. An error says what
// is not known.
func (l *Local) Foresee(ctx context.Context, policy string, seed uint64, known []*profile.Class) ([]Foresight, error) {
	cfg, err := l.sim(policy, seed, known, lab.ReadsConfidence(policy, lab.NoQueues))
	if err != nil {
		return nil, err
	}
	return l.foresee(ctx, lab.Start(policy, lab.NoQueues), cfg, known)
}

// foresee is the same from where a run stands, whose time the jobs' arrivals are of.
func (l *Local) foresee(ctx context.Context, from lab.Stand, cfg sim.Config, known []*profile.Class) ([]Foresight, error) {
	jobs := cfg.Workload.Jobs
	l.asked = report.Requests{}
	fates, wrong := from.Asking(&l.asked).Foresee(ctx, cfg, jobs)
	told, all, draws := Told(known), make([]Foresight, len(fates)), false
	for i := range fates {
		f, class := &all[i], find(told, l.Files[i].Class)
		f.Fate = fates[i]
		if len(l.asked.List) > 0 && !f.Outlook.Word.Binds() {
			f.Outlook = sched.Outlook{} // it was said before anything was rented
		}
		factor := 1.0
		if f.New = class == nil || class.Any(workload.Map).Task.N == 0; !f.New {
			f.Cold, factor = find(known, class.Name).Runs == 0, class.Bias()
		}
		since := func(t units.Time) float64 { return t.Sub(f.Arrived).Seconds() }
		switch {
		case f.said():
			if f.Ended != units.Never && f.Ended > f.Arrived && !f.New {
				f.Factor = f.Done / since(f.Ended) * factor
			}
		case wrong != nil:
			return nil, wrong
		case f.Ended != units.Never && f.Refused == "":
			f.Known, f.Done, f.Factor = true, since(f.Ended), factor
			f.varies = !f.New && class.Any(workload.Map).Task.N >= enough
			draws = draws || f.varies
		}
	}
	var took [][]float64
	if draws {
		var err error
		if took, err = drawn(ctx, from, cfg, told); err != nil {
			return nil, err
		}
	}
	for i := range all {
		f := &all[i]
		if f.varies {
			by := dueOf(jobs[i], jobs)
			f.drawn(took[i], by.Sub(jobs[i].Arrive).Seconds(), by != units.Never)
		}
		f.follows(all, jobs[i].After)
	}
	return all, nil
}

// said notes what the policy says of the job, if it does.
func (f *Foresight) said() bool {
	if !f.Says() {
		return false
	}
	o, since := &f.Outlook, func(t units.Time) float64 { return t.Sub(f.Arrived).Seconds() }
	f.Known, f.Done, f.Ninety, f.Sure = true, since(o.Half), since(o.Ninety), since(o.By)
	f.Level, f.Chance = float64(o.Confidence)/sched.Certain, float64(o.Chance)/sched.Certain
	return true
}

// follows notes when the last of the jobs of these names is done.
func (f *Foresight) follows(all []Foresight, after []string) {
	for i := range all {
		if o := &all[i]; o.Known && slices.Contains(after, o.ID) {
			f.New = f.New || o.New // what it reads is a guess
			f.After, f.Ready = append(f.After, o.ID), max(f.Ready, o.Arrived.Sub(f.Arrived).Seconds()+o.Done)
		}
	}
}

// enough is how many maps of a class must have been measured before these say how much they vary.
const enough = 3

// drawn says what follows from how long the job took in plays with drawn times, ascending. The next one is as
// likely to be in each gap between the n of them, or beyond them, so it is within the k-th with a chance of k/(n +
// 1).
func (f *Foresight) drawn(took []float64, deadline float64, has bool) {
	n := len(took)
	by := func(level float64) float64 {
		place := int(math.Ceil(level*float64(n+1))) - 1
		if place >= n {
			return 0 // they are too few to tell
		}
		return took[place]
	}
	if f.Ninety = by(0.9); f.Ninety == 0 {
		return
	}
	if f.Sure = by(0.99); f.Sure > 0 {
		f.Level = 0.99
	}
	if has {
		met, _ := slices.BinarySearchFunc(took, deadline, func(t, d float64) int {
			if t <= d {
				return -1
			}
			return 1
		})
		f.Chance = float64(max(1, met)) / float64(n+1)
	}
}

// Jobs are played so often with drawn times; less often where they have many tasks.
const (
	mostDraws  = 199
	leastDraws = 16
	drawnTasks = 20_000
)

// drawn plays the jobs with drawn times of tasks: how long each job took, ascending.
func drawn(ctx context.Context, from lab.Stand, cfg sim.Config, told []*profile.Class) ([][]float64, error) {
	took, tasks := make([][]float64, len(cfg.Workload.Jobs)), 1
	for _, j := range cfg.Workload.Jobs {
		for s := range j.Stages {
			tasks += len(j.Stages[s].Tasks)
		}
	}
	vary := each.Of(cfg.Workload.Jobs, func(j *workload.Job) func(draw.Draw) *workload.Job { return varying(j, find(told, j.Class)) })
	for k := range min(max(drawnTasks/tasks, leastDraws), mostDraws) {
		by := draw.Of(cfg.Seed, "prediction").Number(uint64(k))
		cfg.Outlived = by.Float64() // as tasks of others run that take what nobody knows
		fates, err := from.Foresee(ctx, cfg, each.Of(vary, func(of func(draw.Draw) *workload.Job) *workload.Job { return of(by) }))
		if err != nil {
			return nil, err
		}
		for i := range fates {
			if f := &fates[i]; f.Ended != units.Never {
				took[i] = append(took[i], f.Ended.Sub(f.Arrived).Seconds())
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took, nil
}

// retimed is a job whose tasks take other times.
func retimed(j *workload.Job, time func(s *workload.StageSpec, task int, t *workload.Task)) *workload.Job {
	is := *j
	is.Stages = slices.Clone(j.Stages)
	for s := range is.Stages {
		st := &is.Stages[s]
		st.Tasks = slices.Clone(st.Tasks)
		for t := range st.Tasks {
			time(st, t, &st.Tasks[t])
		}
	}
	return &is
}

// varying draws the time of each task by the cost model of its stage: the factor that tasks of a job
// share, which is one for all its stages, and one for the task. Both are for the mean that the task
// has. What has no model is drawn from what such tasks took.
func varying(j *workload.Job, class *profile.Class) func(from draw.Draw) *workload.Job {
	const points = 64
	var factors [workload.Stages]func(shared float64, own draw.Draw) float64
	for s := range j.Stages {
		st := &j.Stages[s]
		factors[st.Kind] = func(float64, draw.Draw) float64 { return 1 }
		if class == nil {
			continue
		}
		part := profile.Run
		if st.Kind == workload.Master {
			part = profile.StartUp
		}
		if m := class.Model(st.Kind, "", part); m != nil {
			largest := 0.0
			for t := range st.Tasks {
				largest = max(largest, float64(st.Tasks[t].Input))
			}
			ofJob := m.SharedAt(largest, -1)
			mean := ofJob.Mean() * m.Own.Mean()
			factors[st.Kind] = func(shared float64, own draw.Draw) float64 {
				return ofJob.Quantile(shared) * m.Own.Quantile(own.Float64()) / mean
			}
			continue
		}
		stage := class.Any(st.Kind)
		if values := steadier(stage.Costs.Values(points), stage.Spread.Values(points)); values != nil {
			mean := stat.Mean(values)
			factors[st.Kind] = func(_ float64, own draw.Draw) float64 { return values[own.Below(points)] / mean }
		}
	}
	return func(from draw.Draw) *workload.Job {
		shared := from.Job(j.ID).Job("shared").Float64()
		return retimed(j, func(s *workload.StageSpec, task int, t *workload.Task) {
			t.Work = t.Work.Scale(factors[s.Kind](shared, from.Job(j.ID).At(int(s.Kind), task, 0)))
		})
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

// Expected is what is kept of a foresight, and held against what comes; nil if it says nothing, or guesses.
func (f *Foresight) Expected() *report.Expectation {
	if !f.Known || f.New {
		return nil
	}
	e := &report.Expectation{Seconds: f.Took(), Factor: f.Factor, Cold: f.Cold, From: "simulations"}
	if f.Says() {
		e.From = report.ByPolicy
	}
	if f.Ninety > 0 { // what it would be if errors were normal
		e.Spread = new(max(0, f.Ninety-f.Done) / ninetieth)
	}
	return e
}

// ninetieth is the normal score that 90 % lie below.
const ninetieth = 1.2815515655446004

// Late says by how much a job is expected to miss its deadline; 0: it has none, is not, or nothing is known.
func (l *Local) Late(f *Foresight) units.Duration {
	spec := &l.jobs[l.file(f.ID)].Spec
	by := dueOf(spec, each.Of(l.jobs, func(j *equip.Job) *workload.Job { return &j.Spec }))
	if !f.Known || f.New || by == units.Never {
		return 0
	}
	return max(0, units.FromSeconds(f.Done)+spec.Overdue-by.Sub(spec.Arrive))
}

// unfinished says why a job would not finish that the policy does not refuse.
func unfinished(all []Foresight, i int, after []string) string {
	for _, name := range after {
		for k := range all {
			switch o := &all[k]; {
			case o.ID != name || o.Known:
			case o.Refused != "":
				return fmt.Sprintf("it waits for %s, which is refused", name)
			default:
				return fmt.Sprintf("it waits for %s, which would not finish", name)
			}
		}
	}
	return "it would not finish"
}
