package experiment

import (
	"context"
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/stat"
)

// What a process adds to its lags is noise alone, of the deviation that it states. Where it is an AR(3), AR(3) is ahead
// of persistence, and one that has seen all before is ahead of both.
func TestProcesses(t *testing.T) {
	for name, p := range processes {
		xs := p.values(2000, 1)
		var squares stat.Sum
		for i := 3; i < len(xs); i++ {
			rest := xs[i] - 0.75
			for k, by := range p.lags {
				rest -= by * (xs[i-k-1] - 0.75)
			}
			squares.Add(rest * rest)
		}
		if got := math.Sqrt(squares.Mean()); math.Abs(got/p.noise-1) > 0.1 {
			t.Errorf("%s: the noise is %v, want %v", name, got, p.noise)
		}
		off := map[string]float64{}
		for _, by := range []string{"hindsight", "ar", "persistence"} {
			is, err := foreseeing(by)(context.Background(), &computed{Made: name, Days: 7, Window: 1}, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			off[by] = is["capacity error"]
		}
		if ahead := off["hindsight"] < off["ar"] && off["ar"] < 0.97*off["persistence"]; ahead != (name == "ar3") {
			t.Errorf("%s: errors are %v", name, off)
		}
	}
}
