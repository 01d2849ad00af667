package promise

import (
	"container/heap"
	"testing"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/units"
)

// slotEnds is a heap of when slots fall free, in seconds.
type slotEnds []float64

func (e slotEnds) Len() int           { return len(e) }
func (e slotEnds) Less(i, j int) bool { return e[i] < e[j] }
func (e slotEnds) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *slotEnds) Push(x any)        { *e = append(*e, x.(float64)) }
func (e *slotEnds) Pop() any          { l := len(*e) - 1; x := (*e)[l]; *e = (*e)[:l]; return x }

// What a job risks by those before it is that of plays of all of them: tasks go to the slot that is free
// first, each with a factor of its own and one that it shares with its job.
func TestWhatIsAheadCounts(t *testing.T) {
	const plays, most = 4000, finish.Risk(100_000)
	for _, c := range []struct {
		name        string
		jobs, maps  int
		slots       int
		own, shared float64
	}{{"shared factors", 6, 40, 20, 0.2, 0.5}, {"own factors", 3, 30, 2, 1, 0.05}, {"both", 10, 20, 10, 0.6, 0.3}} {
		law := estimate.Laws{Map: estimate.Law{Typical: 10, Own: finish.LogNormal(c.own), Shared: finish.LogNormal(c.shared)}}
		odds := func() *odds {
			return &odds{Most: most, expects: expects{likelihoodOf(&law.Map), &likelihood{}}}
		}
		f := &forecast{}
		f.maps.Load([]avail.Step{{At: 0, Slots: c.slots}})
		ahead := reserve.Claim{Maps: c.maps}
		for range c.jobs {
			of := odds().expects
			f.take(&ahead, &of, [2]busy{})
		}
		last, claim := odds(), reserve.Claim{Maps: 1}
		_, expected := f.deviates(last, &law, &claim, &failures{}, 0)
		promised := last.by(expected, f.variance, most)
		broken := 0
		for play := range plays {
			d := draw.Of(5, c.name).Number(uint64(play))
			free, end := make(slotEnds, c.slots), 0.0
			for j := range c.jobs + 1 {
				shared := law.Map.Shared.Quantile(d.Number(uint64(j)).Float64())
				for k := range c.maps {
					end = heap.Pop(&free).(float64) + 10*shared*law.Map.Own.Quantile(d.At(j, k, 1).Float64())
					heap.Push(&free, end)
					if j == c.jobs {
						break
					}
				}
			}
			if units.Time(0).Add(units.Second.Scale(end)) > promised {
				broken++
			}
		}
		if part := float64(broken) / plays; part < 0.04 || part > 0.15 {
			t.Errorf("%s: what is promised with 90 %% is broken in %.1f %% of all plays", c.name, part*100)
		} else {
			t.Logf("%s: %.1f %% of what is promised with 90 %% is broken", c.name, part*100)
		}
	}
}
