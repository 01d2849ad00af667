package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/sim"
)

// Cells are the grid of a scenario: policy by policy, seed by seed. left is what is not played of
// its trace, for the reports.
func Cells(s *scenario.Scenario, policies []string, seeds []uint64, left ...trace.LeftOut) []Cell {
	worlds := make([]func() (drive.World, error), len(seeds))
	for i, seed := range seeds {
		worlds[i] = Simulated(s.Sim(seed))
		if s.Rehearses() {
			worlds[i] = rehearsed(s.Sim(seed), s.Config)
		}
	}
	var played *report.Trace
	if t := s.Workload.Trace; t != nil {
		played = &report.Trace{Rule: t.Rule, LeftOut: left}
	} else if len(left) > 0 {
		played = &report.Trace{LeftOut: left}
	}
	hard, soft := s.Deadlines()
	metrics := report.PossibleMetrics(hard, soft, s.Powered(), s.Green())
	var cells []Cell
	for _, p := range policies {
		for i, seed := range seeds {
			cfg := s.Sim(seed)
			cells = append(cells, Cell{Scenario: s.Name, File: s.File(), Policy: p, Queues: s.Config, Seed: seed, World: worlds[i], Can: cfg.Can(), Params: s.Params, Trace: played, Metrics: metrics})
		}
	}
	return cells
}

// Grid runs cells on so many workers, as many as there are processors if 0. Reports stand in the
// order of the cells and do not depend on the number of workers, as each run is its own world. A
// run that gets stuck or takes too long says so in its report, as others may well come to their
// end; if all take too long, that is the error. No cell begins if Check finds fault with one. After
// any other error no further cell begins; of several the first in the order of the cells is
// returned. done is called after each run, by any goroutine; nil = nobody is told. A cell whose
// report is known is not run. With a cache the others are kept; a result that cannot be kept is
// lost, and nothing else.
func Grid(ctx context.Context, cells []Cell, workers int, cache *Cache, done func()) ([]*report.Run, error) {
	if err := Check(cells); err != nil {
		return make([]*report.Run, len(cells)), err
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	runs, errs, tooLong := make([]*report.Run, len(cells)), make([]error, len(cells)), make([]error, len(cells))
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, len(cells)) {
		group.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(cells) {
					return
				}
				if runs[i] = cells[i].Known; runs[i] == nil {
					runs[i], errs[i] = Run(ctx, cells[i])
					if Ends(errs[i]) {
						runs[i].Stuck = errs[i].Error()
						tooLong[i], errs[i] = errs[i], nil
						if errors.Is(tooLong[i], sim.ErrStuck) {
							tooLong[i] = nil
						}
					}
					if errs[i] == nil && cache != nil && cells[i].Key != "" {
						_ = cache.Keep(&cells[i], runs[i])
					}
				}
				if errs[i] != nil {
					if ctx.Err() == nil {
						errs[i] = cells[i].err(errs[i], len(cells))
					}
					failed.Store(true)
				} else if done != nil {
					done()
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return runs, err
		}
	}
	if len(cells) > 0 && !slices.Contains(tooLong, nil) {
		return runs, fmt.Errorf("%s: %w", cells[0].Position(), tooLong[0])
	}
	return runs, nil
}

// Simulated makes the simulator when the run begins.
func Simulated(cfg sim.Config) func() (drive.World, error) {
	return func() (drive.World, error) { return sim.New(cfg) }
}
