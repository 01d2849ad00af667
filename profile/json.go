package profile

import (
	"encoding/json"
	"fmt"

	"github.com/slackline/slackline/workload"
)

// wire is the form in which a profile is stored and journalled: a sorted list instead of a map.
type wire struct {
	Name   string      `json:"name"`
	Runs   int64       `json:"runs"`
	Ratio  Estimate    `json:"ratio"`
	Stages []wireStage `json:"stages"`
}

type wireStage struct {
	Stage string `json:"stage"`
	Node  string `json:"node"`
	Cost  *Stage `json:"cost"`
}

// MarshalJSON writes the profile with its stages in a fixed order.
func (c *Class) MarshalJSON() ([]byte, error) {
	w := wire{Name: c.Name, Runs: c.Runs, Ratio: c.Ratio}
	for _, k := range c.Keys() {
		w.Stages = append(w.Stages, wireStage{k.Stage.String(), k.Node, c.Stages[k]})
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Class) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*c = Class{Name: w.Name, Runs: w.Runs, Ratio: w.Ratio, Stages: make(map[Key]*Stage, len(w.Stages))}
	for _, s := range w.Stages {
		st, err := workload.ParseStage(s.Stage)
		if err != nil {
			return fmt.Errorf("profile %q: %w", w.Name, err)
		}
		if s.Cost == nil {
			return fmt.Errorf("profile %q: stage %s on %q has no cost", w.Name, s.Stage, s.Node)
		}
		c.Stages[Key{st, s.Node}] = s.Cost
	}
	return nil
}
