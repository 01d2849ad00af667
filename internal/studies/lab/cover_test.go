package lab

import (
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// Slack asks for a covering set where one would help.
func TestSlackAsksForCover(t *testing.T) {
	const says = `policy "edf+slack" lets nodes sleep, and where first copies of blocks lie on all 10 of them only 2 can for certain; with placement: cover for the cluster 7 can`
	const frugal = "idle_power: 100W, classes: [{name: frugal, nodes: 3, idle_power: 50W}]"
	for _, c := range []struct{ cluster, policy, want string }{
		{frugal, "edf+slack", says},
		{frugal + ", placement: scatter", "edf+slack", says},
		{frugal + ", placement: cover", "edf+slack", ""},
		{frugal + ", replicas: 0", "edf+slack", ""},
		{frugal, "edf+sleep", ""},
		{"idle_power: 100W", "edf+slack", ""},
	} {
		s, err := scenario.Read("f.yaml", []byte("name: f\ncluster: {nodes: 7, "+c.cluster+"}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\npolicies: [fifo]\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := Suits(c.policy, s); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.policy, c.cluster, got, c.want)
		}
	}
}
