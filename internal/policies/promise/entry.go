package promise

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	orders "github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/internal/policies/slowstart"
	"github.com/slackline/slackline/sched"
)

// Entry lists the scheme. It goes with no other part: each of its own keeps a part of the promise.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "promise",
		Kind:  compose.KindScheme,
		Whole: true,
		Doc:   "promises deadlines with a probability, keeps slots for them, and runs what it cannot promise behind",
		Cite:  "docs/probability.md",
		Parts: parts(nil),
		Params: append([]compose.Param{
			{Name: "level", Type: compose.Chance, Default: "99%", Doc: "how likely a promise is to be kept, unless the job or its queue says; rtmr promises for the worst case"},
			{Name: "refused", Type: compose.Choice, Default: "run", Choices: []string{"run", "reject"}, Doc: "what cannot be promised: run it without a promise, or reject it"},
		}, reserve.Params()...),
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	c := Config{Most: finish.RiskOf(1 - a.Chance("level")), Behind: a.Choice("refused") == "run", Queues: a.Queues}
	if err := c.Fill(a); err != nil {
		return err
	}
	assemble(r, newScheduler(c))
	return nil
}

// assemble puts the parts of a scheduler into the recipe.
func assemble(r *compose.Recipe, s *scheduler) { reserve.Put(r, parts(s)) }

// parts lists the elements. They work on one scheduler, so none of them stands alone.
func parts(s *scheduler) []compose.Entry {
	var shared *reserve.Scheduler
	if s != nil {
		shared = s.Scheduler
	}
	is := compose.Traits{
		Reads: compose.Reads{Profiles: true, Models: true},
		// A verdict counts what really runs, so ends may be told with whatever comes next, but the last of a stage.
		Bides: sched.EventsOf(sched.Ended),
		Heeds: sched.AnyEvent &^ sched.EventsOf(sched.Granted, sched.Started, sched.Progress),
	}
	judges := is
	judges.Causes = append(reserve.JudgeCauses(), estimate.Likely, Unlikely, Overdrawn, Behind, Overtaken, SlotsMoved, TasksMoved,
		WidthMoved, AheadMoved, orders.OutOfTime)
	late := slowstart.Entry() // reduces of jobs without a promise wait for their maps too
	late.Step = func(compose.Args) (compose.Step, error) { return &slowstart.Late{Leaves: s.PromisedTo}, nil }
	late.Name, late.Bides = "promise slow start", is.Bides
	return append([]compose.Entry{
		{Name: "promise order", Kind: compose.KindOrder, Doc: "by deadline; behind promises who can be in time",
			Order: func(compose.Args) (sched.Order, error) { return order{scheduler: s}, nil }},
		{Name: "promise admission", Kind: compose.KindAdmit, Doc: "how likely a job is to meet its deadline",
			Step: reserve.Step(admission{s}), Traits: judges},
		late,
	}, reserve.Servers(shared, "promise", is)...)
}
