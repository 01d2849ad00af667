package admit

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
)

// Counting sorts as sorting does.
func TestByAmount(t *testing.T) {
	for seed := range uint64(100) {
		dice := rand.New(rand.NewPCG(seed, 1))
		var list []sched.Evidence
		for range dice.IntN(40) {
			list = append(list, sched.Evidence{Job: sched.JobID(dice.IntN(100)), Amount: dice.Int64N([]int64{5, 1 << 20}[seed%2])})
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b sched.Evidence) int { return cmp.Compare(b.Amount, a.Amount) })
		if got := byAmount(slices.Clone(list)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
