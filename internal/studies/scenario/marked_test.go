package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
)

// What nodes of a Hadoop cluster draw stands beside offers, or alone; what YARN says itself is refused.
func TestMarkedNodes(t *testing.T) {
	f, err := ReadOffers("f.yaml", []byte("nodes:\n- {attribute: gpu=1, idle_power: 200W, speed: 2, rates: [{container: map, jobs: sim, speed: 6, power: 90W}]}\n- power_curve: [50W at 0%, 90W at 30%, 100W at 100%]\n"))
	if err != nil {
		t.Fatal(err)
	}
	gpu, rest := *f.Marked()[0], *f.Marked()[1]
	if len(f.Marked()) != 2 || gpu.Name != "gpu=1" || gpu.Idle != 200 || gpu.Speed != 2 || len(gpu.Rates) != 1 || gpu.Rates[0] != (cluster.Rate{Container: "map", Jobs: "sim", Speed: 6, Watts: 90}) {
		t.Errorf("%+v", gpu)
	}
	if rest.Name != "" || rest.Idle != 50 || rest.Dynamic != 50 || rest.Speed != 1 || !slices.Equal(rest.Curve, []float64{0, 0.8, 1}) || !slices.Equal(rest.Loads, []float64{0, 0.3, 1}) {
		t.Errorf("%+v", rest)
	}
	for text, want := range map[string]string{
		"{}":                                   "f.yaml:1:1: it says nothing; give offers, nodes, or both",
		"nodes: [{vcores: 3}]":                 "f.yaml:1:18: vcores is what YARN says of its nodes",
		"nodes: [{power_curve: [9W, 5W]}]":     "power_curve falls from 9W at 0 % load to 5W",
		"nodes: [{rates: [{container: map}]}]": "a rate says speed, power, or both",
		"nodes: [{label: gpu}]":                `unknown key "label"`,
	} {
		if _, err := ReadOffers("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
