package allot

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// Why jobs are let in or not.
var (
	// Planned lets a job in that the plan has slots for.
	Planned = &sched.Cause{Name: "planned", Text: "the plan has slots for it: expected to finish by {finish}, its deadline is at {deadline}",
		Numbers: []sched.Number{sched.Clock.Named("deadline", "its deadline", 90e9), sched.Clock.Named("finish", "its expected finish", 60e9)}}
	// OverPlan keeps a job out for which the cluster earns more with others.
	OverPlan = &sched.Cause{Name: "over-plan", Text: "the plan has room for {room} {room?job|jobs} of its class: the cluster would earn {earns} with such jobs, and the price is {price}",
		Numbers: []sched.Number{sched.Count.Named("room", "jobs of its class that may run", 3), sched.Thousandths.Named("earns", "thousandths that all of the cluster would earn with its class", 4200), sched.Thousandths.Named("price", "thousandths that it has to", 6500)}}
	// TooLate refuses a job that all slots of the cluster would not help.
	TooLate = &sched.Cause{Name: "plan-late", Text: "by its bound it takes {takes} with all slots of the cluster, and its deadline is in {left}",
		Numbers: []sched.Number{sched.Clock.Named("left", "time until its deadline", 60e9), sched.Clock.Named("takes", "time it takes with all slots", 90e9)}}
	// BeyondPlan lets such a job in where jobs are not refused.
	BeyondPlan = &sched.Cause{Name: "beyond-plan", Text: "by its bound it takes {takes} with all slots of the cluster, and its deadline is in {left}: it gets slots that the plan leaves",
		Numbers: TooLate.Numbers}
	// Unplanned lets a job in of which nothing is known.
	Unplanned = &sched.Cause{Name: "unplanned", Text: "there is no profile of its class: it gets slots that the plan leaves"}
)

// changes are the events on which the plan is made again. A resync brings nodes and jobs with it.
var changes = sched.EventsOf(sched.NodeUp, sched.NodeDown, sched.NodeChanged, sched.ProfileLearned,
	sched.JobEnded, sched.JobAmended, sched.JobArrived, sched.StageReady)

// Entry lists the policy.
func Entry() compose.Entry {
	return compose.Entry{
		Name:  "capacity-plan",
		Kind:  compose.KindScheme,
		Doc:   "each class has the slots that meet its deadlines, and the jobs that are worth most of those the cluster can carry",
		Cite:  "paper 004, sections 2.4 and 4",
		Parts: parts(&plan{}, compose.Args{}),
		Params: []compose.Param{
			{Name: "bound", Type: compose.Choice, Default: "mean", Choices: []string{"mean", "upper"}, Part: compose.KindAdmit, Doc: "which bound must meet the deadlines: the mean of the lower and the upper one, or the upper one"},
			{Name: "over", Type: compose.Choice, Default: "reject", Choices: []string{"reject", "hold"}, Part: compose.KindAdmit, Doc: "what to do with jobs beyond the plan: reject them or let them wait; then jobs that would be late even with all slots run without a promise"},
			{Name: "masters", Type: compose.Count, Default: "10", Unit: "percent", Part: compose.KindAdmit, Doc: "the most of the cluster that ApplicationMasters may take before those of jobs that are not planned wait"},
		},
		Fill: fill,
	}
}

func fill(r *compose.Recipe, a compose.Args) error {
	if _, err := admit.ShareOf(a); err != nil {
		return err
	}
	p := &plan{upper: a.Choice("bound") == "upper", holds: a.Choice("over") == "hold", described: map[string]queues.Queue{}}
	for _, q := range a.Queues.Queues {
		p.described[q.Name] = q
	}
	return r.Put(compose.Entry{Kind: compose.KindScheme, Parts: parts(p, a)}, a)
}

// parts lists what works on one plan.
func parts(p *plan, a compose.Args) []compose.Entry {
	return []compose.Entry{
		{Name: "planned slots", Kind: compose.KindOrder, Doc: "each class has its slots, which its jobs share evenly",
			Order: func(compose.Args) (sched.Order, error) { return Order{p}, nil }},
		{Name: "planned jobs", Kind: compose.KindAdmit, Doc: "as many jobs of each class as the plan has",
			Step: func(compose.Args) (compose.Step, error) {
				share, err := admit.ShareOf(a)
				return Admission{p, share}, err
			},
			Traits: compose.Traits{Reads: compose.Reads{Profiles: true}, Heeds: changes,
				Causes: []*sched.Cause{Planned, OverPlan, TooLate, BeyondPlan, Unplanned, estimate.NoDeadline, estimate.CountUnknown,
					admit.MasterShare, sched.Begun}}},
		placement.GreedyEntry(),
	}
}
