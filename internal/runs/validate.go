package runs

import (
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
	Jobs     []Prediction `json:"jobs"`
	Makespan Prediction   `json:"makespan"`
	Mean     float64      `json:"mean_error"` // of the sizes of all jobs' errors in all rounds
	P95      float64      `json:"p95_error"`
	Largest  float64      `json:"largest_error"`
}

// Prediction is one finish in all rounds.
type Prediction struct {
	ID        string    `json:"id"`
	Measured  []float64 `json:"measured_s"`
	Predicted []float64 `json:"predicted_s"`
}

// AgreementSchema names the form of an Agreement.
const AgreementSchema = "slackline/validate/v1"

// Errors are the relative errors, round by round.
func (p *Prediction) Errors() []float64 {
	var es []float64
	for i := range p.Measured {
		es = append(es, p.Predicted[i]/p.Measured[i]-1)
	}
	return es
}

// Validate runs the rounds.
func Validate(ctx context.Context, v Validation) (*Agreement, error) {
	a := &Agreement{Schema: AgreementSchema, Policy: v.Policy, Rounds: v.Rounds, Makespan: Prediction{ID: "makespan"}}
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
		var predicted *report.Run
		if round >= v.Teach {
			if predicted, err = local.Predict(ctx, v.Policy, v.Seed, known); err != nil {
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
		meter := StartMeter(DefaultPower)
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
			v.Say("round %d of %d, to learn: done after %.2f s%s", round+1, v.Teach+v.Rounds, measured.Summary.Makespan, note)
			continue
		}
		a.add(measured, predicted)
		v.Say("round %d of %d: done after %.2f s, predicted %.2f s (%+.1f %%)%s", round+1, v.Teach+v.Rounds, measured.Summary.Makespan,
			predicted.Summary.Makespan, 100*(predicted.Summary.Makespan/measured.Summary.Makespan-1), note)
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

func (a *Agreement) add(measured, predicted *report.Run) {
	for i := range a.Jobs {
		p := &a.Jobs[i]
		took, _ := response(measured, p.ID)
		foretold, _ := response(predicted, p.ID)
		p.Measured, p.Predicted = append(p.Measured, took), append(p.Predicted, foretold)
	}
	a.Makespan.Measured = append(a.Makespan.Measured, measured.Summary.Makespan)
	a.Makespan.Predicted = append(a.Makespan.Predicted, predicted.Summary.Makespan)
}

func (a *Agreement) sum() {
	var sizes []float64
	for i := range a.Jobs {
		for _, e := range a.Jobs[i].Errors() {
			sizes = append(sizes, math.Abs(e))
		}
	}
	a.Mean, a.P95, a.Largest = stat.Mean(sizes), stat.Quantile(sizes, 0.95), stat.Quantile(sizes, 1)
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
