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

// Cells are the grid of a scenario: policy by policy, seed by seed. What is not played of its trace as it stands there,
// if somebody has counted, is for the reports.
func Cells(s *scenario.Scenario, policies []string, seeds []uint64, counted ...trace.Account) []Cell {
	configs, jobs := make([]func(context.Context) (sim.Config, error), len(seeds)), make([]*common, len(seeds))
	for i, seed := range seeds {
		jobs[i] = &common{cfg: func() sim.Config { return s.Sim(seed) }, told: s.Recorded()}
		configs[i] = jobs[i].config
		if s.Rehearses() {
			configs[i] = taught(jobs[i].config, jobs[i].config, s.Config)
		}
	}
	var played *report.Trace
	var account trace.Account
	if len(counted) > 0 {
		account = counted[0]
	}
	if t := s.Workload.Trace; t != nil {
		played = &report.Trace{Rule: t.Rule, Account: account}
	} else if account.Left() > 0 {
		played = &report.Trace{Account: account}
	}
	hard, soft, whole := s.Deadlines()
	metrics := report.PossibleMetrics(hard, soft, whole, s.Powered(), s.Supplies()...)
	var cells []Cell
	first := s.Sim(0) // what a world can do is the same with all seeds
	can := first.Can()
	for _, p := range policies {
		for i, seed := range seeds {
			cells = append(cells, Cell{Scenario: s.Name, File: s.File(), Policy: p, Queues: s.Config, Seed: seed,
				World: made(configs[i]), Config: configs[i], common: jobs[i], Can: can, Params: s.Params, Source: s.Source, Trace: played, Notes: s.Notes(), Metrics: metrics})
		}
	}
	return cells
}

// Grid runs cells on so many workers, as many as there are processors if 0. Reports stand in the
// order of the cells and do not depend on the number of workers, as each run is its own world; cells
// that differ in their policies alone run one after the other, as they share their jobs (common). A
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
	spare := min(workers, len(cells)) < runtime.GOMAXPROCS(0)
	order := together(cells)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, len(cells)) {
		group.Go(func() {
			for !failed.Load() {
				n := int(next.Add(1)) - 1
				if n >= len(cells) {
					return
				}
				i := order[n]
				if runs[i] = cells[i].Known; runs[i] == nil {
					c := cells[i]
					c.spare = spare
					runs[i], errs[i] = Run(ctx, c)
					cells[i].common.ended()
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

// common is what cells have in common that differ in their policies alone: the jobs of a recorded
// workload, and where their input lies. It is kept while such cells run.
type common struct {
	cfg    func() sim.Config
	told   bool // its jobs are recorded, and come whatever becomes of those before
	mu     sync.Mutex
	left   int         // cells that are to run
	shared *sim.Config // nil: none has begun, or all have ended
}

// config returns the configuration for one of the cells.
func (c *common) config(context.Context) (sim.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shared == nil {
		cfg := c.cfg()
		if !c.told || c.left < 2 {
			return cfg, nil
		}
		cfg, err := sim.Share(cfg)
		if err != nil {
			return cfg, err
		}
		c.shared = &cfg
	}
	return *c.shared, nil
}

// ended notes that a cell has ended.
func (c *common) ended() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.shared = nil
	}
}

// together is the order in which cells run: those that have something in common one after the other, so
// that it need not be kept for long. It counts how many of each are to run.
func together(cells []Cell) (order []int) {
	of := make(map[*common][]int)
	for i := range cells {
		if c := cells[i].common; c != nil {
			of[c] = append(of[c], i)
			c.left = 0
		}
	}
	for i := range cells {
		c := cells[i].common
		switch {
		case c == nil:
			order = append(order, i)
		case of[c][0] == i:
			order = append(order, of[c]...)
		}
		if c != nil && cells[i].Known == nil {
			c.left++
		}
	}
	return order
}

// made makes the simulator of a configuration that is known when the run begins.
func made(config func(context.Context) (sim.Config, error)) func(context.Context) (drive.World, error) {
	return func(ctx context.Context) (drive.World, error) {
		cfg, err := config(ctx)
		if err != nil {
			return nil, err
		}
		return sim.New(cfg)
	}
}

// Simulated makes the simulator when the run begins.
func Simulated(cfg sim.Config) func(context.Context) (drive.World, error) {
	return func(context.Context) (drive.World, error) { return sim.New(cfg) }
}
