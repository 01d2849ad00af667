package workflow

import (
	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// comings bring workflows, answers say how stages are cut now.
var (
	comings = sched.EventsOf(sched.JobArrived)
	answers = sched.EventsOf(sched.JobAmended, sched.Refused)
)

// Why jobs are cut, when they are due, and where their tasks start.
var (
	// FewestInTime cuts a stage.
	FewestInTime = &sched.Cause{Name: "fewest-in-time", Text: "cut into {tasks} {tasks?task|tasks} in place of {were}, it costs least with its workflow done in {time}",
		Numbers: []sched.Number{sched.Count.Named("tasks", "tasks from now on", 12), sched.Count.Named("were", "tasks until now", 40), sched.Clock.Named("time", "how long the workflow may take", 600e9)}}
	// FastestSplit cuts a stage of a workflow that cannot be in time.
	FastestSplit = &sched.Cause{Name: "fastest-split", Text: "cut into {tasks} {tasks?task|tasks} in place of {were}, as its workflow cannot be done in {time} and is to be as fast as it can",
		Numbers: FewestInTime.Numbers}
	// VirtualDeadline is that of a job of a workflow.
	VirtualDeadline = &sched.Cause{Name: "virtual-deadline", Text: "it is to be done by {due}, so that it can be on cheaper machines and its workflow in time",
		Numbers: []sched.Number{sched.Clock.Named("due", "by when the job is to be done", 90e9)}}
	// LatestFinish is that of a job of a workflow.
	LatestFinish = &sched.Cause{Name: "latest-finish", Text: "it is to be done by {due} at the latest, or the jobs behind it are late", Numbers: VirtualDeadline.Numbers}
	// EarliestFinish is that of a job of a workflow that cannot be in time.
	EarliestFinish = &sched.Cause{Name: "earliest-finish", Text: "the workflow needs {least} more at the fastest, and is in time with {chance}; the job is to be done by {due}",
		Numbers: []sched.Number{VirtualDeadline.Numbers[0], sched.Clock.Named("least", "how long what is left of the workflow takes at the fastest", 700e9), sched.Chance.Named("chance", "how likely it is in time all the same", 5000)}}
	// CheapestInTime starts a task.
	CheapestInTime = &sched.Cause{Name: "cheapest-in-time", Text: "it costs least here of where it is done by {due}; it would have waited until {wait}",
		Numbers: []sched.Number{sched.Clock.Named("wait", "until when it would wait for such a node", 60e9), sched.Clock.Named("due", "by when its job is to be done", 90e9)}}
	// FirstDone starts a task that is late.
	FirstDone = &sched.Cause{Name: "first-done", Text: "of where there is room it is done first here, at {done}; its job was to be done by {due}",
		Numbers: []sched.Number{sched.Clock.Named("done", "when it is done", 95e9), sched.Clock.Named("due", "by when its job was to be done", 90e9)}}
)

const cite = "paper 001 (DAWSEE)"

func betaParam(percent, doc string) compose.Param {
	return compose.Param{Name: "beta", Type: compose.Count, Default: percent, Unit: "percent", Doc: "part of the time until the deadline that numbers of tasks leave free" + doc}
}

func betaOf(a compose.Args) (int, error) {
	n := a.Count("beta")
	if n > 99 {
		return 0, a.Misused("beta", "beta is %d, it must be from 0 to 99 percent", n)
	}
	return n, nil
}

// ATPEntry lists adaptive task partitioning.
func ATPEntry() compose.Entry { return atp(mold.Partition) }

// Printed lists DAWSEE as printed, with a solver that gives no time back.
func Printed() compose.Entry {
	return scheme("printed-dawsee", cite, "dawsee whose paths of jobs keep the time that they leave over", atp(mold.Printed), VDSEntry())
}

func atp(by func([]mold.Job, units.Duration, int64) []mold.Placed) compose.Entry {
	return compose.Entry{
		Name: "atp", Kind: compose.KindPlan, Cite: cite,
		Doc: "cuts the jobs of a workflow into as few tasks as its deadline allows, path by path",
		Params: []compose.Param{betaParam("10", ""),
			{Name: "eps", Type: compose.Count, Default: "20", Unit: "percent", Doc: "how much dearer than the cheapest a path may be"}},
		Traits: compose.Traits{Wants: []sched.Verb{sched.SetTasks}, Reads: compose.Reads{Profiles: true}, Heeds: comings, Causes: []*sched.Cause{FewestInTime, FastestSplit}},
		Step: func(a compose.Args) (compose.Step, error) {
			beta, err := betaOf(a)
			eps := a.Count("eps")
			if err == nil && (eps < 1 || eps > 1000) {
				err = a.Misused("eps", "eps is %d, it must be from 1 to 1000 percent", eps)
			}
			return &partition{beta, int64(eps) * 10, by}, err
		},
	}
}

// VDSEntry lists virtual deadline setting.
func VDSEntry() compose.Entry {
	return compose.Entry{
		Name: "vds", Kind: compose.KindShare, Cite: cite,
		Doc:    "shares the time of a workflow among its jobs: those with little work around them get time for cheaper machines first",
		Traits: compose.Traits{Reads: compose.Reads{Profiles: true}, Heeds: comings | answers, Causes: []*sched.Cause{VirtualDeadline, EarliestFinish}},
		Step:   func(compose.Args) (compose.Step, error) { return deadlines{}, nil },
	}
}

// DEETSEntry lists the placement.
func DEETSEntry() compose.Entry {
	return compose.Entry{
		Name: "deets", Kind: compose.KindPlace, Cite: cite,
		Doc: "a task waits for the class of nodes that costs least, as long as it is in time there",
		Params: []compose.Param{{Name: "waiting", Type: compose.Choice, Default: "cascade", Choices: []string{"cascade", "timer", "predict"},
			Doc: "where a task goes for which the cheapest class is too slow by now: the next cheapest, or where it is done first (the paper); predict: the next cheapest as soon as no task there is known to end in time"}},
		Traits: compose.Traits{Reads: compose.Reads{Profiles: true}, Causes: []*sched.Cause{sched.FirstInOrder, CheapestInTime, FirstDone, sched.Wakeup}},
		Step:   func(a compose.Args) (compose.Step, error) { return &deets{waiting: a.Choice("waiting")}, nil },
	}
}

// TradeOffEntry lists the plan of flow.
func TradeOffEntry() compose.Entry {
	return compose.Entry{
		Name: "tradeoff", Kind: compose.KindPlan, Cite: "Slackline",
		Doc:    "cuts the jobs of a workflow, and says by when each is to be done: the cheapest second on the longest path, until it is due",
		Params: []compose.Param{betaParam("0", " in any case; more where nodes will be taken, or times are known to spread, and half where deadlines are promised")},
		Traits: compose.Traits{Wants: []sched.Verb{sched.SetTasks}, Reads: compose.Reads{Profiles: true}, Heeds: comings | moving, Causes: []*sched.Cause{FewestInTime, FastestSplit, LatestFinish, EarliestFinish}},
		Step: func(a compose.Args) (compose.Step, error) {
			beta, err := betaOf(a)
			return &tradeoff{beta: beta}, err
		},
	}
}

// DAWSEE lists the scheme of paper 001.
func DAWSEE() compose.Entry {
	return scheme("dawsee", cite, "workflows of jobs that can be cut otherwise, at little energy by their deadlines; as published, flow is ours", ATPEntry(), VDSEntry())
}

// Flow lists the scheme of ours.
func Flow() compose.Entry {
	return scheme("flow", "Slackline; compare paper 001", "workflows at least energy by their deadlines: one trade-off of time and cost over all of their jobs", TradeOffEntry())
}

// scheme is one of these with deets.
func scheme(name, cite, doc string, plan ...compose.Entry) compose.Entry {
	return compose.Entry{Name: name, Kind: compose.KindScheme, Cite: cite, Doc: doc,
		Params: append(compose.Of(compose.KindPlan, plan[0].Params), compose.Of(compose.KindPlace, DEETSEntry().Params)...),
		Parts:  append(append([]compose.Entry{order.EDFEntry(), admit.AllEntry()}, plan...), DEETSEntry()),
	}
}
