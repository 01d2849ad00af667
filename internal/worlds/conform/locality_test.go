package conform

import (
	"testing"
)

// Placements that let nodes or jobs wait keep no job waiting for ever, under any order, with
// resources that stages share, with tasks that fail, and where nodes are served at once.
func TestPatientPlacements(t *testing.T) {
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	for _, text := range []string{"fair+matchmaking", "capacity+matchmaking", "edf+matchmaking(reduces=0)", "fair+delay(D=2s,rack=1s)", "capacity+delay(D=0s,rack=30s)"} {
		for _, s := range []Subject{simulated(runs(6)), rich(runs(12)), failing(runs(6)), unkind(runs(12))} {
			t.Run(s.Name+" "+text, func(t *testing.T) {
				holds(t, s, text)
			})
		}
	}
}
