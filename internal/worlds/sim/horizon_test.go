package sim

import (
	"errors"
	"math"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Times that no clock can hold end the run with a sentence, wherever they come from.
func TestTooLong(t *testing.T) {
	century := units.Duration(math.MaxInt64 / 3)
	for name, change := range map[string]func(*Config){
		"slow": func(c *Config) { c.Speeds = []SpeedStep{{At: units.Time(5 * sec), Factor: 1e-300}} },
		"task": func(c *Config) { c.Workload.Jobs[0].Stages[0].Tasks[0].Work = math.MaxInt64 },
		"sum": func(c *Config) {
			c.Workload.Jobs[0].Stages[0].Tasks[0].Work, c.Workload.Jobs[0].Stages[1].Tasks[0].Work = 2*century, 2*century
		},
		"long law": func(c *Config) {
			c.Workload.Jobs[0].Stages[0].Tasks[0].Work = century
			c.Times = Times{Law: LogNormal, CV: 100}
		},
	} {
		for _, hb := range []units.Duration{0, 3 * sec} {
			cfg := Config{Cluster: cluster.Uniform(3, 1, cluster.Class{Name: "m", Speed: 1, Capacity: units.Slots(1, 1)}), Heartbeat: hb,
				Workload: &workload.Workload{Jobs: []*workload.Job{shape{id: "j", maps: 30, reduces: 1, mapS: 10, reduS: 10, slow: 1}.job()}}}
			change(&cfg)
			if err := newDriver(t, cfg).run(); !errors.Is(err, ErrTooLong) && name != "long law" {
				t.Errorf("%s, heartbeat %v: %v", name, hb, err)
			}
		}
	}
}
