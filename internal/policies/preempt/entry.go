package preempt

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// Why tasks are killed.
var (
	// MinShare makes room for a pool below its minimum share.
	MinShare = &sched.Cause{Name: "min-share", Text: "a pool has had {slots} {slots?slot|slots} of its minimum share of {share} for {time}",
		Numbers: []sched.Number{sched.Count.Named("slots", "slots of the pool", 1), sched.Count.Named("share", "its minimum share", 4), sched.Clock.Named("time", "for how long", 30e9)}}
	// FairShare makes room for a pool below half of its fair share.
	FairShare = &sched.Cause{Name: "fair-share", Text: "a pool has had {slots} {slots?slot|slots}, below half of its fair share of {share}, for {time}",
		Numbers: []sched.Number{sched.Count.Named("slots", "slots of the pool", 1), sched.Count.Named("share", "its fair share", 9), sched.Clock.Named("time", "for how long", 60e9)}}
)

// FairEntry lists preemption for fair shares.
func FairEntry() compose.Entry {
	return compose.Entry{
		Name:   "preempt",
		Kind:   compose.KindPreempt,
		Doc:    "kills the youngest tasks of pools above their fair share for starving pools",
		Cite:   "Hadoop 1.2.1, FairScheduler (mapred.fairscheduler.preemption)",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Kill}, Causes: []*sched.Cause{MinShare, FairShare, sched.Wakeup}},
		Params: FairParams(),
		Step:   fair,
	}
}

// FairParams are the parameters of preemption for fair shares.
func FairParams() []compose.Param {
	return []compose.Param{
		{Name: "min_timeout", Type: compose.Span, Default: "0s", Doc: "how long a pool stays below its minimum share before others are preempted, 0s = never, unless the queue says"},
		{Name: "fair_timeout", Type: compose.Span, Default: "0s", Doc: "how long a pool stays below half of its fair share before others are preempted, 0s = never"},
		{Name: "interval", Type: compose.Span, Default: "15s", Doc: "minimum time between two rounds of killing; below 500ms counts as 500ms"},
		{Name: "update", Type: compose.Span, Default: "500ms", Doc: "minimum time between two checks for starving pools"},
	}
}

// fair makes the part.
func fair(a compose.Args) (compose.Step, error) {
	c := FairConfig{MinTimeout: a.Span("min_timeout"), FairTimeout: a.Span("fair_timeout"), Interval: a.Span("interval"), Update: a.Span("update")}
	if shares, _ := a.Queues.MinShares(); c.MinTimeout > 0 && !shares {
		return nil, a.Misused("min_timeout", "min_timeout has no effect: no queue has a minimum share (min_maps, min_reduces)")
	}
	for _, name := range []string{"interval", "update"} {
		if a.Set(name) && !Kills(a) {
			return nil, a.Misused(name, "%s has no effect without a time-out; set fair_timeout, or min_timeout", name)
		}
	}
	return NewFair(c), nil
}

// Kills tells whether a time-out is set, in the parameters or for a pool with a minimum share.
// Without one, as by default in Hadoop, preemption kills nobody.
func Kills(a compose.Args) bool {
	_, timeouts := a.Queues.MinShares()
	return timeouts || a.Set("min_timeout") || a.Set("fair_timeout")
}
