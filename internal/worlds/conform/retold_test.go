package conform

import (
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
)

// What a resync voids every policy asks for again, and what it tells again every book has as it was, also
// where tasks are bound here: all jobs end, in the simulator with and without heartbeats, whatever is told
// again when, and whoever places work meanwhile.
func TestResyncsOfTheSimulator(t *testing.T) {
	t.Parallel()
	acts := newActs()
	every(t, func(t *testing.T, fresh func() sched.Policy) {
		resyncs, yields, watches, shuns := 0, 0, 0, 0
		s, full := simulated(runs(30)), pressed(1)
		s.sinks = []drive.Sink{acts.of(fresh().(*compose.Policy))}
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World {
			of := plain
			if seed%3 == 0 {
				of = full.New
			}
			w := NewRetold(&taught{World: of(t, seed), told: seed%2 > 0}, seed)
			t.Cleanup(func() {
				resyncs, yields, watches, shuns = resyncs+w.Resyncs, yields+w.Yields, watches+w.Watches, shuns+w.Shuns
			})
			return w
		}
		t.Run("sim", func(t *testing.T) {
			for seed := range s.Seeds {
				s.finished(t, s.run(t, uint64(seed), fresh, nil))
			}
		})
		if resyncs == 0 || yields == 0 || watches == 0 || shuns == 0 {
			t.Errorf("all was told again %d times, the world yielded %d times, the policy watched %d times, and jobs avoided nodes %d times: this tests nothing",
				resyncs, yields, watches, shuns)
		}
	})
	acts.check(t, "retold", simulated(1).New(t, 0).Can(), "out of time")
}
