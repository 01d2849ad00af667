package place

import "github.com/slackline/slackline/internal/policies/compose"

// GreedyEntry lists the greedy placement.
func GreedyEntry() compose.Entry {
	return compose.Entry{
		Name: "greedy",
		Kind: compose.KindPlace,
		Doc:  "serves a node when it beats: the first job's local tasks, few others; strict order",
		Cite: "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1",
		Params: []compose.Param{
			{Name: "nonlocal", Type: compose.Count, Default: "1", Unit: "tasks per node and beat", Doc: "non-local maps at most, 0 = no bound"},
			{Name: "reduces", Type: compose.Count, Default: "1", Unit: "tasks per node and beat", Doc: "reduces at most, 0 = no bound"},
			{Name: "local", Type: compose.Choice, Default: "node", Choices: []string{"node", "rack"},
				Doc: "how near a task's data must be for it to count as local (the paper: node; Hadoop's code: rack)"},
		},
		Fill: func(r *compose.Recipe, a compose.Args) error {
			g := &Greedy{NonLocal: a.Count("nonlocal"), Reduces: a.Count("reduces"), LocalRack: a.Choice("local") == "rack"}
			if g.NonLocal == 0 && a.Set("local") {
				return a.Misused("local", "local=rack has no effect with nonlocal=0: without a bound, nothing depends on what counts as local")
			}
			r.Place = g
			return nil
		},
	}
}
