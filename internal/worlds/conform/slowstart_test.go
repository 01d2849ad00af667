package conform

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Under slowstart the reduces that wait for maps leave a slot for those that need not, at each
// instant; nobody's reduces wait for maps that have ended; and some start before them, where there
// is something to gain. Without the part they take all slots.
func TestReducesThatWait(t *testing.T) {
	for _, of := range []struct {
		policy string
		early  bool // reduces start before the last map
		most   bool // and may take all slots
	}{
		{"fifo", true, true}, {"fair+slowstart", true, false}, {"edf(feasible)+slowstart", true, false}, {"capacity+delay+slowstart", true, false},
	} {
		early, full := false, false
		for _, s := range []Subject{simulated(1), failing(1)} {
			for seed := range uint64(max(5, runs(15))) {
				p, err := catalog.New(of.policy, pools())
				if err != nil {
					t.Fatal(err)
				}
				l := drive.New(&school{World: s.New(t, seed), early: true}, p)
				for l.Step(context.Background()) == nil {
					wait, released := int64(0), true
					for id := sched.JobID(1); id <= l.Ledger.Jobs(); id++ {
						j := l.Ledger.Job(id)
						if j == nil || j.Standing() != sched.Admitted || j.Spec.Stage(sched.Map) == nil {
							continue
						}
						maps, reduces := &j.Stages[sched.Map], &j.Stages[sched.Reduce]
						switch {
						case maps.Done < maps.Total:
							wait += int64(reduces.Occupied)
						case reduces.Withheld:
							released = false
						}
					}
					early = early || wait > 0
					if slots := l.Ledger.Capacity()[units.ReduceSlots]; wait >= slots && slots > 0 {
						full = true
					}
					if !released {
						t.Fatalf("%s, %s, seed %d: the maps of a job have ended, and its reduces are withheld", of.policy, s.Name, seed)
					}
				}
			}
		}
		if early != of.early {
			t.Errorf("%s: reduces start before the last map: %v", of.policy, early)
		}
		if full != of.most {
			t.Errorf("%s: reduces that wait for maps hold all slots: %v", of.policy, full)
		}
	}
}
