package scenario

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
)

const offering = "app: wordcount\ninput: [x]\noutput: y\nreduces: 1\nrun:\n  offers:\n    - {name: m, most: 3, boot: 2m, price: 0.5, billing: 1h, map_slots: 4, command: ./rent, timeout: 3s}\n"

// A job file offers slots in the words of a scenario.
func TestJobOffers(t *testing.T) {
	j, err := ReadJob("a.yaml", []byte(offering))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("s.yaml", []byte("cluster:\n  nodes: 1\n  offers:\n    - {name: m, most: 3, boot: 2m, price: 0.5, billing: 1h, map_slots: 4, command: ./rent}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := j.Offers()
	if len(list) != 1 || !list[0].Same(s.Sim(1).Cluster.Classes[1]) || list[0].Most != 3 || list[0].Billing != units.Hour || list[0].Capacity != units.Slots(4, 1) {
		t.Errorf("%+v, and in a scenario %+v", list[0], s.Sim(1).Cluster.Classes[1])
	}
	for _, c := range []struct{ old, new, want string }{
		{"boot: 2m", "memory: 4GB", "a.yaml:7:34: memory is for simulated nodes; slots of this machine have map_slots, reduce_slots, most, boot, price and billing"},
		{"name: m", "name: local", `a.yaml:7:14: there is another class "local"; give each its own name`},
		{"most: 3", "most: 1001", "a.yaml:7:23: most is 1001, it must be at most 1000"},
		{"command: ./rent, ", "", "a.yaml:7:84: timeout needs command: it is how long that may take"},
		{"most: 3", "mots: 3", `unknown key "mots"`},
		{"price: 0.5", "price: []", "price is empty; give at least one, or leave the key out"},
		{"price: 0.5", "price: -1", "price is -1, it must not be negative"},
	} {
		_, err := ReadJob("a.yaml", []byte(strings.Replace(offering, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}
