package admit

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// drawn makes jobs up that were accepted, and the constraint that accepted them, less some that have ended.
func drawn(dice *rand.Rand) *Constraint {
	c := NewConstraint(false, 0)
	for range dice.IntN(40) {
		a := accepted{Job: sched.JobID(1 + dice.IntN(100)), ReduceSlots: dice.Int64N(5), ReduceStart: units.Time(dice.IntN(50))}
		a.Deadline = a.ReduceStart.Add(units.Duration(dice.IntN(30)))
		c.reserve(&a, 1)
		if dice.IntN(3) == 0 {
			c.reserve(&a, -1)
		} else {
			c.accepted = append(c.accepted, a)
		}
	}
	return c
}

// Evidence lists those who hold the most, as a stable sort of all has them, and how much the others hold.
func TestEvidence(t *testing.T) {
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 1))
		c, at := drawn(dice), units.Time(dice.IntN(60))
		var want []sched.Evidence
		for _, a := range c.accepted {
			if a.ReduceStart <= at && at < a.Deadline && a.ReduceSlots > 0 {
				want = append(want, sched.Evidence{Job: a.Job, At: a.Deadline, Amount: a.ReduceSlots})
			}
		}
		slices.SortStableFunc(want, func(a, b sched.Evidence) int { return cmp.Compare(b.Amount, a.Amount) })
		if len(want) > estimate.MostHolders {
			rest := sched.Evidence{Job: sched.Others}
			for _, e := range want[estimate.MostHolders:] {
				rest.At++
				rest.Amount += e.Amount
			}
			want = append(want[:estimate.MostHolders], rest)
		}
		var p sched.Plan
		if c.taken(nil, &p, sched.Because(ReduceSlotsTaken, 9, 0, int64(at))); !slices.Equal(p.Evidence, want) {
			t.Fatalf("seed %d: %v, want %v", seed, p.Evidence, want)
		}
	}
}

// What is held at an instant, and from when on so few slots are, is found as by asking each job.
func TestReservedReduces(t *testing.T) {
	for seed := range uint64(300) {
		c := drawn(rand.New(rand.NewPCG(seed, 2)))
		held := func(at units.Time) (n int64) {
			for _, a := range c.accepted {
				if a.ReduceStart <= at && at < a.Deadline {
					n += a.ReduceSlots
				}
			}
			return n
		}
		for at := units.Time(0); at < 90; at++ {
			if got, want := c.reducesHeld(at), held(at); got != want {
				t.Fatalf("seed %d: %d slots are held at %d, want %d", seed, got, at, want)
			}
			for most := range int64(20) {
				want := at
				for held(want) > most {
					want++
				}
				if got := c.free(at, most); got != want {
					t.Fatalf("seed %d: from %d on no more than %d are held at %d, want %d", seed, at, most, got, want)
				}
			}
		}
	}
}
