package report

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Recorded learns from a job that ran elsewhere, as if it had been there: its history is told event
// by event. Nodes are the classes of nodes by host; what ran on others is of no class.
func (l *Learner) Recorded(spec *workload.Job, ran *trace.Ran, nodes map[string]string) error {
	job := &follow.Job{Spec: spec, Ended: units.Never}
	var records []follow.Record
	tell := func(at units.Duration, a *follow.Attempt, e sched.Event) {
		records = append(records, follow.Record{Event: &e, At: units.Time(at), Job: job, Attempt: a})
	}
	tell(0, nil, sched.Event{Kind: sched.JobArrived})
	if ran.Master >= 0 {
		tell(0, &follow.Attempt{Job: job, Stage: sched.Master}, sched.Event{Kind: sched.Started})
		tell(ran.Master, nil, sched.Event{Kind: sched.StageReady, Stage: sched.Map})
	}
	end := units.Duration(0)
	for i := range ran.Tasks {
		t := &ran.Tasks[i]
		e := sched.Event{Kind: sched.Ended, Outcome: sched.Committed, Bytes: max(0, t.Input), OutBytes: max(0, t.Output)}
		if t.Overtaken {
			e.Outcome = sched.Superseded
		}
		e.Spans[sched.PhaseShuffle] = t.Shuffle
		if t.Records >= 0 {
			counter := mapreduce.MapInputRecords
			if t.Kind == sched.Reduce {
				counter = mapreduce.ReduceInputRecords
			}
			e.Detail = &sched.Detail{Account: &sched.Account{Counters: map[string]int64{mapreduce.TaskGroup + "." + counter: t.Records}}}
		}
		a := &follow.Attempt{Job: job, Stage: t.Kind, Began: units.Time(t.Start)}
		if class := nodes[t.Host]; class != "" {
			a.On = &cluster.Node{Name: t.Host, Class: &cluster.Class{Name: class}}
		}
		tell(t.End, a, e)
		end = t.End
	}
	outcome := sched.Failed
	if ran.Committed {
		outcome = sched.Committed
	}
	tell(end, nil, sched.Event{Kind: sched.JobEnded, Outcome: outcome})
	return l.Batch(units.Time(end), records)
}
