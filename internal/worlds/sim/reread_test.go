package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The output of a map goes with its node when the one reduce has read it: nobody needs it, so the
// map is not run again. A second attempt of the reduce does need it: the map runs again, and the
// attempt waits for that.
func TestSecondAttemptReadsWhatIsGone(t *testing.T) {
	c := uniform(3, 1, 1, 1)
	slow := *c.Nodes[1].Class
	slow.Name, slow.Speed = "slow", 0.1
	c.Nodes[1].Class, c.Classes = &slow, append(c.Classes, &slow)
	for i := range c.Nodes { // the map on n1, the reduce on n2
		class := *c.Nodes[i].Class
		class.Name += c.Nodes[i].Name
		class.Capacity = []units.Vector{units.Slots(1, 0), units.Slots(0, 1), units.Slots(1, 1)}[i]
		c.Nodes[i].Class, c.Classes = &class, append(c.Classes, &class)
	}
	cfg := Config{Cluster: c, Workload: load(shape{id: "j", maps: 1, mapS: 10, reduces: 1, shufS: 2, reduS: 20, slow: 1}), Progress: 5 * sec,
		Outages: []Outage{{Node: 1, Down: at(20), Up: units.Never}}}
	d := newDriver(t, cfg)
	done := false
	d.extra = func(d *driver, _ []sched.Event, p *sched.Plan) {
		if d.at < at(30) || done {
			return
		}
		done = true
		d.jobs[1].live++
		needs := units.Slots(0, 1)
		d.nodes[3].free.Sub(&needs)
		p.Bound = append(p.Bound, sched.Bound{Task: 1, Locality: sched.Anywhere})
		d.item(sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Reduce, Task: 1, Node: 3, Count: 1, Tasks: sched.Span{From: int32(len(p.Bound) - 1), To: int32(len(p.Bound))}})
	}
	if err := d.run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"j/map/1 on n1 0s-10s committed", "j/map/1 on n3 30s-40s committed", "j/reduce/1 on n3 30s-1m2s committed", "j/reduce/1 on n2 10s-1m2s superseded", "job j 1m2s committed"}
	if !slices.Equal(d.trace, want) {
		t.Errorf("%s", strings.Join(d.trace, "\n"))
	}
}
