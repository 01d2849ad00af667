package placement

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// reduces is the bound on reduces that all placements have.
func reduces() compose.Param {
	return compose.Param{Name: "reduces", Type: compose.Count, Default: "1", Unit: "tasks per node and beat", Doc: "reduces at most, 0 = no bound"}
}

// GreedyEntry lists the greedy placement.
func GreedyEntry() compose.Entry {
	return compose.Entry{
		Name: "greedy",
		Kind: compose.KindPlace,
		Doc:  "serves a node when it beats: the first job's local tasks, few others; strict order",
		Cite: "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1",
		Params: []compose.Param{
			{Name: "nonlocal", Type: compose.Count, Default: "1", Unit: "tasks per node and beat", Doc: "non-local maps at most, 0 = no bound"},
			reduces(),
			{Name: "local", Type: compose.Choice, Default: "node", Choices: []string{"node", "rack"},
				Doc: "how near a task's data must be for it to count as local (the paper: node; Hadoop's code: rack)"},
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
		Doc:  "a job is skipped for a while on nodes that do not hold its data, so that it finds one that does",
		Cite: "Zaharia et al., Delay Scheduling, EuroSys 2010; paper 003, section 4.2",
		Params: []compose.Param{
			{Name: "D", Type: compose.Span, Default: "4.5s", Doc: "how long before it may start maps in the rack of their data (1.5 heartbeats of 3s)"},
			{Name: "rack", Type: compose.Span, Default: "4.5s", Doc: "how long then before it may start them anywhere"},
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
		Doc:    "every node has a fair chance to take local maps of any job before it gets one other per beat; nothing to tune",
		Cite:   "paper 003, section 4.3",
		Params: []compose.Param{reduces()},
		Traits: compose.Traits{Causes: []*sched.Cause{sched.FirstInOrder}},
		Step: func(a compose.Args) (compose.Step, error) {
			return NewMatchmaking(a.Count("reduces")), nil
		},
	}
}
