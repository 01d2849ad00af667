package lab

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Planned is how a policy would cut a job, why, and by when it is to be done.
type Planned struct {
	Job *workload.Job // as it is to be cut
	Why []string      // by stage
	Due units.Time    // 0: the policy says nothing of that
}

// Plan has these jobs come now, all at once, where each is cut as the policy asks, and returns what it plans. Nothing
// runs there, and the run that stands here goes on as if nothing had been.
func (s Stand) Plan(jobs []*workload.Job) ([]Planned, error) {
	w := &cutter{}
	l, err := s.loop.Fork(func(book *ledger.Ledger) (drive.World, error) {
		book.World().Mold = true
		w.book, w.first, w.at = book, book.Jobs()+1, book.Now().Add(1)
		for i, j := range jobs {
			w.list = append(w.list, Planned{Job: j})
			w.next = append(w.next, sched.Event{Kind: sched.JobArrived, Job: w.first + sched.JobID(i), Detail: &sched.Detail{Job: j}})
		}
		return w, nil
	})
	for err == nil {
		err = l.Step(context.Background())
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return w.list, err
}

// cutter is a world in which jobs are cut and do nothing else.
type cutter struct {
	still
	book  *ledger.Ledger
	first sched.JobID // handle of the first job of the list
	at    units.Time
	list  []Planned
	next  []sched.Event
}

// Next tells that the jobs come, and then how they are cut, until nothing more is asked for.
func (w *cutter) Next(context.Context) (b drive.Batch, err error) {
	if len(w.next) == 0 {
		return b, io.EOF
	}
	b = drive.Batch{At: w.at, Events: w.next}
	w.next = nil
	return b, nil
}

// Enact cuts jobs.
func (w *cutter) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		k := int(it.Job - w.first)
		if it.Refused != sched.OK || it.Held || k < 0 || k >= len(w.list) {
			continue
		}
		d := &w.list[k]
		switch it.Verb {
		case sched.SetTasks:
			spec := *d.Job
			spec.Stages = slices.Clone(spec.Stages)
			st := spec.Stage(it.Stage)
			*st, d.Job = st.Cut(int(it.Count)), &spec
			w.next = append(w.next, sched.Event{Kind: sched.JobAmended, Job: it.Job, Item: it.ID, Detail: &sched.Detail{Job: &spec}})
			d.Why = append(d.Why, it.Stage.String()+"s "+p.Why(it, nil))
		case sched.SetDeadline:
			d.Due = it.At
		}
	}
	return nil
}
