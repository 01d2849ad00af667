package referee_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// fickle is a world whose users think again: they cancel jobs, and give others another deadline,
// weight, priority or queue.
type fickle struct {
	drive.World
	dice   *rand.Rand
	jobs   []sched.JobID // that have come and not ended, nor were cancelled
	specs  map[sched.JobID]*workload.Job
	queues []string
	items  sched.ItemID // far above those of the book
}

func newFickle(w drive.World, seed uint64) *fickle {
	return &fickle{World: w, dice: rand.New(rand.NewPCG(seed, 3)), specs: map[sched.JobID]*workload.Job{}, items: 1 << 25}
}

// Next tells what the world tells, and now and then what a user wants.
func (w *fickle) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	for i := range b.Events {
		switch e := &b.Events[i]; e.Kind {
		case sched.JobArrived:
			w.jobs, w.specs[e.Job] = append(w.jobs, e.Job), e.Detail.Job
			w.queues = append(w.queues, e.Detail.Job.Queue)
		case sched.JobAmended: // it was cut into another number of tasks
			w.specs[e.Job] = e.Detail.Job
		case sched.JobEnded:
			w.jobs = slices.DeleteFunc(w.jobs, func(j sched.JobID) bool { return j == e.Job })
		}
	}
	if len(w.jobs) == 0 || w.dice.IntN(8) > 0 {
		return b, nil
	}
	j := w.jobs[w.dice.IntN(len(w.jobs))]
	if slices.ContainsFunc(b.Events, func(e sched.Event) bool { return e.Kind == sched.JobArrived && e.Job == j }) {
		return b, nil // it has only come
	}
	e := sched.Event{Kind: sched.JobAmended, Job: j}
	if w.dice.IntN(6) == 0 {
		e.Kind = sched.JobCancelled
		if err := w.cancel(j); err != nil {
			return b, err
		}
	} else {
		e.Detail = &sched.Detail{Job: w.amended(w.specs[j], b.At)}
	}
	b.Events = append(slices.Clone(b.Events), e)
	slices.SortStableFunc(b.Events, func(x, y sched.Event) int { return cmp.Compare(x.Kind, y.Kind) })
	return b, nil
}

// cancel has the world end a job.
func (w *fickle) cancel(j sched.JobID) error {
	w.jobs = slices.DeleteFunc(w.jobs, func(o sched.JobID) bool { return o == j })
	var p sched.Plan
	p.Reject(j, sched.Outlook{}, sched.Reason{})
	p.Items[0].ID = w.items
	w.items++
	return w.World.Enact(&p)
}

// amended is the job as its user wants it now.
func (w *fickle) amended(was *workload.Job, now units.Time) *workload.Job {
	j := *was
	switch w.dice.IntN(5) {
	case 0:
		j.Deadline = units.Never
	case 1, 2:
		j.Deadline = now.Add(units.Duration(1+w.dice.IntN(400)) * units.Second)
	case 3:
		j.Priority, j.Weight = w.dice.IntN(5)-2, []float64{0.5, 1, 3}[w.dice.IntN(3)]
	case 4:
		j.Queue = w.queues[w.dice.IntN(len(w.queues))]
	}
	return &j
}
