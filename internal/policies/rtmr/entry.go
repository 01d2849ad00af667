package rtmr

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
)

// Entry lists the scheme. It goes with no other part: each of its own keeps a part of the promise.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "rtmr",
		Kind:  compose.KindScheme,
		Whole: true,
		Doc:   "promises deadlines: admits only jobs that meet them at worst, and keeps slots for them",
		Cite:  "paper 003, sections 5.2.1 and 5.2.2",
		Needs: "kill attempts, unless preempt=false",
		Params: []compose.Param{
			{Name: "feedback", Type: compose.Switch, Default: "true", Doc: "learn from the real finish of a job when slots are free (algorithm 5.5)"},
			{Name: "order", Type: compose.Choice, Default: "edf", Choices: []string{"edf", "fifo"}, Doc: "of jobs that have not started: by deadline or by arrival"},
			{Name: "preempt", Type: compose.Switch, Default: "true", Doc: "jobs without a promise use any free slot and are killed when it falls due; false: they get what the promises leave"},
			{Name: "unknown", Type: compose.Choice, Default: "sample", Choices: []string{"sample", "best-effort"}, Doc: "a job with a deadline, of a class of which nothing is known: measure some of its maps first, or run it without a promise"},
			{Name: "sample", Type: compose.Count, Default: "3", Unit: "maps", Doc: "in a sample"},
			{Name: "skew", Type: compose.Count, Default: "100", Unit: "percent", Doc: "the largest share of a reduce, of the mean"},
			admit.ShareParam("of the cluster that ApplicationMasters of jobs without a promise may take"),
		},
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	c := Config{Feedback: a.Switch("feedback"), FIFO: a.Choice("order") == "fifo", Preempt: a.Switch("preempt"),
		BestEffort: a.Choice("unknown") == "best-effort", Sample: a.Count("sample"), Skew: float64(a.Count("skew")) / 100}
	share, err := admit.ShareOf(a)
	if err != nil {
		return err
	}
	c.Masters = share
	switch {
	case c.BestEffort && a.Set("sample"):
		return a.Misused("sample", "sample has no effect with unknown=best-effort")
	case !c.BestEffort && c.Sample == 0:
		return a.Misused("sample", "sample is 0, nothing would be measured; give 1 at least, or unknown=best-effort")
	case c.Skew < 1:
		return a.Misused("skew", "skew is %d %%, the largest share is 100 %% of the mean at least", a.Count("skew"))
	}
	assemble(r, newScheduler(c))
	return nil
}

// assemble puts the parts of a scheduler into the recipe.
func assemble(r *compose.Recipe, s *scheduler) {
	r.Order = order{scheduler: s}
	r.Put(compose.KindAdmit, admission{s})
	r.Put(compose.KindPlace, dispatcher{s})
	if s.dispatch != nil {
		r.Put(compose.KindPlace, s.dispatch)
	}
	if s.c.Preempt {
		r.Put(compose.KindPreempt, reclaimer{s})
	}
}
