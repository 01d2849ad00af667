package sim

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// asks lets a driver put node 2 to sleep and wake it in turn, at these seconds.
func asks(first sched.Verb, seconds ...float64) func(*driver, []sched.Event, *sched.Plan) {
	verb := first
	return func(d *driver, _ []sched.Event, _ *sched.Plan) {
		if len(seconds) == 0 || d.at < at(seconds[0]) {
			return
		}
		seconds = seconds[1:]
		d.item(sched.Item{Verb: verb, Node: 2})
		if verb == sched.Sleep {
			d.nodes[2].up, d.nodes[2].sleeps, verb = false, true, sched.Wake // as a book would have it
		} else {
			verb = sched.Sleep
		}
	}
}

// two are two nodes of a slot each that wake in 5 s; the second may be rented.
func two(most int) *cluster.Cluster {
	c := uniform(2, 1, 1, 0)
	own := *c.Nodes[0].Class
	own.Capacity, own.WakeTime = units.Slots(1, 1), 5*sec
	other := own
	other.Name, other.Capacity, other.Most = "other", units.Slots(1, 0), most
	c.Nodes[0].Class, c.Nodes[1].Class, c.Classes = &own, &other, []*cluster.Class{&own, &other}
	return c
}

// A node sleeps when what ran on it has ended, and serves again when it has woken. One that is to leave the cluster
// meanwhile leaves, and comes back awake.
func TestSleepAndWake(t *testing.T) {
	for _, c := range []struct {
		why   string
		first sched.Verb
		most  int
		asked []float64
		sizes []SizeStep
		want  []string
	}{
		{"it drains, sleeps and wakes", sched.Sleep, 0, []float64{4, 12}, nil, []string{"10s 2 asleep", "12s 2 waking"}},
		{"it is rented, and given back when it is empty", sched.Wake, 1, []float64{2, 8, 20}, nil,
			[]string{"0s 2 offered", "2s 2 waking", "17s 2 offered", "20s 2 waking"}},
		{"it leaves while it drains", sched.Sleep, 0, []float64{4}, []SizeStep{{At: at(6), Nodes: 1}, {At: at(30), Nodes: 2}}, nil},
		{"it is to leave, and then only to sleep", sched.Sleep, 0, []float64{4}, []SizeStep{{At: at(6), Nodes: 1}, {At: at(7), Nodes: 2}}, []string{"10s 2 asleep"}},
	} {
		d := newDriver(t, Config{Cluster: two(c.most), Sizes: c.sizes, Workload: load(shape{id: "a", maps: 6, mapS: 10}, shape{id: "b", arrive: 2, maps: 1, mapS: 1},
			shape{id: "c", arrive: 4, maps: 1, mapS: 1}, shape{id: "d", arrive: 8, maps: 1, mapS: 1}, shape{id: "e", arrive: 12, maps: 1, mapS: 1}, shape{id: "f", arrive: 20, maps: 1, mapS: 1})})
		d.extra = asks(c.first, c.asked...)
		if err := d.run(); err != nil || len(d.refused) > 0 || !slices.Equal(d.turned, c.want) {
			t.Errorf("%s: refused %v, told %v, want %v (%v)", c.why, d.refused, d.turned, c.want, err)
		}
	}
}

// A node stays awake while a job may still read a map's output from it, or a block lies on no other that serves.
func TestNeededNodesStayAwake(t *testing.T) {
	for why, c := range map[string]struct {
		jobs []shape
		want bool
	}{
		"an output":           {[]shape{{id: "a", maps: 2, mapS: 10, reduces: 1, reduS: 90, slow: 1}}, true},
		"the output of a job": {[]shape{{id: "a", maps: 2, mapS: 10}}, false},
		"the only copy":       {[]shape{{id: "a", maps: 3, mapS: 10, hosts: [][]cluster.NodeID{{2}, {2}, {2}}}}, true},
		"one of two":          {[]shape{{id: "a", maps: 3, mapS: 10, hosts: [][]cluster.NodeID{{2, 1}, {1, 2}, {2, 1}}}}, false},
	} {
		d := newDriver(t, Config{Cluster: two(0), Workload: load(append(c.jobs, shape{id: "z", arrive: 12, maps: 1, mapS: 1})...)})
		d.extra = asks(sched.Sleep, 12)
		err := d.run()
		if needed := slices.ContainsFunc(d.refused, func(e sched.Event) bool { return e.Why == sched.Needed && e.Node == 2 }); needed != c.want {
			t.Errorf("%s: needed %v, want %v (%v)", why, needed, c.want, err)
		}
	}
}
