// Package schemes holds whole policies: parts that belong together, under the name by which people know them. A part that is
// asked for besides takes the place of the scheme's.
//
//	fifo      by-arrival + all + greedy          Hadoop's default scheduler
//	fair      fair-share + limit + greedy        Hadoop's fair scheduler; with preemption=true also preempt
//	capacity  capacity-share + limit + greedy    Hadoop's capacity scheduler
//	edf-n     edf + serial + greedy              paper 000: a job keeps the cluster until it is done
//	edf-p     edf + all + greedy                 paper 000: an earlier deadline takes the slots that fall free
//
// Paper 000 calls the last one preemptive though it kills no task: the running job is preempted in that its next tasks wait.
package schemes

import (
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/place"
	"github.com/slackline/slackline/internal/policies/preempt"
)

// FIFO is Hadoop's default scheduler.
func FIFO() compose.Entry {
	return compose.Entry{
		Name: "fifo",
		Kind: compose.KindScheme,
		Doc:  "one line by priority and arrival",
		Cite: "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, section 2.1.1",
		Fill: func(r *compose.Recipe, _ compose.Args) {
			r.Order, r.Admit, r.Place = order.FIFO{}, admit.All{}, place.Hadoop()
		},
	}
}

// Fair is Hadoop's fair scheduler.
func Fair() compose.Entry {
	return compose.Entry{
		Name: "fair",
		Kind: compose.KindScheme,
		Doc:  "pools share by weight and minimum share; limits on running jobs; preemption if asked for",
		Cite: "Hadoop 1.2.1, FairScheduler; paper 003, section 2.1.2",
		Params: append(append(order.FairParams(),
			compose.Param{Name: "preemption", Type: compose.Switch, Default: "false", Doc: "kill for pools that starve (the world must be able to kill)"}),
			preempt.FairParams()...),
		Fill: func(r *compose.Recipe, a compose.Args) {
			order.FillFair(r, a)
			r.Admit, r.Place = admit.NewLimit(a.Queues), place.Hadoop()
			if a.Switch("preemption") {
				preempt.FillFair(r, a)
			}
		},
	}
}

// Capacity is Hadoop's capacity scheduler.
func Capacity() compose.Entry {
	return compose.Entry{
		Name:   "capacity",
		Kind:   compose.KindScheme,
		Doc:    "a tree of queues with guaranteed and maximum shares and user limits",
		Cite:   "Hadoop, CapacityScheduler; paper 003, section 2.1.3",
		Params: order.CapacityParams(),
		Fill: func(r *compose.Recipe, a compose.Args) {
			order.FillCapacity(r, a)
			r.Admit, r.Place = admit.NewLimit(a.Queues), place.Hadoop()
		},
	}
}

// EDFN is EDF without preemption.
func EDFN() compose.Entry {
	return compose.Entry{
		Name: "edf-n",
		Kind: compose.KindScheme,
		Doc:  "earliest deadline first, one job at a time until it is done",
		Cite: "paper 000, section 6 and table 1",
		Fill: func(r *compose.Recipe, _ compose.Args) {
			r.Order, r.Admit, r.Place = order.EDF{}, admit.Serial(), place.Hadoop()
		},
	}
}

// EDFP is EDF with preemption between tasks.
func EDFP() compose.Entry {
	return compose.Entry{
		Name: "edf-p",
		Kind: compose.KindScheme,
		Doc:  "earliest deadline first, each free slot to the earliest deadline",
		Cite: "paper 000, section 6 and table 1",
		Fill: func(r *compose.Recipe, _ compose.Args) {
			r.Order, r.Admit, r.Place = order.EDF{}, admit.All{}, place.Hadoop()
		},
	}
}
