package schemes

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/placement"
)

// DC is the Deadline Constraint scheduler, the baseline of RTMR, with its published flaws (admit.Constraint).
func DC() compose.Entry {
	return compose.Entry{
		Name:   "dc",
		Kind:   compose.KindScheme,
		Doc:    "Deadline Constraint: earliest deadline first; admits a job if slots are free at two instants (promises break)",
		Cite:   "Kc and Anyanwu, Scheduling Hadoop Jobs to Meet Deadlines, CloudCom 2010; paper 003, section 5.1",
		Params: admit.ConstraintParams(),
		Parts:  []compose.Entry{order.EDFEntry(), admit.ConstraintEntry(), placement.GreedyEntry()},
	}
}
