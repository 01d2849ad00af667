package capacity

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// A plan is a scenario: what it reserves is there, what it rents is offered.
func TestPlanIsAScenario(t *testing.T) {
	c := example(t)
	c.ReservedLimit = 50
	c.Classes[1].Penalty = 100
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
	own, offered := len(cluster.Own()), len(cluster.Nodes)-len(cluster.Own())
	if own != up(r.Reserved) || offered != up(r.OnDemand) || offered == 0 {
		t.Errorf("%d own and %d offered nodes, want %v and %v\n%s", own, offered, r.Reserved, r.OnDemand, &b)
	}
	for _, class := range cluster.Classes {
		if class.Rented() && class.Price != c.Prices.OnDemand {
			t.Errorf("%q costs %v", class.Name, class.Price)
		}
	}
}
