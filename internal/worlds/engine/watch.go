package engine

import (
	"errors"

	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// account is what an attempt did that an event has no room for.
func account(a *attempt, stats *task.Stats) *sched.Detail {
	c := &sched.Account{Try: a.try + 1, Said: a.said.String()}
	if stats != nil && stats.Counters != nil {
		c.Counters = values(stats.Counters)
	}
	if user, ok := errors.AsType[*task.UserError](a.err); ok {
		c.Said += string(user.Stack)
	}
	return &sched.Detail{Account: c}
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

// account is what the committed tasks of a job that ends have counted, each once, those of an
// interrupted run before included.
func (j *job) account() *sched.Detail {
	return &sched.Detail{Account: &sched.Account{Counters: values(j.counted())}}
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
