package admit

import (
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// MasterParams are the parameters of whatever bounds ApplicationMasters: the share, which unless
// the queues' description says otherwise is usual.
func MasterParams(usual string) []compose.Param {
	return []compose.Param{{Name: "masters", Type: compose.Count, Default: "0", Unit: "percent",
		Doc: "the most of what a queue is promised that ApplicationMasters may take, 0 = as the queues say, or else " + usual}}
}

// MastersOf is the description of queues with the share that is asked for.
func MastersOf(a compose.Args) (queues.Config, error) {
	c := a.Queues
	share, err := ShareOf(a)
	if share > 0 {
		c.MaxMasterShare = 100 * float64(share)
	}
	return c, err
}

// ShareParam is the parameter of parts that bound masters by a share of the cluster.
func ShareParam(doc string) compose.Param {
	return compose.Param{Name: "masters", Type: compose.Count, Default: "10", Unit: "percent", Doc: doc}
}

// ShareOf reads it; where nothing is asked for, what all queues say counts.
func ShareOf(a compose.Args) (Share, error) {
	n := a.Count("masters")
	if n > 100 {
		return 0, a.Misused("masters", "masters is %d, it must be from 0 to 100 percent", n)
	}
	if !a.Set("masters") && a.Queues.MaxMasterShare > 0 {
		return Share(a.Queues.MaxMasterShare) / 100, nil
	}
	return Share(n) / 100, nil
}

// comings are the events that may change who runs and who waits: a job that need not wait for
// others is ready as it arrives, and one that was cancelled runs until it ends. More capacity lets
// more masters in.
const (
	comings  = 1<<sched.JobEnded | 1<<sched.JobAmended | 1<<sched.StageReady
	capacity = 1<<sched.NodeUp | 1<<sched.NodeChanged
)

var bounds = []*sched.Cause{SlotOfOrder, OverLimit, MasterShare, sched.AdmitAll, sched.Begun}

// AllEntry lists the admission of every job.
func AllEntry() compose.Entry {
	return compose.Entry{
		Name:   "all",
		Kind:   compose.KindAdmit,
		Doc:    "admits every job when it arrives, one with an ApplicationMaster when masters leave room",
		Cite:   "Hadoop 1.2.1, JobQueueTaskScheduler; YARN, maximum-am-resource-percent",
		Params: MasterParams("10"),
		Traits: compose.Traits{Heeds: comings | capacity | 1<<sched.JobArrived, Causes: []*sched.Cause{sched.AdmitAll, sched.Begun, MasterShare}},
		Step: func(a compose.Args) (compose.Step, error) {
			c, err := MastersOf(a)
			return NewAll(c), err
		},
	}
}

// SerialEntry lists one job at a time.
func SerialEntry() compose.Entry {
	return compose.Entry{
		Name:   "serial",
		Kind:   compose.KindAdmit,
		Doc:    "one job runs at a time; the next is the first in the order among those that wait",
		Cite:   "paper 000, section 6 (EDF-N)",
		Traits: compose.Traits{Heeds: comings, Causes: bounds},
		Step:   func(compose.Args) (compose.Step, error) { return Serial(), nil },
	}
}

// LimitEntry lists bounds on running jobs.
func LimitEntry() compose.Entry {
	return compose.Entry{
		Name: "limit",
		Kind: compose.KindAdmit,
		Doc:  "bounds running jobs: in all, per queue, per user; what a queue says itself comes first",
		Cite: "Hadoop 1.2.1, FairScheduler (maxRunningJobs, userMaxJobsDefault, poolMaxJobsDefault)",
		Params: append([]compose.Param{
			{Name: "running", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "the most that run in all, 0 = as the queues say"},
			{Name: "per_queue", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "the most of each queue without a bound, 0 = as the queues say"},
			{Name: "per_user", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "the most of each user, 0 = as the queues say"},
		}, MasterParams("10")...),
		Traits: compose.Traits{Heeds: comings | capacity, Causes: bounds},
		Step: func(a compose.Args) (compose.Step, error) {
			c, err := MastersOf(a)
			if n := a.Count("running"); n > 0 {
				c.MaxRunning = n
			}
			if n := a.Count("per_queue"); n > 0 {
				c.MaxRunningPerQueue = n
			}
			if n := a.Count("per_user"); n > 0 {
				c.MaxRunningPerUser = n
			}
			return NewLimit(c), err
		},
	}
}

// ConstraintEntry lists the test of the Deadline Constraint scheduler.
func ConstraintEntry() compose.Entry {
	return compose.Entry{
		Name:   "constraint",
		Kind:   compose.KindAdmit,
		Doc:    "admits a job if the slots it needs for its deadline are free at two instants (flawed as published: promises break)",
		Cite:   "Kc and Anyanwu, Scheduling Hadoop Jobs to Meet Deadlines, CloudCom 2010; paper 003, section 5.1",
		Params: ConstraintParams(),
		Traits: compose.Traits{
			Reads: compose.Reads{Profiles: true, Needed: true},
			Heeds: sched.EventsOf(sched.NodeUp, sched.NodeChanged, sched.Ended, sched.JobEnded, sched.JobAmended,
				sched.StageReady, sched.Demand),
			Causes: []*sched.Cause{estimate.Promised, estimate.NoDeadline, estimate.CountUnknown, estimate.NotSlots,
				estimate.NoSlots, estimate.TooFewSlots, estimate.AloneLate, estimate.AloneLateMean, estimate.Unbounded, NotProfiled,
				MasterShare, MapSlotsTaken, ReduceSlotsTaken, estimate.MapsFirst, estimate.MapsOver, sched.Begun},
		},
		Step: func(a compose.Args) (compose.Step, error) {
			share, err := ShareOf(a)
			return NewConstraint(a.Choice("cost") == "worst", share), err
		},
	}
}
