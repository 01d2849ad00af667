package scenario

import "github.com/slackline/slackline/internal/config"

// ReadSweep reads a scenario file as all the scenarios that its sweep makes of it, the last key
// varying fastest; without a sweep it is one. The error, if any, is a config.Errors.
func ReadSweep(file string, src []byte, to Resize) ([]*Scenario, error) {
	base, err := ReadResized(file, src, to)
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	err = base.Sweep.Variants(base.src, func(d *config.Document, params map[string]string) error {
		s, err := read(d, to, maxTasks)
		if err != nil {
			return err
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
