package rtmr

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
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
		Params: append([]compose.Param{
			{Name: "feedback", Type: compose.Switch, Default: "true", Doc: "learn from the real finish of a job when slots are free (algorithm 5.5)"},
		}, reserve.Params()...),
		Gone: map[string]string{
			"promise": "it promises for the worst case; promise(level=99%) promises with a probability",
			"refused": "it rejects what it cannot promise; promise runs it without a promise",
			"order":   "the order of jobs that have not started is by deadline",
			"preempt": "tasks without a promise are killed when their slots fall due; edf(feasible)+slowstart kills none",
		},
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	c := Config{Feedback: a.Switch("feedback")}
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
	reads := compose.Reads{Profiles: true}
	return append([]compose.Entry{
		{Name: "rtmr order", Kind: compose.KindOrder, Doc: "started jobs first, then by deadline",
			Order: func(compose.Args) (sched.Order, error) { return order{scheduler: s}, nil }},
		{Name: "rtmr admission", Kind: compose.KindAdmit, Doc: "whether a job meets its deadline in the worst case",
			Step: reserve.Step(admission{s}), Traits: compose.Traits{Reads: reads, Causes: append(reserve.JudgeCauses(),
				estimate.Promised, Estimated, Late, BreaksPromise, estimate.AloneLate, estimate.Unbounded)}},
	}, reserve.Servers(shared, "rtmr", compose.Traits{Reads: reads})...)
}
