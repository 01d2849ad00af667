package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A rack goes with all its nodes, and comes back with them: what ran there runs again.
func TestRackOutage(t *testing.T) {
	cfg := Config{Cluster: uniform(4, 2, 1, 0), Workload: load(shape{id: "j", maps: 4, mapS: 10}),
		Outages: []Outage{{Rack: 2, Down: at(4), Up: at(8)}}} // nodes 2 and 4
	d := newDriver(t, cfg)
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, line := range d.trace {
		if strings.HasSuffix(line, "lost") {
			lost++
			if !strings.Contains(line, "on n2 ") && !strings.Contains(line, "on n4 ") {
				t.Error(line)
			}
		}
	}
	if d.at != at(18) || lost != 2 {
		t.Errorf("the job ended at %v, %d attempts were lost", d.at, lost)
	}
}

// Racks that fail at random fail all their nodes at once, and the run gets to its end.
func TestRacksFailByChance(t *testing.T) {
	d := newDriver(t, Config{Cluster: uniform(6, 3, 1, 0), Workload: load(shape{id: "j", maps: 300, mapS: 10}), Seed: 3,
		Failures: Failures{RackMTBF: 2 * units.Minute, RackMTTR: 20 * sec}})
	down, times := map[sched.NodeID]bool{}, 0
	d.extra = func(_ *driver, batch []sched.Event, _ *sched.Plan) {
		for i := range batch {
			switch e := &batch[i]; e.Kind {
			case sched.NodeDown:
				down[e.Node] = true
				times++
			case sched.NodeUp:
				delete(down, e.Node)
			}
		}
		for n := sched.NodeID(1); n <= 3; n++ { // nodes n and n+3 stand in one rack
			if down[n] != down[n+3] {
				t.Fatalf("at %v node %d is down: %v, node %d: %v", d.at, n, down[n], n+3, down[n+3])
			}
		}
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	if times < 10 {
		t.Errorf("nodes went down only %d times", times)
	}
}

// On a faulty node attempts fail; the list keeps work away from it until an administrator restores it.
func TestBlacklist(t *testing.T) {
	run := func(list Blacklist) (failed, offered map[sched.NodeID]int) {
		// The draw of seed 1 makes some of the nodes faulty, not all.
		cfg := Config{Cluster: uniform(8, 2, 1, 0), Workload: load(shape{id: "j", maps: 400, mapS: 10}), Seed: 1, MaxFailures: 200,
			Failures: Failures{Faulty: 0.3, FaultyRate: 0.9, Blacklist: list}}
		d := newDriver(t, cfg)
		failed, offered = map[sched.NodeID]int{}, map[sched.NodeID]int{}
		d.extra = func(_ *driver, batch []sched.Event, _ *sched.Plan) {
			for i := range batch {
				if e := &batch[i]; e.Kind == sched.NodeChanged && e.Detail != nil {
					if e.Detail.Node.Class.Capacity == (units.Vector{}) {
						offered[e.Node]--
					} else {
						offered[e.Node]++
					}
				}
			}
		}
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		for _, line := range d.trace {
			if strings.HasSuffix(line, " failed") {
				for n := sched.NodeID(1); n <= 8; n++ {
					if strings.Contains(line, "on n"+string(rune('0'+n))+" ") {
						failed[n]++
					}
				}
			}
		}
		return failed, offered
	}
	without, _ := run(Blacklist{})
	if len(without) == 0 || len(without) == 8 {
		t.Fatalf("attempts failed on %v", without)
	}
	listed, offered := run(Blacklist{Failures: 3})
	for n, times := range listed {
		if times != 3 || offered[n] != -1 {
			t.Errorf("node %d: %d failures, offered %d", n, times, offered[n])
		}
	}
	if len(listed) != len(without) {
		t.Errorf("nodes %v failed with the list, %v without", listed, without)
	}
	restored, offered := run(Blacklist{Failures: 3, Restore: units.Minute})
	for n, times := range restored {
		if times <= 3 || times > without[n] || offered[n] < -1 || offered[n] > 0 {
			t.Errorf("node %d, restored after a minute: %d failures, %d without a list; offered %d", n, times, without[n], offered[n])
		}
	}
}

// The list of racks for placement is that of the dumb way to make it, with racks that have no node.
func TestRacks(t *testing.T) {
	c := uniform(7, 3, 1, 1)
	for i, rack := range []int{5, 2, 2, 9, 5, 2, 1} {
		c.Nodes[i].Rack = cluster.RackID(rack)
	}
	c.Racks = 10
	r := newRacks(c)
	want := racks{order: []int32{6, 1, 2, 5, 0, 4, 3}, start: []int32{0, 1, 4, 6, 7}, of: []rack{{4, 6}, {1, 4}, {1, 4}, {6, 7}, {4, 6}, {1, 4}, {0, 1}}}
	if diff := cmp.Diff(want, r, cmp.AllowUnexported(racks{}, rack{})); diff != "" {
		t.Error(diff)
	}
}
