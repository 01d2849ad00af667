// Package schemes holds whole policies: parts that belong together, under the name by which people
// know them. A part that is asked for besides takes the place of the scheme's.
//
//	fifo      by-arrival + all + greedy          Hadoop's default scheduler
//	fair      fair-share + limit + greedy        Hadoop's fair scheduler; with preemption=true also preempt
//	capacity  capacity-share + limit + greedy    Hadoop's capacity scheduler
//	edf-n     edf + serial + greedy              paper 000: a job keeps the cluster until it is done
//	edf-p     edf + all + greedy                 paper 000: an earlier deadline takes the slots that fall free
//	dc        edf + constraint + greedy          paper 003, section 5.1: Deadline Constraint, the baseline of rtmr
//
// Paper 000 calls edf-p preemptive though it kills no task: the running job is preempted in
// that its next tasks wait.
package schemes

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/internal/policies/preempt"
)

// FIFO is Hadoop's default scheduler.
func FIFO() compose.Entry {
	return compose.Entry{
		Name:   "fifo",
		Kind:   compose.KindScheme,
		Doc:    "one line by priority and arrival",
		Cite:   "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, sections 2.1.1 and 4.1",
		Params: compose.Of(compose.KindAdmit, admit.MasterParams("10")),
		Parts:  []compose.Entry{order.FIFOEntry(), admit.AllEntry(), placement.GreedyEntry()},
	}
}

// Fair is Hadoop's fair scheduler.
func Fair() compose.Entry {
	return compose.Entry{
		Name: "fair",
		Kind: compose.KindScheme,
		Doc:  "pools share by weight and minimum share; limits on running jobs; preemption if asked for",
		Cite: "Hadoop 1.2.1, FairScheduler; paper 003, section 3.1",
		Params: slices.Concat(compose.Of(compose.KindOrder, order.FairParams()), compose.Of(compose.KindPreempt, []compose.Param{
			{Name: "preemption", Type: compose.Switch, Default: "false", Doc: "kill tasks for starving pools (the world must be able to kill)"},
		}), compose.Of(compose.KindPreempt, preempt.FairParams()), compose.Of(compose.KindAdmit, admit.MasterParams("50"))),
		Parts: fairParts(),
		Fill:  fillFair,
	}
}

// fairParts are the parts of Fair; preemption is there if it is asked for.
func fairParts() []compose.Entry {
	return []compose.Entry{order.FairEntry(), admit.LimitEntry(), placement.GreedyEntry(), preempt.FairEntry()}
}

func fillFair(r *compose.Recipe, a compose.Args) error {
	a.Queues.MaxMasterShare = cmp.Or(a.Queues.MaxMasterShare, 50) // maxAMShare
	kills := a.Switch("preemption")
	if kills && !preempt.Kills(a) {
		return a.Misused("preemption", "preemption=true has no effect without a time-out; set fair_timeout, or min_timeout")
	}
	for _, p := range preempt.FairParams() {
		if !kills && a.Set(p.Name) {
			return a.Misused(p.Name, "%s has no effect without preemption=true", p.Name)
		}
	}
	for _, part := range fairParts() {
		if part.Kind == compose.KindPreempt && !kills {
			continue
		}
		if err := r.Put(part, a); err != nil {
			return err
		}
	}
	return nil
}

// Capacity is Hadoop's capacity scheduler.
func Capacity() compose.Entry {
	return compose.Entry{
		Name:   "capacity",
		Kind:   compose.KindScheme,
		Doc:    "a tree of queues with guaranteed and maximum shares and user limits",
		Cite:   "Hadoop 1.2.1 and YARN, CapacityScheduler; paper 003, section 3.1",
		Params: slices.Concat(compose.Of(compose.KindOrder, order.CapacityParams()), compose.Of(compose.KindAdmit, admit.MasterParams("10"))),
		Parts:  []compose.Entry{order.CapacityEntry(), admit.LimitEntry(), placement.GreedyEntry()},
	}
}

// EDFN is EDF without preemption.
func EDFN() compose.Entry {
	return compose.Entry{
		Name:  "edf-n",
		Kind:  compose.KindScheme,
		Doc:   "earliest deadline first, one job at a time until it is done",
		Cite:  "paper 000, section 6 (EDF-N)",
		Parts: []compose.Entry{order.EDFEntry(), admit.SerialEntry(), placement.GreedyEntry()},
	}
}

// EDFP is EDF with preemption between tasks.
func EDFP() compose.Entry {
	return compose.Entry{
		Name:   "edf-p",
		Kind:   compose.KindScheme,
		Doc:    "earliest deadline first, each free slot to the earliest deadline",
		Cite:   "paper 000, section 6 (EDF-P)",
		Params: compose.Of(compose.KindAdmit, admit.MasterParams("10")),
		Parts:  []compose.Entry{order.EDFEntry(), admit.AllEntry(), placement.GreedyEntry()},
	}
}
