package lab

import (
	"context"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// onTime is what a scenario's only run came to, in which no job is late, and how often nodes were woken.
func onTime(t *testing.T, text, policy string) (kwh, cost float64, wakes int) {
	t.Helper()
	s, err := scenario.Read("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{1})[0])
	if err != nil || r.Summary.InTime != r.Summary.Deadlines {
		t.Fatalf("%v; %d of %d in time", err, r.Summary.InTime, r.Summary.Deadlines)
	}
	if r.Summary.EnergyCost != nil {
		cost = *r.Summary.EnergyCost
	}
	return *r.Summary.Energy, cost, r.Summary.Wakes
}

// Two large jobs begin in a cheap hour. In the two dear ones that follow, nodes that hold outputs of their maps cannot
// sleep. Where the next hours cost an eighth of that, these do nothing until then: that costs more energy, and less
// money. Where they cost nearly the same, they work on, as standing idle would cost more.
func TestHeldNodesWaitForCheapHours(t *testing.T) {
	text := `
profiles: rehearsed
cluster:
  nodes: 20
  map_slots: 8
  reduce_slots: 4
  block: 128MB
  placement: cover
  idle_power: 120W
  dynamic_power: 160W
  sleep_power: 5W
  wake_time: 60s
  classes:
    - {name: frugal, nodes: 10, idle_power: 60W, dynamic_power: 80W}
  supply: [{at: 0h, price: 0.10}, {at: 1h, price: DEAR}, {at: 3h, price: CHEAP}, {at: 5h, price: DEAR}]
  forecasts: [{of: price, mid: [0.1, DEAR, DEAR, CHEAP, CHEAP, DEAR, DEAR, DEAR]}]
workload:
  jobs:
    - {id: a, class: x, maps: 4000, map_time: 120s, reduces: 40, reduce_time: 60s, arrive: 10m, deadline: +6h}
    - {id: b, class: x, maps: 3000, map_time: 120s, reduces: 40, reduce_time: 60s, arrive: 40m, deadline: +6h}
    - {id: c, class: x, maps: 300, map_time: 120s, reduces: 4, reduce_time: 60s, arrive: 80m, deadline: +5h}
`
	for _, c := range []struct {
		dear, cheap string
		kwh, cost   [2]float64 // from, to
	}{
		{"0.40", "0.05", [2]float64{6, 6.5}, [2]float64{0.8, 0.9}},     // working on: 4.8 kWh for 1.01
		{"0.11", "0.09", [2]float64{4.6, 4.9}, [2]float64{0.46, 0.49}}, // doing nothing: 5.1 kWh for 0.51
	} {
		kwh, cost, _ := onTime(t, strings.NewReplacer("DEAR", c.dear, "CHEAP", c.cheap).Replace(text), "edf(feasible)+slowstart+slack")
		if kwh < c.kwh[0] || kwh > c.kwh[1] || cost < c.cost[0] || cost > c.cost[1] {
			t.Errorf("%s and %s: %v kWh cost %v", c.dear, c.cheap, kwh, cost)
		}
	}
}

// Small jobs come every half minute on average, and nodes take a minute to wake. One that has slept for less than that
// is worth stays up for as long the next time: it wakes less often, and uses less.
func TestNodesThatWakeOften(t *testing.T) {
	kwh, _, wakes := onTime(t, `
profiles: rehearsed
cluster:
  nodes: 10
  map_slots: 4
  reduce_slots: 2
  placement: cover
  idle_power: 100W
  dynamic_power: 100W
  sleep_power: 5W
  wake_time: 60s
  classes:
    - {name: frugal, nodes: 2, idle_power: 60W, dynamic_power: 80W}
workload:
  mix:
    class: x
    rate: 12.8MB
    ratio: 0.1
    shuffle_rate: 100MB
    reduce_rate: 10MB
    arrivals: {process: poisson, every: 30s}
    jobs:
      - {id: j, count: 480, maps: 4..30, reduces: 1, deadline: 120s..200s}
`, "edf(feasible)+slowstart+slack")
	if kwh > 1.3 || wakes > 100 || wakes < 50 { // asleep at once: 1.4 kWh, and 150 times
		t.Errorf("%v kWh, and nodes were woken %d times", kwh, wakes)
	}
}
