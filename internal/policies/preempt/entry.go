package preempt

import "github.com/slackline/slackline/internal/policies/compose"

// FairEntry lists preemption for fair shares.
func FairEntry() compose.Entry {
	return compose.Entry{
		Name:   "preempt",
		Kind:   compose.KindPreempt,
		Doc:    "kills the youngest tasks of pools above their fair share for pools that starve",
		Cite:   "Hadoop 1.2.1, FairScheduler (mapred.fairscheduler.preemption)",
		Needs:  "kill",
		Params: FairParams(),
		Fill:   FillFair,
	}
}

// FairParams are the parameters of preemption for fair shares.
func FairParams() []compose.Param {
	return []compose.Param{
		{Name: "min_timeout", Type: compose.Span, Default: "0s", Doc: "below the minimum share before others are killed, 0s = never, unless the pool says"},
		{Name: "fair_timeout", Type: compose.Span, Default: "0s", Doc: "below half of the fair share before others are killed, 0s = never"},
		{Name: "interval", Type: compose.Span, Default: "15s", Doc: "between two rounds of killing, at least; below 500ms counts as 500ms"},
		{Name: "update", Type: compose.Span, Default: "500ms", Doc: "between two looks at who starves, at least"},
	}
}

// FillFair puts the part into a recipe.
func FillFair(r *compose.Recipe, a compose.Args) {
	r.Preempt = NewFair(FairConfig{MinTimeout: a.Span("min_timeout"), FairTimeout: a.Span("fair_timeout"),
		Interval: a.Span("interval"), Update: a.Span("update")})
}
