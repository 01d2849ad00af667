package order

import (
	"errors"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// FIFOEntry lists the order of Hadoop's default scheduler.
func FIFOEntry() compose.Entry {
	return compose.Entry{
		Name:  "by-arrival",
		Kind:  compose.KindOrder,
		Doc:   "priority, then arrival",
		Cite:  "Hadoop 1.2.1, JobQueueTaskScheduler; paper 003, section 2.1.1",
		Order: func(compose.Args) (sched.Order, error) { return FIFO{}, nil },
	}
}

// EDFEntry lists earliest deadline first.
func EDFEntry() compose.Entry {
	return compose.Entry{
		Name:   "edf",
		Kind:   compose.KindOrder,
		Doc:    "earliest deadline, then arrival; jobs without a deadline last",
		Cite:   "paper 000, section 6",
		Params: edfParams(),
		Fill: func(r *compose.Recipe, a compose.Args) error {
			parts := []compose.Entry{{Name: "edf", Kind: compose.KindOrder, Doc: "earliest deadline, then arrival; jobs without a deadline last",
				Params: edfParams(), Order: func(compose.Args) (sched.Order, error) { return EDF{}, nil }}}
			if a.Switch("feasible") {
				parts = feasibleParts(&Feasible{})
			}
			return r.Put(compose.Entry{Kind: compose.KindScheme, Parts: parts}, a)
		},
	}
}

// edfParams are the parameters of EDF.
func edfParams() []compose.Param {
	return []compose.Param{{Name: "feasible", Type: compose.Switch, Default: "false",
		Doc: "jobs that could not be in time even with the whole cluster stand behind those that could, by least work left"}}
}

// FairEntry lists the order of Hadoop's fair scheduler.
func FairEntry() compose.Entry {
	return compose.Entry{
		Name:   "fair-share",
		Kind:   compose.KindOrder,
		Doc:    "pools by minimum share and share for their weight, then users, then jobs",
		Cite:   "Hadoop 1.2.1, FairScheduler; paper 003, section 3.1",
		Params: FairParams(),
		Order:  fair,
	}
}

// FairParams are the parameters of the fair order.
func FairParams() []compose.Param {
	return []compose.Param{
		{Name: "pool", Type: compose.Choice, Default: "queue", Choices: []string{"queue", "user"}, Doc: "what decides a job's pool"},
		{Name: "users", Type: compose.Switch, Default: "false", Doc: "within a pool, share among users first"},
		{Name: "jobs", Type: compose.Choice, Default: "fair", Choices: []string{"fair", "fifo"}, Doc: "the order of jobs in a pool that names none"},
	}
}

// fair makes the fair order.
func fair(a compose.Args) (sched.Order, error) {
	c := FairConfig{Queues: a.Queues, ByUser: a.Choice("pool") == "user", Users: a.Switch("users"), FIFO: a.Choice("jobs") == "fifo"}
	if c.ByUser && c.Users {
		return nil, a.Misused("users", "users=true has no effect with pool=user: each pool has one user")
	}
	return NewFair(c), nil
}

// CapacityEntry lists the order of Hadoop's capacity scheduler.
func CapacityEntry() compose.Entry {
	return compose.Entry{
		Name:   "capacity-share",
		Kind:   compose.KindOrder,
		Doc:    "a tree of queues by used over guaranteed share, with maximum shares and user limits",
		Cite:   "Hadoop 1.2.1 and YARN, CapacityScheduler; paper 003, section 3.1",
		Params: CapacityParams(),
		Order:  capacity,
	}
}

// CapacityParams are the parameters of the capacity order.
func CapacityParams() []compose.Param {
	return []compose.Param{{Name: "elastic", Type: compose.Switch, Default: "true", Doc: "a queue may use what others leave idle"}}
}

// capacity makes the capacity order.
func capacity(a compose.Args) (sched.Order, error) {
	if len(a.Queues.Queues) > 0 && a.Queues.Undeclared == queues.Allow {
		return nil, errors.New("the capacity scheduler needs a capacity for each queue; leave undeclared_queues at \"refuse\"")
	}
	return NewCapacity(CapacityConfig{Queues: a.Queues, Rigid: !a.Switch("elastic")}), nil
}
