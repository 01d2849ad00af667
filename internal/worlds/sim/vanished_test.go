package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// apart is a node for maps and one for reduces. The map's output lies on the first, which goes when
// the only reduce has read it. Nodes beat every 3 s, the second 1.5 s after the first, so that what
// is missed at once and what only when the reduce starts over differ.
func apart(seed uint64, rate float64) Config {
	c := uniform(2, 1, 1, 0)
	reducer := cluster.Class{Name: "r", Speed: 1, Capacity: units.Slots(0, 1)}
	c.Nodes[1].Class, c.Classes = &reducer, append(c.Classes, &reducer)
	return Config{Cluster: c, Seed: seed, Heartbeat: 3 * sec, Failures: Failures{Rate: rate}, Outages: []Outage{{Node: 1, Down: at(24.5), Up: at(25)}},
		Workload: load(shape{id: "j", maps: 1, reduces: 1, mapS: 20, shufS: 4, reduS: 6})}
}

// told counts the outputs that are told lost, by the time of their batch.
func told(d *driver, lost map[units.Time]int) {
	do := d.extra
	d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
		for i := range batch {
			if batch[i].Kind == sched.OutputLost {
				lost[d.at]++
			}
		}
		if do != nil {
			do(d, batch, p)
		}
	}
}

// The output vanishes at 24.5, when nobody needs it. At 28 the reduce is killed: it has to start
// over, misses the output, and the map runs again before it.
func TestVanishedOutputIsMissedByAKilledReduce(t *testing.T) {
	for _, outcome := range []sched.Outcome{sched.Killed, sched.Preempted} {
		d := newDriver(t, apart(0, 0))
		d.extra = func(d *driver, batch []sched.Event, p *sched.Plan) {
			if batch[0].Kind != sched.Tick {
				return
			}
			for a := range d.attempts { // only the reduce runs
				p.Victims = append(p.Victims, a)
				d.item(sched.Item{Verb: sched.Kill, Outcome: outcome, Count: 1, Attempts: sched.Span{From: 0, To: 1}})
			}
		}
		d.w.WakeAt(at(28))
		lost := map[units.Time]int{}
		told(d, lost)
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		want := []string{"j/map/1 on n1 0s-20s committed", fmt.Sprintf("j/reduce/1 on n2 1.5s-28s %v", outcome), "j/map/1 on n1 30s-50s committed",
			"j/reduce/1 on n2 28.5s-1m committed", "job j 1m committed"}
		if !slices.Equal(d.trace, want) {
			t.Errorf("%v:\n%s", outcome, strings.Join(d.trace, "\n"))
		}
		if len(lost) != 1 || lost[at(28)] != 1 {
			t.Errorf("%v: outputs told lost: %v, want one at 28s", outcome, lost)
		}
	}
}

// So it is when the reduce fails by itself.
func TestVanishedOutputIsMissedByAFailedReduce(t *testing.T) {
	tried := 0
	for seed := range uint64(200) {
		d := newDriver(t, apart(seed, 0.3))
		lost := map[units.Time]int{}
		told(d, lost)
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		failed := units.Time(0)
		if len(d.trace) != 5 || d.trace[0] != "j/map/1 on n1 0s-20s committed" {
			continue // something else failed
		}
		for when := range lost {
			failed = when
		}
		if failed <= at(24.5) {
			continue // it failed before the output had vanished
		}
		tried++
		beat := func(phase units.Time) units.Time { // of the node with that phase, the first behind the failure
			return phase + (failed-phase+at(3)-1)/at(3)*at(3)
		}
		over := beat(0).Add(30 * sec)
		want := []string{d.trace[0], fmt.Sprintf("j/reduce/1 on n2 1.5s-%v failed", failed), fmt.Sprintf("j/map/1 on n1 %v-%v committed", beat(0), beat(0).Add(20*sec)),
			fmt.Sprintf("j/reduce/1 on n2 %v-%v committed", beat(at(1.5)), over), fmt.Sprintf("job j %v committed", over)}
		if !slices.Equal(d.trace, want) || len(lost) != 1 || lost[failed] != 1 {
			t.Errorf("seed %d:\n%s\nwant\n%s\nlost %v", seed, strings.Join(d.trace, "\n"), strings.Join(want, "\n"), lost)
		}
	}
	if tried == 0 {
		t.Error("no reduce failed behind its shuffle: this tests nothing")
	}
}
