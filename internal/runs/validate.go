package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

// Validation holds the simulator against this machine: a batch of real jobs is run again and again,
// and before each time played in the simulator from what the times before have taught, never from
// its own, and never from a cold one once there was another. What is compared is when each job
// finishes, and the makespan.
type Validation struct {
	Jobs    []*scenario.Job
	Machine Machine
	Policy  string
	Seed    uint64
	Teach   int    // runs to learn from, at least 1
	Rounds  int    // runs to predict, at least 1
	Dir     string // for output; must exist
	Say     func(format string, args ...any)
}

// Agreement is the result. Errors are relative: predicted over measured, less 1.
type Agreement struct {
	Schema   string       `json:"schema"`
	Policy   string       `json:"policy"`
	Rounds   int          `json:"rounds"`
	Level    float64      `json:"level"` // of the intervals
	Jobs     []Prediction `json:"jobs"`
	Makespan Prediction   `json:"makespan,omitzero"` // of a cluster none
	Mean     float64      `json:"mean_error"`        // of the sizes of all jobs' errors in all rounds
	P95      float64      `json:"p95_error"`
	Largest  float64      `json:"largest_error"`
	// mean of all jobs' errors, below 0 if they are done later than predicted; and the same of what the
	// simulator says without the factors that rounds taught
	Bias float64 `json:"bias"`
	Bare float64 `json:"bias_simulated"`
}

// Prediction is one finish in all rounds.
type Prediction struct {
	ID        string    `json:"id"`
	Measured  []float64 `json:"measured_s"`
	Predicted []float64 `json:"predicted_s"`
	// without the factor that earlier rounds taught (profile.Class.Bias)
	Simulated []float64 `json:"simulated_s"`
	// of the interval of the level that is told before each round: by those before, null while they are few, or for a
	// cluster by plays with drawn times
	Low  []*float64 `json:"low_s"`
	High []*float64 `json:"high_s"`
	// of outcomes among these plays, from 0 for the soonest to 1
	Places []float64 `json:"places,omitempty"`

	Bias float64 `json:"bias"` // mean error
	// of its 95 % interval; null in one round
	BiasLow  *float64 `json:"bias_low"`
	BiasHigh *float64 `json:"bias_high"`
	Early    int      `json:"early"`  // rounds in which it was done later than predicted
	Sign     float64  `json:"sign_p"` // how likely so one-sided a count is by chance
	Told     int      `json:"intervals"`
	Inside   int      `json:"inside"` // of these had the outcome
}

// AgreementSchema names the form of an Agreement.
const AgreementSchema = "slackline/validate/v1"

// Errors are the relative errors, round by round.
func (p *Prediction) Errors() []float64 { return p.off(p.Predicted) }

func (p *Prediction) off(predicted []float64) (es []float64) {
	for i := range p.Measured {
		es = append(es, predicted[i]/p.Measured[i]-1)
	}
	return es
}

// leastTold is how many rounds say how far off the next one may be.
const leastTold = 3

// add takes in one round. What it may be off by follows from the rounds before: the logarithms of measured
// over simulated times are taken to be normal.
func (p *Prediction) add(measured, predicted, simulated float64) {
	var off stat.Sum
	for i := range p.Measured {
		off.Add(math.Log(p.Measured[i] / p.Simulated[i]))
	}
	var low, high *float64
	if off.N() >= leastTold {
		middle, half := simulated*math.Exp(off.Mean()), math.Exp(off.Next95())
		low, high = new(middle/half), new(middle*half)
		p.Told++
		if *low <= measured && measured <= *high {
			p.Inside++
		}
	}
	p.Low, p.High = append(p.Low, low), append(p.High, high)
	p.Measured, p.Predicted, p.Simulated = append(p.Measured, measured), append(p.Predicted, predicted), append(p.Simulated, simulated)
}

// sum says on which side of the outcome predictions were.
func (p *Prediction) sum() {
	errs := p.Errors()
	p.Bias = stat.Mean(errs)
	if len(errs) > 1 {
		low, high := stat.IntervalOnce95(errs)
		p.BiasLow, p.BiasHigh = &low, &high
	}
	for _, e := range errs {
		if e < 0 {
			p.Early++
		}
	}
	p.Sign = stat.SignTest(p.Early, len(errs))
}

