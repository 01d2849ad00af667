package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/profile"
)

// maxSwept bounds what all scenarios of a sweep have, which are there at once.
const maxSwept = 2 * maxTasks

// size is how many nodes and listed tasks there are.
func (s *Scenario) size() int {
	n := len(s.config.Cluster.Nodes)
	if w := s.config.Workload; w != nil {
		for _, j := range w.Jobs {
			for i := range j.Stages {
				n += len(j.Stages[i].Tasks)
			}
		}
	}
	return n
}

// ReadSweep reads a scenario file as all the scenarios that its sweep makes of it, the last key
// varying fastest; without a sweep it is one. The error, if any, is a config.Errors.
func ReadSweep(file string, src []byte, to Resize) ([]*Scenario, error) {
	return readSweep(file, src, to, maxSwept)
}

func readSweep(file string, src []byte, to Resize, most int) ([]*Scenario, error) {
	base, err := ReadResized(file, src, to)
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	size := 0
	err = base.Sweep.Variants(base.src, func(d *config.Document, params map[string]string) error {
		s, err := read(d, to, maxTasks)
		if err != nil {
			return err
		}
		if size += s.size(); size > most {
			return d.Errorf("sweep", "the scenarios of the sweep have more than %d nodes and tasks in all; sweep fewer values at a time", most)
		}
		s.Params = params
		all = append(all, s)
		return nil
	})
	if all == nil {
		all = []*Scenario{base}
	}
	for _, s := range all {
		s.Source = &Source{File: file, Text: string(src), Params: s.Params, Nodes: to.Nodes, MapSlots: to.MapSlots, ReduceSlots: to.ReduceSlots}
	}
	return all, err
}

// Source is all that a scenario follows from, but for files beside it: with a seed it can be played again.
type Source struct {
	File        string            `json:"file"`
	Text        string            `json:"text"`
	Params      map[string]string `json:"params,omitempty"` // of its sweep
	Nodes       *int              `json:"nodes,omitempty"`  // in place of those of the file, as the two below
	MapSlots    *int              `json:"map_slots,omitempty"`
	ReduceSlots *int              `json:"reduce_slots,omitempty"`
}

// Read makes the scenario again, with so many nodes more; known says what was learned of classes.
func (from *Source) Read(more int, known func(class string) *profile.Class) (*Scenario, error) {
	to := Resize{Nodes: from.Nodes, MapSlots: from.MapSlots, ReduceSlots: from.ReduceSlots, Known: known}
	for {
		all, err := ReadSweep(from.File, []byte(from.Text), to)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(s *Scenario) bool { return maps.Equal(s.Params, from.Params) })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s: its sweep does not come to %v", from.File, from.Params)
		case more == 0:
			return all[i], nil
		}
		to.Nodes, more = new(all[i].Cluster.Nodes+more), 0
	}
}
