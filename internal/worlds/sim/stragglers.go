package sim

import ()

// Straggling makes some attempts slow for reasons of their own: a bad disk, a neighbour, a cold
// cache (Zaharia et al., "Improving MapReduce performance in heterogeneous environments", OSDI
// 2008). It strikes attempts, not tasks, so that a second attempt of the same task may be spared.
type Straggling struct {
	Rate   float64 // probability that an attempt is struck, in [0,1]
	Factor float64 // its work takes so many times as long; above 0
}

// straggles returns the factor on an attempt's work.
func (w *World) straggles(j *job, s *stage, task, try int32) float64 {
	if p := w.cfg.Stragglers; unit(w.bits(forStraggling, j.key, uint64(s.kind), uint64(task), uint64(try))) < p.Rate {
		return p.Factor
	}
	return 1
}
