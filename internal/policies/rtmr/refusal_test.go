package rtmr

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/policies/estimate"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// told is a sink that holds each refusal to what is so: is the job alone too long for its deadline,
// or what stands in its way?
type told struct {
	s                      stream
	batch                  map[sched.JobID]int // in s.Jobs
	alone, standing, harms int
	wrong                  []string
}

func (r *told) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.JobArrived {
			n := 0
			if _, err := fmt.Sscanf(e.Detail.Job.ID, "j%d", &n); err != nil {
				return err
			}
			r.batch[e.Job] = n - 1
		}
	}
	return nil
}

// takes is what a job takes at worst with the cluster to itself, in whole seconds: all its maps in
// waves, then all its reduces.
func (r *told) takes(j streamJob) (maps, all int) {
	beat := int(r.s.Heartbeat / units.Second)
	waves := func(tasks, slots int) int { return (tasks + slots - 1) / slots }
	maps = waves(len(j.Maps), r.s.Nodes*r.s.Maps) * (j.Map + beat)
	return maps, maps + waves(len(j.Reduces), r.s.Nodes*r.s.Reduces)*(j.Reduce+beat)
}

func (r *told) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.Reject {
			continue
		}
		j, why := r.s.Jobs[r.batch[it.Job]], it.Reason
		maps, all := r.takes(j)
		bad := func(format string, args ...any) {
			r.wrong = append(r.wrong, fmt.Sprintf("at %v j%d: %s: ", at, r.batch[it.Job]+1, p.Why(it, nil))+fmt.Sprintf(format, args...))
		}
		if (why.Cause == estimate.AloneLate) != (all > j.Within) {
			bad("alone it takes %d s of %d s", all, j.Within)
			continue
		}
		second := int64(units.Second)
		switch why.Cause {
		case estimate.AloneLate:
			r.alone++
			if why.A != int64(j.Within)*second || why.B != int64(all)*second || why.C != int64(maps)*second {
				bad("it has %d s, takes %d s, its maps %d s", j.Within, all, maps)
			}
		case Late:
			r.standing++
			if e := why.Evidence; e.To <= e.From {
				bad("nobody is named")
			} else if e := p.Evidence[e.From]; e.Amount <= 0 || e.At <= at || e.Job == it.Job {
				bad("%+v holds nothing", e)
			}
		case BreaksPromise:
			if r.harms++; why.Job <= 0 || why.B <= why.A {
				bad("nobody is late")
			}
		default:
			bad("that is no reason")
		}
	}
	return nil
}

// Each refusal says which of two it is: the job alone is too long for its deadline, as arithmetic
// with waves of tasks finds, or what is promised stands in its way, which is named with until when.
func TestRefusalsTell(t *testing.T) {
	blind := usual
	blind.Feedback = false
	for _, v := range []struct {
		name   string
		config config
	}{{"usual", usual}, {"without feedback", blind}} {
		t.Run(v.name, func(t *testing.T) {
			alone, standing, harms := 0, 0, 0
			for range rounds(5_000) {
				rapid.Check(t, func(t *rapid.T) {
					s := streams(true, 20, 0, 3*units.Second).Draw(t, "stream")
					r := &told{s: s, batch: map[sched.JobID]int{}}
					if _, err := play(s, v.config, nil, r); err != nil {
						t.Fatal(err)
					}
					for _, w := range r.wrong {
						t.Errorf("%s\n%v", w, s)
					}
					alone, standing, harms = alone+r.alone, standing+r.standing, harms+r.harms
				})
			}
			t.Logf("%d alone too long, %d behind others, %d would harm others", alone, standing, harms)
			if alone == 0 || standing == 0 {
				t.Error("this tests little")
			}
		})
	}
}
