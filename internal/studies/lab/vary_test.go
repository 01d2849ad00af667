package lab

import (
	"context"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Three jobs of 300 maps whose times vary by half of their mean have ten times that, on slots for nearly all maps at
// once. What their last maps may take is kept free, so no promise is broken. The second of them may wait for an hour
// that costs a sixth, and begins five minutes before it is due: that is too little for its last maps.
func TestPromisesWhereTimesVary(t *testing.T) {
	const text = `
profiles: rehearsed
cluster:
  nodes: 36
  map_slots: 8
  reduce_slots: 2
  placement: cover
  idle_power: 60W
  dynamic_power: 300W
  wake_time: 5s
  task_times: {law: lognormal, cv: 0.5}
  CLASSES
workload:
  jobs:
    - {id: a, class: y, maps: 50, map_time: 120s, arrive: 5m, deadline: +20m}
    - {id: b, class: y, maps: 300, map_time: 120s, arrive: 45m, deadline: +20m}
    - {id: c, class: y, maps: 300, map_time: 120s, arrive: 85m, deadline: +40m}
    - {id: d, class: y, maps: 300, map_time: 120s, arrive: 125m, deadline: +20m}
`
	for _, classes := range []string{"", `classes: [{name: frugal, nodes: 6, idle_power: 9W, dynamic_power: 80W}]
  supply: [{at: 0h, price: 0.04}, {at: 1h, price: 0.38}, {at: 2h, price: 0.06}, {at: 3h, price: 0.3}]
  forecasts: [{of: price, mid: [0.04, 0.38, 0.06, 0.3]}]`} {
		s, err := scenario.Read("s.yaml", []byte(strings.Replace(text, "CLASSES", classes, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var kwh [2]float64
		policies := []string{"promise", "promise+slack"}
		for _, cell := range Cells(s, policies, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
			r, err := Run(context.Background(), cell)
			if err != nil || r.Summary.Broken+r.Summary.Late > 0 || r.Summary.Kept < 2 {
				t.Errorf("%s, seed %d: %v; %d kept, %d broken, %d late", r.Policy, r.Seed, err, r.Summary.Kept, r.Summary.Broken, r.Summary.Late)
			}
			kwh[len(r.Policy)/len(policies[1])] += *r.Summary.Energy
		}
		if units.Rounded(kwh[1]) > units.Rounded(kwh[0]/3) {
			t.Errorf("with prices %v: %v kWh with slack, %v without", classes != "", kwh[1], kwh[0])
		}
	}
}
