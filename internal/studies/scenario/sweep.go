package scenario

import "github.com/slackline/slackline/internal/config"

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
	return all, err
}
