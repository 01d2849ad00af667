package reserve

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
)

// Params are what people can set of any policy that keeps slots for promises.
func Params() []compose.Param {
	return []compose.Param{
		{Name: "unknown", Type: compose.Choice, Default: "sample", Choices: []string{"sample", "best-effort"}, Doc: "a job with a deadline whose class has no profile: measure some of its maps first, or run it without a promise"},
		{Name: "sample", Type: compose.Count, Default: "3", Unit: "maps", Doc: "how many maps are measured in a sample"},
		{Name: "skew", Type: compose.Count, Default: "100", Unit: "percent", Doc: "the largest share of a reduce, relative to the mean"},
		admit.ShareParam("the most of the cluster that ApplicationMasters of jobs without a promise may take"),
	}
}

// Fill reads these parameters.
func (c *Config) Fill(a compose.Args) (err error) {
	c.BestEffort, c.Sample, c.Skew = a.Choice("unknown") == "best-effort", a.Count("sample"), float64(a.Count("skew"))/100
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
	return nil
}

// Put puts the parts of a scheduler into the recipe.
func Put(r *compose.Recipe, parts []compose.Entry) {
	for _, part := range parts {
		if err := r.Put(part, compose.Args{}); err != nil {
			panic(err) // none of them can fail
		}
	}
}

// Step is a part that is there already.
func Step(p compose.Step) func(compose.Args) (compose.Step, error) {
	return func(compose.Args) (compose.Step, error) { return p, nil }
}

// JudgeCauses are those of whoever judges jobs by deadlines, besides his verdicts on a claim.
func JudgeCauses() []*sched.Cause {
	return []*sched.Cause{estimate.NoDeadline, estimate.CountUnknown, ClassUnknown, Sampling, HasLabels, NoMasterRoom,
		estimate.DeadlinePassed, estimate.NotSlots, estimate.NoSlots, estimate.TooFewSlots, estimate.MapsFirst,
		estimate.MapsOver, sched.Begun, sched.PlaceChanged, sched.Wakeup}
}

// Servers are the parts that serve nodes and take slots back, with what they read and heed.
func Servers(s *Scheduler, of string, is compose.Traits) []compose.Entry {
	return []compose.Entry{
		{Name: of + " dispatcher", Kind: compose.KindPlace, Doc: "what each node gets", Step: Step(Dispatcher{s}),
			Traits: compose.Traits{Reads: is.Reads, Heeds: sched.EventsOf(sched.Heartbeat), Causes: []*sched.Cause{sched.FirstInOrder, LeftOver, sched.PlaceChanged, sched.Wakeup}}},
		{Name: of + " reclaimer", Kind: compose.KindPreempt, Doc: "kills tasks without a promise when their slots fall due, and a master that holds up others for ever", Step: Step(reclaimer{s}),
			Traits: compose.Traits{Needs: []sched.Verb{sched.Kill}, Heeds: is.Heeds, Bides: is.Bides, Causes: []*sched.Cause{SlotDue, Deadlock}}},
	}
}