// Validate runs the rounds.
func Validate(ctx context.Context, v Validation) (*Agreement, error) {
	a := &Agreement{Schema: AgreementSchema, Policy: v.Policy, Rounds: v.Rounds, Level: 0.95, Makespan: Prediction{ID: "makespan"}}
	for _, j := range v.Jobs {
		a.Jobs = append(a.Jobs, Prediction{ID: j.Name})
	}
	var known []*profile.Class
	for round := range v.Teach + v.Rounds {
		dir := filepath.Join(v.Dir, fmt.Sprint("round", round))
		local, err := v.local(dir)
		if err != nil {
			return nil, err
		}
		var predicted []Foresight
		if round >= v.Teach {
			if predicted, err = local.Foresee(ctx, v.Policy, v.Seed, known); err != nil {
				return nil, err
			}
		}
		// no knowledge, so that every round is the same to the policy
		cell, err := local.Real(v.Policy, v.Seed, "", nil)
		if err != nil {
			return nil, err
		}
		learner := report.NewLearner(known...)
		cell.Sinks = []follow.Sink{learner}
		meter := StartMeter(DefaultPower, nil)
		measured, err := lab.Run(ctx, cell)
		stored := meter.Stop().Fetched
		if err != nil {
			return nil, err
		}
		if measured.Summary.Finished() != len(v.Jobs) {
			return nil, &lab.Aborted{Err: fmt.Errorf("round %d: %d of %d jobs finished", round+1, measured.Summary.Finished(), len(v.Jobs))}
		}
		note := ""
		taught := learner.Profiles()
		if predicted != nil {
			local.teach(taught, measured, predicted)
		}
		for i, c := range taught {
			if cold(find(known, c.Name), stored, local.input()) {
				taught[i], note = c.AsCold(), ", cold: not predicted from"
			}
		}
		known = merge(known, taught)
		if err := os.RemoveAll(dir); err != nil {
			return nil, &lab.Aborted{Err: err}
		}
		if predicted == nil {
			v.Say("round %d of %d, to learn: done after %s%s", round+1, v.Teach+v.Rounds, units.Span(measured.Summary.Makespan), note)
			continue
		}
		last := a.add(measured, predicted)
		v.Say("round %d of %d: done after %s, predicted %s (%+.1f %%)%s", round+1, v.Teach+v.Rounds, units.Span(measured.Summary.Makespan),
			units.Span(last), 100*(last/measured.Summary.Makespan-1), note)
	}
	a.sum()
	return a, nil
}

// local is the batch with its output in a folder of the round.
func (v *Validation) local(dir string) (*Local, error) {
	jobs := make([]*scenario.Job, len(v.Jobs))
	for i, j := range v.Jobs {
		mine := *j
		mine.Output = filepath.Join(dir, fmt.Sprint(i))
		jobs[i] = &mine
	}
	return NewLocal(jobs, v.Machine, time.Now())
}

// merge adds to what is known what a run has taught.
func merge(known, taught []*profile.Class) []*profile.Class {
	for _, c := range taught {
		if k := find(known, c.Name); k != nil {
			k.Merge(c)
		} else {
			known = append(known, c)
		}
	}
	return known
}

// teach takes in what came of predictions, as a run that is kept does (Keeper.Finish).
func (l *Local) teach(taught []*profile.Class, measured *report.Run, predicted []Foresight) {
	for i, f := range l.Files {
		took, ended := response(measured, f.Name)
		if class, p := find(taught, f.Class), &predicted[i]; class != nil && ended && p.Took() > 0 && p.Factor > 0 {
			class.Predicted(took / p.Took() * p.Factor)
		}
	}
}

// response is how long a job takes in a run from when it may begin.
func response(run *report.Run, id string) (float64, bool) {
	for i := range run.Jobs {
		if j := &run.Jobs[i]; j.ID == id && j.Finished != nil {
			return j.Own(), true
		}
	}
	return 0, false
}

// add takes in a round, and returns when the last job was predicted to be done.
func (a *Agreement) add(measured *report.Run, predicted []Foresight) (last float64) {
	simulated := 0.0
	for i := range a.Jobs {
		f := &predicted[i]
		took, _ := response(measured, f.ID)
		bare, from := f.Took()/cmp.Or(f.Factor, 1), f.Arrived.Seconds()
		a.Jobs[i].add(took, f.Took(), bare)
		last, simulated = max(last, from+f.Done), max(simulated, from+f.Done/cmp.Or(f.Factor, 1))
	}
	a.Makespan.add(measured.Summary.Makespan, last, simulated)
	return last
}

func (a *Agreement) sum() {
	var errs, sizes, bare []float64
	for i := range a.Jobs {
		p := &a.Jobs[i]
		p.sum()
		errs, bare = append(errs, p.Errors()...), append(bare, p.off(p.Simulated)...)
	}
	if len(a.Makespan.Measured) > 0 {
		a.Makespan.sum()
	}
	for _, e := range errs {
		sizes = append(sizes, math.Abs(e))
	}
	a.Mean, a.P95, a.Largest = stat.Mean(sizes), stat.Quantile(sizes, 0.95), stat.Quantile(sizes, 1)
	a.Bias, a.Bare = stat.Mean(errs), stat.Mean(bare)
}

// batch are the jobs that are validated if nobody names any: what the demo runs, and a job of pure
// computing.
const batch = `name: %s
app: %s
input: x
output: x
reduces: 2
arrive: %s
`

// DefaultBatch makes the jobs over these files: a sort, a wordcount and a grep, submitted one after
// the other while the first runs.
func DefaultBatch(files []string, apart units.Duration) ([]*scenario.Job, error) {
	var jobs []*scenario.Job
	for i, j := range demoJobs {
		job, err := scenario.ReadJob("validate.yaml", fmt.Appendf(nil, batch, j.name, j.app, apart*units.Duration(i)))
		if err != nil {
			return nil, err
		}
		job.Input, job.Params = files, j.params
		jobs = append(jobs, job)
	}
	return jobs, nil
}
