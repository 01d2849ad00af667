package rtmr

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
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
			{Name: "feedback", Type: compose.Switch, Default: "true", Doc: "learn from the real finish of a job when slots are free (algorithm 5.5)"},
			{Name: "unknown", Type: compose.Choice, Default: "sample", Choices: []string{"sample", "best-effort"}, Doc: "a job with a deadline whose class has no profile: measure some of its maps first, or run it without a promise"},
			{Name: "sample", Type: compose.Count, Default: "3", Unit: "maps", Doc: "how many maps are measured in a sample"},
			{Name: "skew", Type: compose.Count, Default: "100", Unit: "percent", Doc: "the largest share of a reduce, relative to the mean"},
			admit.ShareParam("the most of the cluster that ApplicationMasters of jobs without a promise may take"),
		},
		Gone: map[string]string{
			"promise": "it promises for the worst case; promise(level=99%) promises with a probability",
			"refused": "it rejects what it cannot promise; promise runs it without a promise",
			"order":   "the order of jobs that have not started is by deadline",
			"preempt": "tasks without a promise are killed when their slots fall due; edf(feasible)+slowstart kills none",
		},
		Fill: fill,
	}
}

// config is what people can set.
type config struct {
	Feedback   bool        // rebuild the vectors when a job's finish is not what was estimated (algorithm 5.5)
	BestEffort bool        // a job of an unknown class runs without a promise, instead of a sample of it
	Sample     int         // maps in a sample
	Skew       float64     // the largest share of a reduce over the mean
	Masters    admit.Share // the part of the cluster that masters of jobs without a promise may take
}

func fill(r *compose.Recipe, a compose.Args) (err error) {
	c := config{Feedback: a.Switch("feedback"), BestEffort: a.Choice("unknown") == "best-effort", Sample: a.Count("sample"), Skew: float64(a.Count("skew")) / 100}
	if c.Masters, err = admit.ShareOf(a); err != nil {
		return err
	}
	switch {
	case c.BestEffort && a.Set("sample"):
		return a.Misused("sample", "sample has no effect with unknown=best-effort")
	case !c.BestEffort && c.Sample == 0:
		return a.Misused("sample", "sample is 0, so nothing would be measured; give at least 1, or unknown=best-effort")
	case c.Skew < 1:
		return a.Misused("skew", "skew is %d %%, but the largest share is at least 100 %% of the mean", a.Count("skew"))
	}
	return assemble(r, newScheduler(c))
}

// assemble puts the parts of a scheduler into the recipe.
func assemble(r *compose.Recipe, s *scheduler) error {
	return r.Put(compose.Entry{Kind: compose.KindScheme, Parts: parts(s)}, compose.Args{})
}

// parts lists the elements. They work on one scheduler, so none of them stands alone.
func parts(s *scheduler) []compose.Entry {
	step := func(p compose.Step) func(compose.Args) (compose.Step, error) {
		return func(compose.Args) (compose.Step, error) { return p, nil }
	}
	reads := compose.Reads{Profiles: true}
	return []compose.Entry{
		{Name: "rtmr order", Kind: compose.KindOrder, Doc: "started jobs first, then by deadline",
			Order: func(compose.Args) (sched.Order, error) { return order{scheduler: s}, nil }},
		{Name: "rtmr admission", Kind: compose.KindAdmit, Doc: "whether a job meets its deadline in the worst case", Step: step(admission{s}),
			Traits: compose.Traits{Reads: reads, Causes: []*sched.Cause{estimate.NoDeadline, estimate.CountUnknown, ClassUnknown, Sampling, HasLabels,
				NoMasterRoom, DeadlinePassed, estimate.NotSlots, estimate.NoSlots, estimate.TooFewSlots, estimate.MapsFirst, estimate.MapsOver,
				sched.Begun, sched.PlaceChanged, sched.Wakeup, estimate.Promised, Estimated, Late, BreaksPromise, estimate.AloneLate, estimate.Unbounded}}},
		{Name: "rtmr dispatcher", Kind: compose.KindPlace, Doc: "what each node gets", Step: step(dispatcher{s}),
			Traits: compose.Traits{Reads: reads, Heeds: sched.EventsOf(sched.Heartbeat), Causes: []*sched.Cause{sched.FirstInOrder, LeftOver, sched.PlaceChanged, sched.Wakeup}}},
		{Name: "rtmr reclaimer", Kind: compose.KindPreempt, Doc: "kills tasks without a promise when their slots fall due, and a master that holds up others for ever", Step: step(reclaimer{s}),
			Traits: compose.Traits{Needs: []sched.Verb{sched.Kill}, Causes: []*sched.Cause{SlotDue, Deadlock}}},
	}
}
