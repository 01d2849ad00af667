package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// sleeps lets a driver put node 2 to sleep and wake it, at these seconds.
func sleeps(asleep, awake float64) func(*driver, []sched.Event, *sched.Plan) {
	did := 0
	return func(d *driver, _ []sched.Event, _ *sched.Plan) {
		switch {
		case did == 0 && d.at >= at(asleep):
			d.item(sched.Item{Verb: sched.Sleep, Node: 2})
			d.nodes[2].up = false // as a book would have it
			did++
		case did == 1 && d.at >= at(awake):
			d.item(sched.Item{Verb: sched.Wake, Node: 2})
			did++
		}
	}
}

// A node sleeps while a reduce may still read a map's output from it. It is to leave, and then not:
// it sleeps on, as those who put it to sleep believe, until they wake it.
func TestSleeperStaysAsleep(t *testing.T) {
	c := uniform(2, 1, 1, 0)
	one := *c.Nodes[0].Class
	one.Name, one.Capacity, one.WakeTime = "one", units.Slots(1, 1), 5*sec
	two := one
	two.Name, two.Capacity = "two", units.Slots(1, 0)
	c.Nodes[0].Class, c.Nodes[1].Class, c.Classes = &one, &two, append(c.Classes, &one, &two)
	cfg := Config{Cluster: c, Sizes: []SizeStep{{At: at(20), Nodes: 1}, {At: at(30), Nodes: 2}},
		Workload: load(shape{id: "a", maps: 2, mapS: 10, reduces: 1, reduS: 90, slow: 1}, shape{id: "b", arrive: 35, maps: 2, mapS: 20}, shape{id: "c", arrive: 12, maps: 1, mapS: 1}, shape{id: "d", arrive: 40, maps: 1, mapS: 1})}
	d := newDriver(t, cfg)
	var told []string
	d.extra = sleeps(12, 40)
	extra := d.extra
	d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
		for i := range batch {
			if e := &batch[i]; e.Node == 2 && (e.Kind == sched.NodeUp || e.Kind == sched.NodeDown || e.Kind == sched.NodeChanged) {
				told = append(told, e.Kind.String()+" "+d.at.String())
			}
		}
		extra(d, batch, p)
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if len(d.refused) > 0 {
		t.Errorf("refused: %+v", d.refused)
	}
	want := []string{"a/map/1 on n1 0s-10s committed", "a/map/2 on n2 0s-10s committed", "c/map/1 on n1 12s-13s committed", "job c 13s committed",
		"b/map/1 on n1 35s-55s committed", "d/map/1 on n1 55s-56s committed", "job d 56s committed", "b/map/2 on n2 45s-1m5s committed", "job b 1m5s committed",
		"a/reduce/1 on n1 10s-1m40s committed", "job a 1m40s committed"}
	if !slices.Equal(d.trace, want) {
		t.Errorf("%s", strings.Join(d.trace, "\n"))
	}
	if want := []string{"node-up 0s", "node-up 45s"}; !slices.Equal(told, want) {
		t.Errorf("told of node 2: %v, want %v", told, want)
	}
}

// The only copy of a block lies on a node that sleeps, and can be read all the same, without waking
// it: see World.sleep.
func TestInputOnSleepersCanBeRead(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(2, 1, 1, 0), Workload: load(shape{id: "a", arrive: 12, maps: 1, mapS: 1}, shape{id: "b", arrive: 20, maps: 1, mapS: 5, hosts: [][]cluster.NodeID{{2}}})})
	d.extra = sleeps(13, 100)
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/map/1 on n1 12s-13s committed", "job a 13s committed", "b/map/1 on n1 20s-25s committed", "job b 25s committed"}
	if !slices.Equal(d.trace, want) || len(d.refused) > 0 {
		t.Errorf("refused %v\n%s", d.refused, strings.Join(d.trace, "\n"))
	}
}
