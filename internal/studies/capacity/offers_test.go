package capacity

import (
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// A plan of several types of machines is a scenario: what it reserves is there, what it rents is offered.
func TestPlanIsAScenario(t *testing.T) {
	src, err := os.ReadFile("../../../examples/fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenario.ReadCapacity("fleet.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	r := Plan(c)
	var b strings.Builder
	if err := r.WriteScenario(c, &b); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read("plan.yaml", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	cluster := s.Sim(1).Cluster
	reserved, most := 0, 0
	for i := range r.Fleet.Machines {
		m := &r.Fleet.Machines[i]
		reserved += up(m.Reserved)
		for _, list := range [][]float64{m.OnDemand, m.Spot} {
			top := 0
			for _, n := range list {
				top = max(top, up(n))
			}
			most += top
		}
	}
	if own := len(cluster.Own()); own != reserved || len(cluster.Nodes)-own != most || most == 0 {
		t.Errorf("%d own and %d offered nodes, want %d and %d\n%s", own, len(cluster.Nodes)-own, reserved, most, &b)
	}
	for _, class := range cluster.Classes {
		if class.Rented() && !(class.Price > 0) {
			t.Errorf("%q costs %v", class.Name, class.Price)
		}
	}
}
