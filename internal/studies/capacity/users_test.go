package capacity

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// The tasks of a job have the mean of the class, and none is longer than its longest.
func TestTaskTimes(t *testing.T) {
	for _, c := range []struct{ mean, max float64 }{{1, 1}, {12, 100}, {50, 100}, {99, 100}, {0, 5}, {0, 0}} {
		times := scenario.TaskTimes{Mean: config.Span(units.FromSeconds(c.mean)), Max: config.Span(units.FromSeconds(c.max))}
		list := tasks(200, draw.Of(1, "times"), times)
		sum, most := 0.0, 0.0
		for _, task := range list {
			sum += task.Work.Seconds()
			most = max(most, task.Work.Seconds())
		}
		if math.Abs(sum/200-c.mean) > 0.02*c.max || most > c.max+1e-9 || most < 0.9*c.mean {
			t.Errorf("%+v: mean %v, longest %v", c, sum/200, most)
		}
	}
}
