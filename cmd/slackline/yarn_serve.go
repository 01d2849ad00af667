package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// serveYarn schedules a cluster until it is interrupted.
func (o *options) serveYarn(cmd *cobra.Command, f *yarnFlags) error {
	again, err := true, error(nil)
	for journal := o.journal; again && err == nil; {
		o.journal = journal
		again, err = o.serveOnce(cmd, f)
	}
	return err
}

// serveOnce schedules a cluster until it is interrupted, or until it has to begin again: with other
// queues, or another journal.
func (o *options) serveOnce(cmd *cobra.Command, f *yarnFlags) (again bool, err error) {
	policies, _, err := o.policiesAndSeeds(lab.DefaultPolicy)
	if err != nil {
		return false, err
	}
	if len(policies) > 1 {
		return false, fmt.Errorf("--policy: a cluster has one policy, not %d", len(policies))
	}
	cfg, err := f.config(lab.Studies(policies[0], lab.NoQueues) && !lab.ReadsConfidence(policies[0], lab.NoQueues))
	if err != nil {
		return false, err
	}
	if o.journal != "" {
		o.journal = nextJournal(o.journal, f.keep)
		if err := mayRecord(o.journal); err != nil {
			return false, err
		}
	}
	if f.state, err = o.yarnState(f.state); err != nil {
		return false, err
	}
	w := cmd.ErrOrStderr()
	t := &operator{log: newLog(w), there: map[sched.NodeID]string{}}
	t.log.clock = func(units.Time) string { return time.Now().Format(time.DateTime) }
	state, err := runs.OpenCluster(f.state, t.warn)
	if err != nil {
		return false, failure{err}
	}
	defer state.Close()
	path, secret, err := runs.Secret(f.state, f.secret)
	if err != nil {
		return false, err
	}
	memory, known := o.openOrNot(w)
	if memory != nil {
		defer memory.Close()
	}
	cfg.Secret, cfg.Origin, cfg.Promised, cfg.Note = secret, state.Origin(), state.Promised, t.warn
	if f.claims != "" {
		if cfg.Claims, err = readClaims(f.claims); err != nil {
			return false, err
		}
	}
	if f.offers != "" {
		if cfg.Offers, cfg.Marked, err = readOffers(f.offers); err != nil {
			return false, err
		}
	}
	if f.tls != "" {
		if cfg.TLS, err = runs.TLS(f.tls); err != nil {
			return false, err
		}
	}
	cfg.Profiles = runs.Whole(known, known, policies[0])
	learner := report.NewLearner(known...)
	learner.JoinShuffles()
	cfg.Usual = learner.Tasks
	world, err := yarn.New(cfg)
	if err != nil {
		return false, err
	}
	cell := lab.Cell{Scenario: "yarn", Policy: policies[0], Seed: 1, Origin: world.Origin, Journal: o.journal, Can: world.Can(),
		Books: account.New(account.Enough),
		Sinks: []follow.Sink{state, learner}, World: func(context.Context) (drive.World, error) { return world, nil }}
	if !o.quiet {
		cell.Sinks = append(cell.Sinks, t)
	}
	if cell.Journal != "" {
		cell.Lost = func(err error) { t.warn(fmt.Sprintf("no journal is written any more: %v", err)) }
	}
	if err := lab.Check([]lab.Cell{cell}); err != nil {
		return false, err
	}
	at, err := listen(f.listen, f.tls != "")
	if err != nil {
		return false, err
	}
	var keeper *runs.Keeper // nil: jobs are not listed
	if memory != nil && memory.ReadOnly() == nil {
		if keeper, err = runs.KeepCluster(memory, policies[0], cell.Books, world); err != nil {
			t.warn(fmt.Sprintf("jobs will not be listed, and their profiles will not be saved: %v", err))
		} else {
			cell.Sinks, cell.Drives = append(cell.Sinks, keeper), keeper.Drives
		}
	}
	outside.Store(true)
	stop := world.Serve(at)
	defer stop()
	if !o.quiet {
		t.say("%s listens at %s, with the secret of %s", policies[0], at.Addr(), path)
		if n := state.Promises(); n > 0 {
			t.say("continuing with the promises that an earlier process made to %s", units.Count(n, "job"))
		}
	}
	defer context.AfterFunc(cmd.Context(), world.Stop)()
	defer func() { f.mode = world.Wish() }()
	var full atomic.Bool
	if o.journal != "" && f.keep > 0 {
		defer watchJournal(o.journal, func() { full.Store(true); world.Stop() })()
	}
	defer world.GiveBack()
	cell.Queues = t.readQueues(world.Begin(cmd.Context()), policies[0], cfg.Slots != nil)
	run, err := lab.Run(context.WithoutCancel(cmd.Context()), cell)
	again = (world.Others() || full.Load()) && cmd.Context().Err() == nil
	if keeper != nil {
		if lost := keeper.Leave(run, learner.Profiles()); lost != nil {
			t.warn(fmt.Sprintf("the history and profiles of the jobs cannot be saved: %v", lost))
		}
	}
	if d := world.Delays(); d.Count() > 0 && !o.quiet {
		t.say("placed %s: half of them were there within %v of the decision, 99%% within %v", units.Count(int(d.Count()), "container"),
			d.Within(0.5), d.Within(0.99))
	}
	if err == nil && !o.quiet && !again {
		t.say("stopped; the cluster's own scheduler places work")
	}
	return again, err
}

// A journal of a cluster that is to be kept for long becomes another file each day, and earlier if it
// is large.
const (
	journalAge  = 24 * time.Hour
	journalSize = 1 << 30
)

// nextJournal is the file behind those that there are of that name. If some are to be kept, the others are removed, the
// oldest first.
func nextJournal(path string, keep int) string {
	old, next := lab.Recorded(path)
	for keep > 0 && len(old) >= keep {
		if lab.Journal.Is(old[0]) {
			_ = os.Remove(old[0]) // one that stays is in nobody's way
		}
		old = old[1:]
	}
	return next
}

// watchJournal calls back once a journal is old or large enough for another one.
func watchJournal(path string, over func()) (stop func()) {
	began, ticker, done := time.Now(), time.NewTicker(time.Minute), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
			case <-done:
				return
			}
			if info, err := os.Stat(path); time.Since(began) > journalAge || err == nil && info.Size() > journalSize {
				over()
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}
