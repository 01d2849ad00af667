package experiment

import (
	"slices"
	"strconv"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What is told is a mean over the step: as now before it begins, its last value behind its end.
func TestExpected(t *testing.T) {
	f := &sched.Forecast{Start: 100, Interval: 10, Mid: []float64{0.5, 0.25}}
	for _, c := range []struct {
		from, to units.Time
		want     float64
	}{{80, 90, 1}, {95, 105, 0.75}, {100, 110, 0.5}, {105, 115, 0.375}, {90, 120, 1.75 / 3}, {115, 125, 0.25}, {500, 600, 0.25}} {
		if got := expected(f, 1, c.from, c.to); units.Rounded(got) != units.Rounded(c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// telling is a world of one node that tells of capacity.
type telling struct {
	sched.View
	speed, now float64
	mid        []float64
}

func (w telling) Now() units.Time                       { return 600e9 }
func (w telling) Nodes() sched.NodeID                   { return 1 }
func (w telling) Supply(sched.SupplyKind) *sched.Supply { return &sched.Supply{Amount: w.now} }
func (w telling) Node(sched.NodeID) *sched.Node {
	return &sched.Node{State: sched.Awake, Speed: w.speed, Spec: &cluster.Node{Class: &cluster.Class{Speed: 1}}}
}
func (w telling) Forecast(sched.SupplyKind) *sched.Forecast {
	if w.mid == nil {
		return nil
	}
	return &sched.Forecast{Start: 600e9, Interval: 600 * units.Second, Mid: w.mid}
}

// believes are the beliefs of some parameters.
func believes(with map[string]string) func(v sched.View, n int64, job string) (part, speed []float64, progress float64) {
	e, values := believing(), map[string]string{}
	for _, p := range e.Params {
		values[p.Name] = p.Default
	}
	for name, value := range with {
		values[name] = value
	}
	b := beliefs(compose.NewArgs(queues.Config{}, e.Params, values))
	return func(v sched.View, n int64, job string) (part, speed []float64, progress float64) {
		part, speed, progress = []float64{1, 0.8, 0.7}, []float64{0.5, 0.6, 0.9}, 1
		if b.Capacity != nil {
			b.Capacity(v, 600*units.Second, n, part, speed)
		}
		if b.Progress != nil {
			progress = b.Progress(n, job, 0)
		}
		return part, speed, progress
	}
}

// What the world tells is expected of slots, or of speed where that is what has changed; where it tells nothing,
// what the policy has found.
func TestBeliefs(t *testing.T) {
	told := map[string]string{"capacity": "told"}
	for name, c := range map[string]struct {
		with        map[string]string
		world       telling
		part, speed []float64
	}{
		"own":            {nil, telling{mid: []float64{1, 1, 1}}, []float64{1, 0.8, 0.7}, []float64{0.5, 0.6, 0.9}},
		"no change":      {map[string]string{"capacity": "persistence"}, telling{}, []float64{1, 1, 1}, []float64{0.5, 0.5, 0.5}},
		"slots":          {told, telling{speed: 1, now: 0.5, mid: []float64{0.5, 0.25, 1}}, []float64{1, 0.5, 2}, []float64{0.5, 0.5, 0.5}},
		"speed":          {told, telling{speed: 0.5, now: 0.5, mid: []float64{0.5, 0.25, 1}}, []float64{1, 1, 1}, []float64{0.5, 0.25, 1}},
		"nothing told":   {told, telling{speed: 0.5, now: 0.5}, []float64{1, 0.8, 0.7}, []float64{0.5, 0.6, 0.9}},
		"nothing is now": {told, telling{speed: 0.5, mid: []float64{1, 1, 1}}, []float64{1, 0.8, 0.7}, []float64{0.5, 0.6, 0.9}},
	} {
		part, speed, progress := believes(c.with)(c.world, 1, "j")
		if !slices.Equal(part, c.part) || !slices.Equal(speed, c.speed) || progress != 1 {
			t.Errorf("%s: slots of %v at %v, and %v times the progress; want %v at %v", name, part, speed, progress, c.part, c.speed)
		}
	}
}

// An error is one up or down by so much, drawn for each interval and by its seed. What there is now is known.
func TestErrors(t *testing.T) {
	off := func(seed int) func(sched.View, int64, string) ([]float64, []float64, float64) {
		return believes(map[string]string{"capacity": "persistence", "capacity_error": "50", "model_error": "25", "error_seed": strconv.Itoa(seed)})
	}
	ups, alike := [2]int{}, 0
	for n := range int64(1000) {
		part, speed, progress := off(1)(telling{}, n, "a")
		if part[0] != 1 || speed[0] != 0.5 || part[1] != 1.5 && part[1] != 0.5 || speed[1] != part[1]/2 || progress != 1.25 && progress != 0.75 {
			t.Fatalf("slots of %v at %v, and %v times the progress", part, speed, progress)
		}
		if part[1] > 1 {
			ups[0]++
		}
		if progress > 1 {
			ups[1]++
		}
		if _, _, other := off(2)(telling{}, n, "a"); other == progress {
			alike++
		}
	}
	for _, n := range []int{ups[0], ups[1], alike} {
		if n < 400 || n > 600 {
			t.Errorf("of 1000 errors %v are up, and %d those of another seed", ups, alike)
		}
	}
}
