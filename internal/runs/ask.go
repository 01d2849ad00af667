package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// AnswerSchema names the JSON form of answers.
const AnswerSchema = "slackline/answer/v1"

// Answers say when jobs would be done if they were run together now. Nothing is run for it.
type Answers struct {
	Schema string    `json:"schema"`
	Asked  time.Time `json:"asked"`
	Policy string    `json:"policy"`
	Jobs   []Answer  `json:"jobs"`   // in the order of the files
	Beside []Other   `json:"beside"` // runs on this machine now, which share its cores
}

// Other is a run that is under way. The answers do not count what it holds.
type Other struct {
	Run     int64    `json:"run"`
	Jobs    []string `json:"jobs"`
	Open    bool     `json:"open"`    // it takes jobs, so those that were asked about may be submitted to it
	Maps    int      `json:"maps"`    // that its jobs have to go
	Reduces int      `json:"reduces"` // likewise
}

// Answer is that about one job. What is not known is null.
type Answer struct {
	ID        string     `json:"id"`
	Class     string     `json:"class"`
	Submitted time.Time  `json:"submitted"`
	Deadline  *time.Time `json:"deadline"`
	Done      *time.Time `json:"done"`     // as expected; null: the policy would refuse it
	Spread    *float64   `json:"spread_s"` // standard deviation of that
	// it is done by then in nine of ten cases: by the errors of earlier predictions, by the cost
	// models of its class while there are few of these
	By90      *time.Time `json:"by_90"`
	Chance    *float64   `json:"chance"`  // of the deadline, likewise
	Alone     *float64   `json:"alone_s"` // what it takes with the machine to itself
	WaitsFor  []string   `json:"waits_for"`
	WaitsTill *time.Time `json:"waits_until"`
	Shared    *time.Time `json:"done_if_shared"` // if the runs beside it keep the cores busy all the time
	Refused   string     `json:"refused"`        // why the policy would refuse it
	Cold      bool       `json:"cold"`           // only cold runs of its class are known
}

// InTime tells whether the job is expected to meet its deadline; a job without one is.
func (a *Answer) InTime() bool {
	return a.Refused == "" && (a.Deadline == nil || a.Done != nil && !a.Done.After(*a.Deadline))
}

// enoughErrors is how many predictions must have been held against what came before a quantile of their
// errors is told.
const enoughErrors = 10

// Ask says when the jobs would be done. An error says what is not known.
func (l *Local) Ask(ctx context.Context, policy string, seed uint64, known []*profile.Class) (*Answers, error) {
	together, err := l.Predict(ctx, policy, seed, known)
	if err != nil {
		return nil, err
	}
	expected, err := l.Expect(ctx, policy, seed, known)
	if err != nil {
		return nil, err
	}
	all := &Answers{Schema: AnswerSchema, Asked: l.now, Policy: policy, Beside: l.others()}
	draws, err := l.drawn(ctx, policy, seed, known, askedDraws)
	if err != nil {
		return nil, err
	}
	var shared *report.Run
	if n := len(all.Beside); n > 0 {
		if shared, err = l.play(ctx, policy, seed, known, slower(units.Duration(n+1))); err != nil {
			return nil, err
		}
	}
	for i, f := range l.Files {
		spec := &l.jobs[i].Spec
		job := find(Told(known), f.Class)
		a := Answer{ID: f.Name, Class: f.Class, Submitted: l.at(spec.Arrive), WaitsFor: []string{}}
		if spec.Deadline != units.Never {
			a.Deadline = new(l.at(spec.Deadline.Add(-spec.Overdue)))
		}
		byItself, err := l.play(ctx, lab.DefaultPolicy, seed, known, alone(i))
		if err != nil {
			return nil, err
		}
		if took, ok := response(byItself, f.Name); ok {
			a.Alone = &took
		}
		if e := expected[i]; e != nil {
			a.Done, a.Spread, a.Cold = new(after(a.Submitted, e.Seconds)), e.Spread, e.Cold
			var played []float64
			if job.Model(workload.Map, "", profile.Run) != nil {
				played = draws[i]
			}
			if job.Error.N >= enoughErrors {
				a.likely(job, e.Seconds/e.Factor, played)
			} else {
				a.drawn(played)
			}
			if took, ok := 0.0, false; shared != nil {
				if took, ok = response(shared, f.Name); ok {
					a.Shared = new(after(a.Submitted, took))
				}
			}
		}
		a.waits(l, together)
		all.Jobs = append(all.Jobs, a)
	}
	return all, nil
}

// at is an instant of the run that would start now.
func (l *Local) at(t units.Time) time.Time { return l.now.Add(time.Duration(t)) }

func after(t time.Time, seconds float64) time.Time {
	return t.Add(time.Duration(units.FromSeconds(seconds)))
}

// alone leaves one of the jobs, which waits for nothing and has no deadline.
func alone(job int) func(*sim.Config) {
	return func(cfg *sim.Config) {
		j := cfg.Workload.Jobs[job]
		j.After, j.Arrive, j.Deadline, j.Soft = nil, 0, units.Never, units.Never
		cfg.Workload.Jobs = []*workload.Job{j}
	}
}

// slower lets all tasks take so many times as long.
func slower(times units.Duration) func(*sim.Config) {
	return func(cfg *sim.Config) {
		for _, j := range cfg.Workload.Jobs {
			for s := range j.Stages {
				for t := range j.Stages[s].Tasks {
					task := &j.Stages[s].Tasks[t]
					task.Work, task.Shuffle = task.Work*times, task.Shuffle*times
				}
			}
		}
	}
}

