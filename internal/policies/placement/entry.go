package placement

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// reduces is the bound on reduces that all placements have.
func reduces() compose.Param {
	return compose.Param{Name: "reduces", Type: compose.Count, Default: "1", Unit: "tasks per node and heartbeat", Doc: "the most reduces started, 0 = no bound"}
}

// GreedyEntry lists the greedy placement.
func GreedyEntry() compose.Entry {
	return compose.Entry{
		Name: "greedy",
		Kind: compose.KindPlace,
		Doc:  "serves a node at its heartbeat: the first job's local tasks, few others; strict order",
		Cite: "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1",
		Params: []compose.Param{
			{Name: "nonlocal", Type: compose.Count, Default: "1", Unit: "tasks per node and heartbeat", Doc: "the most non-local maps started, 0 = no bound"},
			reduces(),
			{Name: "local", Type: compose.Choice, Default: "node", Choices: []string{"node", "rack"},
				Doc: "how near its data must be for a task to count as local (the paper: node; Hadoop's code: rack)"},
		},
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.Heartbeat), Causes: []*sched.Cause{sched.FirstInOrder}},
		Step: func(a compose.Args) (compose.Step, error) {
			g := &Greedy{NonLocal: a.Count("nonlocal"), Reduces: a.Count("reduces"), LocalRack: a.Choice("local") == "rack"}
			if g.NonLocal == 0 && a.Set("local") {
				return nil, a.Misused("local", "local=rack has no effect with nonlocal=0: without a bound, nothing depends on what counts as local")
			}
			return g, nil
		},
	}
}

// DelayEntry lists delay scheduling.
func DelayEntry() compose.Entry {
	return compose.Entry{
		Name: "delay",
		Kind: compose.KindPlace,
		Doc:  "a job waits for a while for nodes with its data",
		Cite: "Zaharia et al., Delay Scheduling, EuroSys 2010; paper 003, section 4.2",
		Params: []compose.Param{
			{Name: "D", Type: compose.Span, Default: "4.5s", Doc: "how long before maps may start in the rack of their data (1.5 heartbeats of 3s)"},
			{Name: "rack", Type: compose.Span, Default: "4.5s", Doc: "how long after that before they may start anywhere"},
			reduces(),
		},
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.JobEnded, sched.Heartbeat),
			Causes: []*sched.Cause{sched.FirstInOrder, sched.Wakeup}},
		Step: func(a compose.Args) (compose.Step, error) {
			return &Delay{D: a.Span("D"), Rack: a.Span("rack"), Reduces: a.Count("reduces")}, nil
		},
	}
}

// MatchmakingEntry lists matchmaking.
func MatchmakingEntry() compose.Entry {
	return compose.Entry{
		Name:   "matchmaking",
		Kind:   compose.KindPlace,
		Doc:    "each node first gets a fair chance at local maps of any job, then one other map per heartbeat; nothing to tune",
		Cite:   "paper 003, section 4.3",
		Params: []compose.Param{reduces()},
		Traits: compose.Traits{Causes: []*sched.Cause{sched.FirstInOrder}},
		Step: func(a compose.Args) (compose.Step, error) {
			return NewMatchmaking(a.Count("reduces")), nil
		},
	}
}
