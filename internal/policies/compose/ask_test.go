package compose_test

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// empty is a view without jobs.
type empty struct{ sched.View }

func (empty) Now() units.Time            { return 0 }
func (empty) Jobs() sched.JobID          { return 0 }
func (empty) Find(string) sched.JobID    { return 0 }
func (empty) World() *sched.Capabilities { return &sched.Capabilities{} }

// mute is an admission that lets all jobs in and cannot be asked.
type mute struct{}

func (mute) Decide(sched.View, []sched.Event, *sched.Plan) {}

// open is one that can.
type open struct{ mute }

func (open) Ask(sched.View, *sched.Job) sched.Answer { return sched.Answer{Verb: sched.Admit} }

// An admission that cannot be asked gives no verdict, says why, and foresees nothing.
func TestAdmissionThatCannotBeAsked(t *testing.T) {
	for _, c := range []struct {
		admit compose.Step
		verb  sched.Verb
		why   *sched.Cause
	}{{mute{}, sched.NoVerb, sched.NotAsked}, {open{}, sched.Admit, nil}} {
		y, err := compose.New(compose.Recipe{Name: "x", Order: order.FIFO{}, Steps: steps(c.admit, &placement.Greedy{NonLocal: 1, Reduces: 1})})
		if err != nil {
			t.Fatal(err)
		}
		var asked sched.Asker = y
		a := asked.Ask(empty{}, 0, &workload.Job{ID: "new", Stages: []workload.StageSpec{{Kind: workload.Map}}})
		if a.Verb != c.verb || a.Reason.Cause != c.why || a.Outlook != (sched.Outlook{}) || a.Offer != (sched.Outlook{}) || len(a.Evidence) > 0 {
			t.Errorf("%T answers %v because of %v: %+v", c.admit, a.Verb, a.Reason.Cause, a)
		}
	}
	if verdicts := []sched.Verb{sched.Admit, sched.Hold, sched.Reject, sched.Sample}; slices.Contains(verdicts, sched.Answer{}.Verb) {
		t.Error("an answer that was never filled in is a verdict")
	}
}
