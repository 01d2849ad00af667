package experiment

import (
	"context"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
)

// What schedulers know from the start is no value in a scenario file alone, so these are the other
// values of knowledge.
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
	worlds := map[uint64]func(context.Context) (drive.World, error){}
	for i := range cells {
		seed := cells[i].Seed
		if worlds[seed] == nil {
			worlds[seed] = lab.Taught(simulation(&without, seed+1), simulation(&without, seed), s.Config)
		}
		cells[i].World = worlds[seed]
	}
	return cells
}

// simulation is that of a seed.
func simulation(s *scenario.Scenario, seed uint64) func(context.Context) (sim.Config, error) {
	return func(context.Context) (sim.Config, error) { return s.Sim(seed), nil }
}
