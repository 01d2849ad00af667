package rtmr

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	orders "github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/slowstart"
	"github.com/slackline/slackline/sched"
)

// Entry lists the scheme. It goes with no other part: each of its own keeps a part of the promise.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "rtmr",
		Kind:  compose.KindScheme,
		Whole: true,
		Doc:   "promises deadlines: admits only jobs that meet them in the worst case, and keeps slots for them",
		Cite:  "paper 003, sections 5.2.1 and 5.2.2",
		Parts: parts(nil),
		Params: []compose.Param{
			{Name: "promise", Type: compose.Chance, Default: "worst", Doc: "what a promise rests on: worst, that no task takes longer than the longest seen; or a probability, such as 99%, which promises far more where task times vary"},
			{Name: "refused", Type: compose.Choice, Default: "auto", Choices: []string{"auto", "run", "reject"}, Doc: "what cannot be promised: run it without a promise, or reject it; auto: run where promises have a probability"},
			{Name: "feedback", Type: compose.Switch, Default: "true", Doc: "learn from the real finish of a job when slots are free (algorithm 5.5)"},
			{Name: "unknown", Type: compose.Choice, Default: "sample", Choices: []string{"sample", "best-effort"}, Doc: "a job with a deadline whose class has no profile: measure some of its maps first, or run it without a promise"},
			{Name: "sample", Type: compose.Count, Default: "3", Unit: "maps", Doc: "how many maps are measured in a sample"},
			{Name: "skew", Type: compose.Count, Default: "100", Unit: "percent", Doc: "the largest share of a reduce, relative to the mean"},
			admit.ShareParam("the most of the cluster that ApplicationMasters of jobs without a promise may take"),
		},
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	c := Config{Feedback: a.Switch("feedback"), BestEffort: a.Choice("unknown") == "best-effort",
		Sample: a.Count("sample"), Skew: float64(a.Count("skew")) / 100}
	c.Most, c.Queues = finish.RiskOf(1-a.Chance("promise")), a.Queues
	c.Behind = c.Most > 0 && a.Choice("refused") != "reject"
	share, err := admit.ShareOf(a)
	if err != nil {
		return err
	}
	c.Masters = share
	switch {
	case c.Most == 0 && a.Choice("refused") == "run":
		return a.Misused("refused", "refused=run needs a promise with a probability, such as promise=99%%; promise=worst rejects")
	case c.Most > 0 && a.Set("feedback"):
		return a.Misused("feedback", "feedback has no effect with a probability: what really happened counts at each verdict")
	case c.BestEffort && a.Set("sample"):
		return a.Misused("sample", "sample has no effect with unknown=best-effort")
	case !c.BestEffort && c.Sample == 0:
		return a.Misused("sample", "sample is 0, so nothing would be measured; give at least 1, or unknown=best-effort")
	case c.Skew < 1:
		return a.Misused("skew", "skew is %d %%, but the largest share is at least 100 %% of the mean", a.Count("skew"))
	}
	assemble(r, newScheduler(c))
	return nil
}

// assemble puts the parts of a scheduler into the recipe.
func assemble(r *compose.Recipe, s *scheduler) {
	for _, part := range parts(s) {
		if part.Kind == compose.KindShare && s.c.Most == 0 {
			continue
		}
		if err := r.Put(part, compose.Args{}); err != nil {
			panic(err) // none of them can fail
		}
	}
}

// parts lists the four elements. They work on one scheduler, so none of them stands alone.
func parts(s *scheduler) []compose.Entry {
	step := func(p compose.Step) func(compose.Args) (compose.Step, error) {
		return func(compose.Args) (compose.Step, error) { return p, nil }
	}
	profiles := compose.Reads{Profiles: true, Models: s == nil || s.c.Most > 0}
	heeds, bides := sched.Events(0), sched.Events(0) // any, at once
	if s != nil && s.c.Most > 0 {
		// A verdict counts what really runs, so ends may be told with whatever comes next, but the last of a stage.
		bides = sched.EventsOf(sched.Ended)
		heeds = sched.AnyEvent &^ sched.EventsOf(sched.Granted, sched.Started, sched.Progress)
	}
	late := slowstart.Entry() // with a probability: reduces of jobs without a promise wait for their maps too
	late.Step = func(compose.Args) (compose.Step, error) { return &slowstart.Late{Leaves: s.promisedTo}, nil }
	late.Name, late.Bides = "rtmr slow start", bides
	return []compose.Entry{
		{Name: "rtmr order", Kind: compose.KindOrder, Doc: "started jobs first, then by deadline",
			Order: func(compose.Args) (sched.Order, error) { return order{scheduler: s}, nil }},
		{Name: "rtmr admission", Kind: compose.KindAdmit, Doc: "whether a job meets its deadline in the worst case", Step: step(admission{s}),
			Traits: compose.Traits{Reads: profiles, Heeds: heeds, Bides: bides, Causes: []*sched.Cause{estimate.Promised, estimate.Likely, Unlikely, Overdrawn, Behind, Overtaken, SlotsMoved, TasksMoved, WidthMoved, AheadMoved, Estimated, estimate.NoDeadline, estimate.CountUnknown, ClassUnknown, Sampling,
				Late, BreaksPromise, HasLabels, orders.OutOfTime, NoMasterRoom, estimate.DeadlinePassed, estimate.NotSlots, estimate.NoSlots, estimate.AloneLate, estimate.Unbounded,
				estimate.TooFewSlots, estimate.MapsFirst, estimate.MapsOver, sched.Begun, sched.PlaceChanged, sched.Wakeup}}},
		late,
		{Name: "rtmr dispatcher", Kind: compose.KindPlace, Doc: "what each node gets", Step: step(dispatcher{s}),
			Traits: compose.Traits{Reads: profiles, Heeds: sched.EventsOf(sched.Heartbeat), Causes: []*sched.Cause{sched.FirstInOrder, LeftOver, sched.PlaceChanged, sched.Wakeup}}},
		{Name: "rtmr reclaimer", Kind: compose.KindPreempt, Doc: "kills tasks without a promise when their slots fall due, and a master that holds up others for ever", Step: step(reclaimer{s}),
			Traits: compose.Traits{Needs: []sched.Verb{sched.Kill}, Heeds: heeds, Bides: bides, Causes: []*sched.Cause{SlotDue, Deadlock}}},
	}
}
