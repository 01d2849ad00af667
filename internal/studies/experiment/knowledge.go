package experiment

import (
	"context"
	"sync"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
)

// What schedulers know from the start is no value in a scenario file alone, so these are the other values of knowledge.
const (
	knowledge = "profiles"        // the key
	nothing   = "nothing"         // but what samples and the run itself teach
	ofAnother = "of another seed" // other jobs of the same kind, whose tasks take other times
)

// knowing returns the scenario with other knowledge, and the cells that it is played in.
func knowing(s *scenario.Scenario, what string, policies []string, seeds []uint64) []lab.Cell {
	without := *s
	without.Profiles = ""
	cells := lab.Cells(&without, policies, seeds)
	if what == nothing {
		return cells
	}
	worlds := map[uint64]func() (drive.World, error){}
	for i := range cells {
		seed := cells[i].Seed
		if worlds[seed] == nil {
			worlds[seed] = taughtBy(&without, seed, seed+1)
		}
		cells[i].World = worlds[seed]
	}
	return cells
}

// taughtBy makes the world of one seed, with what a run by fifo with another teaches. That is run
// once, when the first cell needs it.
func taughtBy(s *scenario.Scenario, seed, other uint64) func() (drive.World, error) {
	learn := sync.OnceValues(func() ([]*profile.Class, error) {
		learner := report.NewLearner()
		cell := lab.Cells(s, []string{"fifo"}, []uint64{other})[0]
		cell.Sinks = append(cell.Sinks, learner)
		_, err := lab.Run(context.Background(), cell)
		return learner.Profiles(), err
	})
	return func() (drive.World, error) {
		classes, err := learn()
		if err != nil {
			return nil, err
		}
		cfg := s.Sim(seed)
		cfg.Profiles = classes
		return sim.New(cfg)
	}
}
