package sim

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// ReadRates say what it costs a map to run away from its input: before its work it fetches its
// Input at that many bytes a second. A map beside its input reads from its own disk, which is part
// of its Work. 0 = no cost.
type ReadRates struct {
	Rack   units.Bytes // from a node of the same rack
	Remote units.Bytes // from another rack
}

// fetch is how long a map first fetches its input. Network: no speed acts on it.
func (r ReadRates) fetch(input units.Bytes, locality sched.Locality) units.Duration {
	rate := r.Rack
	if locality == sched.Remote {
		rate = r.Remote
	}
	if rate == 0 || locality != sched.RackLocal && locality != sched.Remote {
		return 0
	}
	return units.Second.Scale(float64(input) / float64(rate))
}