// askedDraws is how often the jobs are played with drawn times for an answer.
const askedDraws = 199

// drawn says what follows from how long the job took in such plays, ascending: as likely says it of errors.
func (a *Answer) drawn(took []float64) {
	n := len(took)
	place := int(math.Ceil(0.9*float64(n+1))) - 1
	if place >= n {
		return // too few for nine of ten cases
	}
	a.By90 = new(after(a.Submitted, took[place]))
	if a.Deadline == nil {
		return
	}
	late := slices.IndexFunc(took, func(t float64) bool { return after(a.Submitted, t).After(*a.Deadline) })
	if late < 0 {
		late = n
	}
	a.Chance = new(float64(late) / float64(n+1))
}

// likely says what follows from how far earlier predictions of the class were off. The next error is as
// likely to be in each gap between the n known ones, or beyond them, so it is within the k-th of them with a
// chance of k/(n + 1): what few predictions tell is never certain. Beyond the largest they tell nothing: there the
// chance to take longer, 1/(n + 1), falls with time as it does in plays by the cost models, if there are any.
func (a *Answer) likely(c *profile.Class, took float64, played []float64) {
	const points = 100
	ratios := c.Errors.Values(points)
	if ratios == nil {
		return
	}
	n := float64(c.Error.N)
	place := int(math.Ceil(0.9*(n+1)/n*points)) - 1
	a.By90 = new(after(a.Submitted, took*ratios[min(place, points-1)]))
	if a.Deadline == nil {
		return
	}
	met := 0
	for _, r := range ratios {
		if !after(a.Submitted, took*r).After(*a.Deadline) {
			met++
		}
	}
	a.Chance = new(float64(met) / points * n / (n + 1))
	if met == points {
		largest := after(a.Submitted, took*ratios[points-1])
		*a.Chance = 1 - later(a.Submitted, played, *a.Deadline)/later(a.Submitted, played, largest)/(n+1)
	}
}

// later is in which part of plays a job ends behind an instant. One more play is taken to.
func later(submitted time.Time, played []float64, than time.Time) float64 {
	n := 1
	for _, took := range played {
		if after(submitted, took).After(than) {
			n++
		}
	}
	return float64(n) / float64(len(played)+1)
}

// waits finds out for whom the job waits before its first task starts, in the run of all jobs together,
// and why it would be refused.
func (a *Answer) waits(l *Local, run *report.Run) {
	i := slices.IndexFunc(run.Jobs, func(j report.Job) bool { return j.ID == a.ID })
	if i < 0 {
		return
	}
	mine := &run.Jobs[i]
	if mine.Outcome == report.Refused {
		a.Refused, a.Done = mine.Reason, nil
	} else if !mine.Outcome.Finished() {
		a.Refused, a.Done = l.unfinished(mine, run), nil
	}
	const least = 0.1 // seconds
	if mine.Started == nil || *mine.Started < mine.Submitted+least {
		return
	}
	till := l.at(units.Time(units.FromSeconds(*mine.Started)))
	for j := range run.Jobs {
		if o := &run.Jobs[j]; j != i && o.Started != nil && *o.Started < *mine.Started && (o.Finished == nil || *o.Finished > mine.Submitted) {
			a.WaitsFor = append(a.WaitsFor, o.ID)
		}
	}
	if len(a.WaitsFor) > 0 {
		a.WaitsTill = &till
	}
}

// unfinished says why a job would not finish that the policy does not refuse.
func (l *Local) unfinished(mine *report.Job, run *report.Run) string {
	i := slices.IndexFunc(l.Files, func(f *scenario.Job) bool { return f.Name == mine.ID })
	for _, name := range l.jobs[i].Spec.After {
		for k := range run.Jobs {
			switch o := &run.Jobs[k]; {
			case o.ID != name || o.Outcome.Finished():
			case o.Outcome == report.Refused:
				return fmt.Sprintf("it waits for %s, which is refused", name)
			default:
				return fmt.Sprintf("it waits for %s, which would not finish", name)
			}
		}
	}
	return cmp.Or(mine.Reason, "it would not finish")
}

// others are the runs that are under way.
func (l *Local) others() []Other {
	list := []Other{}
	if l.Memory == nil {
		return list
	}
	jobs, err := l.Memory.store.Jobs(store.JobFilter{States: []string{store.Waiting, store.Running}})
	if err != nil {
		return list // nobody knows
	}
	alive, _ := l.Memory.store.Alive() // without it none of them is open
	for _, j := range jobs {
		i := slices.IndexFunc(list, func(o Other) bool { return o.Run == j.Run })
		if i < 0 {
			i = len(list)
			list = append(list, Other{Run: j.Run, Open: slices.ContainsFunc(alive, func(r store.Run) bool { return r.ID == j.Run && r.Door != "" })})
		}
		o := &list[i]
		o.Jobs, o.Maps, o.Reduces = append(o.Jobs, j.Name), o.Maps+j.Maps.Tasks-j.Maps.Done, o.Reduces+j.Reduces.Tasks-j.Reduces.Done
	}
	return list
}

// Late says by how much each job that has a deadline is expected to miss it.
func (l *Local) Late(expected []*report.Expectation) map[string]units.Duration {
	late := map[string]units.Duration{}
	for i, f := range l.Files {
		spec := &l.jobs[i].Spec
		if i >= len(expected) || expected[i] == nil || spec.Deadline == units.Never {
			continue
		}
		if over := units.FromSeconds(expected[i].Seconds) + spec.Overdue - spec.Deadline.Sub(spec.Arrive); over > 0 {
			late[f.Name] = over
		}
	}
	return late
}
