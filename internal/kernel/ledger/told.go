package ledger

import "github.com/slackline/slackline/sched"

// What the book was told and only keeps: it is there to be read, by View.

func (l *Ledger) supplyChanged(e *sched.Event) {
	if err := e.Of.Check(e.X); err != nil {
		l.discrepancy(e, err.Error())
		return
	}
	l.supplies[e.Of] = &sched.Supply{Amount: e.X, Since: l.since(e)}
}

func (l *Ledger) forecastIssued(e *sched.Event) {
	if e.Detail == nil || e.Detail.Forecast == nil {
		l.discrepancy(e, "a forecast without values")
		return
	}
	if err := e.Detail.Forecast.Check(e.Of); err != nil {
		l.discrepancy(e, err.Error())
		return
	}
	l.expected[e.Of] = e.Detail.Forecast
}

// jobCancelled closes the job's stages: its end follows.
func (l *Ledger) jobCancelled(e *sched.Event) {
	b := l.job(e.Job)
	if b == nil || b.State == sched.Finished {
		l.discrepancy(e, "a job was cancelled that the book does not know")
		return
	}
	b.Cancelled = true
	l.markDirty(b, allStages)
}

// molded notes that an amendment answers a SetTasks: the stage now has so many tasks.
func (l *Ledger) molded(b *jobBook, e *sched.Event) {
	if e.Item == 0 {
		return
	}
	for s := range b.Stages {
		if m := &b.Molds[s]; m.Item == e.Item {
			m.Accepted = b.Stages[s].Total
			l.markDirty(b, allStages)
			return
		}
	}
	l.discrepancy(e, "a job was amended in answer to what was not asked")
}

// refusedAsked notes that the world did not do what no record shows as done yet: the tasks stay as
// many as they were, the node stays as it was.
func (l *Ledger) refusedAsked(e *sched.Event) {
	if e.Item == 0 {
		return
	}
	if b := l.job(e.Job); b != nil && e.Stage < sched.Stages && b.Molds[e.Stage].Item == e.Item {
		b.Molds[e.Stage].Accepted = -1
		l.markDirty(b, allStages)
	}
	if nb := l.node(e.Node); nb != nil && nb.asked == e.Item {
		l.turn(nb, nb.Was, 0)
	}
}
