package engine

import (
	"errors"

	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Account is what the engine knows of an attempt that has ended, or of a job that has, and an event does not say.
type Account struct {
	Attempt  sched.AttemptID // as in the Ended event, which follows; 0: the whole job, and JobEnded follows
	Job      string          // its id
	Try      int             // of the task, from 1
	Counters map[string]int64
	Output   string // the end of what its program said beside its output, and the stack of a panic
}

// account tells of an attempt that ends, if somebody wants to know.
func (w *World) account(a *attempt, stats *task.Stats) {
	if w.cfg.Accounts == nil {
		return
	}
	c := Account{Attempt: a.id, Job: w.jobs[a.job].cfg.Spec.ID, Try: a.try + 1, Output: a.said.String()}
	if stats != nil && stats.Counters != nil {
		c.Counters = values(stats.Counters)
	}
	var user *task.UserError
	if errors.As(a.err, &user) {
		c.Output += string(user.Stack)
	}
	w.cfg.Accounts(c)
}

// warner tells what user code of a job warns of, each text once.
func (w *World) warner(j *job) func(text string) {
	if w.cfg.Warn == nil {
		return nil
	}
	return func(text string) {
		if _, told := j.warned.LoadOrStore(text, true); !told {
			w.cfg.Warn(j.cfg.Spec.ID, text)
		}
	}
}

// accountJob tells what the committed tasks of a job that ends have counted, each once, those of an interrupted run before included.
func (w *World) accountJob(j *job) {
	if w.cfg.Accounts != nil {
		w.cfg.Accounts(Account{Job: j.cfg.Spec.ID, Counters: values(w.Counters(j.cfg.Spec.ID))})
	}
}

func values(c *mapreduce.Counters) map[string]int64 {
	all := map[string]int64{}
	for _, n := range c.Names() {
		all[n.Group+"."+n.Name] = c.Get(n.Group, n.Name)
	}
	return all
}

// progress tells how far attempts are that have got on, once in an interval.
func (w *World) progress() {
	if w.cfg.Progress <= 0 || w.told.Add(w.cfg.Progress) > w.now {
		return
	}
	w.told = w.now
	for _, a := range w.attempts {
		if a == nil || a.stopping != sched.NoOutcome {
			continue
		}
		if done := a.meter.Done(); done != a.done {
			a.done = done
			w.emit(sched.Event{Kind: sched.Progress, Attempt: a.id, X: done})
		}
	}
}

// nextProgress is when progress is to be told again, while something runs.
func (w *World) nextProgress() units.Time {
	if w.cfg.Progress > 0 {
		for _, a := range w.attempts {
			if a != nil && a.stopping == sched.NoOutcome {
				return w.told.Add(w.cfg.Progress)
			}
		}
	}
	return units.Never
}
