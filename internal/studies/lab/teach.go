package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// teacher is a world that tells, when a job has ended, what is known of its class by now: what was
// known from the start and what the attempts of this run have taught besides. Any world can be one;
// the events that it adds stand in the journal as the world's own, so that a replay needs no
// teacher. A cell that is taught has two followers and, where a command adds its own, two learners.
type teacher struct {
	drive.World
	follow.Single
	said    *later // what the world says, for the learner and the teacher
	learner *report.Learner
	known   profile.Set // from the start
	events  []sched.Event
	due     []string // classes of jobs that have ended in this batch
}

// Teach makes a teacher of a world that has not begun, of cost models too if models is set.
func Teach(w drive.World, models bool) drive.World {
	t := &teacher{World: w, learner: report.NewLearner()}
	t.learner.TellsPolicies()
	if !models {
		t.learner.LeaveModels()
	}
	t.said = newLater(follow.New(t.learner, t))
	return t
}

// Batch notes of which classes there is something to tell.
func (t *teacher) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		switch e := &records[i]; e.Kind {
		case sched.ProfileLearned:
			t.known.Put(e.Detail.Profile)
			t.learner.Know(e.Detail.Profile)
		case sched.JobEnded:
			if e.Job != nil && e.Outcome == sched.Committed && !slices.Contains(t.due, e.Job.Spec.Class) {
				t.due = append(t.due, e.Job.Spec.Class)
			}
		}
	}
	return nil
}

// Heed passes on which events must not wait (drive.Patient). Jobs end at once, so nothing is taught late.
func (t *teacher) Heed(kinds sched.Events) {
	if w, ok := t.World.(drive.Patient); ok {
		w.Heed(kinds)
	}
}

// Next returns what has happened, and what that teaches.
func (t *teacher) Next(ctx context.Context) (drive.Batch, error) {
	b, err := t.World.Next(ctx)
	if err != nil {
		return b, err
	}
	t.due = t.due[:0]
	if err := t.said.Batch(0, b.At, b.Events); err != nil {
		return b, err
	}
	for i := range b.Events {
		if !follow.Gathered.Has(b.Events[i].Kind) {
			if err := t.said.flush(); err != nil {
				return b, err
			}
			break
		}
	}
	if len(t.due) == 0 {
		return b, nil
	}
	t.events = append(t.events[:0], b.Events...)
	for _, name := range t.due {
		t.events = append(t.events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: t.now(name)}})
	}
	slices.SortStableFunc(t.events, func(a, b sched.Event) int { return int(a.Kind) - int(b.Kind) })
	return drive.Batch{At: b.At, Events: t.events}, nil
}

// now is what is known of a class at this time, in memory of its own: what an event points to never
// changes. The learner's models are of all that is known.
func (t *teacher) now(name string) *profile.Class {
	sum, learned := profile.New(name), t.learner.Of(name)
	for _, p := range []*profile.Class{t.known.Of(name), learned} {
		if p != nil {
			sum.Merge(p.Bare())
		}
	}
	if learned != nil {
		sum.Models = slices.Clone(learned.Models)
	}
	return sum
}

// Taught makes a simulator that knows from the start what a run of the one configuration by fifo
// teaches. It is rehearsed once, when the first run needs it. Where the other configuration has the
// same seed each task takes the same time, so that the worst case which is known is the true one, but
// for tasks that run on other nodes or farther from their input.
func Taught(by, config func(context.Context) (sim.Config, error), q queues.Config) func(context.Context) (drive.World, error) {
	return made(taught(by, config, q))
}

// taught is the configuration of such a simulator.
func taught(by, config func(context.Context) (sim.Config, error), q queues.Config) func(context.Context) (sim.Config, error) {
	var once sync.Once
	var classes []*profile.Class
	var failed error
	rehearse := func(ctx context.Context) ([]*profile.Class, error) {
		policy, err := catalog.New("fifo", q)
		if err != nil {
			return nil, err
		}
		cfg, err := by(ctx)
		if err != nil {
			return nil, err
		}
		world, err := sim.New(cfg)
		if err != nil {
			return nil, err
		}
		learner := report.NewLearner()
		if err := drive.New(world, policy, follow.New(learner)).Run(ctx); err != nil {
			return nil, fmt.Errorf("the rehearsal under fifo, which measures the jobs: %w", err)
		}
		return learner.Profiles(), nil
	}
	return func(ctx context.Context) (sim.Config, error) {
		once.Do(func() { classes, failed = rehearse(ctx) })
		if failed != nil {
			return sim.Config{}, failed
		}
		knowing, err := config(ctx)
		knowing.Profiles = classes
		return knowing, err
	}
}
